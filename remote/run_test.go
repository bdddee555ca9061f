package remote_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/controls"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/remote"
)

var _ check.Hits = (*remote.Client)(nil)

// TestRunsLikeALocalOne: faults of each kind look the same whether the ledger is here or elsewhere.
func TestRunsLikeALocalOne(t *testing.T) {
	p := placed(t, ledger.HubLimits{}, nil)
	for _, c := range []struct {
		why, fault, channel string
		code                int
		verdict             string // of the spend cap's row
	}{
		{"nothing is lost", "identity", "auto", 0, "preserved"},
		{"the same by headers alone", "identity", "header", 0, "preserved"},
		{"a channel that carries only the row", "identity", "model", 0, "preserved"},
		{"one that carries nothing", "identity", "armed", 0, "preserved"},
		{"a changed answer", "drop-details", "auto", 1, "changed"},
		{"hits are counted", "retry-twice", "auto", 1, "retried"},
	} {
		t.Run(c.why, func(t *testing.T) {
			d := p.control(p.open(), c.fault, channel(c.channel), some(4))
			t.Log(d.Result.Exit, d.Result.Why, verdicts(d))
		})
	}
}

// TestTwoChecksAtOnce: neither sees anything of the other, though one's layer loses details.
func TestTwoChecksAtOnce(t *testing.T) {
	p := placed(t, ledger.HubLimits{}, nil)
	var good, bad record.Document
	var both sync.WaitGroup
	both.Go(func() { good = p.control(p.open(), "identity") })
	both.Go(func() { bad = p.control(p.open(), "retry-twice") })
	both.Wait()
	t.Log(good.Result, verdicts(good), good.Findings)
	t.Log(bad.Result, verdicts(bad), bad.Findings)
}

var _ = controls.Names
var _ = context.Background
var _ = time.Now
