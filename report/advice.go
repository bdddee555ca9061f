package report

import (
	"slices"
	"strings"

	"github.com/preservecheck/preservecheck/record"
)

// advised writes the likely causes of what a paragraph shows, each once in a report: under the worst that it explains.
func (p *page) advised(g group, all []record.Advice, told map[int]bool) {
	for _, a := range adviceOn(all, told, "", g.all()...) {
		p.advice(indent, &a)
	}
}

// advisedOn writes the likely cause of a kind of finding, under the first of that kind.
func (p *page) advisedOn(kind string, in int, all []record.Advice, told map[string]bool) {
	if a := causeOf(kind, all); a != nil && !told[kind] {
		told[kind] = true
		p.advice(in, a)
	}
}

func (p *page) advice(in int, a *record.Advice) {
	p.hanging(pad("", in)+"likely cause: ", brief(a.Cause, 4*p.width))
	p.hanging(pad("", in)+"remedy: ", brief(a.Remedy, 4*p.width)+" ("+brief(a.Source, 200)+", "+brief(a.Date, 12)+")")
}

// causeOf is the advice on a kind of finding, or nil.
func causeOf(kind string, all []record.Advice) *record.Advice {
	i := slices.IndexFunc(all, func(a record.Advice) bool { return a.Finding != "" && a.Finding == kind })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// findingAdvice is what a finding that fails advises by itself, and the likely cause from a recipe.
func findingAdvice(f record.Finding, all []record.Advice) string {
	a := causeOf(f.Kind, all)
	if a == nil || !f.Fails {
		return f.Advice
	}
	cause := string(adviceSentence(*a))
	if f.Advice == "" {
		return cause
	}
	return f.Advice + "; " + cause
}

// all are the rows of a paragraph.
func (g group) all() (out []*record.Row) {
	for _, e := range g {
		out = append(out, e...)
	}
	return out
}

// adviceOn lists the advice that names one of some rows and is not told yet, and notes it as told. With a key only what is
// about that key, something in it or around it, or the row as a whole.
func adviceOn(all []record.Advice, told map[int]bool, key string, rows ...*record.Row) (out []record.Advice) {
	for i := range all {
		a := &all[i]
		if told[i] || !about(a.Key, key) || !slices.ContainsFunc(rows, func(r *record.Row) bool { return advises(a, r) }) {
			continue
		}
		if told != nil {
			told[i] = true
		}
		out = append(out, *a)
	}
	return out
}

// advises reports whether advice names a row. The only route of a run is left out of its rows before.
func advises(a *record.Advice, r *record.Row) bool {
	return slices.ContainsFunc(a.Rows, func(n record.RowName) bool {
		return n.Row == r.Row && n.Mode == r.Mode && (n.Route == r.Route || r.Route == "")
	})
}

func about(advised, key string) bool {
	return key == "" || advised == "" || advised == key || strings.HasPrefix(key, advised+"/") || strings.HasPrefix(advised, key+"/")
}

// adviceSentence is advice in one sentence, where there is no room for more.
func adviceSentence(a record.Advice) safe {
	return "likely cause: " + brief(a.Cause, 400) + "; remedy: " + brief(a.Remedy, 400) + " (" + brief(a.Source, 200) + ", " + brief(a.Date, 12) + ")"
}
