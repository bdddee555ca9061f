package target

import (
	"fmt"
	"strings"

	"github.com/preservecheck/preservecheck/fixture"
)

// headers reads a list of single pairs, which keeps order and duplicates.
func (l *loader) headers(n *fixture.Node) (out []Header) {
	if !fixture.Present(n) {
		return nil
	}
	for _, item := range l.List(n, n, "headers") {
		if item.Kind != fixture.MappingNode || len(item.Content) != 2 {
			l.Bad(item, "a header is one name with one value", "write - name: value, one pair a line")
			continue
		}
		if h, ok := l.header(item.Content[0], item.Content[1]); ok {
			out = append(out, h)
		}
	}
	if len(out) > maxHeaders {
		l.Bad(n, fmt.Sprintf("%d headers, more than %d", len(out), maxHeaders), "send fewer")
	}
	return out
}

// header reads one pair. No message shows the value, nor a name that is none: it may be a value that slipped.
func (l *loader) header(name, value *fixture.Node) (Header, bool) {
	h := Header{Name: name.Value, Value: Text{value.Value, l.at(value)}}
	switch {
	case !isToken(h.Name):
		l.Bad(name, "the name of a header is no HTTP token", "use letters, digits and -")
	case reserved[strings.ToLower(h.Name)]:
		l.Bad(name, fmt.Sprintf("header %s is set by preservecheck itself", h.Name), "remove it")
	case value.Kind != fixture.ScalarNode || value.ShortTag() == "!!null":
		l.Bad(value, fmt.Sprintf("header %s has no text as its value", h.Name), "write one value, in quotes if it is empty")
	case strings.ContainsFunc(h.Value.Value, isControl):
		l.Bad(value, fmt.Sprintf("the value of header %s has a control character", h.Name), "remove line ends, NUL and the like")
	default:
		return h, true
	}
	return Header{}, false
}

// reserved headers delimit the request; another value would make it a different request for each reader.
var reserved = map[string]bool{"content-length": true, "transfer-encoding": true, "connection": true}

// isToken follows RFC 9110, section 5.6.2 (read 2026-11-30).
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (c < '0' || c > '9') && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return s != ""
}

// isControl names what RFC 9110, section 5.5, keeps out of a value (read 2026-11-30).
func isControl(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }

func (l *loader) at(n *fixture.Node) string { return fmt.Sprintf("%s:%d:%d", l.File, n.Line, n.Column) }

// text is the text of a key that must be there, and not too long for a report.
func (l *loader) text(parent, n *fixture.Node, key string) (string, bool) {
	s, ok := l.Text(parent, n, key)
	if ok && len(s) > maxName {
		l.Bad(n, fmt.Sprintf("%s has %d bytes, more than %d", key, len(s), maxName), "shorten it")
		return "", false
	}
	return s, ok
}

// line is text that a report prints.
func (l *loader) line(n *fixture.Node, key string) string {
	s, ok := l.text(nil, n, key)
	if ok && strings.ContainsFunc(s, isControl) {
		l.Bad(n, key+" has a control character", "write one line of text")
	}
	return s
}

func (l *loader) optional(n *fixture.Node, key string) string {
	if !fixture.Present(n) {
		return ""
	}
	return l.line(n, key)
}
