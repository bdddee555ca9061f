package check

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/wire"
)

// scripted answers by the number of the request, from 1, and by the time since the first.
type scripted struct {
	answer func(n int, since time.Duration) *wire.Answer
	n      int
	began  time.Time
}

func (w *scripted) Do(context.Context, wire.Request) *wire.Answer {
	if w.n++; w.n == 1 {
		w.began = time.Now()
	}
	return w.answer(w.n, time.Since(w.began))
}

// socketHits is a stub that saw every request come from one socket.
type socketHits struct{ book }

func (socketHits) Of(string) []ledger.Hit { return []ledger.Hit{{From: "127.0.0.1:7"}} }

// TestReady: how long is waited for a layer, by what it answers meanwhile. The clock is turned on, so nothing waits.
func TestReady(t *testing.T) {
	success := func(local string) *wire.Answer {
		return &wire.Answer{Status: 200, End: wire.EndComplete, Local: local, Body: []byte(`{"type":"message"}`)}
	}
	always := func(a wire.Answer) func(int, time.Duration) *wire.Answer {
		return func(int, time.Duration) *wire.Answer { return a.Clone() }
	}
	until := func(d time.Duration, a wire.Answer) func(int, time.Duration) *wire.Answer {
		return func(_ int, since time.Duration) *wire.Answer {
			if since < d {
				return a.Clone()
			}
			return success("")
		}
	}
	stub := func(times int) func(int, time.Duration) *wire.Answer {
		return func(n int, _ time.Duration) *wire.Answer {
			if n <= times {
				return success("127.0.0.1:7")
			}
			return success("127.0.0.1:8")
		}
	}
	noKey, down, refused := wire.Answer{Status: 401, End: wire.EndComplete}, wire.Answer{Status: 502, End: wire.EndComplete}, wire.Answer{End: wire.EndRefused}
	for _, c := range []struct {
		why         string
		answer      func(int, time.Duration) *wire.Answer
		ready, self bool
		least, most time.Duration
		canaries    int // 0: whatever fits into the time
	}{
		{"at once", always(*success("")), true, false, 0, 0, 1},
		{"while it starts nobody listens, however often it is tried", until(50*time.Second, refused), true, false, 50 * time.Second, 52 * time.Second, 0},
		{"nobody ever listens", always(refused), false, false, time.Minute, time.Minute, 0},
		{"a gateway that loads its configuration refuses a key for a moment", until(2*time.Second, noKey), true, false, 2 * time.Second, 4 * time.Second, 0},
		{"one that has none refuses it for ever, and a person should not wait", always(noKey), false, false, patience, patience + 2*time.Second, 0},
		{"an upstream that starts is waited for", until(10*time.Second, down), true, false, 10 * time.Second, 12 * time.Second, 0},
		{"but a layer really gets only so many requests", always(down), false, false, 10 * time.Second, 20 * time.Second, maxCanaries},
		{"the stub itself answers", stub(2), false, true, 0, time.Second, 2},
		{"once may be chance, since ports are used again", stub(1), true, false, 0, time.Second, 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			r, row := tierCap(t)
			w := &scripted{answer: c.answer}
			r.ctx, r.c.Hits, r.c.Timeout, r.c.ReadyTimeout, r.c.Rules.Profile = t.Context(), socketHits{}, time.Second, time.Minute, compare.ProfileByName("core")
			r.routes = map[string]*Route{"": {Layer: w, Model: "m", Channel: "marker"}}
			r.traffic.active, r.channel, r.touched = map[*probe]bool{}, map[lane]channels{}, map[lane]bool{}
			begin := time.Now()
			why, err := r.ready(t.Context(), row.lane())
			took := time.Since(begin)
			if (why == "" && err == nil) != c.ready || (err != nil) != c.self {
				t.Errorf("%s: %q, %v", c.why, why, err)
			}
			if took < c.least || took > c.most || c.canaries > 0 && w.n != c.canaries {
				t.Errorf("%s: %d canaries in %s", c.why, w.n, took)
			}
		})
	}
}

// TestAwaitIsBounded: with any budget a layer gets only so many canaries before a row that is asked alone.
func TestAwaitIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, row := tierCap(t)
		w := &scripted{answer: func(int, time.Duration) *wire.Answer { return &wire.Answer{Status: 502, End: wire.EndComplete} }}
		r.ctx, r.c.Hits, r.c.Timeout, r.c.Rules.Profile = t.Context(), book{}, time.Second, compare.ProfileByName("core")
		r.routes = map[string]*Route{"": {Layer: w, Model: "m"}}
		r.traffic.active, r.unsent, r.channel = map[*probe]bool{}, map[Row]string{}, map[lane]channels{row.lane(): {decides: ledger.Marker}}
		budget := time.Hour
		if r.await(t.Context(), row, "", &budget) || w.n != maxCanaries {
			t.Errorf("%d canaries", w.n)
		}
	})
}

// untagged is a stub that sees requests of which only the path arrived: it can't tell whose they are unless they were announced.
type untagged struct {
	book
	layer     *scripted
	announced bool
}

func (u *untagged) Announce(ledger.Channel, ledger.Tag) (func(), error) {
	u.announced = true
	return func() {}, nil
}

func (u *untagged) Unexplained() []ledger.Hit {
	if u.announced {
		return nil
	}
	hits := make([]ledger.Hit, u.layer.n)
	for i := range hits {
		hits[i].Channels = []ledger.Channel{ledger.Path}
	}
	return hits
}

func (u *untagged) Of(string) []ledger.Hit {
	if !u.announced {
		return nil
	}
	return []ledger.Hit{{Channels: []ledger.Channel{ledger.Path}}}
}

// TestAChannelThatCarriesOnlyTheRowIsChosenAlone: hits without a tag may be another lane's, so a canary that is asked alone has to
// show the same before what arrived of it is believed.
func TestAChannelThatCarriesOnlyTheRowIsChosenAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, row := tierCap(t)
		w := &scripted{answer: func(int, time.Duration) *wire.Answer {
			return &wire.Answer{Status: 200, End: wire.EndComplete, Body: []byte(`{"type":"message"}`)}
		}}
		u := &untagged{layer: w}
		r.ctx, r.c.Hits, r.c.Timeout, r.c.ReadyTimeout, r.c.Rules.Profile = t.Context(), u, time.Second, time.Minute, compare.ProfileByName("core")
		r.routes = map[string]*Route{"": {Layer: w, Model: "m", Channel: "auto"}}
		r.turns.rows = map[string]*turn{}
		r.traffic.active, r.channel, r.touched = map[*probe]bool{}, map[lane]channels{}, map[lane]bool{}
		why, err := r.ready(t.Context(), row.lane())
		if why != "" || err != nil || w.n != 3 || r.channel[row.lane()].decides != ledger.Path {
			t.Errorf("%q, %v after %d canaries: %+v", why, err, w.n, r.channel[row.lane()])
		}
	})
}
