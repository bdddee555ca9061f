package check

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/wire"
)

// TestBetweenClocks: with another clock an answer is tied to a hit by time only where it is so whatever the clocks say.
func TestBetweenClocks(t *testing.T) {
	sent := time.Now()
	at := func(ms int) time.Time { return sent.Add(time.Duration(ms) * time.Millisecond) }
	a := &wire.Answer{SentAt: sent, FirstAt: at(10)}
	for _, c := range []struct {
		why          string
		at, answered int // ms after sending
		slack        time.Duration
		ch           ledger.Channel
		want         bool
	}{
		{"the same clock", 0, 10, 0, ledger.Armed, true},
		{"the hit came before", -1, 5, 0, ledger.Armed, false},
		{"but its nonce was not known before", -1, 5, 0, ledger.Marker, true},
		{"it was answered after the answer came", 5, 11, 0, ledger.Marker, false},
		{"it may have been", 5, 8, 3 * time.Millisecond, ledger.Marker, false},
		{"it can't have been", 5, 8, 2 * time.Millisecond, ledger.Marker, true},
		{"it may have come before", 2, 5, 3 * time.Millisecond, ledger.Armed, false},
		{"it can't have come before", 3, 5, 3 * time.Millisecond, ledger.Armed, true},
	} {
		h := ledger.Hit{At: at(c.at), Slack: c.slack, Channels: []ledger.Channel{c.ch}, Served: ledger.Served{AnswerAt: at(c.answered)}}
		if got := between(a, &h); got != c.want {
			t.Errorf("%s: %t", c.why, got)
		}
	}
}

// TestPaceBetweenClocks: that a beginning came before the rest was sent, or did not, has to be so whatever the clocks say.
func TestPaceBetweenClocks(t *testing.T) {
	sent := time.Now()
	for _, c := range []struct {
		why    string
		rest   time.Duration // when the rest was sent, from when the beginning came
		slack  time.Duration
		want   wire.Pace
		unsure bool
	}{
		{"surely after", 5, 4, wire.AsSent, false},
		{"surely before", -5, 4, wire.AtOnce, false},
		{"it may be after", -3, 4, wire.AtOnce, true},
		{"it may be before", 3, 4, wire.AtOnce, true},
		{"one clock leaves nothing open", 1, 0, wire.AsSent, false},
	} {
		p := &probe{paused: time.Second, answer: &wire.Answer{SentAt: sent, BodyAt: sent, LastAt: sent}}
		hits := []ledger.Hit{{Slack: c.slack, Served: ledger.Served{RestAt: sent.Add(c.rest)}}}
		if got := p.pace(hits); got != c.want || p.unsure != c.unsure {
			t.Errorf("%s: %s, unsure %t", c.why, got, p.unsure)
		}
		s := &seen{probe: p}
		if doubt := s.doubt(); (doubt == clocks) != c.unsure {
			t.Errorf("%s: %q", c.why, doubt)
		}
	}
}

// TestDoubt: one doubtful hit makes the observation doubtful.
func TestDoubt(t *testing.T) {
	s := &seen{probe: &probe{}, hits: []ledger.Hit{{}, {Doubt: "somebody else's"}}}
	if s.doubt() != "somebody else's" {
		t.Errorf("%q", s.doubt())
	}
	if s.hits = s.hits[:1]; s.doubt() != "" {
		t.Errorf("%q", s.doubt())
	}
}

// unread is a ledger that can't be read.
type unread struct {
	book
	synced int
}

func (u *unread) Sync() error {
	if u.synced++; u.synced > 1 {
		return errors.New("no answer " + strings.Repeat("again", u.synced))
	}
	return nil
}

// TestSync: what once could not be read stays missing, and a finding of missing hits blames nobody then.
func TestSync(t *testing.T) {
	r, row := tierCap(t)
	r.c.Hits = &unread{}
	if r.sync(); r.blinded() != "" {
		t.Fatal(r.blinded())
	}
	r.sync()
	first := r.blinded()
	if r.sync(); first == "" || r.blinded() != first {
		t.Errorf("%q, then %q", first, r.blinded())
	}
	s := r.observation(row, passAlone, compare.LayerMade, 0)
	r.seen[row] = []*seen{s}
	r.unbacked = []unbacked{{what: "tier_cap", pass: passAlone, row: row}}
	if got := r.silent(); len(got) != 1 || got[0].Fails || got[0].Advice != first {
		t.Errorf("%+v", got)
	}
	r.blind = ""
	if got := r.silent(); len(got) != 1 || !got[0].Fails {
		t.Errorf("%+v", got)
	}
	r.trouble = "too many connections"
	if got := r.silent(); len(got) != 1 || got[0].Fails {
		t.Errorf("hits may be missing by the stub's fault: %+v", got)
	}
}

// TestNothingIsSentUnannounced: a request that could be taken for another's stays here.
func TestNothingIsSentUnannounced(t *testing.T) {
	r, row := tierCap(t)
	w := &scripted{answer: func(int, time.Duration) *wire.Answer { return &wire.Answer{} }}
	r.ctx, r.c.Hits, r.turns.rows, r.traffic.active = t.Context(), barred{}, map[string]*turn{}, map[*probe]bool{}
	r.routes = map[string]*Route{"": {Layer: w, Model: "m"}}
	p := r.through(t.Context(), "tier_cap", row.lane(), channels{send: []ledger.Channel{ledger.Armed}, decides: ledger.Armed})
	if w.n != 0 || p.answer.End != wire.EndLocal || p.answer.Err != "another run" {
		t.Errorf("%d sent, %+v", w.n, p.answer)
	}
}

type barred struct{ book }

func (barred) Announce(ledger.Channel, ledger.Tag) (func(), error) {
	return nil, errors.New("another run")
}
func (barred) Issue(ledger.Tag) {}

// TestUnexplainedAtASharedStub: they may be somebody else's, so nothing that would fail does; what bore the run's name and was
// never made is told.
func TestUnexplainedAtASharedStub(t *testing.T) {
	r, _ := tierCap(t)
	r.c.Rules.Profile = compare.ProfileByName("core")
	r.c.Hits = book{unexplained: []ledger.Hit{fixtureHit("/v1/messages", "tier_cap")}, shared: true}
	if got := r.unexplained(); len(got) != 1 || !got[0].Fails || !got[0].Soft || got[0].Advice == "" {
		t.Errorf("%+v", got)
	}
	r.c.Hits = book{refused: 7, shared: true}
	if got := r.unexplained(); len(got) != 1 || got[0].Fails || got[0].Soft || !strings.Contains(got[0].Text, "7 requests reached") || !strings.HasSuffix(got[0].Text, "7 × with a tag that this run never made") {
		t.Errorf("%+v", got)
	}
	r.c.Rules.Profile = compare.ProfileByName("full")
	if got := r.unexplained(); len(got) != 1 || !got[0].Fails || !got[0].Soft || !slices.Equal(got[0].Rows, []string(nil)) {
		t.Errorf("%+v", got)
	}
}
