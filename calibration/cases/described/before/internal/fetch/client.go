package fetch

import (
	"fmt"
	"net/http"
)

// Get returns the response to a GET request if its status is 200.
func Get(url string) (*http.Response, error) {
	response, err := http.Get(url)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		response.Body.Close()
		return nil, fmt.Errorf("%s: %s", url, response.Status)
	}
	return response, nil
}
