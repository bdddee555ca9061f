package report

import (
	"slices"

	"github.com/preservecheck/preservecheck/record"
)

// advised writes the likely causes of what a paragraph shows, each once in a report: under the worst that it explains.
func (p *page) advised(g group, all []record.Advice, told map[int]bool) {
	for i := range all {
		a := &all[i]
		if told[i] || !g.meant(a.Rows) {
			continue
		}
		told[i] = true
		p.advice(indent, a)
	}
}

// advisedOn writes the likely cause of a kind of finding, under the first of that kind.
func (p *page) advisedOn(kind string, in int, all []record.Advice, told map[string]bool) {
	for i := range all {
		if a := &all[i]; a.Finding == kind && !told[kind] {
			told[kind] = true
			p.advice(in, a)
		}
	}
}

func (p *page) advice(in int, a *record.Advice) {
	p.hanging(pad("", in)+"likely cause: ", brief(a.Cause, 4*p.width))
	p.hanging(pad("", in)+"remedy: ", brief(a.Remedy, 4*p.width)+" ("+brief(a.Source, 200)+", "+brief(a.Date, 12)+")")
}

// meant reports whether one of the rows of a paragraph is named. The only route of a run is left out of its rows before.
func (g group) meant(names []record.RowName) bool {
	for _, e := range g {
		for _, r := range e {
			if slices.ContainsFunc(names, func(n record.RowName) bool {
				return n.Row == r.Row && n.Mode == r.Mode && (n.Route == r.Route || r.Route == "")
			}) {
				return true
			}
		}
	}
	return false
}
