package fetch

import (
	"fmt"
	"net/http"
	"time"
)

var delays = []time.Duration{200 * time.Millisecond, 400 * time.Millisecond, 800 * time.Millisecond}

// Get returns the response to a GET request if its status is 200. It retries a 503 up to three times.
func Get(url string) (*http.Response, error) {
	for attempt := 0; ; attempt++ {
		response, err := http.Get(url)
		if err != nil {
			return nil, err
		}
		if response.StatusCode == http.StatusOK {
			return response, nil
		}
		response.Body.Close()
		if response.StatusCode != http.StatusServiceUnavailable || attempt == len(delays) {
			return nil, fmt.Errorf("%s: %s", url, response.Status)
		}
		time.Sleep(delays[attempt])
	}
}
