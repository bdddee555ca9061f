package report

import (
	"strings"

	"github.com/preservecheck/preservecheck/record"
)

// exchange shows what the first row of a paragraph sent and got, on both ways. It is put together from the evidence that
// was compared, since a record keeps no bytes as they came: they may hold what redaction could not know.
func (p *page) exchange(g group) {
	r := g[0][0]
	if !p.verbose || r.Direct == nil && r.Layer == nil {
		return
	}
	p.hanging(pad("", indent)+"wire: ", brief(rowName(r), p.width)+", by its evidence; what decides is marked <--")
	p.wire("sent", requestBlock(r))
	p.wire("direct", answerBlock(r, func(f *record.Field) *record.Value { return f.Direct }, r.Direct))
	p.wire("layer", answerBlock(r, func(f *record.Field) *record.Value { return f.Layer }, r.Layer))
}

// wire writes the lines of a block, whose text is plain already, each behind the name of its side.
func (p *page) wire(side safe, block string) {
	for line := range strings.Lines(block) {
		line = strings.TrimRight(line, "\n")
		if line != ">" { // curl's end of a head; ours ends by itself
			p.hanging(pad("", 2*indent)+pad(side, len("direct"))+"  ", safe(strings.TrimPrefix(line, "> ")))
		}
	}
}

// each writes a line for every row of a paragraph: verdict, name, status and time of what decided.
func (p *page) each(g group, doc *record.Document) {
	labels, texts, labelW := []safe{}, []safe{}, 0
	for _, e := range g {
		for _, r := range e {
			label := brief(rowName(r), p.width/2)
			labels, texts = append(labels, label), append(texts, outcome(r))
			labelW = max(labelW, width(label))
		}
	}
	w := verdict(g[0][0].Verdict, doc)
	for i, label := range labels {
		p.line(w, "  "+pad(label, labelW)+"  "+texts[i])
	}
}

// outcome is the status that came through the layer, and how long that took.
func outcome(r *record.Row) safe {
	var parts []safe
	if r.Layer != nil && r.Layer.Status != 0 {
		parts = append(parts, num(r.Layer.Status))
	}
	for _, o := range r.Observations {
		if o.Decided {
			parts = append(parts, decimal(o.ElapsedMS)+" ms")
		}
	}
	return list(parts, ", ")
}
