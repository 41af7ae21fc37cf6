package server

import "net/http"

// New returns the public HTTP server.
func New(handler http.Handler) *http.Server {
	return &http.Server{
		Addr:    ":8080",
		Handler: handler,
	}
}
