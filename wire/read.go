package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Limits bound what one answer may cost. A zero member stands for its default.
type Limits struct {
	Head    int64 // bytes of all heads together, those of interim answers included
	Body    int64 // bytes of the body, chunking undone
	Interim int   // 1xx answers before the final one
	Trailer int64 // bytes of the trailer section, and of all chunk extensions together
}

// Default are the limits of DESIGN's invariant 4.
var Default = Limits{Head: 64 << 10, Body: MaxBody, Interim: 16, Trailer: 16 << 10}

// MaxBody is how much of a body is read, and how much of it is decoded. A provider's error has a few hundred bytes, and a
// check reads several answers at once.
const MaxBody = 2 << 20

func (l Limits) orDefault() Limits {
	if l.Head <= 0 {
		l.Head = Default.Head
	}
	if l.Body <= 0 {
		l.Body = Default.Body
	}
	if l.Interim <= 0 {
		l.Interim = Default.Interim
	}
	if l.Trailer <= 0 {
		l.Trailer = Default.Trailer
	}
	return l
}

// Read reads one answer to the end of its framing and no further: bytes that came along behind it are noticed
// (FaultExcess), bytes that come later are not waited for. It never returns nil and reports everything in the
// answer. FirstAt and DoneAt are set, SentAt is the caller's. The caller bounds the time, with a deadline on r.
func Read(r io.Reader, lim Limits) *Answer { return read(r, lim, false) }

// read is Read; noBody says that the request was a HEAD, whose answer has a body's headers without the body.
func read(src io.Reader, lim Limits, noBody bool) *Answer {
	a := new(Answer)
	r := reader{src: src}
	lim = lim.orDefault()
	whole := a.heads(&r, lim)
	a.FirstAt = r.begun
	if whole {
		r.mark = a.bodyMark()
		r.begin() // the body's own beginning: a layer may send a head long before it
		a.body(&r, lim, noBody)
		a.BodyAt = r.begun
	}
	a.LastAt = r.last
	a.DoneAt = time.Now()
	return a
}

// reader is the one buffer of an answer. The head is copied out of it as one string; the body stays in it.
type reader struct {
	src   io.Reader
	buf   []byte
	keep  int       // buf[:keep] is the body so far, when it comes in chunks
	pos   int       // buf[keep:pos] is used up, buf[pos:] is unread
	max   int       // length that buf needs at most
	err   error     // the source's, reported once the bytes before it are used up
	first time.Time // the first byte at all
	last  time.Time // the last bytes
	begun time.Time // the first byte of the head or body that is being read: interim answers say nothing of the final one
	mark  []byte    // what has to be there for a body to have begun; nil: any byte
}

// bodyMark: comments keep a stream alive while a layer still holds its events back, so only data begins it.
func (a *Answer) bodyMark() []byte {
	media := strings.ToLower(strings.Join(a.Values("content-type"), ""))
	if len(a.Values("content-encoding")) == 0 && strings.HasPrefix(media, "text/event-stream") {
		return []byte("data:")
	}
	return nil
}

// begin notes that a head, or the body, begins with the next byte, which may have been read already.
func (r *reader) begin() {
	r.begun = time.Time{}
	if len(r.unread()) > 0 && bytes.Contains(r.unread(), r.mark) {
		r.begun = r.last
	}
}

const (
	firstBuffer   = 2 << 10 // an error with its headers fits in
	leastFree     = 512     // room that a read gets at least, so that excess bytes show
	maxEmptyReads = 100
)

func (r *reader) unread() []byte { return r.buf[r.pos:] }

// fill reads once and fails only when no byte came. It moves the unread bytes: positions must be taken relative to
// unread, and slices of it be taken anew.
func (r *reader) fill() error {
	if r.err != nil {
		return r.err
	}
	if r.pos > r.keep {
		n := copy(r.buf[r.keep:], r.unread())
		r.buf = r.buf[:r.keep+n]
		r.pos = r.keep
	}
	r.grow()
	for range maxEmptyReads {
		n, err := r.src.Read(r.buf[len(r.buf):cap(r.buf)])
		r.buf = r.buf[:len(r.buf)+n]
		r.err = err
		if n > 0 {
			r.last = time.Now()
			if r.first.IsZero() {
				r.first = r.last
			}
			if r.begun.IsZero() && bytes.Contains(r.buf[max(0, len(r.buf)-n-len(r.mark)):], r.mark) {
				r.begun = r.last
			}
			return nil
		}
		if err != nil {
			return err
		}
	}
	r.err = io.ErrNoProgress
	return r.err
}

// grow doubles the buffer when it is nearly full, but not far beyond what the limits let it need.
func (r *reader) grow() {
	have := len(r.buf)
	if cap(r.buf)-have >= leastFree {
		return
	}
	more := min(max(have, firstBuffer), r.max-have)
	r.buf = slices.Grow(r.buf, max(more, leastFree))
}

// limitError is a limit of ours that was passed, in words; badError is something that is no HTTP/1.
type (
	limitError string
	badError   string
)

func (e limitError) Error() string { return string(e) }
func (e badError) Error() string   { return string(e) }

// fail ends the answer with an error of the source or of the parser. Where says how far the answer had come.
func (a *Answer) fail(err error, where string) {
	var limit limitError
	var bad badError
	var timeout net.Error
	var alert *net.OpError
	switch {
	case errors.As(err, &limit):
		a.End, a.Err = EndTooLarge, limit.Error()
	case errors.As(err, &bad):
		a.End, a.Err = EndBadFraming, bad.Error()
	case errors.As(err, &timeout) && timeout.Timeout(), errors.Is(err, os.ErrDeadlineExceeded):
		a.End, a.Err = EndTimeout, "timed out "+where
	case isReset(err):
		a.End, a.Err = EndReset, "reset "+where
	case errors.Is(err, io.ErrUnexpectedEOF):
		a.End, a.Err = EndShort, "closed inside a TLS record, "+where
	case errors.Is(err, io.EOF):
		a.End, a.Err = EndShort, "closed "+where
	case errors.As(err, &alert) && alert.Op == "remote error": // so crypto/tls marks an alert that came
		a.End, a.Err = EndBadFraming, alertWords(alert.Err.Error())
	default:
		a.End, a.Err = EndBadFraming, fmt.Sprintf("%v, %s", err, where)
	}
}

// Windows has its own numbers for a reset and an aborted connection, which Go doesn't map to the others.
// Source: Windows Sockets error codes, WSAECONNRESET and WSAECONNABORTED.
const (
	windowsReset   = syscall.Errno(10054)
	windowsAborted = syscall.Errno(10053)
)

func isReset(err error) bool {
	for _, e := range []error{syscall.ECONNRESET, syscall.EPIPE, syscall.ECONNABORTED, windowsReset, windowsAborted} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// quote shows the beginning of what came, on one line and harmless to a terminal.
func quote(b []byte) string {
	const most = 40
	if i := bytes.IndexAny(b, "\r\n"); i >= 0 {
		b = b[:i]
	}
	if len(b) > most {
		return fmt.Sprintf("%q…", b[:most])
	}
	return fmt.Sprintf("%q", b)
}
