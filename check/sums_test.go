package check

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/wire"
)

// TestDeedsUpToABound: of passing rows the first are told, and the others counted.
func TestDeedsUpToABound(t *testing.T) {
	for n, want := range map[int]string{5: "", 6: "and 1 passing row more", 8: "and 3 passing rows more"} {
		rows := []record.Row{{Row: "failed", Mode: "plain", Verdict: "changed", Behaviour: []string{"b"}}, {Row: "quiet", Mode: "plain", Verdict: "preserved"}}
		for i := range n {
			rows = append(rows, record.Row{Row: fmt.Sprint("row", i), Mode: "plain", Verdict: "preserved", Behaviour: []string{"b", "c"}})
		}
		notes := (&runner{}).deeds(rows)
		if len(notes) < 5 || notes[4] != "row4 (plain): b; c" {
			t.Errorf("of %d: %q", n, notes)
			continue
		}
		if rest := strings.Join(notes[5:], "\n"); !strings.HasPrefix(rest, want) || (rest == "") != (want == "") {
			t.Errorf("of %d: %q, want %q", n, rest, want)
		}
	}
}

// TestFoldedRequestsCount: what was folded into one observation is as many requests.
func TestFoldedRequestsCount(t *testing.T) {
	r, row := tierCap(t)
	row.Mode = fixture.Stream
	r.c.Rows = []Row{row}
	see := func(more int, stream bool, path string) {
		s := r.observation(row, passRepeat, compare.Preserved, 1)
		s.more, s.hits = more, []ledger.Hit{{Stream: stream, Path: path}}
		r.seen[row] = append(r.seen[row], s)
	}
	see(1, true, "/v1/messages")
	see(2, false, "/v1/chat/completions")
	if got := strings.Join(r.unstreamed(), "\n"); !strings.Contains(got, "in 3 of 5 requests") {
		t.Errorf("asked for no stream: %q", got)
	}
	if got := strings.Join(r.elsewhere(), "\n"); !strings.Contains(got, "in 3 requests the layer asked its upstream at …/chat/completions") {
		t.Errorf("asked at another path: %q", got)
	}
}

func TestMilliseconds(t *testing.T) {
	if got := ms(1500 * time.Microsecond); got != 1.5 {
		t.Error(got)
	}
}

// TestWhatMostRefusalsWere: what just half of them were is not most, and outages and silence count together.
func TestWhatMostRefusalsWere(t *testing.T) {
	for _, c := range []struct {
		statuses []int
		want     string
	}{
		{[]int{0}, mute},
		{[]int{0, 0, 429}, mute},
		{[]int{0, 500}, outage},
		{[]int{0, 500, 429}, outage},
		{[]int{0, 429}, fmt.Sprintf(tryRate, "1 request")},
		{[]int{500, 429}, fmt.Sprintf(tryRate, "1 request")},
	} {
		r := &runner{}
		for i, status := range c.statuses {
			r.unbacked = append(r.unbacked, unbacked{what: "canary", status: status, number: i + 2})
		}
		if got := r.advice(); got != c.want {
			t.Errorf("%v: %s", c.statuses, got)
		}
	}
}

// TestWhoWaits: a client is only left waiting by a layer that has asked the stub.
func TestWhoWaits(t *testing.T) {
	for hits, want := range map[int]string{0: "", 1: "the client waits: no end of the answer by the row's deadline, after 0.0 s"} {
		r, row := tierCap(t)
		s := r.observation(row, passAlone, compare.Preserved, hits)
		s.probe.answer.End = wire.EndTimeout
		s.layer = evidence.Of(s.probe.answer, row.Dialect.Layout, fixture.NoID)
		if got := r.waited(row, s); got != want {
			t.Errorf("%d hits: %q, want %q", hits, got, want)
		}
	}
}

// TestHoldAfterRetries: as long as the layer's own retries were apart, and half of that more.
func TestHoldAfterRetries(t *testing.T) {
	r, row := tierCap(t)
	r.c.Settle = time.Minute
	at := time.Unix(100, 0)
	r.c.Hits = book{of: map[string][]ledger.Hit{"n": {{At: at}, {At: at.Add(8 * time.Second)}, {At: at.Add(10 * time.Second)}}}}
	s := r.observation(row, passAlone, compare.Retried, 3)
	s.probe.tag.Nonce = "n"
	r.seen[row] = []*seen{s}
	if got := r.hold(); got != 12*time.Second {
		t.Error(got)
	}
}

// TestSettleDownByTheTime: twice as long as a canary took.
func TestSettleDownByTheTime(t *testing.T) {
	r := &runner{canaryTime: lateHits, c: Config{Settle: time.Minute}}
	begin := time.Now()
	if r.settleDown(t.Context()); time.Since(begin) < 2*lateHits {
		t.Error(time.Since(begin))
	}
}

// TestFoldWaitsForLateHits: what was answered a moment ago may still have some.
func TestFoldWaitsForLateHits(t *testing.T) {
	for ago, folded := range map[time.Duration]bool{time.Second: false, time.Hour: true} {
		r, row := tierCap(t)
		r.directs[row], r.dirty = r.expected[row], map[Row]string{}
		r.c.Rules = compare.Rules{Profile: compare.ProfileByName("core"), MaxLayerRetries: -1}
		r.c.Hits, r.c.Settle, r.canaryTime = book{of: map[string][]ledger.Hit{"n": make([]ledger.Hit, 1)}}, time.Minute, time.Minute
		for range maxRepeats + 3 {
			s := r.observation(row, passRepeat, compare.Preserved, 1)
			s.own, s.probe.tag.Nonce, s.probe.answer.DoneAt = true, "n", time.Now().Add(-ago)
			r.judge(s)
			r.seen[row] = append(r.seen[row], s)
		}
		if r.fold([]Row{row}); (len(r.seen[row]) < maxRepeats+3) != folded {
			t.Errorf("%s ago: %d are kept", ago, len(r.seen[row]))
		}
	}
}
