package stub

import (
	"bytes"
	"strings"
)

// head is a request's head as places in the buffer that it stands in. What two readers could read in
// two ways is refused (RFC 9112 sections 2.2, 3.2, 5 and 6; CL with TE, line folding and the like are how
// requests are smuggled past a proxy).
type head struct {
	raw            []byte
	method, target piece
	proto          string // HTTP/1.0 or HTTP/1.1, "" as long as it is not known
	fields         [maxFields]headField
	n              int
	hosts          int
	length         int64 // -1 when there is no content-length
	lengthAt       piece
	chunked        bool
	close          bool // the client wants the connection closed
	expect         bool // 100-continue
}

// piece is a part of the head. A head has at most maxHead bytes, so 16 bits do.
type piece struct{ from, to uint16 }

type headField struct{ name, value piece }

func (h *head) http11() bool { return h.proto == "HTTP/1.1" }

func (h *head) at(p piece) []byte { return h.raw[p.from:p.to] }

// parse reads a head that ends in an empty line. It returns why it is refused, nil when it is not.
func (h *head) parse(raw []byte) *refusal {
	*h = head{raw: raw, length: -1}
	line, at, why := nextLine(raw, 0)
	if why != nil {
		return why
	}
	if why := h.requestLine(line); why != nil {
		return why
	}
	for {
		from := at
		if line, at, why = nextLine(raw, at); why != nil {
			return why
		}
		if len(line) == 0 {
			return h.check()
		}
		if h.n == maxFields {
			return badTooManyFields
		}
		if why := h.field(line, from); why != nil {
			return why
		}
	}
}

// nextLine returns the line at an offset, without its end, and the offset of the next.
func nextLine(raw []byte, at int) ([]byte, int, *refusal) {
	for i := at; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '\r':
			if i+1 == len(raw) || raw[i+1] != '\n' {
				return nil, 0, badBareCR
			}
			return raw[at:i], i + 2, nil
		case c == '\n':
			return nil, 0, badBareLF
		case c < ' ' && c != '\t' || c == 0x7f:
			return nil, 0, badControl
		}
	}
	return nil, 0, badEnded
}

func (h *head) requestLine(line []byte) *refusal {
	m := bytes.IndexByte(line, ' ')
	v := bytes.LastIndexByte(line, ' ')
	if m <= 0 || v == m || !isToken(line[:m]) || m+1 == v || bytes.ContainsAny(line[m+1:v], " \t") {
		return badRequestLine
	}
	if !isTarget(line[m+1 : v]) {
		return badTarget
	}
	h.method, h.target = piece{0, uint16(m)}, piece{uint16(m + 1), uint16(v)}
	switch string(line[v+1:]) {
	case "HTTP/1.1":
		h.proto = "HTTP/1.1"
	case "HTTP/1.0":
		h.proto = "HTTP/1.0"
	case "HTTP/2.0":
		return badHTTP2
	default:
		return badVersion
	}
	return nil
}

// isTarget takes origin form, absolute form and the asterisk (RFC 9112 section 3.2); the stub is no tunnel.
func isTarget(t []byte) bool {
	return t[0] == '/' || len(t) == 1 && t[0] == '*' ||
		bytes.HasPrefix(t, []byte("http://")) || bytes.HasPrefix(t, []byte("https://"))
}

func (h *head) field(line []byte, from int) *refusal {
	colon := bytes.IndexByte(line, ':')
	switch {
	case line[0] == ' ' || line[0] == '\t':
		return badFolding
	case colon > 0 && (line[colon-1] == ' ' || line[colon-1] == '\t'):
		return badSpaceColon
	case colon <= 0 || !isToken(line[:colon]):
		return badFieldName
	}
	start, end := colon+1, len(line)
	for start < end && (line[start] == ' ' || line[start] == '\t') {
		start++
	}
	for end > start && (line[end-1] == ' ' || line[end-1] == '\t') {
		end--
	}
	f := headField{piece{uint16(from), uint16(from + colon)}, piece{uint16(from + start), uint16(from + end)}}
	h.fields[h.n] = f
	h.n++
	return h.known(line[:colon], line[start:end], f.value)
}

// known takes note of the headers that decide how the request is read.
func (h *head) known(name, value []byte, at piece) *refusal {
	switch {
	case equalFold(name, "host"):
		h.hosts++
		if bytes.ContainsAny(value, " \t,/?#@\\") {
			return badHost
		}
	case equalFold(name, "content-length"):
		return h.contentLength(value, at)
	case equalFold(name, "transfer-encoding"):
		if h.chunked || !equalFold(value, "chunked") {
			return badCoding
		}
		h.chunked = true
	case equalFold(name, "connection"):
		h.close = h.close || hasToken(value, "close")
	case equalFold(name, "expect"):
		if !equalFold(value, "100-continue") {
			return badExpect
		}
		h.expect = true
	}
	return nil
}

// contentLength takes digits only, repeated only if they are the same.
func (h *head) contentLength(value []byte, at piece) *refusal {
	if h.length >= 0 {
		if !bytes.Equal(h.at(h.lengthAt), value) {
			return badLengths
		}
		return nil
	}
	h.lengthAt, h.length = at, 0
	for _, c := range value {
		if c < '0' || c > '9' {
			return badLength
		}
		h.length = min(h.length*10+int64(c-'0'), maxBody+1)
	}
	if len(value) == 0 {
		return badLength
	}
	return nil
}

// check is what only the whole head can tell.
func (h *head) check() *refusal {
	switch {
	case h.hosts > 1 || h.hosts == 0 && h.http11():
		return badHosts
	case h.chunked && h.length >= 0:
		return badBoth
	case h.chunked && !h.http11():
		return badChunked10
	case h.length > maxBody:
		return badTooLarge
	}
	h.expect = h.expect && h.http11() // RFC 9110 section 10.1.1: an HTTP/1.0 expectation is ignored
	return nil
}

var tokenSigns = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' ||
			c < 0x80 && strings.IndexByte("!#$%&'*+-.^_`|~", byte(c)) >= 0
	}
	return t
}()

func isToken(b []byte) bool {
	for _, c := range b {
		if !tokenSigns[c] {
			return false
		}
	}
	return len(b) > 0
}

// equalFold compares with a lower-case ASCII name. bytes.EqualFold knows letters beyond ASCII that fold into it (the
// Kelvin sign), which no other reader of HTTP takes for the same.
func equalFold(b []byte, lower string) bool {
	if len(b) != len(lower) {
		return false
	}
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// hasToken reports whether a comma-separated list names a token.
func hasToken(list []byte, token string) bool {
	for len(list) > 0 {
		one, rest, _ := bytes.Cut(list, []byte(","))
		if equalFold(bytes.Trim(one, " \t"), token) {
			return true
		}
		list = rest
	}
	return false
}
