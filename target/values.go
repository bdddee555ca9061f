package target

import (
	"fmt"
	"strings"

	"github.com/preservecheck/preservecheck/fixture"
)

// headers reads a list of single pairs, which keeps order and duplicates.
func (l *loader) headers(n *fixture.Node) (out []Header) {
	if !written(n) {
		return nil
	}
	for _, item := range l.list(n, n, "headers") {
		if item.Kind != fixture.MappingNode || len(item.Content) != 2 {
			l.bad(item, "a header is one name with one value", "write - name: value, one pair a line")
			continue
		}
		if h, ok := l.header(item.Content[0], item.Content[1]); ok {
			out = append(out, h)
		}
	}
	if len(out) > maxHeaders {
		l.bad(n, fmt.Sprintf("%d headers, more than %d", len(out), maxHeaders), "send fewer")
	}
	return out
}

// header reads one pair. No message shows the value, nor a name that is none: it may be a value that slipped.
func (l *loader) header(name, value *fixture.Node) (Header, bool) {
	h := Header{Name: name.Value, Value: Text{value.Value, l.at(value)}}
	switch {
	case !isToken(h.Name):
		l.bad(name, "the name of a header is no HTTP token", "use letters, digits and -")
	case reserved[strings.ToLower(h.Name)]:
		l.bad(name, fmt.Sprintf("header %s is set by preservecheck itself", h.Name), "remove it")
	case value.Kind != fixture.ScalarNode || value.ShortTag() == "!!null":
		l.bad(value, fmt.Sprintf("header %s has no text as its value", h.Name), "write one value, in quotes if it is empty")
	case strings.ContainsFunc(h.Value.Value, isControl):
		l.bad(value, fmt.Sprintf("the value of header %s has a control character", h.Name), "remove line ends, NUL and the like")
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

// written reports whether a key stands in the file at all.
func written(n *fixture.Node) bool { return n.Kind != 0 }

func (l *loader) at(n *fixture.Node) string { return fmt.Sprintf("%s:%d:%d", l.file, n.Line, n.Column) }

// bad notes a problem at a node, nil for the whole file.
func (l *loader) bad(n *fixture.Node, what, remedy string) {
	p := &fixture.Problem{File: l.file, What: what, Remedy: remedy}
	if n != nil {
		p.Line, p.Column = n.Line, n.Column
	}
	l.problems = append(l.problems, p)
}

// text returns what was written for a key that must be there and not be empty; parent says where it is missing.
func (l *loader) text(parent, n *fixture.Node, key string) (string, bool) {
	switch {
	case !written(n):
		l.bad(parent, key+" is missing", "add "+key)
	case n.Kind != fixture.ScalarNode:
		l.bad(n, key+" is not text", "write one value, in quotes if it has special characters")
	case strings.TrimSpace(n.Value) == "" || n.ShortTag() == "!!null":
		l.bad(n, key+" is empty", "write a value, or remove the key")
	case len(n.Value) > maxName:
		l.bad(n, fmt.Sprintf("%s has %d bytes, more than %d", key, len(n.Value), maxName), "shorten it")
	default:
		return n.Value, true
	}
	return "", false
}

// line is text that a report prints.
func (l *loader) line(n *fixture.Node, key string) string {
	s, ok := l.text(nil, n, key)
	if ok && strings.ContainsFunc(s, isControl) {
		l.bad(n, key+" has a control character", "write one line of text")
	}
	return s
}

func (l *loader) optional(n *fixture.Node, key string) string {
	if !written(n) {
		return ""
	}
	return l.line(n, key)
}

func (l *loader) truth(n *fixture.Node, key string) bool {
	if !written(n) {
		return false
	}
	if n.Kind != fixture.ScalarNode || n.ShortTag() != "!!bool" {
		l.bad(n, key+" is neither true nor false", "write "+key+": true, or remove it")
		return false
	}
	return strings.EqualFold(n.Value, "true")
}

// list returns the items of a key that must be a list.
func (l *loader) list(parent, n *fixture.Node, key string) []*fixture.Node {
	switch {
	case !written(n):
		l.bad(parent, key+" is missing", "add "+key)
	case n.Kind != fixture.SequenceNode:
		l.bad(n, key+" is not a list", "write each item behind a dash")
	default:
		return n.Content
	}
	return nil
}
