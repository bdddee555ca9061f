package report

import (
	"slices"

	"github.com/preservecheck/preservecheck/record"
)

// rows writes a paragraph for each story. Preserved rows are only counted, unless all was asked for;
// then each has a line, and the first row of a story shows what went over the wire.
func (p *page) rows(doc *record.Document) {
	told := map[int]bool{}
	for _, g := range groups(doc.Rows) {
		first := g[0][0]
		if passes(first) {
			if p.verbose {
				p.gap()
				p.each(g, doc)
			}
			continue
		}
		p.gap()
		if notRun(first) {
			p.notRun(g, doc)
			continue
		}
		if len(g) == 1 {
			p.block(verdict(first.Verdict, doc), g.names())
		} else {
			p.block(verdict(first.Verdict, doc), count(g.rows(), "row")+" in the same way: "+g.names())
		}
		p.sentence(excuse(first.Verdict, doc))
		p.sentence(first.Consequence)
		p.sentence(first.Reason)
		p.declaredBy(g)
		p.table(p.facts(g))
		p.advised(g, doc.Advice, told)
		p.observations(g)
		p.exchange(g)
	}
}

// notRun names rows that no request was made for, and why, in one paragraph.
func (p *page) notRun(g group, doc *record.Document) {
	const interrupted = "not run: the run was interrupted" // what check writes; said with the names it needs no second line
	r := g[0][0]
	if r.Reason == interrupted && doc.Incomplete {
		p.block(word{text: "not run", tone: unsure}, count(g.rows(), "row")+": "+g.names())
		return
	}
	p.block(verdict(r.Verdict, doc), count(g.rows(), "row")+" not run: "+g.names())
	p.sentence(r.Reason)
}

// verdict is the word of a row in the colour of what it does to the run.
func verdict(v string, doc *record.Document) word {
	w := word{text: brief(v, 20), tone: bad}
	switch {
	case v == "preserved" || v == "declared":
		w.tone = good
	case v == "inconclusive" || v == "untestable" || excuse(v, doc) != "":
		w.tone = unsure
	}
	return w
}

// excuse says why a difference does not fail the run.
func excuse(verdict string, doc *record.Document) string {
	if verdict == "changed" && doc.Settings.FailOn == "reclassified" {
		return "passes, because of --fail-on reclassified"
	}
	if verdict == "untestable" && doc.Settings.AllowUntestable {
		return "passes, because of --allow-untestable"
	}
	return ""
}

// sentence writes what was said about a row; it may hold text of the layer, so its length is bounded.
func (p *page) sentence(s string) {
	if s == "" {
		return
	}
	if room := 4 * (p.width - indent); !p.verbose {
		p.para(brief(s, room))
		return
	}
	p.para(plain(s))
}

// fact is one line of the table below a row: a key, how it differs and its values, or a key and a remark.
type fact struct {
	key, how safe
	values   []labelled
	remark   safe
	note     safe // below the values
}

type labelled struct {
	label safe
	value shown
}

func (p *page) facts(g group) []fact {
	var out []fact
	r := g[0][0]
	for _, f := range shownFields(r) {
		x := p.fieldFact(r, f)
		x.note = brief(f.Remark, 3*p.width)
		out = append(out, x)
	}
	if r.Omitted > 0 {
		out = append(out, fact{key: "(not kept)", remark: count(r.Omitted, "more difference")})
	}
	out = append(out, classFact(g), fact{key: "requests", remark: hits(r)}, fact{key: "answer", remark: cameFrom(r.Provenance)})
	if r.Author != "" {
		out = append(out, fact{key: "author", remark: "likely " + brief(r.Author, 60) + ", by its signature"})
	}
	for _, b := range g.behaviour() {
		out = append(out, fact{key: "layer", remark: brief(b, 3*p.width)})
	}
	out = append(out, p.clientFacts(g)...)
	if len(g) > 1 && len(shownFields(r)) > 0 && !g.alike() {
		out = append(out, fact{key: "(values)", remark: "those of " + g[:1].names() + "; the other rows have their own"})
	}
	return out
}

func (p *page) fieldFact(r *record.Row, f *record.Field) fact {
	out := fact{key: cut(units(f.Key), p.width*2/5), how: brief(f.Dir, 12)}
	if f.Nuance != "" {
		out.how += " (" + brief(f.Nuance, 14) + ")"
	}
	expected, layer := valueOf(f.Fixture), valueOf(f.Layer)
	switch {
	case directDiffers(r, f):
		out.how = "not as served"
		out.values = []labelled{{"fixture", expected}, {"direct", valueOf(f.Direct)}}
		return out
	case f.Dir == "lost" && len(f.Covers) > 1 && f.Other == "" && !p.verbose:
		return fact{key: out.key, remark: out.how + ", with " + list(plains(f.Covers), ", ")}
	case f.Dir == "lost":
		if p.verbose && len(f.Covers) > 0 {
			expected.after += ", with it " + list(plains(f.Covers), ", ")
		}
		if f.Other != "" {
			expected.after += ", now in " + cut(units(f.Other), p.width*2/5)
		}
		out.values = []labelled{{"", expected}}
	case f.Dir == "invented":
		out.values = []labelled{{"", layer}}
	default:
		out.values = []labelled{{"expected", expected}, {"got", layer}}
	}
	return out
}

// classFact tells the class before and after; rows of several classes that all keep theirs have no one name for it.
func classFact(g group) fact {
	c := g[0][0].Class
	before, after := brief(c.Fixture, 60), brief(c.Layer, 60)
	switch {
	case c.Fixture == "" && c.Layer == "":
		return fact{}
	case c.Layer == "" && g[0][0].Verdict == "inconclusive": // something may have come, and no class follows from it
		return fact{}
	case c.Layer == "":
		return fact{key: "class", remark: before + ", and no answer to classify"}
	case g[0][0].Verdict == "layer-made":
		return fact{key: "class", remark: before + "; the layer's own answer reads as " + after}
	case c.Layer != c.Fixture:
		return fact{key: "class", remark: before + " -> " + after}
	}
	for _, e := range g {
		if e[0].Class != c {
			return fact{key: "class", remark: "unchanged in every row"}
		}
	}
	return fact{key: "class", remark: before + ", unchanged"}
}

// hits says how often the stub was asked, when it was not once. That it was not asked at all is what the reason of a
// layer-made row says.
func hits(r *record.Row) safe {
	if r.HitsMin == 1 && r.HitsMax == 1 || r.HitsMax == 0 && r.Reason != "" {
		return ""
	}
	n := num(r.HitsMax)
	if r.HitsMin != r.HitsMax {
		n = num(r.HitsMin) + " to " + n
	}
	switch {
	case r.HitsMax == 0:
		return "none reached the stub"
	case r.HitsAllowed > 0:
		return n + " reached the stub for one that the client sent (" + num(r.HitsAllowed) + " allowed)"
	}
	return n + " reached the stub for one that the client sent (any number allowed)"
}

// cameFrom says where an answer came from, when it was not from this request at the stub, or when that is only inferred.
func cameFrom(provenance string) safe {
	switch provenance {
	case "", "own-hit", "none", "no-answer": // none: the request line or the reason says so
		return ""
	case "other-hit":
		return "belongs to another request"
	case "attributed":
		return "lost the ids that the stub put into it; it is this request's, as no other was under way"
	case "unattached":
		return "lost the ids that the stub put into it, so whose it is stays open"
	}
	return brief(provenance, 60)
}

// observations lists every pass over the rows of a paragraph.
func (p *page) observations(g group) {
	if !p.verbose {
		return
	}
	var labels, texts []safe
	labelW := 0
	for _, e := range g {
		for _, r := range e {
			for _, o := range r.Observations {
				l := cut(units(r.Row+" "+r.Mode+", "+passName(o.Pass)), p.width/2)
				labels, texts = append(labels, l), append(texts, observation(o, len(r.Observations) > 1))
				labelW = max(labelW, width(l))
			}
		}
	}
	for i, l := range labels {
		p.hanging(pad("", indent)+pad(l, labelW)+"  ", texts[i])
	}
}

// observation tells one pass; with several, which of them decided.
func observation(o record.Observation, several bool) safe {
	text := plain(o.Verdict) + ", " + count(o.Hits, "request") + " at the stub, " + decimal(o.ElapsedMS) + " ms"
	if o.Reason != "" {
		text += ": " + plain(o.Reason)
	}
	if o.Decided && several {
		text += " (decided)"
	}
	return text
}

// passName says in words which pass over the rows an observation belongs to.
func passName(pass string) string {
	switch pass {
	case "A":
		return "side by side"
	case "B":
		return "again, in reverse order"
	case "repeat":
		return "repeated"
	case "look":
		return "once more after its stage"
	}
	return pass
}

// behaviour is what the layer did besides answering, over all rows of a paragraph: the first few.
func (g group) behaviour() (words []string) {
	const most = 3
	for _, e := range g {
		for _, r := range e {
			for _, b := range r.Behaviour {
				if !slices.Contains(words, b) && len(words) < most {
					words = append(words, b)
				}
			}
		}
	}
	return words
}
