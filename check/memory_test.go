package check_test

import (
	"context"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/wire"
)

// heap is what is in use after everything that can go has gone.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what a pool held goes with the second
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestMemoryIsFlatOverRepeats asks four times as often and looks at the heap while the run still has everything. A kept
// observation with its hit and answer takes some 5 KB.
func TestMemoryIsFlatOverRepeats(t *testing.T) {
	const n = 300
	for why, l := range map[string]layer{
		"an honest layer": honest,
		"one that always changes the same": func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
			return replaceBody(ask(r), `"rate_limit_error"`, `"other_error"`)
		},
		"one that asks twice": again("tier_cap", 0, nil, ""),
		"one that answers by itself": func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
			if isCanary(r) {
				return ask(r)
			}
			return own(429, `{}`)
		},
	} {
		var asked atomic.Int64
		var at [2]int64
		counting := func(ctx context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
			if wants(r, "tier_cap") {
				switch asked.Add(1) {
				case n:
					at[0] = heap()
				case 4 * n:
					at[1] = heap()
				}
			}
			return l(ctx, r, ask)
		}
		d := run(t, counting, func(c *check.Config) {
			c.Rows = []check.Row{{Fixture: c.Matrix.Get("tier_cap"), Mode: fixture.Plain, Dialect: dialects.Anthropic}}
			c.Repeat = 4*n + 10
		})
		grown := at[1] - at[0]
		if at[0] == 0 || at[1] == 0 || grown > 3*n*256 {
			t.Errorf("%s: %d bytes for %d asks more", why, grown, 3*n)
		}
		if r := row(t, d, "tier_cap"); len(r.Observations) > 30 {
			t.Errorf("%s: %d observations are listed", why, len(r.Observations))
		}
	}
}

// TestFoldedObservationsAreCounted: what is no longer kept still has its part in the rate.
func TestFoldedObservationsAreCounted(t *testing.T) {
	var n atomic.Int64
	d := run(t, func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
		a := ask(r)
		if wants(r, "tier_cap") && n.Add(1)%5 == 0 {
			return replaceBody(a, `"rate_limit_error"`, `"other_error"`)
		}
		return a
	}, func(c *check.Config) {
		c.Rows = []check.Row{{Fixture: c.Matrix.Get("tier_cap"), Mode: fixture.Plain, Dialect: dialects.Anthropic}}
		c.Repeat, c.Concurrency = 200, 1
	})
	f := finding(d, "intermittent")
	if f == nil || !strings.Contains(f.Text, "differed in 40 of 201 observations") { // 200 and a look
		t.Errorf("%+v", d.Findings)
	}
}
