package billing

import "net/http"

// NewClient returns the client for the billing service.
func NewClient() *http.Client {
	return &http.Client{}
}
