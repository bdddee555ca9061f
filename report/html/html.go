// Package html writes the one page that a report is: elements and attributes out of a closed list, and text.
//
// It is no template engine, and nothing in it takes HTML: the only text that is not escaped are the names in
// elements.go and the style, which are this package's own. A text can therefore become text or the value of an attribute, and
// nothing else; a link can only lead to a place of the same page. That control characters are seen for what they are is
// not its business: see safe in package report.
//
// The standard library's html/template would do, but it calls methods by names that only a run knows, so the linker keeps
// every exported method of the whole program: a sixth of the binary.
package html

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // for the style
	"encoding/base64"
	"io"
	"strings"
)

// Node is an element, an attribute of the element around it, a text, or several of them. The zero Node is nothing.
type Node struct {
	kind  kind
	name  string // of an element or an attribute; a constant of this package
	text  string // as it is, not escaped yet
	parts []Node
}

type kind int

const (
	group kind = iota
	text
	css    // the style, as it is
	value  // an attribute
	flag   // an attribute that has no value
	inline // an element
	line   // an element after which a line ends
	block  // an element whose tags stand on lines of their own
	void   // an element that has no end
	shape  // an element that has none either, and is written as XML
)

// Text is a text between tags.
func Text[S ~string](s S) Node { return Node{kind: text, text: string(s)} }

// Join puts nodes one after the other.
func Join(nodes ...Node) Node { return Node{parts: nodes} }

// If is the nodes where ok holds, else nothing. They are built in any case.
func If(ok bool, nodes ...Node) Node {
	if !ok {
		return Node{}
	}
	return Join(nodes...)
}

// Each makes a node of every x.
func Each[T any](xs []T, node func(T) Node) Node {
	out := make([]Node, 0, len(xs))
	for _, x := range xs {
		out = append(out, node(x))
	}
	return Join(out...)
}

//go:embed style.css
var style string

// policy allows the one style by its digest, and nothing else.
// Source: Content Security Policy Level 3, sections 4.2 and 8.4, read 2026-11-30: the digest is that of the element's text.
func policy() string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
}

// Page writes a whole page, with the style and the policy. The errors are those of w.
func Page[S ~string](w io.Writer, title S, body ...Node) error {
	var b bytes.Buffer
	b.WriteString("<!DOCTYPE html>\n")
	el(block, "html", at("lang", "en"), at("dir", "ltr"), el(block, "head",
		el(void, "meta", at("charset", "utf-8")),
		el(void, "meta", at("http-equiv", "Content-Security-Policy"), at("content", policy())),
		el(void, "meta", at("name", "viewport"), at("content", "width=device-width, initial-scale=1")),
		el(void, "meta", at("name", "referrer"), at("content", "no-referrer")),
		el(void, "meta", at("name", "color-scheme"), at("content", "light dark")),
		el(line, "title", Text(title)),
		el(line, "style", Node{kind: css}),
	), el(block, "body", body...)).write(&b)
	_, err := b.WriteTo(w)
	return err
}

// write adds what a node is. Attributes are left to the element that they stand in.
func (n Node) write(b *bytes.Buffer) {
	switch n.kind {
	case group:
		n.inside(b)
	case text:
		escape(b, n.text)
	case css:
		b.WriteString(style)
	case value, flag:
	default:
		n.element(b)
	}
}

func (n Node) element(b *bytes.Buffer) {
	b.WriteByte('<')
	b.WriteString(n.name)
	attributes(b, n.parts)
	switch n.kind {
	case void:
		b.WriteByte('>')
		return
	case shape:
		b.WriteString("/>")
		return
	}
	b.WriteByte('>')
	if n.kind == block {
		b.WriteByte('\n')
	}
	n.inside(b)
	b.WriteString("</")
	b.WriteString(n.name)
	b.WriteByte('>')
	if n.kind != inline {
		b.WriteByte('\n')
	}
}

func (n Node) inside(b *bytes.Buffer) {
	for _, p := range n.parts {
		p.write(b)
	}
}

// attributes writes those of an element, wherever among its parts they stand.
func attributes(b *bytes.Buffer, parts []Node) {
	for _, p := range parts {
		switch p.kind {
		case group:
			attributes(b, p.parts)
		case value, flag:
			b.WriteByte(' ')
			b.WriteString(p.name)
		}
		if p.kind == value {
			b.WriteString(`="`)
			escape(b, p.text)
			b.WriteByte('"')
		}
	}
}

// escape writes a text so that it ends neither itself nor a value between double quotes. The standard library's
// html.EscapeString does the same, and brings a table of all named characters with it.
func escape(b *bytes.Buffer, s string) {
	for {
		i := strings.IndexAny(s, `&<>"'`)
		if i < 0 {
			b.WriteString(s)
			return
		}
		b.WriteString(s[:i])
		switch s[i] {
		case '&':
			b.WriteString("&amp;")
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '"':
			b.WriteString("&#34;")
		default:
			b.WriteString("&#39;")
		}
		s = s[i+1:]
	}
}
