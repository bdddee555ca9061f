package stub

import (
	"net"
)

const firstBuf = 2 << 10 // holds the usual request whole

// input is what was read from a connection and not yet used. Its buffer stays at or below maxHead bytes: bodies that
// do not fit are read past it.
type input struct {
	conn net.Conn
	buf  []byte
	r, w int
}

func (in *input) buffered() []byte { return in.buf[in.r:in.w] }

func (in *input) use(n int) { in.r += n }

// fill reads once, behind what is buffered. What buffered returned before is then no longer valid. The caller makes
// sure that less than maxHead bytes are buffered.
func (in *input) fill() error {
	switch {
	case in.r == in.w:
		in.r, in.w = 0, 0
	case in.w == len(in.buf) && in.r > 0:
		in.w = copy(in.buf, in.buf[in.r:in.w])
		in.r = 0
	case in.w == len(in.buf):
		in.buf = append(in.buf, make([]byte, len(in.buf))...)
	}
	n, err := in.conn.Read(in.buf[in.w:])
	if in.w += n; n > 0 {
		return nil // an error that came with bytes comes again
	}
	return err
}
