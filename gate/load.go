package gate

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/fixture"
)

// The shapes of a file. Leaves are nodes, which keep what was written and where.
type (
	rawFile  struct{ Format, Entries fixture.Node }
	rawEntry struct {
		Layer, Route, Rows, Mode, Key, Direction, Value, Class, Finding, Reason, Ticket, Expires, Intermittent, Wide fixture.Node
	}
)

// Load reads a known file. name is the file's, for messages. Each error says where what is wrong, and in which entry.
func Load(name string, b []byte) (*File, error) {
	var raw rawFile
	if err := fixture.Strict(name, b, &raw); err != nil {
		return nil, err
	}
	r := &fixture.Reader{File: name}
	if got, ok := r.Text(nil, &raw.Format, "format"); ok && got != KnownFormat {
		r.Bad(&raw.Format, fmt.Sprintf("format %q is not %q", got, KnownFormat), "write format: "+KnownFormat)
	}
	sum := sha256.Sum256(b)
	f := &File{Name: path.Base(filepath.ToSlash(name)), Digest: hex.EncodeToString(sum[:])}
	for i, n := range r.List(nil, &raw.Entries, "entries") {
		l := &entryReader{Reader: r, number: i + 1, node: n, e: &Entry{file: f.Name, id: fmt.Sprintf("entry %d", i+1), where: name}}
		if l.read() {
			f.Entries = append(f.Entries, l.e)
		}
	}
	return f, joined(r.Problems())
}

// entryReader reads one entry.
type entryReader struct {
	*fixture.Reader

	number int
	node   *fixture.Node
	raw    rawEntry
	e      *Entry
}

// bad notes a problem at a key, or at the entry where it has no such key.
func (l *entryReader) bad(n *fixture.Node, what, remedy string) {
	if !fixture.Present(n) {
		n = l.node
	}
	l.Bad(n, fmt.Sprintf("entry %d: %s", l.number, what), remedy)
}

// read reports whether the entry is right.
func (l *entryReader) read() bool {
	before := len(l.Problems())
	if !l.Decode(l.node, &l.raw) {
		return false
	}
	l.scope()
	l.terms()
	if fixture.Present(&l.raw.Finding) {
		l.finding()
	} else if l.difference() {
		l.value()
		l.class()
	}
	return len(l.Problems()) == before
}

// optional is the text of a key that may be left out.
func (l *entryReader) optional(n *fixture.Node, key string) string {
	if !fixture.Present(n) {
		return ""
	}
	s, _ := l.Text(l.node, n, key)
	return s
}

// scope reads for what the entry is.
func (l *entryReader) scope() {
	e, raw := l.e, &l.raw
	e.layer, e.route, e.mode = l.optional(&raw.Layer, "layer"), l.optional(&raw.Route, "route"), fixture.Mode(l.optional(&raw.Mode, "mode"))
	e.places = places{&raw.Route, &raw.Rows, &raw.Key}
	if !fixture.Present(&raw.Layer) && !fixture.Present(&raw.Route) {
		l.bad(l.node, "it names neither a layer nor a route", "write layer: and what --name says")
	}
	if e.mode != "" && e.mode != fixture.Plain && e.mode != fixture.Stream {
		l.bad(&raw.Mode, fmt.Sprintf("the mode %q is neither plain nor stream", e.mode), "leave it out for both")
	}
	if !fixture.Present(&raw.Rows) {
		return
	}
	for _, n := range l.List(l.node, &raw.Rows, "rows") {
		p, ok := l.Text(n, n, "a row")
		if _, err := path.Match(p, ""); ok && err != nil {
			l.bad(n, fmt.Sprintf("%q in rows is no name and no pattern", p), "write a row's name, with * for any letters")
		}
		e.rows = append(e.rows, p)
	}
}

// terms reads under which terms it holds.
func (l *entryReader) terms() {
	e, raw := l.e, &l.raw
	l.optional(&raw.Ticket, "ticket")
	e.intermittent, e.wide = l.Truth(&raw.Intermittent, "intermittent"), l.Truth(&raw.Wide, "wide")
	e.reason = raw.Reason.Value
	switch {
	case fixture.Present(&raw.Reason) && raw.Reason.Kind == fixture.ScalarNode && strings.TrimSpace(e.reason) == "":
		l.bad(&raw.Reason, "the reason is empty", "write why this may stay as it is")
	default:
		l.Text(l.node, &raw.Reason, "reason")
	}
	if !fixture.Present(&raw.Expires) {
		l.bad(l.node, "it has no date in expires", "write one: a known difference is looked at again some day")
		return
	}
	text, ok := l.Text(l.node, &raw.Expires, "expires")
	var err error
	if e.expires, err = time.Parse(day, text); ok && err != nil {
		l.bad(&raw.Expires, fmt.Sprintf("%q in expires is no date", text), "write it like 2027-02-28")
	}
}

// findings are the kinds that can be declared. All others say that the run, or the layer, can't be trusted.
var findings = []string{"intermittent", "unexplained-hits"}

// finding reads which finding is declared.
func (l *entryReader) finding() {
	raw := &l.raw
	kind, ok := l.Text(l.node, &raw.Finding, "finding")
	l.e.finding = kind
	if ok && !slices.Contains(findings, kind) {
		l.bad(&raw.Finding, fmt.Sprintf("the finding %q can't be declared", kind), "only "+strings.Join(findings, " and ")+" can")
	}
	for _, n := range []*fixture.Node{&raw.Key, &raw.Direction, &raw.Value, &raw.Class} {
		if fixture.Present(n) {
			l.bad(n, "it declares a finding and has key, direction, value or class", "write an entry for each")
			break
		}
	}
	if kind == findings[0] {
		l.someRows()
	}
}

func (l *entryReader) someRows() {
	if len(l.e.rows) == 0 {
		l.bad(&l.raw.Rows, "it names no rows", "write rows: and the names, or patterns")
	}
}

// difference reads which difference is declared, and reports whether key and direction are right.
func (l *entryReader) difference() bool {
	e, raw := l.e, &l.raw
	before := len(l.Problems())
	l.someRows()
	e.key = l.optional(&raw.Key, "key")
	e.dir = evidence.Direction(l.optional(&raw.Direction, "direction"))
	if !wellFormed(e.key) {
		l.bad(&raw.Key, fmt.Sprintf("there is no key %q", e.key), "write a key out, like header/retry-after, with no wildcard")
	}
	if e.dir != evidence.Lost && e.dir != evidence.Changed && e.dir != evidence.Invented {
		l.bad(&raw.Direction, fmt.Sprintf("the direction %q is none of lost, changed and invented", e.dir), "write one of them")
	}
	if e.key == "stream/terminal" && e.dir == evidence.Invented {
		l.bad(&raw.Direction, "a success terminator that nobody sent can't be declared", "remove the entry")
	}
	return len(l.Problems()) == before
}

// value reads the value. Where a class rests on it, it has to be there and exact, so that 429 to 503 does not excuse
// 429 to 200.
func (l *entryReader) value() {
	e, n := l.e, &l.raw.Value
	strict := e.dir != evidence.Lost && needsValue(e.key)
	switch {
	case !fixture.Present(n) && strict:
		l.bad(n, fmt.Sprintf("%s %s needs a value", e.key, e.dir), "write what a client gets")
	case !fixture.Present(n):
	case n.Kind != fixture.ScalarNode || n.ShortTag() == "!!null":
		l.bad(n, "the value is not text", "write one value, in quotes if it is empty or has special characters")
	case e.dir == evidence.Lost:
		l.bad(n, "what is lost has no value", "remove it")
	case e.dir == evidence.Invented && strings.Contains(n.Value, original):
		l.bad(n, "what is invented has no "+original, "write the value out")
	case strict && isExact(e.key) && strings.Contains(n.Value, anything):
		l.bad(n, fmt.Sprintf("the value of %s has to be exact, without %s", e.key, anything), "write the value out")
	default:
		e.value = &pattern{text: n.Value}
	}
}

// class reads "rate_limit -> unknown_429".
func (l *entryReader) class() {
	n := &l.raw.Class
	text := l.optional(n, "class")
	if text == "" {
		return
	}
	from, to, ok := strings.Cut(text, "->")
	e := l.e
	e.from, e.to = classify.Class(strings.TrimSpace(from)), classify.Class(strings.TrimSpace(to))
	switch {
	case !ok || !classify.Known(e.from) || !classify.Known(e.to):
		l.bad(n, fmt.Sprintf("the class %q is not written like rate_limit -> unknown_429, with classes that exist", text), "correct its spelling")
	case classify.Success(e.to) && !classify.Success(e.from):
		l.bad(n, fmt.Sprintf("the class %q makes a success of an error, which can't be declared", text), "remove it")
	}
}
