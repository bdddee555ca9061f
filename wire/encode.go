package wire

import (
	"strconv"
	"strings"
)

// Encode writes an answer as HTTP/1.1 bytes, for an embedded layer to send. Status, reason, body and header lines
// stay as they are, with their order and case; only content-length, transfer-encoding and connection are replaced
// by what a.Framing needs. A framing that is unset means a length. For FramingClose the caller must close the
// connection. Interim answers are not written. An answer without a status can't be written and gives nil.
func Encode(a *Answer) []byte {
	if a.Status == 0 {
		return nil
	}
	e := encoder{a: a, out: make([]byte, 0, encodedSize(a))}
	e.chooseFraming()
	e.statusLine()
	for _, f := range a.Header {
		e.field(f)
	}
	if !e.framed && e.name != "" {
		e.out = appendField(e.out, e.name, e.value)
	}
	e.out = append(e.out, "\r\n"...)
	e.body()
	return e.out
}

// encodedSize is about the length of the encoded answer.
func encodedSize(a *Answer) int {
	n := len(a.Reason) + len(a.Body) + 128
	for _, f := range a.Header {
		n += len(f.Name) + len(f.Value) + 4
	}
	return n
}

type encoder struct {
	a       *Answer
	out     []byte
	framing Framing
	name    string // the one framing header that is written; "" for none
	value   string
	framed  bool // it was written
}

func (e *encoder) chooseFraming() {
	e.framing = e.a.Framing
	switch {
	case bodiless(e.a.Status):
		e.framing = FramingNone
	case e.framing == FramingChunked:
		e.name, e.value = "Transfer-Encoding", "chunked"
	case e.framing == FramingClose:
		e.name, e.value = "Connection", "close"
	default:
		e.framing = FramingLength
		e.name, e.value = "Content-Length", strconv.Itoa(len(e.a.Body))
	}
}

func (e *encoder) statusLine() {
	e.out = append(e.out, "HTTP/1.1 "...)
	status := strconv.Itoa(e.a.Status)
	for range 3 - len(status) {
		e.out = append(e.out, '0')
	}
	e.out = append(append(e.out, status...), ' ')
	e.out = append(append(e.out, oneLine(e.a.Reason)...), "\r\n"...)
}

// field writes one header line; the framing header takes the place and case of the answer's own.
func (e *encoder) field(f Field) {
	switch {
	case e.name != "" && !e.framed && strings.EqualFold(f.Name, e.name):
		e.framed = true
		e.out = appendField(e.out, f.Name, e.value)
	case strings.EqualFold(f.Name, "content-length"),
		strings.EqualFold(f.Name, "transfer-encoding"),
		strings.EqualFold(f.Name, "connection"):
	default:
		e.out = appendRaw(e.out, f)
	}
}

func (e *encoder) body() {
	switch e.framing {
	case FramingNone:
	case FramingChunked:
		if len(e.a.Body) > 0 {
			e.out = strconv.AppendInt(e.out, int64(len(e.a.Body)), 16)
			e.out = append(append(append(e.out, "\r\n"...), e.a.Body...), "\r\n"...)
		}
		e.out = append(e.out, "0\r\n"...)
		for _, f := range e.a.Trailer {
			e.out = appendRaw(e.out, f)
		}
		e.out = append(e.out, "\r\n"...)
	default:
		e.out = append(e.out, e.a.Body...)
	}
}

// appendRaw writes a header line as Read understood it; a line that had no name is written without one.
func appendRaw(out []byte, f Field) []byte {
	name, value := oneLine(f.Name), oneLine(f.Value)
	switch {
	case name != "":
		return appendField(out, name, value)
	case value != "":
		return append(append(out, value...), "\r\n"...)
	}
	return out
}

// oneLine keeps a value from becoming a header line of its own.
func oneLine(s string) string {
	if strings.IndexByte(s, '\n') < 0 {
		return s
	}
	return strings.ReplaceAll(s, "\n", " ")
}
