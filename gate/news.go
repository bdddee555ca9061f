package gate

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/record"
)

// The kinds of news, from worst to best.
const (
	newFault  = "new"
	newFind   = "finding"
	classNews = "class"
	hitNews   = "hits"
	timeNews  = "time"
	version   = "version"
	declared  = "declared"
	gone      = "gone"
)

var newsOrder = []string{newFault, newFind, classNews, hitNews, timeNews, version, declared, gone}

// News compares a run with an older one: what fails now and did not then, what is gone, and what else changed. Both have
// to be trustworthy and alike; where they are not, Unequal says why and nothing is called better or worse.
func News(old, now *record.Document) *record.News {
	n := &news{News: record.News{Old: side(old), New: side(now), Changes: []record.Change{}}, rules: compare.Rules{FailOn: now.Settings.FailOn, AllowUntestable: now.Settings.AllowUntestable}}
	n.Unequal = append(append(unusable("the older record", old), unusable("the newer record", now)...), unequal(old, now)...)
	if old.Incomplete { // of the newer run each row that is missing is told of; a fault that it found is one
		n.Unequal = append(n.Unequal, "the older record is of a run that did not end")
	}
	before := rowsOf(old)
	after := rowsOf(now)
	was, is := unstable(old), unstable(now)
	for _, k := range inOrder(old, now) {
		b, a := before[k], after[k]
		switch {
		case a == nil || !conclusiveOrWorse(a):
			n.Untold = append(n.Untold, k.String()+why(a))
		case b == nil:
			n.faults(k, &record.Row{Verdict: string(compare.Preserved)}, a)
		default:
			n.compare(k, b, a, was.has(k), is.has(k))
			n.beside(k, b, a)
		}
	}
	n.ofFindings(old, now)
	n.classifier(old, now)
	n.versions(old, now)
	slices.SortStableFunc(n.Changes, func(a, b record.Change) int {
		if a.Fails != b.Fails {
			return map[bool]int{true: -1, false: 1}[a.Fails]
		}
		return cmp.Compare(slices.Index(newsOrder, a.What), slices.Index(newsOrder, b.What))
	})
	return &n.News
}

// news is a comparison under way.
type news struct {
	record.News
	rules compare.Rules // of the newer run
}

func side(d *record.Document) record.Side {
	return record.Side{Layer: d.Target.Name, Version: d.Target.Version, Started: d.Started.UTC().Format(time.RFC3339),
		Tool: strings.TrimSpace(d.Tool.Name + " " + d.Tool.Version), Result: d.Result.Word}
}

// id is one row of a run.
type id struct{ row, route, mode, asked string }

func (k id) String() string {
	s := k.row + " (" + k.mode
	if k.route != "" {
		s += ", route " + k.route
	}
	return s + ")"
}

func idOf(r *record.Row) id { return id{r.Row, r.Route, r.Mode, r.Asked} }

func rowsOf(d *record.Document) map[id]*record.Row {
	out := map[id]*record.Row{}
	for i := range d.Rows {
		out[idOf(&d.Rows[i])] = &d.Rows[i]
	}
	return out
}

// inOrder gives the rows of both, the older run's first.
func inOrder(old, now *record.Document) (out []id) {
	seen := map[id]bool{}
	for _, d := range []*record.Document{old, now} {
		for i := range d.Rows {
			if k := idOf(&d.Rows[i]); !seen[k] {
				seen[k] = true
				out = append(out, k)
			}
		}
	}
	return out
}

// shaky are the rows, as findings name them, that came out one way and then another in a run.
type shaky map[string]bool

func unstable(d *record.Document) shaky {
	out := shaky{}
	for _, f := range d.Findings {
		if f.Kind == "intermittent" {
			for _, r := range f.Rows {
				out[r] = true
			}
		}
	}
	return out
}

// has knows rows by both of their names: a run with several routes says which.
func (s shaky) has(k id) bool {
	return s[k.row+" ("+k.mode+")"] || s[k.row+" ("+k.mode+"; route "+k.route+")"]
}

// conclusiveOrWorse reports whether a row has a result: also that it has no usable answer.
func conclusiveOrWorse(r *record.Row) bool {
	v := compare.Verdict(r.Verdict)
	return v != compare.Inconclusive && v != compare.Untestable
}

func why(r *record.Row) string {
	switch {
	case r == nil:
		return " was not run"
	case r.Reason != "":
		return " is " + r.Verdict + ": " + r.Reason
	}
	return " is " + r.Verdict
}

// fault is one thing that is wrong with a row. Two that are equal are the same fault.
type fault struct{ key, dir, value string }

func (f fault) String() string {
	if f.dir == "" {
		return strings.TrimSpace(f.key + " " + f.value)
	}
	s := f.key + " " + f.dir
	if f.value != "" {
		s += " (" + f.value + ")"
	}
	return s
}

// faultsOf lists what is wrong with a row, and whether an entry of a known file declares it.
func faultsOf(r *record.Row) (all []fault, known map[fault]bool) {
	known = map[fault]bool{}
	switch compare.Verdict(r.Verdict) {
	case compare.Broken, compare.LayerMade, compare.Retried:
		all = append(all, fault{key: r.Verdict})
	case compare.Preserved, compare.Inconclusive, compare.Untestable:
		return nil, known
	}
	if v := compare.Verdict(r.Verdict); v == compare.Broken || v == compare.LayerMade {
		return all, known // what is no answer of the provider has no keys that were lost
	}
	if r.HitsAllowed > 0 && r.HitsMax > r.HitsAllowed && r.Verdict != string(compare.Retried) {
		all = append(all, fault{key: string(compare.Retried)}) // beside what else is wrong, the layer sent it too often
	}
	if r.InventedSuccess {
		all = append(all, fault{key: "an error became a success"})
	}
	if r.Class.Layer != "" && r.Class.Layer != r.Class.Fixture {
		f := fault{key: "class", value: r.Class.Fixture + " -> " + r.Class.Layer}
		all, known[f] = append(all, f), r.Verdict == string(compare.Declared)
	}
	for i := range r.Fields {
		x := &r.Fields[i]
		if x.Dir == "" || !x.Decides {
			continue
		}
		f := fault{key: x.Key, dir: x.Dir}
		if x.Layer != nil && needsValue(x.Key) {
			f.value = x.Layer.Text
		}
		all, known[f] = append(all, f), len(x.Declared) > 0
	}
	return all, known
}
