package report

import (
	"fmt"
	"io"

	"github.com/preservecheck/preservecheck/record"
)

// Diff writes what the newer of two records says that the older did not; the record carries it as its News.
func Diff(w io.Writer, doc record.Document, o TextOptions) error {
	p := newPage(o)
	if n := doc.News; n != nil {
		p.items(0, "   ", []safe{"old " + p.sideOf(n.Old), "new " + p.sideOf(n.New)})
		p.gap()
		r, why := resultOf(&doc)
		p.block(r, p.whole(why))
		p.news(n)
	}
	p.gap()
	p.tail(&doc, o.Part)
	_, err := p.buf.WriteTo(w)
	return err
}

// DiffJSON writes the same for programs.
func DiffJSON(w io.Writer, d record.Diff) error {
	raw, err := encodeAny(d)
	if err != nil {
		return fmt.Errorf("the comparison can't be written as JSON: %w", err)
	}
	_, err = w.Write(quiet(raw))
	return err
}

func (p *page) sideOf(s record.Side) safe {
	text := p.name(s.Layer)
	if s.Version != "" {
		text += " " + p.name(s.Version)
	}
	return text + " (" + p.name(s.Started) + ", " + p.name(s.Result) + ")"
}

// news tells each change once, with the rows that have it.
func (p *page) news(n *record.News) {
	if n == nil {
		return
	}
	for _, u := range n.Unequal {
		p.para("can't be compared: " + p.whole(u))
	}
	p.gap()
	for _, same := range collect(n.Changes, func(c record.Change) string { return quoteAll([]string{c.What, c.Text, fmt.Sprint(c.Fails)}) }) {
		c := same[0]
		w := word{text: label(c)}
		if c.Fails {
			w.tone = bad
		}
		var rows []string
		for _, x := range same {
			if x.Row != "" {
				rows = append(rows, x.Row+" ("+x.Mode+")")
			}
		}
		text := p.whole(c.Text)
		if len(rows) > 0 {
			text += " in " + p.rowNames(rows)
		}
		p.block(w, text)
	}
	for i, u := range n.Untold {
		if i == fewUntold && !p.verbose {
			p.para("and " + count(len(n.Untold)-i, "row") + " more that can't be told (-v shows them)")
			break
		}
		p.block(word{text: "can't tell", tone: unsure}, p.whole(u))
	}
	if n.Same > 0 {
		p.para("as before: " + count(n.Same, "fault"))
	}
}

// fewUntold is how many rows without a result are named.
const fewUntold = 5

func label(c record.Change) safe {
	switch {
	case c.What == "new" && c.Fails, c.Fails:
		return "NEW"
	case c.What == "new", c.What == "finding":
		return "new, does not fail"
	}
	return brief(c.What, 12)
}
