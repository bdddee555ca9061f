package report

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/fatih/color"
)

// page collects the lines of a text report. It knows widths and colours, and nothing of a run.
type page struct {
	buf     bytes.Buffer
	width   int
	verbose bool
	ink     map[tone]*color.Color
}

// tone is what a coloured word says.
type tone int

const (
	noTone tone = iota
	good
	bad
	unsure
)

// word is the first word of a block, the only place where there is colour.
type word struct {
	text   safe
	tone   tone
	before int // columns of space before it
}

func newPage(o TextOptions) *page {
	p := &page{width: o.Width, verbose: o.Verbose, ink: map[tone]*color.Color{
		good:   color.New(color.FgGreen, color.Bold),
		bad:    color.New(color.FgRed, color.Bold),
		unsure: color.New(color.FgYellow, color.Bold),
	}}
	if p.width == 0 {
		p.width = defaultWidth
	}
	p.width = max(minWidth, min(p.width, maxWidth))
	// The library's own guess looks at the process's stdout, which need not be where this report goes.
	for _, c := range p.ink {
		if o.Color {
			c.EnableColor()
		} else {
			c.DisableColor()
		}
	}
	return p
}

// line writes one line. A line that wrapping made start with "::" would be a workflow command.
func (p *page) line(w word, rest safe) {
	text := string(rest)
	if start := strings.TrimLeft(text, " "); w.text == "" && strings.HasPrefix(start, "::") {
		text = text[:len(text)-len(start)] + `\x3a` + start[1:]
	}
	p.buf.WriteString(strings.Repeat(" ", w.before))
	if c := p.ink[w.tone]; c != nil {
		p.buf.WriteString(c.Sprint(string(w.text)))
	} else {
		p.buf.WriteString(string(w.text))
	}
	p.buf.WriteString(strings.TrimRight(text, " "))
	p.buf.WriteByte('\n')
}

// gap separates paragraphs by one empty line; there is none at the top.
func (p *page) gap() {
	if b := p.buf.Bytes(); len(b) > 0 && !bytes.HasSuffix(b, []byte("\n\n")) {
		p.buf.WriteByte('\n')
	}
}

// block writes a word and a text that runs on, indented, over as many lines as it needs.
func (p *page) block(w word, text safe) {
	first := 0
	if w.text != "" {
		first = width(w.text) + 2
	}
	for i, l := range wrap(text, p.width-first, p.width-indent) {
		switch {
		case i > 0:
			p.line(word{}, pad("", indent)+l)
		case w.text == "":
			p.line(w, l)
		default:
			p.line(w, "  "+l)
		}
	}
}

// para writes a text with every line indented.
func (p *page) para(text safe) {
	for _, l := range wrap(text, p.width-indent, p.width-indent) {
		p.line(word{}, pad("", indent)+l)
	}
}

// hanging writes a text behind a label; its lines stand below each other, or below the label where that leaves too
// little room.
func (p *page) hanging(label, text safe) {
	in := width(label)
	if room := p.width - in; in > 2*indent && width(text) > room && (room < narrowest || longWord(text, room, p.width-2*indent)) {
		p.line(word{}, label)
		label, in = pad("", 2*indent), 2*indent
	}
	for _, l := range wrap(text, p.width-in, p.width-in) {
		p.line(word{}, label+l)
		label = pad("", in)
	}
}

// longWord reports whether a text has a word, such as a URL, that would be broken in so many columns and not in more.
func longWord(text safe, room, more int) bool {
	for w := range strings.FieldsSeq(string(text)) {
		if n := width(safe(w)); n > room && n <= more {
			return true
		}
	}
	return false
}

// Widths in terminal columns. Below the least nothing aligns any more, above the most nobody reads a line to its end.
const (
	defaultWidth = 100
	minWidth     = 60
	maxWidth     = 160
	indent       = 4
	narrowest    = 20 // of a text behind a label
)

// items writes parts with a separator between them, breaking lines only behind a separator.
func (p *page) items(in int, sep safe, parts []safe) {
	var cur safe
	end := safe(strings.TrimRight(string(sep), " ")) // a separator of spaces alone leaves nothing at the end of a line
	for _, s := range parts {
		switch {
		case cur == "":
			cur = pad("", in) + s
		case width(cur+sep+s) > p.width:
			p.fitting(cur + end)
			cur = pad("", indent) + s
		default:
			cur += sep + s
		}
	}
	if cur != "" {
		p.fitting(cur)
	}
}

// fitting writes a line as it is, unless it is too long.
func (p *page) fitting(s safe) {
	if width(s) <= p.width {
		p.line(word{}, s)
		return
	}
	if s[0] == ' ' {
		p.para(s)
		return
	}
	p.block(word{}, s)
}

// wrap breaks a text at spaces into lines; a word longer than a line is broken where the line ends. There is always
// at least one line.
func wrap(text safe, first, rest int) []safe {
	var lines []safe
	var cur safe
	room := first
	flush := func() { lines, cur, room = append(lines, cur), "", rest }
	for _, w := range strings.Fields(string(text)) {
		next := safe(w)
		if cur != "" && width(cur)+1+width(next) > room {
			flush()
		}
		if cur == "" && width(next) > room && len(lines) == 0 && width(next) <= rest {
			flush() // the first line is the short one
		}
		for cur == "" && width(next) > room {
			head, tail := split(next, room)
			cur, next = head, tail
			flush()
		}
		if cur != "" {
			cur += " "
		}
		cur += next
	}
	return append(lines, cur)
}

// split cuts a text after so many columns, but after one character at least.
func split(s safe, room int) (head, tail safe) {
	used := 0
	for i, r := range string(s) {
		if used+columns(r) > room && i > 0 {
			return s[:i], s[i:]
		}
		used += columns(r)
	}
	return s, ""
}

func pad(s safe, columns int) safe {
	return s + safe(strings.Repeat(" ", max(0, columns-width(s))))
}

func list(parts []safe, sep safe) safe {
	var all safe
	for i, s := range parts {
		if i > 0 {
			all += sep
		}
		all += s
	}
	return all
}

func plains(parts []string) []safe {
	out := make([]safe, len(parts))
	for i, s := range parts {
		out[i] = plain(s)
	}
	return out
}

func num(n int) safe { return safe(strconv.Itoa(n)) }

// count is "1 row", "2 rows".
func count(n int, noun safe) safe {
	if n == 1 {
		return num(n) + " " + noun
	}
	return num(n) + " " + noun + "s"
}
