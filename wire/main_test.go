package wire

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve answers every connection on a loopback port with handle, and ends them all with the test.
func serve(t testing.TB, handle func(c *net.TCPConn)) (addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var open sync.WaitGroup
	var mu sync.Mutex
	var conns []net.Conn
	ended := false
	open.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			if ended {
				c.Close()
			}
			conns = append(conns, c)
			mu.Unlock()
			open.Go(func() {
				defer c.Close()
				handle(c.(*net.TCPConn))
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		mu.Lock()
		ended = true
		for _, c := range conns {
			c.Close()
		}
		mu.Unlock()
		open.Wait()
	})
	return l.Addr().String()
}

// readRequest reads one whole request, so that a later close is a FIN and not a reset.
func readRequest(c net.Conn) (*http.Request, []byte, error) {
	r, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil {
		return nil, nil, err
	}
	b, err := io.ReadAll(r.Body)
	return r, b, err
}

// hang keeps a connection open until the other side, or the end of the test, closes it.
func hang(c net.Conn) { _, _ = io.Copy(io.Discard, c) }

func client(addr string) Client {
	return Client{Base: Base{Scheme: "http", Host: addr, Authority: addr}}
}

func within(t testing.TB, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

var ask = Request{Method: "POST", Target: "/v1/messages", Body: []byte("{}")}
