package controls

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/fixture"
)

// TestEveryFaultTouches: a fault that no row of the matrix can show proves nothing.
func TestEveryFaultTouches(t *testing.T) {
	in := input(t, "full", bothModes...)
	var rows []Seen
	for _, r := range every(t, in) {
		rows = append(rows, in.subject(r).seen)
	}
	for _, f := range All() {
		if f.Finding != "" || f.Mechanism == Nothing {
			continue
		}
		if !slices.ContainsFunc(rows, f.touches) {
			t.Errorf("%s touches none of %d rows", f.Name, len(rows))
		}
	}
}

// exits are the faults that do not fail a run under the profile that looks at most, and why.
var exits = map[*Fault]int{
	identity:   compare.ExitPass,
	dropQuery:  compare.ExitPass,         // no provider asks that it arrives
	answerOnce: compare.ExitCouldNotTell, // each row passes alone
}

// TestEveryFaultOverSockets: what a person sees with --layer control:NAME is what the fault declares, over real sockets, with
// the article's rows and one that the fault touches; and it fails the run.
func TestEveryFaultOverSockets(t *testing.T) {
	for _, f := range All() {
		if f == sleep {
			continue // below
		}
		profile := "full"
		if f.Mechanism == OfRequest {
			profile = "claude-code" // full only notes it
		}
		in := input(t, profile, bothModes...)
		p := newProver(in, []*Fault{f})
		d, err := p.wholeRun(t.Context(), f, "auto", bothModes)
		if err != nil {
			t.Fatal(err)
		}
		p.settle(f, &d, "control "+f.Name)
		for _, m := range p.missed {
			t.Error(m)
		}
		want, odd := exits[f]
		if !odd {
			want = compare.ExitFail
		}
		if d.Result.Exit != want {
			t.Errorf("%s: exit %d, want %d: %s", f.Name, d.Result.Exit, want, d.Result.Why)
		}
	}
}

// TestSleepOverSockets: the wait is a real one, and the run that allows it sees nothing.
func TestSleepOverSockets(t *testing.T) {
	in := input(t, "core", fixture.Plain)
	in.Matrix = in.few()
	for _, wait := range []time.Duration{sleep.MaxWait, 0} {
		f := *sleep
		f.MaxWait = wait
		p := newProver(in, []*Fault{&f})
		d, err := p.wholeRun(t.Context(), &f, "auto", in.Modes)
		if err != nil {
			t.Fatal(err)
		}
		var kinds []string
		for _, x := range d.Findings {
			kinds = append(kinds, x.Kind+" "+strings.Join(x.Rows, ","))
		}
		want, exit := []string{"slept rate_limit (plain)"}, compare.ExitFail
		if wait == 0 {
			want, exit = nil, compare.ExitPass
		}
		if !slices.Equal(kinds, want) || d.Result.Exit != exit {
			t.Errorf("allowed %s: findings %q, exit %d (%s)", wait, kinds, d.Result.Exit, d.Result.Why)
		}
	}
}

// TestFallBackIsNamed: the count of hits alone does not tell who was asked.
func TestFallBackIsNamed(t *testing.T) {
	in := input(t, "core", fixture.Plain)
	p := newProver(in, []*Fault{fallBack})
	d, err := p.wholeRun(t.Context(), fallBack, "auto", in.Modes)
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Rows) < 10 {
		t.Errorf("%d rows", len(d.Rows))
	}
	for _, row := range d.Rows {
		if words := strings.Join(row.Behaviour, "; "); !strings.Contains(words, "other models by itself") {
			t.Errorf("%s: %q", row.Row, words)
		}
	}
}
