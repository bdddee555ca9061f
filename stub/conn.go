package stub

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"time"

	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/ledger"
)

// How a connection is ended without losing what was sent. Closing a socket with unread bytes resets it, which can
// take an answer away from a client that is still sending; so writing ends first, and a little is read.
const (
	lingerTime  = 500 * time.Millisecond
	lingerBytes = 256 << 10
	beforeReset = 20 * time.Millisecond // so that what was sent arrives before the reset does
	maxWraps    = 4                     // connections around connections: TLS, and what its listener put around the socket
)

// conn is one connection. Its buffers and strings are used again from request to request.
type conn struct {
	s    *Server
	nc   net.Conn
	in   input
	head head
	path []byte // of the request without the secret; only where there is one
	body []byte // a body that did not arrive with its head
	out  []byte
	over bool // beyond MaxConns: every request gets a 503
	fast bool // the request came beyond Rate: it gets one, too

	proven  bool      // a request of the connection has shown the secret
	counted bool      // as a stranger's
	proveBy time.Time // zero when there is no secret, or when it was shown

	hit      ledger.Hit
	tags     [2]tagHeader // the header channel's two headers
	headerOf func(name string) []string
	watched  watched
	parts    struct {
		dialect *dialects.Dialect
		body    []byte
	}
	gzipOK bool
	begun  bool // the request counts as one under way

	now        time.Time // of the latest look at the clock, good enough to tell whether a deadline is stale
	readStale  bool      // the read deadline is not the idle one
	readEnds   time.Time
	writeEnds  time.Time
	idlePeriod time.Duration
}

// tagHeader is a header that a channel reads, kept from the head until the body is there.
type tagHeader struct {
	name   string
	values []string
}

// after says what becomes of a connection after an answer.
type after uint8

const (
	keep  after = iota // the next request may come
	fin                // end writing, read a little, close
	reset              // RST
	drop               // nobody is there any more
)

func newConn(s *Server, nc net.Conn, over bool) *conn {
	c := &conn{s: s, nc: nc, over: over, now: time.Now(), readStale: true, idlePeriod: s.opt.IdleTimeout}
	c.in = input{conn: nc, buf: make([]byte, firstBuf)}
	c.hit.From = nc.RemoteAddr().String()
	c.tags[0].name, c.tags[1].name = s.opt.Channels.Names()
	c.headerOf = c.tagHeader
	if over {
		c.idlePeriod = s.opt.HeadTimeout
	}
	return c
}

func (c *conn) serve() {
	if c.s.secret != nil {
		defer c.countStranger()
		c.proveBy = c.now.Add(c.s.opt.HeadTimeout)
		_ = c.nc.SetDeadline(c.proveBy) // for the writes of a TLS handshake, too; fails only on a closed connection
	}
	for {
		if c.await() != nil {
			return // closed, or silent for too long, between two requests
		}
		switch c.request() {
		case keep:
			c.trim()
			continue
		case fin:
			c.linger()
		}
		return
	}
}

// await waits for the first byte of a request.
func (c *conn) await() error {
	if len(c.in.buffered()) > 0 {
		return nil
	}
	if !c.proveBy.IsZero() {
		return c.in.fill()
	}
	// Setting a deadline costs more than looking at one, so one that is good for half its time yet is left.
	if ends := c.now.Add(c.idlePeriod); c.readStale || ends.Sub(c.readEnds) > c.idlePeriod/2 {
		c.readStale, c.readEnds = false, ends
		if err := c.nc.SetReadDeadline(ends); err != nil {
			return err
		}
	}
	return c.in.fill()
}

// request reads one request and answers it.
func (c *conn) request() after {
	c.forget()
	defer c.done()
	if c.s.secret == nil {
		c.active()
	}
	body, err := c.read()
	switch {
	case errors.Is(err, errStranger):
		return c.stranger()
	case err != nil:
		return c.refuse(err, body)
	}
	if c.over || c.fast {
		c.s.stats.overloaded.Add(1)
		if c.fast {
			return c.refuse(badTooFast, body)
		}
		return c.refuse(badOverloaded, body)
	}
	return c.answer(body)
}

// active counts a request as one under way: with its first byte, or where there is a secret, when it has shown it. Whoever does not
// know it keeps nobody waiting.
func (c *conn) active() {
	c.begun = true
	c.s.active.Add(1)
}

func (c *conn) done() {
	if c.begun {
		c.begun = false
		c.s.active.Add(-1)
	}
}

// read reads head and body, and notes what of the head is wanted later.
func (c *conn) read() ([]byte, error) {
	raw, err := c.readHead()
	if err != nil {
		return nil, c.unread(err)
	}
	c.now = time.Now()
	c.hit.At = c.now
	why := c.head.parse(raw)
	if c.s.secret != nil {
		if !c.proves() {
			return nil, errStranger
		}
		c.welcome()
	}
	c.note()
	c.in.use(len(raw))
	if why != nil {
		return nil, why
	}
	return c.readBody(&c.head)
}

var headEnd = []byte("\r\n\r\n")

// readHead returns the bytes up to and with the empty line, or up to what parse must refuse. What can't become a head is refused at once, not when
// its deadline is over.
func (c *conn) readHead() ([]byte, error) {
	for from := 0; ; {
		b := c.in.buffered()
		switch {
		case tokenSigns[b[0]]:
		case b[0] == 0x16: // a TLS handshake record, RFC 8446 section 5.1
			return nil, badTLS
		default:
			return nil, badNotHTTP
		}
		if i := bytes.Index(b[from:], headEnd); i >= 0 {
			return b[:from+i+len(headEnd)], nil
		}
		if bareLF(b, from) {
			return b, nil // parse finds it, and what stands before it
		}
		if len(b) >= maxHead {
			return nil, badHeadTooLarge
		}
		if from == 0 {
			c.readUntil(c.s.opt.HeadTimeout)
		}
		from = max(1, len(b)-len(headEnd)+1)
		if err := c.in.fill(); err != nil {
			return nil, err
		}
	}
}

// bareLF looks for one in bytes of which those from an offset on are new.
func bareLF(b []byte, from int) bool {
	for i := max(from, 1); i < len(b); i++ {
		if b[i] == '\n' && b[i-1] != '\r' {
			return true
		}
	}
	return false
}

// readUntil sets an absolute deadline for what is read from now on.
func (c *conn) readUntil(d time.Duration) {
	if !c.proveBy.IsZero() {
		return // its own is the earlier one
	}
	c.readStale = true
	_ = c.nc.SetReadDeadline(time.Now().Add(d)) // fails only on a closed connection; reading tells
}

// write writes all bytes within the write deadline.
func (c *conn) write(b []byte) error {
	c.now = time.Now()
	if ends := c.now.Add(c.s.opt.WriteTimeout); ends.Sub(c.writeEnds) > c.s.opt.WriteTimeout/2 {
		c.writeEnds = ends
		if err := c.nc.SetWriteDeadline(ends); err != nil {
			return err
		}
	}
	_, err := c.nc.Write(b)
	return err
}

// explain turns what stopped the reading of a request into what is answered; nil when nobody is there to answer.
func explain(err error) *refusal {
	var why *refusal
	switch {
	case errors.As(err, &why):
		return why
	case errors.Is(err, os.ErrDeadlineExceeded):
		return badTooSlow
	case errors.Is(err, io.EOF): // it may have ended only its own half
		return badEnded
	}
	return nil
}

// trim gives big buffers back.
func (c *conn) trim() {
	if cap(c.body) > keepBuf {
		c.body = nil
	}
	if cap(c.out) > keepBuf {
		c.out = nil
	}
}

// endWriting sends a FIN and leaves the reading half open, where the connection can do that.
func (c *conn) endWriting() {
	if w, ok := c.nc.(interface{ CloseWrite() error }); ok {
		_ = w.CloseWrite() // gone already: so much the better
	}
}

// linger reads what is still coming, for a short time and to a bound.
func (c *conn) linger() {
	if c.proveBy.IsZero() { // else what a stranger has left is set already
		_ = c.nc.SetReadDeadline(time.Now().Add(lingerTime))
	}
	_, _ = io.CopyN(io.Discard, c.nc, lingerBytes) // whatever ends it, the connection is closed next
}

// reset closes with a RST.
func (c *conn) reset() {
	c.s.sleep(beforeReset)
	nc := c.nc
	for range maxWraps {
		t, ok := nc.(interface{ NetConn() net.Conn })
		if !ok {
			break
		}
		nc = t.NetConn()
	}
	if t, ok := nc.(*net.TCPConn); ok {
		_ = t.SetLinger(0)
	}
	_ = nc.Close()
}
