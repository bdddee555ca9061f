package controls

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/wire"
)

const (
	maxRequest  = 1 << 20 // bytes of a request body
	callTimeout = 30 * time.Second
)

// Layer is an embedded layer with one known fault, on a loopback port of its own.
type Layer struct {
	listener net.Listener
	up       wire.Client
	dialect  *dialects.Dialect
	answer   Behaviour
	honest   bool // passes each byte on when it comes
	active   atomic.Int64
	wg       sync.WaitGroup
	ctx      context.Context
	stop     context.CancelFunc
}

// Start starts the layer of a fault in front of upstream, a base URL. Close ends it.
func Start(name, upstream string) (*Layer, error) {
	f := ByName(name)
	if f == nil {
		return nil, fmt.Errorf("no control is called %q", name)
	}
	base, err := wire.ParseBase(upstream)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	y := &Layer{listener: l, up: wire.Client{Base: base, Abrupt: true}, dialect: dialects.Anthropic, answer: f.behaviour(), honest: f.Mechanism == Nothing}
	y.ctx, y.stop = context.WithCancel(context.Background())
	y.wg.Add(1)
	go y.serve()
	return y, nil
}

// URL is the base URL that a client would be given.
func (y *Layer) URL() string { return "http://" + y.listener.Addr().String() }

// Idle reports whether no request is under way, so that no late hit can come.
func (y *Layer) Idle() bool { return y.active.Load() == 0 }

// Close ends the layer and waits for what is under way.
func (y *Layer) Close() error {
	err := y.listener.Close()
	y.stop()
	y.wg.Wait()
	return err
}

func (y *Layer) serve() {
	defer y.wg.Done()
	for {
		c, err := y.listener.Accept()
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return
			}
			continue
		}
		y.wg.Add(1)
		y.active.Add(1)
		go y.serveOne(c)
	}
}

// serveOne answers one request on a connection and closes it: clients of a check come on fresh connections, and say so. To others it
// announces the close: a client that keeps connections, as an SDK for Go does, may else send its next request into a closed one.
func (y *Layer) serveOne(c net.Conn) {
	defer y.wg.Done()
	defer y.active.Add(-1)
	defer c.Close()
	stop := context.AfterFunc(y.ctx, func() { c.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if c.SetDeadline(time.Now().Add(callTimeout)) != nil {
		return
	}
	in, err := http.ReadRequest(bufio.NewReaderSize(c, 2<<10))
	if err != nil {
		return
	}
	body, err := io.ReadAll(io.LimitReader(in.Body, maxRequest))
	if err != nil {
		return
	}
	if !in.Close {
		c = &announcing{Conn: c}
	}
	if y.honest {
		y.relay(c, forward(in, body))
		return
	}
	call := &Call{Request: forward(in, body), Stream: y.dialect.Stream(body), Model: y.dialect.Model(body), Ask: y.ask, Sleep: y.sleep}
	send(c, y.answer(call))
}

// announcing puts a connection: close behind the status line of an answer.
type announcing struct {
	net.Conn
	begun bool
}

func (c *announcing) Write(b []byte) (int, error) {
	head, rest, ok := bytes.Cut(b, []byte("\r\n"))
	if c.begun || !ok || !bytes.HasPrefix(b, []byte("HTTP/1.")) {
		c.begun = true
		return c.Conn.Write(b)
	}
	c.begun = true
	if _, err := c.Conn.Write(slices.Concat(head, []byte("\r\nconnection: close\r\n"), rest)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// sleep ends early when the layer does.
func (y *Layer) sleep(d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-y.ctx.Done():
	}
}

func (y *Layer) ask(r wire.Request) *wire.Answer {
	ctx, cancel := context.WithTimeout(y.ctx, callTimeout)
	defer cancel()
	return y.up.Do(ctx, r)
}

// forward makes the upstream request: everything but what belongs to one connection.
func forward(in *http.Request, body []byte) wire.Request {
	out := wire.Request{Method: in.Method, Target: in.URL.RequestURI(), Body: body}
	names := make([]string, 0, len(in.Header))
	for name := range in.Header {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if slices.Contains([]string{"Connection", "Content-Length", "Transfer-Encoding", "Keep-Alive", "Expect"}, name) {
			continue
		}
		for _, v := range in.Header[name] {
			out.Header = append(out.Header, wire.Field{Name: name, Value: v})
		}
	}
	return out
}

// send writes an answer. One that broke off is passed on as broken off, and one with both framings really gets both.
func send(c net.Conn, a *wire.Answer) {
	switch {
	case a.Status == 0:
		return // no answer from upstream, no answer from us
	case !a.End.Orderly():
		sendBroken(c, a)
	case slices.Contains(a.Faults, wire.FaultLengthAndCoding):
		whole := a.Clone()
		whole.Framing = wire.FramingChunked
		head, rest, _ := bytes.Cut(wire.Encode(whole), []byte("\r\n"))
		write(c, []byte(string(head)+"\r\nContent-Length: "+strconv.Itoa(len(a.Body))+"\r\n"+string(rest)))
	case slices.Contains(a.Faults, wire.FaultExcess):
		whole := a.Clone()
		if whole.Framing == wire.FramingClose {
			whole.Framing = wire.FramingLength
		}
		write(c, append(wire.Encode(whole), "excess"...))
	case len(a.Trailer) > 0:
		whole := a.Clone()
		whole.Framing = wire.FramingChunked // nothing else has a place for it
		write(c, wire.Encode(whole))
	default:
		var b []byte
		for _, status := range a.Interim {
			b = append(b, "HTTP/1.1 "+strconv.Itoa(status)+" Interim\r\n\r\n"...)
		}
		paced(c, append(b, wire.Encode(a)...), a)
	}
}

// sendBroken leaves the framing open: the last chunk is not sent, or fewer bytes than announced.
func sendBroken(c net.Conn, a *wire.Answer) {
	whole, missing := a.Clone(), len("0\r\n\r\n")
	if a.Framing != wire.FramingChunked {
		missing = 64
		whole.Framing = wire.FramingLength
		whole.Body = append(whole.Body, make([]byte, missing)...)
	}
	whole.Trailer = nil
	b := wire.Encode(whole)
	write(c, b[:max(0, len(b)-missing)])
}

func write(c net.Conn, b []byte) {
	// A client that has gone away is its own business; there is nobody else to tell.
	_, _ = c.Write(b)
}
