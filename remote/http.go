package remote

import (
	"crypto/tls"
	"io"
	"log"
	"net/http"
)

// noHTTP2 keeps net/http to HTTP/1.1, whose client sends nothing twice that has arrived.
var noHTTP2 = map[string]func(*http.Server, *tls.Conn, http.Handler){}

// quiet drops what net/http would write about strangers' connections.
var quiet = log.New(io.Discard, "", 0)
