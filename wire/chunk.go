package wire

import (
	"bytes"
	"fmt"
	"math"
)

// maxChunkLine bounds a line with a chunk's size and extensions, in bytes.
const maxChunkLine = 4 << 10

// chunks undoes chunking in place: data moves down over the size lines that stood before it. What was read before
// an error is kept. Source: RFC 9112 section 7.1.
func (a *Answer) chunks(r *reader, lim Limits) {
	err := a.chunkLoop(r, lim)
	a.Body = r.buf[:r.keep:r.keep]
	if err != nil {
		a.fail(err, fmt.Sprintf("inside the chunks, after %d bytes of the body", r.keep))
		return
	}
	n, lines, err := r.section(int(lim.Trailer), "trailer", lim.Trailer)
	trailer := string(r.unread()[:n])
	r.pos += n
	if lines > 1 || err != nil && lines > 0 {
		a.Trailer = a.parseFields(trailer, make([]Field, 0, lines))
	}
	if err != nil {
		a.fail(err, "after the last chunk, before the blank line that ends the trailer")
		return
	}
	a.End = EndComplete
}

// chunkLoop reads chunks up to and with the size line of the last one.
func (a *Answer) chunkLoop(r *reader, lim Limits) error {
	extensions := int64(0)
	for {
		line, err := a.chunkLine(r)
		if err != nil {
			return err
		}
		size, ext, ok := parseChunkSize(line)
		if !ok {
			return badError("not a chunk size: " + quote(line))
		}
		if extensions += int64(ext); extensions > lim.Trailer {
			return limitError(fmt.Sprintf("chunk extensions of more than %d bytes", lim.Trailer))
		}
		if size == 0 {
			return nil
		}
		if err := r.chunkData(size, lim.Body); err != nil {
			return err
		}
		line, err = a.chunkLine(r)
		if err != nil {
			return err
		}
		if len(line) > 0 {
			return badError("chunk longer than its size, or a wrong size: " + quote(line))
		}
	}
}

// chunkData appends size unread bytes to the body.
func (r *reader) chunkData(size, limit int64) error {
	for size > 0 {
		if len(r.unread()) == 0 {
			if err := r.fill(); err != nil {
				return err
			}
		}
		n := min(size, int64(len(r.unread())))
		room := limit - int64(r.keep)
		moved := copy(r.buf[r.keep:], r.unread()[:min(n, room)])
		r.keep += moved
		r.pos += moved
		size -= n
		if n > room {
			return tooLargeBody(limit)
		}
	}
	return nil
}

// chunkLine uses a line up and returns it without its end; it is valid until the next fill.
func (a *Answer) chunkLine(r *reader) ([]byte, error) {
	scanned := 0
	for {
		b := r.unread()
		i := bytes.IndexByte(b[scanned:], '\n')
		if scanned+max(i, 0) > maxChunkLine {
			return nil, limitError(fmt.Sprintf("chunk line of more than %d bytes", maxChunkLine))
		}
		if i < 0 {
			scanned = len(b)
			if err := r.fill(); err != nil {
				return nil, err
			}
			continue
		}
		line := b[:scanned+i]
		r.pos += len(line) + 1
		if n := len(line); n > 0 && line[n-1] == '\r' {
			return line[:n-1], nil
		}
		a.fault(FaultChunkLine)
		return line, nil
	}
}

// parseChunkSize reads the hexadecimal size of a chunk and the number of bytes of its extensions. Spaces behind the
// size are tolerated, since old servers pad it. A size beyond 63 bits is as good as endless.
func parseChunkSize(line []byte) (size int64, ext int, ok bool) {
	const mostDigits = 16
	hex, extensions, _ := bytes.Cut(line, []byte{';'})
	ext = len(extensions)
	hex = bytes.TrimRight(hex, " \t")
	if len(hex) == 0 || len(hex) > mostDigits {
		return 0, ext, false
	}
	n := uint64(0)
	for _, c := range hex {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, ext, false
		}
		n = n<<4 | uint64(c)
	}
	return int64(min(n, math.MaxInt64)), ext, true
}
