package report

import (
	"strings"

	"github.com/preservecheck/preservecheck/record"
)

// classifier tells what the user's own classifier makes of the fixtures, and which rows change their class for it.
func (p *page) classifier(c *record.Classifier) {
	if c == nil {
		return
	}
	p.gap()
	start := "your own classifier (" + p.name(c.Command) + ") "
	if c.Failed != "" {
		p.block(word{text: "CLASSIFIER FAILED", tone: unsure}, start+"could not be asked about every row: "+p.whole(c.Failed))
	}
	through := func(r record.OwnClass) safe { return p.name(r.Fixture) + " -> " + p.name(r.Layer) }
	noted := some(c.Rows, record.OwnClass.Noted)
	changes := some(c.Rows, func(r record.OwnClass) bool { return r.Changes })
	if len(changes) > 0 {
		p.block(word{text: "reclassified", tone: bad}, start+"gives "+count(len(changes), "row")+" another class through the layer: this is what your worker acts on")
		p.own(changes, through)
	} else if c.Failed == "" {
		p.block(word{}, start+"keeps its class in "+count(len(c.Rows)-len(noted), "row"))
	}
	if len(noted) > 0 {
		p.block(word{}, "it gives these rows, for which any failure will do, another class through the layer (does not fail the run):")
		p.own(noted, through)
	}
	differs := some(c.Rows, func(r record.OwnClass) bool { return r.Differs })
	if len(differs) > 0 {
		p.block(word{}, "it calls these fixtures otherwise than the built-in rules (does not fail the run):")
		p.own(differs, func(r record.OwnClass) safe { return p.name(r.Fixture) + " (built-in: " + p.name(r.Builtin) + ")" })
	}
}

func some(rows []record.OwnClass, want func(record.OwnClass) bool) (out []record.OwnClass) {
	for _, r := range rows {
		if want(r) {
			out = append(out, r)
		}
	}
	return out
}

// own writes a line for each fixture; modes in which the same is said stand together.
func (p *page) own(rows []record.OwnClass, say func(record.OwnClass) safe) {
	groups := collect(rows, func(r record.OwnClass) string {
		return quoteAll([]string{r.Row, r.Route, r.Fixture, r.Layer, r.Builtin})
	})
	labels, labelW := make([]safe, len(groups)), 0
	for i, g := range groups {
		var modes []string
		for _, r := range g {
			modes = append(modes, r.Mode)
		}
		how := strings.Join(modes, ", ")
		if g[0].Route != "" {
			how += "; route " + g[0].Route
		}
		labels[i] = brief(g[0].Row, p.width/3) + " (" + brief(how, p.width/4) + ")"
		labelW = max(labelW, width(labels[i]))
	}
	for i, g := range groups {
		p.hanging(pad("", indent)+pad(labels[i], labelW)+"  ", say(g[0]))
	}
}
