package check_test

import (
	"context"
	"slices"
	"testing"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/wire"
)

// TestAgainInReverseOrder: rows that differ are asked again the other way round, so that what one leaves behind shows, and how
// many differed so far is told while the run goes on.
func TestAgainInReverseOrder(t *testing.T) {
	lossy := func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
		a := ask(r)
		if !isCanary(r) && !wants(r, "ramp_limit") {
			return replaceBody(a, `"rate_limit_error"`, `"other_error"`)
		}
		return a
	}
	asked := map[string][]string{}
	failed := map[string]int{}
	run(t, lossy, only("tier_cap", "ramp_limit", "rate_limit"), func(c *check.Config) {
		c.Concurrency = 1
		c.Progress = func(p check.Progress) {
			asked[p.Phase] = append(asked[p.Phase], p.Row)
			failed[p.Phase] = p.Failed
		}
	})
	if want := []string{"tier_cap", "tier_cap", "ramp_limit", "ramp_limit", "rate_limit", "rate_limit"}; !slices.Equal(asked["rows"], want) {
		t.Errorf("first %v", asked["rows"])
	}
	if want := []string{"rate_limit", "rate_limit", "tier_cap", "tier_cap"}; !slices.Equal(asked["again, in reverse order"], want) {
		t.Errorf("again %v", asked["again, in reverse order"])
	}
	if failed["rows"] != 4 {
		t.Errorf("%d of the rows had failed at the end of the first pass", failed["rows"])
	}
}

// TestAPreservedRowKeepsItsRequestID: with it a person finds the request at the provider; only repeats are shortened.
func TestAPreservedRowKeepsItsRequestID(t *testing.T) {
	d := run(t, honest, only("tier_cap"))
	if r := row(t, d, "tier_cap"); r.Verdict != "preserved" || r.Layer == nil || len(r.Layer.RequestID) != 1 || r.Direct == nil || len(r.Direct.RequestID) != 1 {
		t.Errorf("%s: layer %+v, direct %+v", r.Verdict, r.Layer, r.Direct)
	}
}
