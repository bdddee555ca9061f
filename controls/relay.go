package controls

import (
	"bytes"
	"context"
	"net"
	"time"

	"github.com/preservecheck/preservecheck/wire"
)

// relay passes an answer on while it comes, byte by byte as it is, and ends it as it ended.
func (y *Layer) relay(c net.Conn, r wire.Request) {
	ctx, cancel := context.WithTimeout(y.ctx, callTimeout)
	defer cancel()
	up := y.up
	up.Copy = c
	a := up.Do(ctx, r)
	if wrapped, ok := c.(*announcing); ok {
		c = wrapped.Conn
	}
	if tcp, ok := c.(*net.TCPConn); ok && a.End == wire.EndReset {
		_ = tcp.SetLinger(0) // a close would be a proper end where no framing tells it
	}
}

// silence is how long a stream has to have been silent for a layer that changes it to be silent as well.
const silence = 100 * time.Millisecond

// paced writes an answer whose stream was silent in the middle with the same silence behind its first event, since a layer
// with another fault must not show this one besides.
func paced(c net.Conn, b []byte, a *wire.Answer) {
	gap := a.LastAt.Sub(a.BodyAt)
	head := bytes.Index(b, []byte("\r\n\r\n"))
	if a.Pace == wire.AtOnce || gap < silence || head < 0 || !isEventStream(a) {
		write(c, b)
		return
	}
	first := head + 4
	if end := bytes.Index(b[first:], []byte("\n\n")); end >= 0 {
		first += end + 2
	}
	write(c, b[:first])
	time.Sleep(gap)
	write(c, b[first:])
}
