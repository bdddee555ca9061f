package report

import (
	"slices"
	"strings"

	"github.com/preservecheck/preservecheck/record"
)

// advised writes the likely causes of what a paragraph shows, each once in a report: under the worst that it explains.
func (p *page) advised(g group, all []record.Advice, told map[int]bool) {
	for _, a := range adviceOn(all, told, "", g.all()...) {
		p.hanging(pad("", indent)+"likely cause: ", brief(a.Cause, 4*p.width))
		p.hanging(pad("", indent)+"remedy: ", brief(a.Remedy, 4*p.width)+" ("+brief(a.Source, 200)+", "+brief(a.Date, 12)+")")
	}
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
