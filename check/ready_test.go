package check_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/wire"
)

// refusing refuses connections at once, until the wait for a layer ends while one is being made.
type refusing struct{ n *atomic.Int64 }

func (w refusing) Do(ctx context.Context, _ wire.Request) *wire.Answer {
	if w.n.Add(1) == 1 {
		return &wire.Answer{End: wire.EndRefused, Err: "connection refused"}
	}
	<-ctx.Done()
	return &wire.Answer{End: wire.EndTimeout, Err: "timed out"}
}

// TestTheEndOfTheWaitIsNoAnswer: what a canary met before counts, not that the last one was given up.
func TestTheEndOfTheWaitIsNoAnswer(t *testing.T) {
	d := run(t, honest, func(c *check.Config) {
		c.Layer, c.ReadyTimeout = refusing{new(atomic.Int64)}, 200*time.Millisecond
	})
	if d.Result.Exit != 3 || !strings.Contains(d.NotReady, "connection refused") {
		t.Errorf("exit %d: %s", d.Result.Exit, d.NotReady)
	}
}
