package check

import (
	"context"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/ledger"
)

// TestSettleDown: what is embedded says when it is done; of any other layer late hits are waited for, by the time.
func TestSettleDown(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		why    string
		ctx    context.Context
		busy   int // how often it says that it is not done; -1: always
		settle time.Duration
		asked  int // how often it was asked at least
	}{
		{"it is done", t.Context(), 0, time.Minute, 1},
		{"it is soon", t.Context(), 3, time.Minute, 4},
		{"it never is: no longer than the user waits", t.Context(), -1, 20 * time.Millisecond, 2},
		{"the run was ended", ended, -1, time.Minute, 1},
	} {
		asked := 0
		// a canary took an hour: whoever went by the time would not come back
		r := &runner{canaryTime: time.Hour, c: Config{Settle: c.settle, Idle: func() bool { asked++; return c.busy >= 0 && asked > c.busy }}}
		begin := time.Now()
		r.late(c.ctx)
		if took := time.Since(begin); asked < c.asked || c.busy >= 0 && asked != c.asked || took > 30*time.Second {
			t.Errorf("%s: asked %d times in %s", c.why, asked, took)
		}
	}
}

// TestLateHitsAreWaitedForByTheTime: at least as long as the layer's own retries were apart, and half of that more.
func TestLateHitsAreWaitedForByTheTime(t *testing.T) {
	r, row := tierCap(t)
	r.c.Settle = time.Minute
	r.c.Hits = book{of: map[string][]ledger.Hit{"n": {{At: time.Unix(100, 0)}, {At: time.Unix(100, 0).Add(200 * time.Millisecond)}}}}
	s := r.observation(row, passAlone, compare.Retried, 2)
	s.probe.tag.Nonce = "n"
	begin := time.Now()
	r.late(t.Context())
	if took := time.Since(begin); took < lateHits {
		t.Errorf("without a row: %s", took)
	}
	r.seen[row] = []*seen{s}
	begin = time.Now()
	r.late(t.Context())
	if took := time.Since(begin); took < 300*time.Millisecond {
		t.Errorf("after retries 0.2 s apart: %s", took)
	}
}
