package evidence

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// Bounds of what is read as JSON; a body beyond them is compared as text. Each value costs some seventy bytes, and a few
// kilobytes of gzip can hold millions of them.
const (
	maxDepth  = 100
	maxValues = 100_000
)

// loneSurrogate stands before the hex digits of half a surrogate pair, which UTF-8 can't hold. It is a code
// point that Unicode reserves for inner use.
const loneSurrogate = '\uFDD0'

// node is one JSON value. Members keep their order and their duplicates, which encoding/json hides.
type node struct {
	kind Kind
	text string   // canonical, for all kinds but Object and Array
	kids []member // of an Object, or of an Array, whose members have no names
}

type member struct {
	name string
	node node
}

// parseJSON reads exactly one JSON text after RFC 8259. Numbers keep their literal. A text that is not UTF-8 is not JSON.
//
// The texts of the result are cut out of s, which is kept as long as they are.
func parseJSON(s string) (node, bool) { return new(parser).parse(s) }

// parsers are used again for bodies, whose nodes are not needed once they were read into a list.
var parsers = sync.Pool{New: func() any { return &parser{open: make([]member, 0, 16), closed: make([]member, 0, 64)} }}

// release forgets what was parsed and lets the memory be used again, if it is not much.
func (p *parser) release() {
	clear(p.open[:cap(p.open)])
	clear(p.closed[:cap(p.closed)])
	p.b, p.open, p.closed = "", p.open[:0], p.closed[:0]
	if cap(p.open) <= 256 && cap(p.closed) <= 256 {
		parsers.Put(p)
	}
}

func (p *parser) parse(s string) (node, bool) {
	if !utf8.ValidString(s) {
		return node{}, false
	}
	p.b, p.i, p.values = s, 0, 0
	p.space()
	n, ok := p.value(0)
	if !ok {
		return node{}, false
	}
	p.space()
	return n, p.i == len(p.b)
}

type parser struct {
	b      string
	i      int
	values int
	open   []member // members of the objects and arrays that are not closed yet
	closed []member // where they go once they are: one piece of memory for many
}

// close takes the members since from out of those that are open.
func (p *parser) close(from int) []member {
	kids := p.open[from:]
	p.open = p.open[:from]
	if len(kids) == 0 {
		return nil
	}
	if cap(p.closed)-len(p.closed) < len(kids) {
		p.closed = make([]member, 0, max(8, len(kids)))
	}
	at := len(p.closed)
	p.closed = append(p.closed, kids...)
	return p.closed[at:len(p.closed):len(p.closed)]
}

func (p *parser) space() {
	for p.i < len(p.b) {
		switch p.b[p.i] {
		case ' ', '\t', '\n', '\r':
			p.i++
		default:
			return
		}
	}
}

func (p *parser) take(c byte) bool {
	if p.i < len(p.b) && p.b[p.i] == c {
		p.i++
		return true
	}
	return false
}

func (p *parser) word(w string, k Kind) (node, bool) {
	if !strings.HasPrefix(p.b[p.i:], w) {
		return node{}, false
	}
	p.i += len(w)
	return node{kind: k, text: w}, true
}

func (p *parser) value(depth int) (node, bool) {
	if p.values++; depth > maxDepth || p.values > maxValues || p.i >= len(p.b) {
		return node{}, false
	}
	switch c := p.b[p.i]; {
	case c == '{':
		return p.object(depth)
	case c == '[':
		return p.array(depth)
	case c == '"':
		s, ok := p.string()
		return node{kind: String, text: s}, ok
	case c == 't':
		return p.word("true", Bool)
	case c == 'f':
		return p.word("false", Bool)
	case c == 'n':
		return p.word("null", Null)
	default:
		return p.number()
	}
}

func (p *parser) object(depth int) (node, bool) {
	n, from := node{kind: Object}, len(p.open)
	p.i++
	p.space()
	if p.take('}') {
		return n, true
	}
	for {
		p.space()
		if p.i >= len(p.b) || p.b[p.i] != '"' {
			return n, false
		}
		name, ok := p.string()
		if !ok {
			return n, false
		}
		p.space()
		if !p.take(':') {
			return n, false
		}
		p.space()
		v, ok := p.value(depth + 1)
		if !ok {
			return n, false
		}
		p.open = append(p.open, member{name, v})
		p.space()
		if p.take('}') {
			n.kids = p.close(from)
			return n, true
		}
		if !p.take(',') {
			return n, false
		}
	}
}

func (p *parser) array(depth int) (node, bool) {
	n, from := node{kind: Array}, len(p.open)
	p.i++
	p.space()
	if p.take(']') {
		return n, true
	}
	for {
		p.space()
		v, ok := p.value(depth + 1)
		if !ok {
			return n, false
		}
		p.open = append(p.open, member{"", v})
		p.space()
		if p.take(']') {
			n.kids = p.close(from)
			return n, true
		}
		if !p.take(',') {
			return n, false
		}
	}
}

func (p *parser) digits() bool {
	from := p.i
	for p.i < len(p.b) && p.b[p.i] >= '0' && p.b[p.i] <= '9' {
		p.i++
	}
	return p.i > from
}

func (p *parser) number() (node, bool) {
	from := p.i
	p.take('-')
	if !p.take('0') && !p.digits() {
		return node{}, false
	}
	if p.take('.') && !p.digits() {
		return node{}, false
	}
	if p.take('e') || p.take('E') {
		if !p.take('+') {
			p.take('-')
		}
		if !p.digits() {
			return node{}, false
		}
	}
	return node{kind: Number, text: p.b[from:p.i]}, true
}

func (p *parser) string() (string, bool) {
	p.i++
	from := p.i
	for p.i < len(p.b) { // most strings hold no escape
		switch c := p.b[p.i]; {
		case c == '"':
			s := p.b[from:p.i]
			p.i++
			return s, true
		case c < 0x20:
			return "", false
		case c == '\\':
			return p.escaped(append(make([]byte, 0, 2*(p.i-from)+32), p.b[from:p.i]...))
		}
		p.i++
	}
	return "", false
}

const plainEscapes = `"\/bfnrt`

func (p *parser) escaped(out []byte) (string, bool) {
	for p.i < len(p.b) {
		c := p.b[p.i]
		switch {
		case c == '"':
			p.i++
			return string(out), true
		case c < 0x20:
			return "", false
		case c != '\\':
			out = append(out, c)
			p.i++
			continue
		}
		if p.i+1 >= len(p.b) {
			return "", false
		}
		e := p.b[p.i+1]
		if e == 'u' {
			var ok bool
			if out, ok = p.unicode(out); !ok {
				return "", false
			}
			continue
		}
		at := strings.IndexByte(plainEscapes, e)
		if at < 0 {
			return "", false
		}
		out = append(out, "\"\\/\b\f\n\r\t"[at])
		p.i += 2
	}
	return "", false
}

// unicode reads one \uXXXX, or two that make a pair.
func (p *parser) unicode(out []byte) ([]byte, bool) {
	r, ok := p.hex4(p.i)
	if !ok {
		return out, false
	}
	p.i += 6
	if !utf16.IsSurrogate(r) {
		return utf8.AppendRune(out, r), true
	}
	if p.i+1 < len(p.b) && p.b[p.i] == '\\' && p.b[p.i+1] == 'u' {
		if low, ok := p.hex4(p.i); ok {
			if full := utf16.DecodeRune(r, low); full != utf8.RuneError {
				p.i += 6
				return utf8.AppendRune(out, full), true
			}
		}
	}
	out = utf8.AppendRune(out, loneSurrogate)
	return strconv.AppendInt(out, int64(r), 16), true
}

func (p *parser) hex4(at int) (rune, bool) {
	if at+6 > len(p.b) {
		return 0, false
	}
	var r rune
	for _, c := range []byte(p.b[at+2 : at+6]) {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// canonical writes a value with sorted members and without spaces, so that two texts are equal when the values are.
func (n *node) canonical(out []byte) []byte {
	switch n.kind {
	case Object:
		out = append(out, '{')
		for i, m := range n.sorted() {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(appendQuoted(out, m.name), ':')
			out = m.node.canonical(out)
		}
		return append(out, '}')
	case Array:
		out = append(out, '[')
		for i := range n.kids {
			if i > 0 {
				out = append(out, ',')
			}
			out = n.kids[i].node.canonical(out)
		}
		return append(out, ']')
	case String:
		return appendQuoted(out, n.text)
	}
	return append(out, n.text...)
}

// sorted orders members by name; members of one name keep their order, since parsers disagree which one counts.
func (n *node) sorted() []member {
	slices.SortStableFunc(n.kids, func(a, b member) int { return strings.Compare(a.name, b.name) })
	return n.kids
}

func appendQuoted(out []byte, s string) []byte {
	out = append(out, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			out = append(out, '\\', byte(r))
		case r < 0x20:
			out = append(out, '\\', 'u', '0', '0', "0123456789abcdef"[r>>4], "0123456789abcdef"[r&15])
		default:
			out = utf8.AppendRune(out, r)
		}
	}
	return append(out, '"')
}
