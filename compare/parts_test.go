package compare

import (
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/record"
)

// TestSettleParts: a joined record is as green as its worst part, and its own rows are judged besides.
func TestSettleParts(t *testing.T) {
	part := func(file string, exit int) record.Part {
		return record.Part{File: file, Layer: "gw", Result: record.Result{Exit: exit, Why: "why of " + file}}
	}
	mute := func(p record.Part) record.Part { p.Problem = "is missing"; return p }
	pass, fail, untold := part("a", ExitPass), part("b", ExitFail), part("c", ExitCouldNotTell)
	for _, c := range []struct {
		why   string
		rows  []Verdict
		parts []record.Part
		exit  int
		says  string
	}{
		{"all pass", []Verdict{Preserved}, []record.Part{pass, pass}, ExitPass, "all of 2 runs pass"},
		{"one failed", []Verdict{Preserved, Different}, []record.Part{pass, fail}, ExitFail, "1 of 2 runs failed: 1 of 2 rows"},
		{"a failure stands beside what says nothing", []Verdict{Different}, []record.Part{untold, fail}, ExitFail, "1 of 2 runs failed"},
		{"and a failed part stays one that failed when it has a problem", []Verdict{Different}, []record.Part{mute(fail)}, ExitFail, "1 of 1 run failed"},
		{"one can't be told", []Verdict{Preserved}, []record.Part{pass, untold}, ExitCouldNotTell, "1 of 2 runs can't be told: c why of c"},
		{"one says nothing, although it passed when it was saved", []Verdict{Preserved}, []record.Part{mute(pass)}, ExitCouldNotTell, "1 of 1 run can't be told: a is missing"},
		{"of several the first is named", []Verdict{Preserved}, []record.Part{untold, mute(pass)}, ExitCouldNotTell, "2 of 2 runs can't be told: c why of c, and 1 more"},
		{"one without a file is named by its layer", []Verdict{Preserved}, []record.Part{mute(part("", ExitPass))}, ExitCouldNotTell, "told: gw is missing"},
		{"one without either", []Verdict{Preserved}, []record.Part{{Problem: "is missing"}}, ExitCouldNotTell, "told: is missing"},
		{"green parts can't make a failed row green", []Verdict{Different}, []record.Part{pass}, ExitFail, "1 of 1 row failed"},
	} {
		d := doc(c.rows...)
		d.Parts = c.parts
		if Settle(&d); d.Result.Exit != c.exit || !strings.Contains(d.Result.Why, c.says) {
			t.Errorf("%s: exit %d, %q; want %d, %q", c.why, d.Result.Exit, d.Result.Why, c.exit, c.says)
		}
	}
	d := doc(Different)
	d.Parts, d.News = []record.Part{fail}, &record.News{Same: 1}
	if Settle(&d); d.Result.Exit != ExitPass {
		t.Errorf("joined parts whose faults are all old: exit %d, %q", d.Result.Exit, d.Result.Why)
	}
	d = doc(Preserved)
	d.Parts, d.Proof = []record.Part{pass}, record.Proof{}
	if Settle(&d); d.Result.Exit != ExitCouldNotTell {
		t.Errorf("joined parts without a proof: exit %d, %q", d.Result.Exit, d.Result.Why)
	}
}

// TestNewsWithAnOwnClassifier: a program that broke may have hidden a new fault, one that ran hides none.
func TestNewsWithAnOwnClassifier(t *testing.T) {
	for _, c := range []struct {
		why string
		own *record.Classifier
		ok  bool
	}{
		{"none", nil, true}, {"one that ran", &record.Classifier{}, true}, {"one that broke", &record.Classifier{Failed: "it ended"}, false},
	} {
		d := doc(Preserved)
		d.News, d.Classifier = &record.News{}, c.own
		if Settle(&d); (d.Result.Exit == ExitPass) != c.ok {
			t.Errorf("%s: exit %d, %q", c.why, d.Result.Exit, d.Result.Why)
		}
	}
}

// TestAstrayIsToldOfFaultsOnly: where a layer called the stub besides explains what is wrong, and is no reason of its own.
func TestAstrayIsToldOfFaultsOnly(t *testing.T) {
	for _, c := range []struct {
		why    string
		change func(*Observed)
		want   string
	}{
		{"a row that is as it was sent", func(*Observed) {}, ""},
		{"one that is not", text("fixture: rate limit", "x"), "it also called /v1/models"},
	} {
		o, _ := observed(t, "rate_limit")
		o.Astray = "it also called /v1/models"
		c.change(&o)
		if got := judge(o, rules("full")); got.Reason != c.want {
			t.Errorf("%s: %s, %q, want %q", c.why, got.Verdict, got.Reason, c.want)
		}
	}
}
