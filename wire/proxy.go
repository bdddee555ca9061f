package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
)

// Proxy is an HTTP proxy on the way to a server. It is asked for a tunnel by CONNECT (RFC 9110, section 9.3.6), for http servers as
// well as for https: a proxy that reads the requests would be one more layer, and what it did would be told of the one under test.
type Proxy struct {
	Base Base        // http or https; its credentials go to the proxy alone
	TLS  *tls.Config // for an https proxy; nil: the system's roots
}

// maxConnectHead bounds what a proxy may say before the tunnel stands, in bytes.
const maxConnectHead = 16 << 10

// proxyError is a tunnel that did not come into being. Whatever the reason, it says nothing of the server behind.
type proxyError struct{ words string }

func (e proxyError) Error() string { return e.words }

// tunnel connects to a server through the proxy. Every error but the context's is a proxyError.
func (p *Proxy) tunnel(ctx context.Context, host string, connect func(context.Context, string) (net.Conn, error)) (net.Conn, error) {
	conn, err := connect(ctx, p.Base.Host)
	if err != nil {
		return nil, p.failed(ctx, err)
	}
	if p.Base.Scheme == "https" {
		if conn, err = secure(ctx, conn, p.TLS, p.Base); err != nil {
			return nil, p.failed(ctx, err)
		}
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(past) })
	err = p.ask(conn, host)
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		conn.Close()
		return nil, p.failed(ctx, err)
	}
	return conn, nil
}

// failed words an error of the proxy's. A limit of this machine stays one, and so does an interruption.
func (p *Proxy) failed(ctx context.Context, err error) error {
	var refused proxyError
	switch {
	case errors.As(err, &refused), exhausted(err) != "":
		return err
	case errors.Is(ctx.Err(), context.Canceled):
		return context.Canceled
	case ctx.Err() != nil, errors.Is(err, os.ErrDeadlineExceeded):
		return proxyError{"the proxy at " + p.Base.Host + " gave no tunnel in time"}
	}
	_, words := dialWords(ctx, err, p.Base)
	return proxyError{"no tunnel through the proxy at " + p.Base.Host + ": " + words}
}

// ask says CONNECT and reads the answer, byte for byte, since what follows is the server's.
func (p *Proxy) ask(conn net.Conn, host string) error {
	text := "CONNECT " + host + " HTTP/1.1\r\nHost: " + host + "\r\n"
	if p.Base.User != "" {
		text += "Proxy-Authorization: " + p.Base.authorization() + "\r\n"
	}
	if _, err := io.WriteString(conn, text+"\r\n"); err != nil {
		return err
	}
	var head []byte
	for b := make([]byte, 1); !strings.HasSuffix(string(head[max(0, len(head)-4):]), "\r\n\r\n"); {
		if len(head) >= maxConnectHead {
			return proxyError{"the proxy at " + p.Base.Host + " answers with a head without an end"}
		}
		if _, err := io.ReadFull(conn, b); err != nil {
			return err
		}
		head = append(head, b[0])
	}
	line, _, _ := strings.Cut(string(head), "\r\n")
	proto, rest, _ := strings.Cut(line, " ")
	code, reason, _ := strings.Cut(rest, " ")
	status, err := strconv.Atoi(code)
	if err != nil || len(code) != 3 || !strings.HasPrefix(proto, "HTTP/1.") {
		return proxyError{"what answers at " + p.Base.Host + " is no HTTP proxy: " + quote([]byte(line))}
	}
	if status/100 != 2 {
		return proxyError{fmt.Sprintf("the proxy at %s refused: %s%s", p.Base.Host, strings.TrimSpace(code+" "+printable(reason)), proxyAdvice(status))}
	}
	return nil
}

// proxyAdvice says what a refusal means.
func proxyAdvice(status int) string {
	switch {
	case status == 407:
		return " (it wants credentials: write them into the proxy's URL)"
	case status == 403 || status == 405:
		return " (it lets nobody through to this host or port by CONNECT)"
	case status >= 500:
		return " (it can't reach the layer)"
	}
	return ""
}

// printable cuts what a proxy says.
func printable(s string) string {
	if s == "" {
		return ""
	}
	return strings.Trim(quote([]byte(s)), `"`)
}
