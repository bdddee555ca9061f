package check_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/wire"
)

// portless is a machine that can't open the connections it is told to fail.
type portless struct {
	check.Way
	fail func(n int64, r wire.Request) bool
	n    *atomic.Int64
}

const noPort = "this machine could not open a connection: no free local port is left"

func (w portless) Do(ctx context.Context, r wire.Request) *wire.Answer {
	if w.fail(w.n.Add(1), r) {
		return &wire.Answer{End: wire.EndLocal, Err: noPort, SentAt: time.Now(), DoneAt: time.Now()}
	}
	return w.Way.Do(ctx, r)
}

// TestOurOwnMachineIsNotTheLayers: a tester that can't open connections says so; neither the layer is blamed nor is what
// was not asked green.
func TestOurOwnMachineIsNotTheLayers(t *testing.T) {
	through := func(c *check.Config) *check.Way { return &c.Layer }
	direct := func(c *check.Config) *check.Way { return &c.Direct }
	for _, c := range []struct {
		why  string
		way  func(*check.Config) *check.Way
		fail func(n int64, r wire.Request) bool
		opts []option
		rows int // that are not told
		exit int
	}{
		{"all ports used up after a while", through, func(n int64, _ wire.Request) bool { return n > 100 }, []option{repeat(30)}, 10, 3},
		{"one request of one row", through, every(17, "tier_cap"), []option{repeat(30)}, 1, 3},
		{"the only request of one row", through, func(_ int64, r wire.Request) bool { return wants(r, "tier_cap") }, nil, 1, 3},
		{"looks alone: nobody knows whether the layer's state has changed", through, func(n int64, r wire.Request) bool { return n > 1 && isCanary(r) }, nil, 10, 3},
		{"the stub can't be asked directly", direct, every(1, "rate_limit"), nil, 1, 3},
		{"not once", through, func(int64, wire.Request) bool { return true }, []option{func(c *check.Config) { c.ReadyTimeout = 100 * time.Millisecond }}, 0, 3},
		{"nor is it the layer's that nothing of a row arrives then", through, every(1, "rate_limit"), []option{deaf}, 2, 3},
		{"a fault that was seen stays one", through, every(17, "tier_cap"), []option{repeat(30), lossy}, 0, 1},
	} {
		d := run(t, honest, append(c.opts, func(conf *check.Config) {
			w := c.way(conf)
			*w = portless{*w, c.fail, new(atomic.Int64)}
		})...)
		told := 0
		for i := range d.Rows {
			if d.Rows[i].Verdict == "inconclusive" && strings.Contains(d.Rows[i].Reason, noPort) {
				told++
			}
		}
		if d.Result.Exit != c.exit || told != c.rows || len(blaming(d)) > 0 || c.rows == 0 && c.exit == 3 && !strings.Contains(d.NotReady, noPort) {
			t.Errorf("%s: exit %d (%s), %d rows say why, findings %v; %s", c.why, d.Result.Exit, d.Result.Why, told, blaming(d), verdicts(d))
		}
	}
}

// every fails each nth request for a row.
func every(nth int64, name string) func(int64, wire.Request) bool {
	var n atomic.Int64
	return func(_ int64, r wire.Request) bool { return wants(r, name) && n.Add(1)%nth == 0 }
}

// deaf is a layer that gives up one row without calling the stub, as it would on the same machine.
func deaf(c *check.Config) {
	c.Layer = way{func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
		if wants(r, "tier_cap") {
			return own(502, "{}")
		}
		return ask(r)
	}, c.Layer.(way).up}
}

// lossy makes of the honest layer one that loses a code.
func lossy(c *check.Config) {
	next := c.Layer.(way)
	c.Layer = way{func(ctx context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
		return replaceBody(next.l(ctx, r, ask), "enforced_spend_limit_reached", "x")
	}, next.up}
}

func blaming(d record.Document) (out []string) {
	for _, f := range d.Findings {
		if f.Fails {
			out = append(out, f.Kind+": "+f.Text)
		}
	}
	return out
}
