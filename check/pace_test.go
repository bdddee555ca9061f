package check_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/wire"
)

// together makes an answer come in one piece, after everything was sent.
func together(a *wire.Answer) *wire.Answer {
	a.BodyAt = time.Now()
	a.LastAt = a.BodyAt
	return a
}

// TestStreamsThatAreHeldBack: held is asked for each answer of the row that is silent in the middle, in order of asking.
func TestStreamsThatAreHeldBack(t *testing.T) {
	always := func(int64) bool { return true }
	first := func(n int64) bool { return n == 1 }
	never := func(int64) bool { return false }
	for _, c := range []struct {
		why, profile string
		held         func(n int64) bool
		canaries     int64 // that come through; 0: all
		verdict      string
		says         string
		exit, asked  int
		late         bool
	}{
		{"an honest layer", "claude-code", never, 0, "preserved", "", 0, 1, false},
		{"the beginning was here before the rest was sent: no time between the two is asked for then", "claude-code", never, 0, "preserved", "", 0, 1, true},
		{"it gathers streams, also with nothing else under way", "claude-code", always, 0, "changed", "the layer held the stream back", 1, 2, false},
		{"full judges it, too", "full", always, 0, "changed", "the layer held the stream back", 1, 2, false},
		{"in core it is a note", "core", always, 0, "preserved", "the layer held the stream back", 0, 2, false},
		{"a machine too slow for all at once is no fault of the layer", "claude-code", first, 0, "preserved", "", 0, 2, false},
		{"that can't be told apart where the row can't be asked alone", "claude-code", always, 4, "inconclusive", "the layer held the stream back", 3, 1, false},
	} {
		var n, canaries atomic.Int64
		l := func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
			if isCanary(r) && c.canaries > 0 && canaries.Add(1) > c.canaries {
				return own(503, `{}`)
			}
			a := ask(r)
			if wants(r, fixture.Paced) && c.held(n.Add(1)) {
				return together(a)
			}
			if c.late {
				a.LastAt = a.BodyAt // as if the rest had been read as soon
			}
			return a
		}
		d := run(t, l, func(cf *check.Config) {
			cf.Rows = nil
			for _, name := range []string{"stream_whole", fixture.Paced} { // a stage's first row is looked at besides
				cf.Rows = append(cf.Rows, check.Row{Fixture: cf.Matrix.Get(name), Mode: fixture.Stream, Dialect: dialects.Anthropic})
			}
			cf.Rules.Profile = compare.ProfileByName(c.profile)
		})
		r := row(t, d, fixture.Paced)
		told := ""
		for _, f := range r.Fields {
			told += f.Remark
		}
		if r.Verdict != c.verdict || !strings.Contains(told, c.says) || c.says == "" && told != "" || d.Result.Exit != c.exit || len(r.Observations) != c.asked || len(d.Findings) > 0 {
			t.Errorf("%s: %s (%s), %q, exit %d: %s, findings %v, observations %+v", c.why, r.Verdict, r.Reason, told, d.Result.Exit, d.Result.Why, d.Findings, r.Observations)
		}
	}
}
