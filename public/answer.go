package public

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// An answerer answers an authority on one port while an order is under way.
const (
	answerConns = 64              // at a time; more wait
	answerTime  = 5 * time.Second // for a connection from accept to close; authorities give up after about ten
	answerHead  = 8 << 10         // bytes of a request
)

// answer accepts until the function that it returns is called, which waits until the last connection is closed.
func answer(l net.Listener, interrupt func(), handle func(net.Conn)) func() {
	slots, done, gone := make(chan struct{}, answerConns), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		var conns sync.WaitGroup
		defer conns.Wait()
		for {
			nc, err := l.Accept()
			select {
			case <-done:
				if err == nil {
					_ = nc.Close()
				}
				return
			default:
			}
			if err != nil {
				time.Sleep(10 * time.Millisecond) // out of descriptors, say; the order's time is bounded
				continue
			}
			slots <- struct{}{}
			conns.Go(func() {
				defer func() { _ = nc.Close(); <-slots }()
				_ = nc.SetDeadline(time.Now().Add(answerTime))
				handle(nc)
			})
		}
	}()
	return func() { close(done); interrupt(); <-gone }
}

// answerHTTP answers HTTP-01 (RFC 8555, section 8.3, 2019-03) with the response at one path; all else is a bare 404. It owns
// the listener.
func answerHTTP(l net.Listener, path, response string) func() {
	return answer(l, func() { _ = l.Close() }, func(nc net.Conn) {
		req, err := http.ReadRequest(bufio.NewReader(io.LimitReader(nc, answerHead)))
		if err != nil {
			return
		}
		if req.Method != http.MethodGet || req.URL.Path != path {
			_, _ = io.WriteString(nc, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
			return
		}
		_, _ = fmt.Fprintf(nc, "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
			len(response), response)
	})
}

// answerTLS answers TLS-ALPN-01 on a listener that is borrowed: once stopped it accepts as before. A client that is no
// authority gets a failed handshake.
func answerTLS(l *net.TCPListener, conf *tls.Config) func() {
	end := answer(l, func() { _ = l.SetDeadline(time.Unix(1, 0)) }, func(nc net.Conn) {
		ctx, cancel := context.WithTimeout(context.Background(), answerTime)
		defer cancel()
		tc := tls.Server(nc, conf)
		if tc.HandshakeContext(ctx) == nil {
			_ = tc.Close()
		}
	})
	return func() { end(); _ = l.SetDeadline(time.Time{}) }
}
