package check_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/preservecheck/preservecheck/wire"
)

// TestALayerThatRetriesAndThenSpeaksForItselfIsJudged: no id survives and several hits have the request's tag, but all were
// served the same fixture and nothing else was under way.
func TestALayerThatRetriesAndThenSpeaksForItselfIsJudged(t *testing.T) {
	d := run(t, func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
		a := ask(r)
		for range 2 {
			if a.Status >= 429 {
				a = ask(r)
			}
		}
		if a.Status >= 429 {
			a.Status, a.Header, a.Body = 503, []wire.Field{{Name: "content-type", Value: "text/html"}}, []byte("<html>busy</html>")
		}
		return a
	})
	if d.Result.Exit != 1 || d.Result.Counts["reclassified"] < 5 || d.Result.Counts["inconclusive"] != 0 {
		t.Errorf("exit %d, %v; %s", d.Result.Exit, d.Result.Counts, verdicts(d))
	}
}

// TestACanaryThatComesBackCutWasNotRefused: a layer that cuts a success did call the stub, and limits nobody.
func TestACanaryThatComesBackCutWasNotRefused(t *testing.T) {
	var failed, cut atomic.Bool
	d := run(t, func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
		a := ask(r)
		switch {
		case a.Status >= 400:
			failed.Store(true)
		case failed.Load() && cut.CompareAndSwap(false, true):
			a.Body, a.End = a.Body[:len(a.Body)/2], wire.EndShort
		}
		return a
	})
	if d.Result.Exit != 1 || len(d.Findings) != 1 {
		t.Fatalf("exit %d, findings %+v", d.Result.Exit, d.Findings)
	}
	if f := d.Findings[0]; !strings.Contains(f.Text, "reached the stub, but no whole success came back") || f.Advice != "" {
		t.Errorf("%s; advice %q", f.Text, f.Advice)
	}
}
