package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// connectHead reads what a client says to a proxy.
func connectHead(c net.Conn) string {
	var head []byte
	for b := make([]byte, 1); !strings.HasSuffix(string(head), "\r\n\r\n"); head = append(head, b[0]) {
		if _, err := c.Read(b); err != nil {
			break
		}
	}
	return string(head)
}

// relay copies both ways until both ends are done.
func relay(c net.Conn, to string) {
	up, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer up.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(up, c)
		up.Close()
	}()
	_, _ = io.Copy(c, up)
	c.Close()
	<-done
}

// TestThroughAProxy: every request asks the proxy for a tunnel, over TLS as well, and only the proxy gets its credentials.
func TestThroughAProxy(t *testing.T) {
	cert, pool := certificate(t, time.Now().Add(time.Hour), "")
	var said atomic.Value
	tunnel := func(c net.Conn) {
		head := connectHead(c)
		said.Store(head)
		_, _ = io.WriteString(c, "HTTP/1.1 200 Connection established\r\nX-Proxy: yes\r\n\r\n")
		relay(c, strings.Fields(head)[1])
	}
	plain := serve(t, func(c *net.TCPConn) { tunnel(c) })
	secure := serveTLS(t, &tls.Config{Certificates: []tls.Certificate{cert}}, func(c *tls.Conn) { tunnel(c) })
	var request atomic.Value
	http := serve(t, func(c *net.TCPConn) {
		request.Store(connectHead(c))
		_, _ = io.WriteString(c, ok429)
		_ = c.CloseWrite()
	})
	https := serveTLS(t, &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"http/1.1"}}, answerTLS)
	for _, c := range []struct {
		why, proxy, layer string
	}{
		{"http", "http://user:pa%3Ass@" + plain, "http://" + http},
		{"https", "http://user:pa%3Ass@" + plain, "https://" + https},
		{"http through a proxy with TLS", "https://user:pa%3Ass@" + secure, "http://" + http},
		{"https through a proxy with TLS", "https://user:pa%3Ass@" + secure, "https://" + https},
	} {
		base, err := ParseBase(c.layer)
		if err != nil {
			t.Fatal(err)
		}
		proxy, err := ParseBase(c.proxy)
		if err != nil {
			t.Fatal(err)
		}
		client := Client{Base: base, TLS: &tls.Config{RootCAs: pool}, Proxy: &Proxy{Base: proxy, TLS: &tls.Config{RootCAs: pool}}}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		a := client.Do(ctx, Request{Method: "POST", Target: "/v1/messages", Body: []byte("{}")})
		cancel()
		if a.Status != 429 || a.End != EndComplete || len(a.Values("x-proxy")) > 0 {
			t.Errorf("%s: %d, %s %s", c.why, a.Status, a.End, a.Err)
		}
		const credentials = "Proxy-Authorization: Basic dXNlcjpwYTpzcw==\r\n"
		if head, _ := said.Load().(string); head != "CONNECT "+base.Host+" HTTP/1.1\r\nHost: "+base.Host+"\r\n"+credentials+"\r\n" {
			t.Errorf("%s: %q", c.why, head)
		}
		if head, _ := request.Load().(string); strings.Contains(head, "dXNlcjpwYTpzcw==") || !strings.HasPrefix(head, "POST /v1/messages HTTP/1.1\r\n") {
			t.Errorf("%s: the layer was told %q", c.why, head)
		}
	}
}

// TestARefusingProxy: what a proxy refuses is told of the proxy, and never as an answer or a fault of the layer's.
func TestARefusingProxy(t *testing.T) {
	says := func(text string) func(*net.TCPConn) {
		return func(c *net.TCPConn) {
			connectHead(c)
			_, _ = io.WriteString(c, text)
			_ = c.CloseWrite()
			_, _ = io.Copy(io.Discard, c)
		}
	}
	for _, c := range []struct {
		why    string
		handle func(*net.TCPConn)
		want   string
	}{
		{"it wants credentials", says("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 2\r\n\r\nno"), " refused: 407 Proxy Authentication Required (it wants credentials: write them into the proxy's URL)"},
		{"a rule", says("HTTP/1.0 403 Forbidden\r\n\r\n"), " refused: 403 Forbidden (it lets nobody"},
		{"the layer can't be reached", says("HTTP/1.1 502 \r\n\r\n"), " refused: 502 (it can't reach the layer)"},
		{"a status like a provider's", says("HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\n\r\n"), " refused: 429 Too Many Requests"},
		{"a redirect", says("HTTP/1.1 302 Found\r\nLocation: http://login.example/\r\n\r\n"), " refused: 302 Found"},
		{"colours for our terminal", says("HTTP/1.1 500 \x1b[31mred\r\n\r\n"), ` refused: 500 \x1b[31mred`},
		{"no proxy at all", says("SSH-2.0-x\r\n\r\n\r\n"), "is no HTTP proxy"},
		{"a head without an end", says("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", maxConnectHead)), "a head without an end"},
		{"it hangs up", func(c *net.TCPConn) { connectHead(c) }, "no tunnel through the proxy at "},
		{"it says nothing", func(c *net.TCPConn) { _, _ = io.Copy(io.Discard, c) }, " gave no tunnel in time"},
	} {
		addr := serve(t, c.handle)
		client := Client{Base: Base{Scheme: "http", Host: "layer.example:80", Authority: "layer.example"}, Proxy: &Proxy{Base: Base{Scheme: "http", Host: addr, User: "user:hunter2"}}}
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		a := client.Do(ctx, Request{Method: "POST", Target: "/"})
		cancel()
		if a.End != EndLocal || a.Status != 0 || !strings.Contains(a.Err, c.want) || !strings.Contains(a.Err, addr) || strings.Contains(a.Err, "hunter2") {
			t.Errorf("%s: %s %q", c.why, a.End, a.Err)
		}
	}
}

// TestNoProxyThere: a proxy that can't be reached is no fault of the layer's, either, and who interrupts is told so.
func TestNoProxyThere(t *testing.T) {
	client := Client{Base: Base{Scheme: "https", Host: "layer.example:443"}, Proxy: &Proxy{Base: Base{Scheme: "http", Host: "127.0.0.1:1"}}}
	if a := client.Do(t.Context(), Request{Method: "POST", Target: "/"}); a.End != EndLocal || !strings.Contains(a.Err, "no tunnel through the proxy at 127.0.0.1:1: connection refused") {
		t.Errorf("%s %q", a.End, a.Err)
	}
	addr := serve(t, func(c *net.TCPConn) { _, _ = io.Copy(io.Discard, c) })
	client.Proxy.Base.Host = addr
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if a := client.Do(ctx, Request{Method: "POST", Target: "/"}); a.End != EndCanceled {
		t.Errorf("%s %q", a.End, a.Err)
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		t.Error("it was not interrupted")
	}
}
