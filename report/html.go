package report

import (
	"io"

	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/report/html"
)

// HTML writes a run as one page that needs nothing else: no script, no font, no image, no request. Its policy forbids
// them as well, so that text of a layer which found a way past the escaping would still do nothing.
//
// Every text of the record has gone through plain before package html escapes it (the view's fields are of type safe),
// so that what a browser would hide or turn around is seen. Nothing of the record becomes a link, an id or a style:
// ids are numbers that we count, colours are classes out of a closed list.
//
// The page is bounded: long values are cut around the place where they differ, and the more of them there are, the
// shorter. The record itself (format json) has all that was kept of them.
func HTML(w io.Writer, doc record.Document) error {
	routeless(&doc)
	h := newHTMLPage(&doc)
	return html.Page(w, h.Result.Text+": "+h.Layer+" - preservecheck", h.body()...)
}

// htmlBadge is a coloured word. Its sign and its text say the same as its colour.
type htmlBadge struct{ Text, Tone, Glyph safe }

func badgeOf(w word) htmlBadge {
	switch w.tone {
	case good:
		return htmlBadge{w.text, "good", "✓"}
	case bad:
		return htmlBadge{w.text, "bad", "✕"}
	case unsure:
		return htmlBadge{w.text, "unsure", "?"}
	}
	return htmlBadge{w.text, "none", "·"}
}

// htmlPair is a name and what stands behind it.
type htmlPair struct{ Key, Text safe }

// htmlPage is all that the page shows.
type htmlPage struct {
	Layer    safe
	Result   htmlBadge
	Why      safe
	Lead     []safe
	Advice   safe
	Missed   []safe
	Sections []htmlSection
	Counts   []htmlCount
	Facts    []htmlPair
	Runs     []htmlLine
	News     *htmlNews
	Findings []htmlFinding
	Stories  []htmlStory
	Hops     []safe
	Known    []safe

	Classifier []safe
	Reproduce  []htmlPair

	Covers        []safe
	AlsoTitle     safe
	Also          []safe
	ExcludedTitle safe
	Excluded      []safe
	ControlsTitle safe
	ControlsOpen  bool
	Controls      []htmlControl
	Notes         []safe

	Matrix    *htmlMatrix
	RowsIntro safe
	Rows      []htmlRow
	Foot      safe
}

// htmlSection is a line of the page's table of contents.
type htmlSection struct{ ID, Title safe }

// htmlView builds the page: p words things as the text report does, spent is what the values have taken so far.
type htmlView struct {
	p     *page
	doc   *record.Document
	spent int
	order []*record.Row       // worst first
	told  []group             // the same rows by what they have in common
	ids   map[*record.Row]int // the number in a row's anchor
}

func newHTMLPage(doc *record.Document) *htmlPage {
	v := &htmlView{p: newPage(TextOptions{Width: maxWidth}), doc: doc, ids: map[*record.Row]int{}}
	v.order, v.told = worstRows(doc.Rows), groups(doc.Rows)
	for i, r := range v.order {
		v.ids[r] = i + 1
	}
	out := &htmlPage{}
	v.head(out)
	out.Runs = v.runs()
	out.News = v.news()
	out.Findings = v.findings()
	out.Stories = v.stories()
	v.layer(out)
	out.Reproduce = v.reproduce()
	v.covers(out)
	out.Matrix = v.matrix()
	v.rows(out)
	out.Foot = "Written by " + v.p.name(doc.Tool.Name) + " " + v.p.name(doc.Tool.Version) +
		". This page runs no script and loads nothing. The record that it was made from, written by -o json=FILE, has all that was kept."
	out.contents()
	return out
}

// contents lists the sections that the page has.
func (h *htmlPage) contents() {
	add := func(there bool, id, title safe) {
		if there {
			h.Sections = append(h.Sections, htmlSection{id, title})
		}
	}
	add(true, "summary", "Summary")
	add(len(h.Runs) > 0, "runs", "Runs")
	add(h.News != nil, "news", "News")
	add(len(h.Findings) > 0, "findings", "Findings")
	add(len(h.Stories) > 0, "faults", "What the layer does")
	add(len(h.Hops) > 0, "hops", "Where in the chain")
	add(len(h.Known) > 0, "known", "Known differences")
	add(len(h.Classifier) > 0, "classifier", "Your classifier")
	add(len(h.Reproduce) > 0, "reproduce", "How to reproduce")
	add(true, "covers", "What green covers")
	add(h.Matrix != nil, "matrix", "Matrix")
	add(len(h.Rows) > 0, "rows", "Every row")
}
