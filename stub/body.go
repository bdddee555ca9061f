package stub

import (
	"bytes"
	"slices"
)

// Limits of chunked framing. Extensions and trailers mean nothing to us and are bounded tightly.
const (
	maxChunkLine = 128
	maxTrailer   = 4 << 10
)

// readBody reads the body that the head announced. The bytes are valid until the next request is read.
func (c *conn) readBody(h *head) ([]byte, error) {
	c.body = c.body[:0]
	n := int(max(h.length, 0))
	switch {
	case h.chunked:
	case len(c.in.buffered()) >= n:
		b := c.in.buffered()[:n]
		c.in.use(n)
		return b, nil
	}
	if h.expect && len(c.in.buffered()) == 0 {
		if err := c.write([]byte("HTTP/1.1 100 Continue\r\n\r\n")); err != nil {
			return nil, err
		}
	}
	c.readUntil(c.s.opt.BodyTimeout)
	if h.chunked {
		return c.readChunked()
	}
	return c.body, c.take(n)
}

// take moves n bytes to the body. The buffer grows with what arrives, not with what was announced.
func (c *conn) take(n int) error {
	for n > 0 {
		if b := c.in.buffered(); len(b) > 0 {
			b = b[:min(n, len(b))]
			c.body = append(c.body, b...)
			c.in.use(len(b))
			n -= len(b)
			continue
		}
		c.body = slices.Grow(c.body, min(n, firstBuf))
		from := len(c.body)
		got, err := c.nc.Read(c.body[from:min(cap(c.body), from+n)])
		c.body = c.body[:from+got]
		if n -= got; got == 0 && err != nil {
			return err
		}
	}
	return nil
}

// readChunked reads a chunked body (RFC 9112 section 7.1) and is strict about every byte of the framing.
func (c *conn) readChunked() ([]byte, error) {
	for {
		line, err := c.line(maxChunkLine)
		if err != nil {
			return nil, err
		}
		size, ok := chunkSize(line)
		switch {
		case !ok:
			return nil, badChunk
		case len(c.body)+size > maxBody:
			return nil, badTooLarge
		case size == 0:
			return c.body, c.skipTrailer()
		}
		if err := c.take(size); err != nil {
			return nil, err
		}
		if _, err = c.line(len("\r\n")); err != nil {
			return nil, err
		}
	}
}

// chunkSize reads one to eight hex digits, and passes over an extension.
func chunkSize(line []byte) (size int, ok bool) {
	digits, _, _ := bytes.Cut(line, []byte(";"))
	if len(digits) == 0 || len(digits) > 8 {
		return 0, false
	}
	for _, d := range digits {
		value := hexDigit(d)
		if value < 0 {
			return 0, false
		}
		size = size<<4 | value
	}
	return size, true
}

// hexDigit is the value of a hexadecimal digit, -1 for anything else.
func hexDigit(d byte) int {
	switch {
	case d >= '0' && d <= '9':
		return int(d - '0')
	case d|0x20 >= 'a' && d|0x20 <= 'f':
		return int(d|0x20-'a') + 10
	}
	return -1
}

func (c *conn) skipTrailer() error {
	for left := maxTrailer; ; {
		line, err := c.line(left)
		if err != nil || len(line) == 0 {
			return err
		}
		if colon := bytes.IndexByte(line, ':'); colon <= 0 || !isToken(line[:colon]) {
			return badFieldName
		}
		left -= len(line) + 2
	}
}

// line reads a line of at most so many bytes, its end included. It is valid until the next read.
func (c *conn) line(limit int) ([]byte, error) {
	for {
		b := c.in.buffered()
		b = b[:min(len(b), limit)]
		if i := bytes.IndexByte(b, '\n'); i >= 0 {
			line, n, why := nextLine(b[:i+1], 0)
			if why != nil {
				return nil, why
			}
			c.in.use(n)
			return line, nil
		}
		if len(b) == limit {
			return nil, badChunk
		}
		if err := c.in.fill(); err != nil {
			return nil, err
		}
	}
}
