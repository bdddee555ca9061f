package remote

import (
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
)

// noHTTP2 keeps net/http to HTTP/1.1, whose client sends nothing twice that has arrived.
var noHTTP2 = map[string]func(*http.Server, *tls.Conn, http.Handler){}

// quiet drops what net/http would write about strangers' connections.
var quiet = log.New(io.Discard, "", 0)

// DefaultConns is how many connections an API serves at a time: a check has as many as rows side by side.
const DefaultConns = 128

// Bounded closes connections beyond a number at once, so that nobody without the token can use up the machine.
func Bounded(l net.Listener, most int) net.Listener {
	return &bounded{Listener: l, places: make(chan struct{}, most)}
}

type bounded struct {
	net.Listener
	places chan struct{}
}

func (b *bounded) Accept() (net.Conn, error) {
	for {
		c, err := b.Listener.Accept()
		if err != nil {
			return nil, err
		}
		select {
		case b.places <- struct{}{}:
			return &placed{Conn: c, leave: sync.OnceFunc(func() { <-b.places })}, nil
		default:
			_ = c.Close() // nobody to tell
		}
	}
}

type placed struct {
	net.Conn
	leave func()
}

func (p *placed) Close() error {
	defer p.leave()
	return p.Conn.Close()
}
