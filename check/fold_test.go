package check

import (
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/wire"
)

func (book) Forget(string) {}

// TestFold: from some number on repeats that say the same are only counted, once nothing about them can change any more.
func TestFold(t *testing.T) {
	const more = 3
	for _, c := range []struct {
		why    string
		change func(i int, s *seen)
		kept   int
	}{
		{"all the same", func(int, *seen) {}, 1 + maxRepeats},
		{"they have only just come, so late hits may follow", func(_ int, s *seen) { s.probe.answer.DoneAt = time.Now().Add(time.Hour) }, 1 + maxRepeats + more},
		{"one holds another request's answer", func(i int, s *seen) {
			if i == maxRepeats+1 {
				s.other = &ledger.Hit{}
			}
		}, 1 + maxRepeats + 1},
		{"one differs", func(i int, s *seen) {
			if i == maxRepeats+1 {
				s.layer = s.layer[1:]
			}
		}, 1 + maxRepeats + 1},
		{"one is no repeat", func(i int, s *seen) {
			if i == maxRepeats+1 {
				s.pass = passLook
			}
		}, 1 + maxRepeats + 1},
	} {
		r, row := tierCap(t)
		r.directs[row], r.dirty = r.expected[row], map[Row]string{}
		r.c.Rules = compare.Rules{Profile: compare.ProfileByName("core"), MaxLayerRetries: -1}
		r.c.Hits = book{of: map[string][]ledger.Hit{"n": make([]ledger.Hit, 1)}}
		for i := range 1 + maxRepeats + more {
			s := r.observation(row, passRepeat, compare.Preserved, 1)
			s.own, s.probe.tag.Nonce = true, "n"
			if i == 0 {
				s.pass = passA
			} else {
				c.change(i, s)
			}
			r.judge(s)
			r.seen[row] = append(r.seen[row], s)
		}
		r.fold([]Row{row})
		all := 0
		for _, s := range r.seen[row] {
			all += 1 + s.more
		}
		if len(r.seen[row]) != c.kept || all != 1+maxRepeats+more {
			t.Errorf("%s: %d kept, want %d; %d counted", c.why, len(r.seen[row]), c.kept, all)
		}
	}
}

// TestHold: an embedded layer says when nothing is under way; of any other the time tells.
func TestHold(t *testing.T) {
	idle := func(v bool) func() bool { return func() bool { return v } }
	for _, c := range []struct {
		why    string
		idle   func() bool
		settle time.Duration
		want   time.Duration
	}{
		{"it is idle", idle(true), time.Minute, 0},
		{"it is not", idle(false), time.Minute, 2 * time.Second},
		{"nobody knows", nil, time.Minute, 2 * time.Second},
		{"no longer than the user waits", nil, time.Second, time.Second},
	} {
		r := &runner{c: Config{Idle: c.idle, Settle: c.settle}, canaryTime: time.Second}
		if got := r.hold(); got != c.want {
			t.Errorf("%s: %s, want %s", c.why, got, c.want)
		}
	}
	if got := (&runner{c: Config{Settle: time.Minute}}).hold(); got != lateHits {
		t.Errorf("after canaries that took no time: %s", got)
	}
}

// TestExcuse: a layer that passed a row's stream on once can do it, so the other time the machine was slow.
func TestExcuse(t *testing.T) {
	paced := func(p wire.Pace) evidence.Evidence {
		if p == "" {
			return evidence.Evidence{{Key: "status"}}
		}
		return evidence.Evidence{{Key: "status"}, {Key: paceKey, Value: evidence.Value{Kind: evidence.Text, Text: string(p)}}}
	}
	for _, c := range []struct {
		why       string
		all, want []wire.Pace
	}{
		{"once passed on", []wire.Pace{wire.AtOnce, wire.AsSent}, []wire.Pace{wire.AsSent, wire.AsSent}},
		{"never", []wire.Pace{wire.AtOnce, wire.AtOnce}, []wire.Pace{wire.AtOnce, wire.AtOnce}},
		{"one without a pace gets none", []wire.Pace{wire.AsSent, ""}, []wire.Pace{wire.AsSent, ""}},
	} {
		r, row := tierCap(t)
		var before []evidence.Evidence
		for _, p := range c.all {
			before = append(before, paced(p))
			r.seen[row] = append(r.seen[row], &seen{layer: before[len(before)-1]})
		}
		r.excuse(row)
		for i, s := range r.seen[row] {
			if got := wire.Pace(s.layer.Get(paceKey).Text); got != c.want[i] {
				t.Errorf("%s: observation %d: %q, want %q", c.why, i, got, c.want[i])
			}
			if wire.Pace(before[i].Get(paceKey).Text) != c.all[i] {
				t.Errorf("%s: evidence that others may hold was changed", c.why)
			}
		}
	}
}

// TestPauseIn: only rows whose answer pauses have a pace.
func TestPauseIn(t *testing.T) {
	r, row := tierCap(t)
	if r.pauseIn(row.Fixture.Name) != 0 || r.pauseIn("no such row") != 0 {
		t.Error("a pause in what has none")
	}
	paused := 0
	for _, f := range r.c.Matrix.Rows {
		if f.Pause() > 0 && r.pauseIn(f.Name) == f.Pause() {
			paused++
		}
	}
	if paused == 0 {
		t.Error("no row pauses")
	}
}

// TestReached: what tells something about the way through the layer to the stub and back.
func TestReached(t *testing.T) {
	for _, c := range []struct {
		why     string
		hits    int
		from    compare.Provenance
		verdict compare.Verdict
		failure bool
		want    bool
	}{
		{"its own id came back", 1, compare.OwnHit, compare.Different, false, true},
		{"by elimination", 1, compare.Attributed, compare.Preserved, false, true},
		{"nobody knows whose answer it is", 1, compare.Unattached, compare.Inconclusive, false, false},
		{"a broken one has no id, but was asked for", 1, compare.NoAnswer, compare.Broken, false, true},
		{"the stub was not asked", 0, compare.OwnHit, compare.Preserved, false, false},
		{"a row that expects a failure got one", 1, compare.NoAnswer, compare.Preserved, true, true},
		{"it got something else", 1, compare.Unattached, compare.Different, true, false},
		{"no answer to a row that expects one", 1, compare.NoAnswer, compare.Preserved, false, false},
	} {
		s := &seen{row: Row{Fixture: &fixture.Fixture{ExpectFailure: c.failure}}, hits: make([]ledger.Hit, c.hits), from: c.from, judged: compare.Judged{Verdict: c.verdict}}
		if got := s.reached(); got != c.want {
			t.Errorf("%s: %v", c.why, got)
		}
	}
}
