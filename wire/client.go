package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"time"
)

// Client sends requests to one base URL. Every request gets a connection of its own, which is closed after the
// answer; nothing is sent twice, no redirect is followed and no proxy is used but one that is given. The zero Limits
// are Default. A Client may be used by several goroutines.
type Client struct {
	Base   Base
	TLS    *tls.Config // for https; nil: the system's roots. The server's name and ALPN are filled in.
	Limits Limits
	Proxy  *Proxy // nil: none. What it refuses is EndLocal: nothing is known of the server behind
	// Abrupt ends the connection by a reset after a complete answer. It is for peers of our own on loopback: there
	// thousands of connections in TIME_WAIT make each new one slower. A layer of a user's is left in the orderly way.
	Abrupt bool

	connect func(ctx context.Context, host string) (net.Conn, error) // nil: dialTCP; tests put a machine without ports here
	// Copy gets every byte of the answer as soon as it was read; nil: nobody does. A copy that fails ends the reading.
	Copy io.Writer
}

// inlineWrite is how many bytes of a request are written before the answer is read. It must fit into the socket's
// buffer, so that a server that answers early without reading can't block us. Larger requests are written beside
// the reading. Linux's default send buffer is 16 KiB (tcp(7), tcp_wmem).
const inlineWrite = 16 << 10

var past = time.Unix(1, 0)

// Do sends one request and reads its answer, within the context's deadline. It never returns nil; how it went is in
// End and Err. The request's target is sent as it is, without Base.Path.
func (c Client) Do(ctx context.Context, r Request) *Answer {
	start := time.Now()
	msg, err := r.encode(c.Base)
	if err != nil {
		return notSent(start, EndRefused, "nothing was sent: "+err.Error())
	}
	conn, err := c.dial(ctx)
	if err != nil {
		end, words := dialWords(ctx, err, c.Base)
		return notSent(start, end, words)
	}
	defer conn.Close()
	// A context that ends, by deadline or by cancel, makes reads and writes fail at once.
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(past) })
	defer stop()
	a := c.exchange(conn, msg, r.Method == "HEAD")
	a.Local = conn.LocalAddr().String()
	if a.End == EndTimeout && errors.Is(ctx.Err(), context.Canceled) {
		a.End = EndCanceled
	}
	if tcp, ok := conn.(*net.TCPConn); ok && c.Abrupt && a.End == EndComplete {
		_ = tcp.SetLinger(0) // the answer is here; how the connection goes changes nothing
	}
	return a
}

func notSent(start time.Time, end End, words string) *Answer {
	return &Answer{End: end, Err: words, SentAt: start, DoneAt: time.Now()}
}

// exchange writes a request and reads the answer. A write that failed doesn't matter when an answer came: a server
// may refuse a request before it has read it whole.
func (c Client) exchange(conn net.Conn, msg []byte, noBody bool) *Answer {
	sent := time.Now()
	var werr error
	var a *Answer
	var src io.Reader = conn
	if c.Copy != nil {
		src = io.TeeReader(conn, c.Copy)
	}
	if len(msg) <= inlineWrite {
		_, werr = conn.Write(msg)
		a = read(src, c.Limits, noBody)
	} else {
		done := make(chan error, 1)
		go func() {
			_, err := conn.Write(msg)
			done <- err
		}()
		a = read(src, c.Limits, noBody)
		conn.Close() // ends a write that is still waiting
		werr = <-done
	}
	a.SentAt = sent
	a.noteUnsent(werr)
	return a
}

// noteUnsent adds a failed write to an answer that did not come whole. The kernel reports a reset only once, so that
// after a write met it a read sees a mere end.
func (a *Answer) noteUnsent(err error) {
	if err == nil || a.End.Orderly() || errors.Is(err, net.ErrClosed) || !isReset(err) {
		return
	}
	if a.End == EndNone || a.End == EndShort {
		a.End = EndReset
		a.Err += " (reset while the request was being sent)"
	}
}

// dial connects, and for https shakes hands.
func (c Client) dial(ctx context.Context) (net.Conn, error) {
	connect := c.connect
	if connect == nil {
		connect = dialTCP
	}
	var conn net.Conn
	var err error
	if c.Proxy != nil {
		conn, err = c.Proxy.tunnel(ctx, c.Base.Host, connect)
	} else {
		conn, err = connect(ctx, c.Base.Host)
	}
	if err != nil {
		return nil, err
	}
	if c.Base.Scheme != "https" {
		return conn, nil
	}
	return secure(ctx, conn, c.TLS, c.Base)
}

// secure shakes hands over a connection, which it closes when that fails.
func secure(ctx context.Context, conn net.Conn, with *tls.Config, b Base) (net.Conn, error) {
	cfg := new(tls.Config)
	if with != nil {
		cfg = with.Clone()
	}
	if cfg.ServerName == "" {
		cfg.ServerName = b.serverName()
	}
	cfg.NextProtos = []string{"http/1.1"}
	secured := tls.Client(conn, cfg)
	if err := secured.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, handshakeError{err}
	}
	return secured, nil
}

// dialTCP connects without keep-alive probes, since no connection outlives its answer. The local port is left to connect(2):
// Dialer.DialTCP would bind one first, also for no local address, and bind takes no port that a closed connection to
// anybody still holds (ip(7), IP_BIND_ADDRESS_NO_PORT; seen with Go 1.26, 2026-11-30).
func dialTCP(ctx context.Context, host string) (net.Conn, error) {
	d := net.Dialer{KeepAlive: -1}
	return d.DialContext(ctx, "tcp", host)
}
