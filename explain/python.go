package explain

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// maxPythonDepth bounds the nesting of a Python value, like the JSON depth elsewhere.
const maxPythonDepth = 100

// pythonValue reads a value as Python's repr writes it ({'a': None, 'b': [True, 1.5]}) and returns it as JSON with the
// bytes it took; nil when it is none, or when it is cut.
func pythonValue(in []byte) (out []byte, n int) {
	p := python{b: in}
	if !p.value(0) || !json.Valid(p.out) {
		return nil, 0
	}
	return p.out, p.i
}

// pythonBytes reads a bytes literal, b'…', and returns the bytes with the length of the literal.
func pythonBytes(in []byte) (out []byte, n int) {
	if len(in) < 3 || in[0] != 'b' || in[1] != '\'' && in[1] != '"' {
		return nil, 0
	}
	p := python{b: in, i: 1, raw: true}
	s, ok := p.quoted()
	if !ok {
		return nil, 0
	}
	return s, p.i
}

type python struct {
	b   []byte
	i   int
	out []byte
	raw bool // a bytes literal: \xNN is a byte and not a character
}

func (p *python) space() {
	for p.i < len(p.b) && (p.b[p.i] == ' ' || p.b[p.i] == '\n' || p.b[p.i] == '\r' || p.b[p.i] == '\t') {
		p.i++
	}
}

func (p *python) take(c byte) bool {
	if p.i < len(p.b) && p.b[p.i] == c {
		p.i++
		return true
	}
	return false
}

func (p *python) value(depth int) bool {
	p.space()
	if depth > maxPythonDepth || p.i >= len(p.b) {
		return false
	}
	switch c := p.b[p.i]; {
	case c == '{':
		return p.sequence('}', '{', '}', depth, true)
	case c == '[':
		return p.sequence(']', '[', ']', depth, false)
	case c == '(':
		return p.sequence(')', '[', ']', depth, false)
	case c == '\'' || c == '"':
		return p.text()
	case c == 'b':
		if s, n := pythonBytes(p.b[p.i:]); s != nil {
			p.i += n
			p.appendText(s)
			return true
		}
		return false
	}
	return p.word()
}

// sequence reads members up to end, and writes them between open and shut.
func (p *python) sequence(end, open, shut byte, depth int, pairs bool) bool {
	p.i++
	p.out = append(p.out, open)
	for first := true; ; first = false {
		p.space()
		if p.take(end) {
			p.out = append(p.out, shut)
			return true
		}
		if !first {
			p.out = append(p.out, ',')
		}
		if pairs {
			if p.i >= len(p.b) || p.b[p.i] != '\'' && p.b[p.i] != '"' || !p.text() {
				return false
			}
			p.space()
			if !p.take(':') {
				return false
			}
			p.out = append(p.out, ':')
		}
		if !p.value(depth + 1) {
			return false
		}
		p.space()
		if !p.take(',') && (p.i >= len(p.b) || p.b[p.i] != end) {
			return false
		}
	}
}

func (p *python) word() bool {
	for _, w := range []struct{ python, json string }{{"None", "null"}, {"True", "true"}, {"False", "false"}} {
		if bytes.HasPrefix(p.b[p.i:], []byte(w.python)) {
			p.i += len(w.python)
			p.out = append(p.out, w.json...)
			return true
		}
	}
	from := p.i
	for p.i < len(p.b) && bytes.IndexByte([]byte("+-.0123456789eE"), p.b[p.i]) >= 0 {
		p.i++
	}
	p.out = append(p.out, p.b[from:p.i]...)
	return p.i > from
}

func (p *python) text() bool {
	s, ok := p.quoted()
	if ok {
		p.appendText(s)
	}
	return ok
}

func (p *python) appendText(s []byte) {
	q, _ := json.Marshal(string(s)) // a string can't fail to encode
	p.out = append(p.out, q...)
}

// quoted reads a string in either quotes, escapes undone.
func (p *python) quoted() ([]byte, bool) {
	quote := p.b[p.i]
	out := []byte{}
	for p.i++; p.i < len(p.b); p.i++ {
		switch c := p.b[p.i]; c {
		case quote:
			p.i++
			return out, true
		case '\\':
			var ok bool
			if out, ok = p.escape(out); !ok {
				return nil, false
			}
		default:
			out = append(out, c)
		}
	}
	return nil, false
}

const pythonEscapes = `\'"abfnrtv`

// escape reads one escape and leaves the place at its last byte. Python keeps a backslash that it doesn't know.
func (p *python) escape(out []byte) ([]byte, bool) {
	if p.i++; p.i >= len(p.b) {
		return out, false
	}
	c := p.b[p.i]
	if at := bytes.IndexByte([]byte(pythonEscapes), c); at >= 0 {
		return append(out, "\\'\"\a\b\f\n\r\t\v"[at]), true
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
	if digits == 0 {
		return append(out, '\\', c), true
	}
	if p.i+digits >= len(p.b) {
		return out, false
	}
	n, err := strconv.ParseUint(string(p.b[p.i+1:p.i+1+digits]), 16, 32)
	if err != nil {
		return out, false
	}
	p.i += digits
	if p.raw && c == 'x' {
		return append(out, byte(n)), true
	}
	return utf8.AppendRune(out, rune(min(n, utf8.MaxRune+1))), true
}
