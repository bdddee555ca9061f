package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/record"
)

// compare tells the faults of one row. Which details an unstable one showed is chance, so that of it only what is worse counts:
// the verdict, a success that nobody sent, another class or another value of what decides, and a fault that has come to stay.
func (n *news) compare(k id, b, a *record.Row, was, is bool) {
	fails := n.rules.Fails(compare.Verdict(a.Verdict))
	switch {
	case !was && !is:
		n.faults(k, b, a)
	case !fails:
	case was && !is:
		n.add(k, newFault, fault{key: a.Verdict}, "came and went before, and is there each time now: "+a.Verdict, true)
	case compare.Worse(compare.Verdict(a.Verdict), compare.Verdict(b.Verdict)):
		n.add(k, newFault, fault{key: a.Verdict}, "unstable, and worse than before: "+a.Verdict+" instead of "+b.Verdict, true)
	default:
		before, _ := faultsOf(b)
		after, isDeclared := faultsOf(a)
		for _, f := range after {
			if (f.dir == "" || f.value != "") && !isDeclared[f] && !slices.Contains(before, f) {
				n.add(k, newFault, f, "unstable, and new in it: "+f.String(), true)
			}
		}
	}
}

// faults compares the faults of one row.
func (n *news) faults(k id, b, a *record.Row) {
	before, wasDeclared := faultsOf(b)
	after, isDeclared := faultsOf(a)
	fails := n.rules.Fails(compare.Verdict(a.Verdict))
	for _, f := range after {
		switch had := slices.Contains(before, f); {
		case had && isDeclared[f] && !wasDeclared[f]:
			n.add(k, declared, f, f.String()+" is declared now", false)
		case had && !isDeclared[f]:
			n.Same++
		case had || isDeclared[f]:
		default:
			n.add(k, newFault, f, f.String(), fails)
		}
	}
	if v := compare.Verdict(a.Verdict); v == compare.Broken || v == compare.LayerMade {
		return // what was wrong before can't be seen in it
	}
	for _, f := range before {
		if !slices.Contains(after, f) {
			n.add(k, gone, f, f.String()+" is gone", false)
		}
	}
}

func (n *news) add(k id, what string, f fault, text string, fails bool) {
	n.Changes = append(n.Changes, record.Change{What: what, Row: k.row, Route: k.route, Mode: k.mode, Key: f.key, Dir: f.dir,
		After: f.value, Text: text, Fails: fails})
}

// What counts as slower: that much longer, and that many times as long. Less is how machines are.
const (
	slowerMS    = 1000
	slowerTimes = 2
)

// beside tells of hits and times, which are no faults by themselves: too many hits have a verdict of their own.
func (n *news) beside(k id, b, a *record.Row) {
	if b.HitsMin != a.HitsMin || b.HitsMax != a.HitsMax {
		n.change(k, hitNews, span(b), span(a), "requests at the stub for one of the client")
	}
	was, is := elapsed(b), elapsed(a)
	if is > was+slowerMS && is > slowerTimes*was || was > is+slowerMS && was > slowerTimes*is {
		n.change(k, timeNews, fmt.Sprintf("%.0f ms", was), fmt.Sprintf("%.0f ms", is), "time to the answer")
	}
}

func (n *news) change(k id, what, before, after, text string) {
	n.Changes = append(n.Changes, record.Change{What: what, Row: k.row, Route: k.route, Mode: k.mode, Before: before, After: after,
		Text: text + ": " + before + " -> " + after})
}

func span(r *record.Row) string {
	if r.HitsMin == r.HitsMax {
		return fmt.Sprint(r.HitsMax)
	}
	return fmt.Sprintf("%d to %d", r.HitsMin, r.HitsMax)
}

// elapsed is how long the observation took that decided, in ms.
func elapsed(r *record.Row) float64 {
	for _, o := range r.Observations {
		if o.Decided {
			return o.ElapsedMS
		}
	}
	return 0
}

// ofFindings tells of findings that only one of the runs has. One that is of rows by nature is told apart by them; the
// others name rows by chance of timing.
func (n *news) ofFindings(old, now *record.Document) {
	before, after := findingsOf(old), findingsOf(now)
	for i := range now.Findings {
		f := &now.Findings[i]
		had, ok := before[nameOf(f)]
		switch {
		case ok && had.Fails == f.Fails && f.Fails:
			n.Same++
		case !ok || f.Fails && !had.Fails:
			n.Changes = append(n.Changes, record.Change{What: newFind, Key: f.Kind, Text: "finding " + f.Kind + ": " + f.Text, Fails: f.Fails && !f.Soft})
		}
	}
	for i := range old.Findings {
		if f := &old.Findings[i]; after[nameOf(f)] == nil {
			n.Changes = append(n.Changes, record.Change{What: gone, Key: f.Kind, Text: f.Kind + " is gone: " + f.Text})
		}
	}
}

func findingsOf(d *record.Document) map[string]*record.Finding {
	out := map[string]*record.Finding{}
	for i := range d.Findings {
		out[nameOf(&d.Findings[i])] = &d.Findings[i]
	}
	return out
}

func nameOf(f *record.Finding) string {
	if f.Kind == "intermittent" {
		return f.Kind + " " + strings.Join(f.Rows, " ")
	}
	return f.Kind
}

// classifier tells of rows whose class changes for the user's own classifier, and did not then.
func (n *news) classifier(old, now *record.Document) {
	if now.Classifier == nil {
		if old.Classifier != nil {
			n.Untold = append(n.Untold, "your own classifier, which the older run asked, was not asked")
		}
		return
	}
	var before []record.OwnClass
	if old.Classifier != nil {
		before = old.Classifier.Rows
	}
	for _, r := range now.Classifier.Rows {
		switch {
		case !r.Changes:
		case slices.ContainsFunc(before, func(b record.OwnClass) bool {
			return b.Row == r.Row && b.Mode == r.Mode && b.Changes && b.Layer == r.Layer
		}):
			n.Same++
		default:
			n.Changes = append(n.Changes, record.Change{What: classNews, Row: r.Row, Mode: r.Mode, Before: r.Fixture, After: r.Layer,
				Text: "for your own classifier " + r.Fixture + " becomes " + r.Layer, Fails: true})
		}
	}
}

// versions tells what else is another one. It explains news and fails nothing.
func (n *news) versions(old, now *record.Document) {
	for _, v := range []struct{ what, before, after string }{
		{"layer", old.Target.Name, now.Target.Name}, {"version of the layer", old.Target.Version, now.Target.Version},
		{"preservecheck", old.Tool.Version, now.Tool.Version}, {"channel", old.Channel, now.Channel},
		{"fail-on", old.Settings.FailOn, now.Settings.FailOn},
		{"longest wait (ms)", fmt.Sprint(old.Settings.MaxLayerWaitMS), fmt.Sprint(now.Settings.MaxLayerWaitMS)},
		{"retries allowed", fmt.Sprint(old.Settings.MaxLayerRetries), fmt.Sprint(now.Settings.MaxLayerRetries)},
	} {
		if v.before != v.after {
			n.change(id{}, version, orNone(v.before), orNone(v.after), v.what)
		}
	}
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
