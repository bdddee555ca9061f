package report

import (
	"slices"

	"github.com/preservecheck/preservecheck/record"
)

// routeless takes the route out of a document that has only one: it tells no row from another.
func routeless(doc *record.Document) {
	if len(doc.Target.Routes) != 1 {
		return
	}
	doc.Rows = slices.Clone(doc.Rows)
	for i := range doc.Rows {
		doc.Rows[i].Route = ""
	}
	if doc.Classifier != nil {
		own := *doc.Classifier
		own.Rows = slices.Clone(own.Rows)
		for i := range own.Rows {
			own.Rows[i].Route = ""
		}
		doc.Classifier = &own
	}
}

// routes names the ways into the layer, where there are several.
func (p *page) routes(t record.Target) safe {
	if len(t.Routes) < 2 {
		return ""
	}
	names := make([]safe, len(t.Routes))
	for i, r := range t.Routes {
		names[i] = p.name(r.Name)
	}
	if t.Hops {
		return "hops client > " + list(names, " > ") + " > stub"
	}
	return "routes " + list(names, ", ")
}

// hops says between which two points of a chain something changed first.
func (p *page) hops(doc *record.Document) {
	if len(doc.Hops) == 0 {
		return
	}
	p.gap()
	p.line(word{}, "where in the chain, seen from the provider")
	for _, hs := range collect(doc.Hops, func(h record.Hop) string { return quoteAll([]string{h.At, h.Next}) }) {
		where := "between hop " + p.name(hs[0].At) + " and hop " + p.name(hs[0].Next)
		if hs[0].Next == "" {
			where = "between hop " + p.name(hs[0].At) + " and the stub"
		}
		p.para(where + ":")
		for _, h := range hs {
			text := hopText(h, p.width*2/5) + " in " + count(len(h.Rows), "row") + ": " + p.rowNames(h.Rows)
			p.hanging(pad("", 2*indent), text)
		}
	}
}

// hopText says what happens between two hops.
func hopText(h record.Hop, room int) safe {
	switch {
	case h.Key != "" && h.Dir == "invented":
		return cut(units(h.Key), room) + " is added"
	case h.Key != "":
		return cut(units(h.Key), room) + " is " + brief(h.Dir, 12)
	case h.Dir == "layer-made":
		return "the answer is made, without a call to the stub,"
	case h.Dir == "retried":
		return "the request is sent again"
	case h.Dir == "broken":
		return "the answer breaks"
	}
	return brief(h.Dir, 20)
}
