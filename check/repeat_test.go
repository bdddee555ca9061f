package check_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/wire"
)

func repeat(n int) option { return func(c *check.Config) { c.Repeat = n } }

// A fault that comes with every tenth answer is found, with its rate.
func TestRepeatFindsTheRate(t *testing.T) {
	var n atomic.Int64
	flaky := func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
		a := ask(r)
		if wants(r, "rate_limit") && n.Add(1)%10 == 5 {
			return replaceBody(a, "fixture: rate limit", "busy")
		}
		return a
	}
	d := run(t, flaky, only("rate_limit"), repeat(50), func(c *check.Config) { c.Rows = c.Rows[:1] })
	f := finding(d, "intermittent")
	// 50, and one look; a differing first pass would be asked for once more.
	if d.Result.Exit != 1 || f == nil || !strings.Contains(f.Text, "rate_limit (plain) differed in 5 of 51 observations") || strings.Contains(f.Text, "same way") {
		t.Fatalf("exit %d, %+v", d.Result.Exit, f)
	}
	r := row(t, d, "rate_limit")
	if r.Verdict != "changed" || len(r.Observations) > 30 {
		t.Errorf("%s with %d observations listed", r.Verdict, len(r.Observations))
	}
}

func TestRepeatOverAnHonestLayer(t *testing.T) {
	d := run(t, honest, both, repeat(5), profile("full"))
	if d.Result.Exit != 0 || len(d.Findings) > 0 {
		t.Errorf("exit %d: %s, %+v", d.Result.Exit, d.Result.Why, d.Findings)
	}
	for _, r := range d.Rows {
		if r.Verdict != "preserved" || len(r.Observations) < 5 {
			t.Errorf("%s (%s): %s in %d observations", r.Row, r.Mode, r.Verdict, len(r.Observations))
		}
	}
}

// What differs without a layer in between is not the layer's.
func TestADirtyWayIsNotTheLayers(t *testing.T) {
	var n atomic.Int64
	dirty := func(c *check.Config) {
		c.Direct = way{func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
			a := ask(r)
			if wants(r, "tier_cap") && n.Add(1) == 1 {
				a.Status = 502
			}
			return a
		}, c.Direct.(*wire.Client)}
	}
	d := run(t, func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
		a := ask(r)
		if wants(r, "tier_cap") {
			a.Status = 500
		}
		return a
	}, only("tier_cap", "rate_limit"), dirty, func(c *check.Config) { c.Rows = append(c.Rows[:1:1], c.Rows[2]) })
	f := finding(d, "dirty-way")
	if d.Result.Exit != 3 || f == nil || f.Fails || !strings.Contains(f.Text, "status changed") || row(t, d, "tier_cap").Verdict != "untestable" || row(t, d, "rate_limit").Verdict != "preserved" {
		t.Errorf("exit %d (%s), %s, %+v", d.Result.Exit, d.Result.Why, verdicts(d), f)
	}
}
