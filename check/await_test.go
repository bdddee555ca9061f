package check

import (
	"context"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/wire"
)

// counted gives what a layer answers to the first, the second … request; the last answer stays.
type counted struct {
	all []wire.End
	n   int
}

func (w *counted) Do(context.Context, wire.Request) *wire.Answer {
	end := w.all[min(w.n, len(w.all)-1)]
	w.n++
	return &wire.Answer{Status: 502, End: end}
}

// TestAwait: before a row is asked alone a canary has to come through, within a budget. The first refusal is noted, once, and
// only where the layer refused it.
func TestAwait(t *testing.T) {
	const refuses, local = wire.EndComplete, wire.EndLocal
	for _, c := range []struct {
		why         string
		all         []wire.End
		budget      time.Duration
		ended       bool
		least, most int // canaries
		noted       int
	}{
		{"no budget: one canary, to see the state", []wire.End{refuses}, 0, false, 1, 1, 1},
		{"some budget: again, until it is used up", []wire.End{refuses}, 120 * time.Millisecond, false, 2, 3, 1},
		{"this machine could not ask: that says nothing of the layer", []wire.End{local}, 0, false, 1, 1, 0},
		{"nor does a later refusal, when the first could not be sent", []wire.End{local, refuses}, 60 * time.Millisecond, false, 2, 3, 0},
		{"the run was ended", []wire.End{refuses}, time.Minute, true, 1, 1, 0},
	} {
		r, row := tierCap(t)
		w := &counted{all: c.all}
		ctx, cancel := context.WithCancel(t.Context())
		if c.ended {
			cancel()
		}
		r.ctx, r.c.Hits, r.c.Timeout, r.c.Rules.Profile = ctx, book{}, time.Second, compare.ProfileByName("core")
		r.routes = map[string]*Route{"": {Layer: w, Model: "m"}}
		r.traffic.active, r.unsent = map[*probe]bool{}, map[Row]string{}
		r.channel = map[lane]channels{row.lane(): {send: []ledger.Channel{ledger.Marker}, decides: ledger.Marker}}
		budget := c.budget
		if r.await(ctx, row, "before", &budget) {
			t.Errorf("%s: a refused canary came through", c.why)
		}
		cancel()
		if w.n < c.least || w.n > c.most || len(r.unbacked) != c.noted {
			t.Errorf("%s: %d canaries, noted %+v", c.why, w.n, r.unbacked)
		}
		if c.noted > 0 && (r.unbacked[0].after != "before" || r.unbacked[0].status != 502) {
			t.Errorf("%s: %+v", c.why, r.unbacked[0])
		}
	}
}

// hitByAll is a stub that every request reached.
type hitByAll struct{ book }

func (hitByAll) Of(string) []ledger.Hit { return make([]ledger.Hit, 1) }

// passes answers a success, but for the last of so many requests.
type passes struct{ n, last int }

func (w *passes) Do(context.Context, wire.Request) *wire.Answer {
	if w.n++; w.n == w.last {
		return &wire.Answer{Status: 502, End: wire.EndComplete}
	}
	return &wire.Answer{Status: 200, End: wire.EndComplete, Body: []byte(`{"type":"message"}`)}
}

// TestAlone: around each row that is asked alone goes a canary, behind the last as well, or nobody would see what that row does.
func TestAlone(t *testing.T) {
	for _, c := range []struct {
		why         string
		rows, asked int
		last        int // the request that is refused
		after       string
		changed     bool
	}{
		{"one row", 1, 3, 0, "", false},
		{"two", 2, 5, 0, "", false},
		{"none", 0, 0, 0, "", false},
		{"the last of them changes the layer's state", 2, 5, 5, "tier_cap (stream)", true},
	} {
		r, row := tierCap(t)
		w := &passes{last: c.last}
		r.ctx, r.c.Hits, r.c.Timeout, r.c.Settle = t.Context(), hitByAll{}, time.Second, time.Second
		r.c.Rules = compare.Rules{Profile: compare.ProfileByName("core"), MaxLayerRetries: -1}
		r.routes = map[string]*Route{"": {Layer: w, Model: "m"}}
		r.traffic.active, r.unsent, r.dirty, r.notAlone = map[*probe]bool{}, map[Row]string{}, map[Row]string{}, map[Row]bool{}
		stream := row
		stream.Mode = "stream"
		r.expected[stream] = r.expected[row]
		both := []Row{row, stream}
		r.channel = map[lane]channels{}
		for _, x := range both {
			r.channel[x.lane()] = channels{send: []ledger.Channel{ledger.Marker}, decides: ledger.Marker}
		}
		r.alone(t.Context(), both[:c.rows])
		if w.n != c.asked || (len(r.unbacked) > 0) != c.changed || c.changed && r.unbacked[0].after != c.after {
			t.Errorf("%s: %d requests, noted %+v", c.why, w.n, r.unbacked)
		}
	}
}
