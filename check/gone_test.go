package check_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/wire"
)

// TestLayerEndsUnderWay: a layer that an error takes down is told of as what it is, and not as one with a circuit breaker.
func TestLayerEndsUnderWay(t *testing.T) {
	var down atomic.Bool
	l := func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
		if down.Load() {
			return &wire.Answer{End: wire.EndRefused, Err: "connection refused"}
		}
		if wants(r, "proxy_429") {
			down.Store(true)
		}
		return ask(r)
	}
	gone := func(c *check.Config) {
		c.Gone = func() string {
			if down.Load() {
				return "the layer that was started ended by itself: exit status 1"
			}
			return ""
		}
	}
	d := run(t, l, gone)
	if d.Result.Exit != 1 || len(d.Findings) == 0 || !strings.Contains(d.Findings[0].Text, "ended by itself: exit status 1") {
		t.Errorf("exit %d, %v", d.Result.Exit, d.Findings)
	}
	for _, f := range d.Findings {
		if strings.Contains(f.Advice, "max_fails") {
			t.Errorf("a layer that is gone has no circuit breaker: %+v", f)
		}
	}
	down.Store(false)
	if d := run(t, honest, gone); !passes(d) {
		t.Errorf("nothing ended: exit %d, %v", d.Result.Exit, d.Findings)
	}
}

func passes(d record.Document) bool { return d.Result.Exit == 0 && len(d.Findings) == 0 }
