package check

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/wire"
)

// differing gives an observation deciding differences in these keys.
func differing(s *seen, keys ...string) *seen {
	for _, k := range keys {
		s.judged.Differences = append(s.judged.Differences, compare.Difference{Difference: evidence.Difference{Key: k, Dir: evidence.Changed}, Key: &compare.Key{Pattern: k}})
	}
	return s
}

// TestSettled: the worst observation that reached the stub decides a row; without one, what was seen when it was asked alone.
func TestSettled(t *testing.T) {
	type o = func(*runner, Row) *seen
	obs := func(pass string, v compare.Verdict, hits int) o {
		return func(r *runner, row Row) *seen { return r.observation(row, pass, v, hits) }
	}
	from := func(p compare.Provenance, f o) o {
		return func(r *runner, row Row) *seen { s := f(r, row); s.from = p; return s }
	}
	held := func(pass string, more ...string) o {
		return func(r *runner, row Row) *seen {
			return differing(r.observation(row, pass, compare.Different, 1), append([]string{paceKey}, more...)...)
		}
	}
	for _, c := range []struct {
		why   string
		all   []o
		set   func(*runner, Row)
		want  compare.Verdict
		by    int // which observation decided; -1 for none
		notes string
	}{
		{"nobody asked", nil, nil, compare.Inconclusive, -1, notRun},
		{"the worst decides", []o{obs(passA, compare.Preserved, 1), obs(passB, compare.Different, 1), obs(passRepeat, compare.Retried, 2)}, nil, compare.Different, 1, ""},
		{"of equals the first", []o{obs(passA, compare.Different, 1), obs(passB, compare.Different, 1)}, nil, compare.Different, 0, ""},
		{"what could not be told decides nothing beside what could", []o{obs(passA, compare.Inconclusive, 1), obs(passB, compare.Preserved, 1)}, nil, compare.Preserved, 1, ""},
		{"nor does what never reached the stub", []o{obs(passA, compare.LayerMade, 0), obs(passAlone, compare.Preserved, 1)}, nil, compare.Preserved, 1, ""},
		{"asked alone it never came either", []o{obs(passA, compare.LayerMade, 0), obs(passAlone, compare.LayerMade, 0)}, nil, compare.LayerMade, 1, ""},
		{"a broken answer needs no asking alone", []o{obs(passA, compare.Broken, 0)}, nil, compare.Broken, 0, ""},
		{"it could not be asked alone", []o{obs(passA, compare.LayerMade, 0)}, func(r *runner, row Row) { r.notAlone[row] = true }, compare.Inconclusive, 0, "asked side by side it never reached the stub, and then no canary came through in time to ask it alone"},
		{"it was not asked alone", []o{obs(passA, compare.LayerMade, 0)}, nil, compare.Inconclusive, 0, "never asked alone: the run was interrupted"},
		{"directly fetched it is not the fixture", []o{obs(passA, compare.LayerMade, 0)}, func(r *runner, row Row) { r.directs[row] = nil }, compare.LayerMade, 0, ""},
		{"an answer by elimination is its own", []o{from(compare.Attributed, obs(passA, compare.Different, 1))}, nil, compare.Different, 0, ""},
		{"one that nothing ties to its hit is not", []o{from(compare.Unattached, obs(passA, compare.Different, 1)), obs(passAlone, compare.Preserved, 1)}, nil, compare.Preserved, 1, ""},
		{"unless it is broken", []o{from(compare.Unattached, obs(passA, compare.Broken, 1)), obs(passAlone, compare.Preserved, 1)}, nil, compare.Broken, 0, ""},
		{"held back in a crowd alone", []o{held(passA), obs(passAlone, compare.Preserved, 1)}, nil, compare.Inconclusive, 0, crowdedPace},
		{"held back when it was alone as well", []o{held(passA), held(passAlone)}, nil, compare.Different, 0, ""},
		{"held back, and something else is wrong", []o{held(passA, "status"), obs(passAlone, compare.Preserved, 1)}, nil, compare.Different, 0, ""},
		{"no success came through", []o{obs(passA, compare.Preserved, 1)}, func(r *runner, row Row) { r.notReady[row.lane()] = "x" }, compare.Inconclusive, -1, "no success came through in this mode: x"},
		{"none, though the stub was asked", nil, func(r *runner, row Row) { r.notReady[row.lane()], r.touched[row.lane()] = "x", true }, compare.Broken, -1, "no success came through in this mode: x"},
	} {
		r, row := tierCap(t)
		r.notReady, r.touched, r.notAlone = map[lane]string{}, map[lane]bool{}, map[Row]bool{}
		r.directs[row] = r.expected[row]
		for _, f := range c.all {
			r.seen[row] = append(r.seen[row], f(r, row))
		}
		if c.set != nil {
			c.set(r, row)
		}
		v, notes, by := r.settled(row)
		at := -1
		for i, s := range r.seen[row] {
			if s == by {
				at = i
			}
		}
		if v != c.want || at != c.by || notes != c.notes {
			t.Errorf("%s: %s by %d (%q), want %s by %d (%q)", c.why, v, at, notes, c.want, c.by, c.notes)
		}
	}
}

// TestUnable: where this machine or the stub failed, the layer is not blamed, but a fault that was seen stays one.
func TestUnable(t *testing.T) {
	const stub, here, elsewhere, look = "the stub lost hits", "no port for this row", "no port for another", "no port for a look"
	for _, c := range []struct {
		why       string
		verdict   compare.Verdict
		from      compare.Provenance
		hits      int
		trouble   string
		row, rest string // why this row, and another, could not be asked
		look      string
		want      string
	}{
		{"all went well", compare.Preserved, compare.OwnHit, 1, "", "", "", "", ""},
		{"hits may be missing", compare.Preserved, compare.OwnHit, 1, stub, "", "", "", stub},
		{"and a fault may be made of that", compare.LayerMade, compare.NoHit, 0, stub, "", "", "", stub},
		{"but not one whose hit is known", compare.Different, compare.OwnHit, 1, stub, "", "", "", ""},
		{"a row that could not be asked once", compare.Preserved, compare.OwnHit, 1, "", here, "", "", here},
		{"and failed once", compare.Different, compare.OwnHit, 1, "", here, "", "", ""},
		{"silence means nothing when another row could not be asked", compare.LayerMade, compare.NoHit, 0, "", "", elsewhere, "", elsewhere},
		{"nor when a look could not", compare.LayerMade, compare.NoHit, 0, "", "", "", look, look},
		{"silence alone", compare.LayerMade, compare.NoHit, 0, "", "", "", "", ""},
		{"a pass does not mind another row", compare.Preserved, compare.OwnHit, 1, "", "", elsewhere, "", ""},
		{"it minds a look", compare.Preserved, compare.OwnHit, 1, "", "", "", look, look},
	} {
		r, row := tierCap(t)
		other := Row{Fixture: row.Fixture, Mode: "stream", Dialect: row.Dialect}
		r.c.Rows = append(r.c.Rows, other)
		r.trouble = c.trouble
		r.unsent = map[Row]string{row: c.row, other: c.rest, {}: c.look}
		s := r.observation(row, passAlone, c.verdict, c.hits)
		s.from = c.from
		if got := r.unable(row, c.verdict, s); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

// TestSameObservations: repeated ones are folded only where a record would tell the same of both.
func TestSameObservations(t *testing.T) {
	for _, c := range []struct {
		why    string
		wait   time.Duration
		change func(s *seen)
		want   bool
	}{
		{"nothing", 0, func(*seen) {}, true},
		{"another verdict", 0, func(s *seen) { s.judged.Verdict = compare.Different }, false},
		{"another class", 0, func(s *seen) { s.judged.Class = classify.RateLimit }, false},
		{"another key differs", 0, func(s *seen) { differing(s, "status") }, false},
		{"a note is no news", 0, func(s *seen) { differing(s, "status").judged.Differences[0].Key = nil }, true},
		{"another origin", 0, func(s *seen) { s.from = compare.Attributed }, false},
		{"another number of hits", 0, func(s *seen) { s.hits = append(s.hits, ledger.Hit{}) }, false},
		{"held back, as a note", 0, func(s *seen) { differing(s, paceKey).judged.Differences[0].Key = nil }, false},
		{"asked its upstream for a stream", 0, func(s *seen) { s.hits[0].Stream = true }, false},
		{"it took longer than the layer may", time.Second, func(s *seen) { s.probe.answer.DoneAt = s.probe.answer.SentAt.Add(2 * time.Second) }, false},
		{"it took just as long as it may", time.Second, func(s *seen) { s.probe.answer.DoneAt = s.probe.answer.SentAt.Add(time.Second) }, true},
		{"it took longer, which is nobody's business", 0, func(s *seen) { s.probe.answer.DoneAt = s.probe.answer.SentAt.Add(2 * time.Second) }, true},
	} {
		r, row := tierCap(t)
		r.c.MaxLayerWait, r.c.Rules.Profile = c.wait, compare.ProfileByName("core")
		r.directTime = map[Row]time.Duration{}
		a, b := r.observation(row, passRepeat, compare.Preserved, 1), r.observation(row, passRepeat, compare.Preserved, 1)
		c.change(a)
		if got := r.same(a, b); got != c.want {
			t.Errorf("%s: %v", c.why, got)
		}
		if got := r.same(b, a); got != c.want {
			t.Errorf("%s, the other way round: %v", c.why, got)
		}
	}
	r, row := tierCap(t)
	r.c.Rules.Profile = compare.ProfileByName("core")
	if first := r.observation(row, passA, compare.Preserved, 1); r.same(r.observation(row, passRepeat, compare.Preserved, 1), first) {
		t.Error("an observation is folded into one that is no repeat")
	}
	if none := r.observation(row, passRepeat, compare.LayerMade, 0); !r.same(none, r.observation(row, passRepeat, compare.LayerMade, 0)) {
		t.Error("two without a hit are not the same")
	}
}

// TestShorten: what is kept of thousands of repeats is what their judging needs, and what differs is kept whole.
func TestShorten(t *testing.T) {
	for _, c := range []struct {
		why   string
		v     compare.Verdict
		note  bool
		short bool
	}{
		{"preserved", compare.Preserved, false, true},
		{"preserved with a note, which a reader may want to see", compare.Preserved, true, false},
		{"not preserved", compare.Retried, false, false},
	} {
		r, row := tierCap(t)
		s := r.observation(row, passRepeat, c.v, 1)
		if c.note {
			differing(s, "header/via")
		}
		whole := s.probe.answer
		r.shorten(s)
		if short := s.probe.answer.Body == nil; short != c.short || whole.Body == nil {
			t.Errorf("%s: shortened: %v", c.why, short)
		}
	}
}

// TestNoteOf: what the stub says of itself, and where the layer called it besides, are two things.
func TestNoteOf(t *testing.T) {
	own := ledger.Hit{Note: "too many", Served: ledger.Served{Status: http.StatusServiceUnavailable}}
	astray := ledger.Hit{Note: "no such path", Served: ledger.Served{Status: 404}}
	served := ledger.Hit{Note: "two channels", Served: ledger.Served{Status: 429, Fixture: "x"}}
	busy := ledger.Hit{Note: "two channels", Served: ledger.Served{Status: http.StatusServiceUnavailable, Fixture: "x"}}
	for _, c := range []struct {
		why         string
		hits        []ledger.Hit
		own, astray string
	}{
		{"none", nil, "", ""},
		{"both", []ledger.Hit{astray, own}, "too many", "no such path"},
		{"a hit that was served is neither, whatever was noted of it", []ledger.Hit{served, busy}, "", ""},
		{"nothing was noted", []ledger.Hit{{Served: ledger.Served{Status: 503}}}, "", ""},
	} {
		if own, other := noteOf(c.hits, true), noteOf(c.hits, false); own != c.own || other != c.astray {
			t.Errorf("%s: %q and %q", c.why, own, other)
		}
	}
}

// TestAppendRequest: what became of a request's parts, of several arrivals the first that differs.
func TestAppendRequest(t *testing.T) {
	d := &dialects.Dialect{Watched: []dialects.Watched{{Key: "a"}, {Key: "b"}}}
	for _, c := range []struct {
		why     string
		sent    []string
		arrived [][]string
		want    []string
	}{
		{"as sent, twice", []string{"1", "2"}, [][]string{{"1", "2"}, {"1", "2"}}, []string{"a " + asSent, "b " + asSent}},
		{"altered at last", []string{"1", "2"}, [][]string{{"1", "2"}, {"1", "3"}}, []string{"a " + asSent, "b " + different}},
		{"lost", []string{"1", "2"}, [][]string{{"", "2"}}, []string{"b " + asSent}},
		{"lost, then altered", []string{"1", "2"}, [][]string{{"", "2"}, {"9", "2"}}, []string{"b " + asSent}},
		{"altered, then lost", []string{"1", "2"}, [][]string{{"9", "2"}, {"", "2"}}, []string{"a " + different, "b " + asSent}},
		{"the stub noted less than was sent", []string{"1", "2"}, [][]string{{"1"}}, []string{"a " + asSent}},
		{"what was not sent is not missed", []string{"", "2"}, [][]string{{"7", "2"}}, []string{"b " + asSent}},
		{"nothing arrived: nothing is held against it here", []string{"1", "2"}, nil, []string{"a " + asSent, "b " + asSent}},
	} {
		var got []string
		for _, e := range AppendRequest(nil, d, c.sent, c.arrived...) {
			got = append(got, e.Key+" "+e.Value.Text)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (- want, + have):\n%s", c.why, diff)
		}
	}
}

// TestTriage: what is not plain is asked again, in the way that can tell.
func TestTriage(t *testing.T) {
	const again, alone, neither = "again", "alone", ""
	for _, c := range []struct {
		why  string
		hits int
		came func(*runner, Row, *seen)
		want string
	}{
		{"plainly preserved", 1, func(*runner, Row, *seen) {}, neither},
		{"it never reached the stub", 0, func(_ *runner, _ Row, s *seen) { s.own = false }, alone},
		{"it differs", 1, func(_ *runner, _ Row, s *seen) { s.layer = s.layer[1:] }, again},
		{"directly fetched it is not the fixture: asking tells nothing", 1, func(r *runner, row Row, s *seen) { r.directs[row], s.layer = nil, s.layer[1:] }, neither},
		{"nor where the direct answers differ from each other", 1, func(r *runner, row Row, s *seen) { r.dirty[row], s.layer = "status", s.layer[1:] }, neither},
		{"the look saw something else", 1, func(r *runner, row Row, _ *seen) {
			l := r.observation(row, passLook, compare.Preserved, 1)
			l.layer, l.own, l.probe.tag.Nonce = l.layer[1:], true, "one"
			r.seen[row] = append(r.seen[row], l)
		}, again},
		{"the look never came: that is told elsewhere", 1, func(r *runner, row Row, _ *seen) {
			l := r.observation(row, passLook, compare.Preserved, 0)
			l.layer, l.probe.tag.Nonce = l.layer[1:], "none"
			r.seen[row] = append(r.seen[row], l)
		}, neither},
		{"it was not asked in the first pass", 1, func(_ *runner, _ Row, s *seen) { s.pass = passB }, neither},
	} {
		r, row := tierCap(t)
		r.directs[row], r.dirty = r.expected[row], map[Row]string{}
		r.c.Rules = compare.Rules{Profile: compare.ProfileByName("core"), MaxLayerRetries: -1}
		r.c.Hits = book{of: map[string][]ledger.Hit{"n": make([]ledger.Hit, c.hits), "one": make([]ledger.Hit, 1)}}
		s := r.observation(row, passA, compare.Preserved, c.hits)
		s.own, s.probe.tag.Nonce = true, "n"
		r.seen[row] = []*seen{s}
		c.came(r, row, s)
		a, b := r.triage([]Row{row})
		got := neither
		if len(a) > 0 {
			got = again
		}
		if len(b) > 0 {
			got = alone
		}
		if got != c.want || len(a)+len(b) > 1 {
			t.Errorf("%s: %q (%s), want %q", c.why, got, s.judged.Verdict, c.want)
		}
	}
}

// TestDisagreeing: a row is asked alone when its two passes say different things, or the second never came.
func TestDisagreeing(t *testing.T) {
	for _, c := range []struct {
		why  string
		came func(*runner, Row, *seen) // to the second
		none bool                      // there was no second
		want bool
	}{
		{"both the same", func(*runner, Row, *seen) {}, false, false},
		{"the second differs", func(_ *runner, _ Row, s *seen) { s.layer = s.layer[1:] }, false, true},
		{"the second never came", func(_ *runner, _ Row, s *seen) { s.own, s.probe.tag.Nonce = false, "none" }, false, true},
		{"there was no second", nil, true, false},
	} {
		r, row := tierCap(t)
		r.directs[row], r.dirty = r.expected[row], map[Row]string{}
		r.c.Rules = compare.Rules{Profile: compare.ProfileByName("core"), MaxLayerRetries: -1}
		r.c.Hits = book{of: map[string][]ledger.Hit{"n": make([]ledger.Hit, 1)}}
		for _, pass := range []string{passA, passB} {
			s := r.observation(row, pass, compare.Preserved, 1)
			s.own, s.probe.tag.Nonce = true, "n"
			if pass == passB {
				if c.none {
					continue
				}
				c.came(r, row, s)
			}
			r.seen[row] = append(r.seen[row], s)
		}
		if got := len(r.disagreeing([]Row{row})) > 0; got != c.want {
			t.Errorf("%s: %v", c.why, got)
		}
	}
}

// TestPaceAtTheEdges: a third of the pause is enough, and so is a beginning that came before the rest was sent.
func TestPaceAtTheEdges(t *testing.T) {
	begin := time.Unix(100, 0)
	at := func(ms int) time.Time { return begin.Add(time.Duration(ms) * time.Millisecond) }
	for _, c := range []struct {
		why    string
		paused time.Duration
		body   time.Time
		last   int
		rest   int // when the stub sent the rest; before 0: it never noted that
		want   wire.Pace
	}{
		{"the stub made no pause", 0, at(0), 900, 900, ""},
		{"no body came", 600 * time.Millisecond, time.Time{}, 0, 500, ""},
		{"the whole pause", 600 * time.Millisecond, at(0), 600, -1, wire.AsSent},
		{"a third of it", 600 * time.Millisecond, at(0), 200, -1, wire.AsSent},
		{"less than that", 600 * time.Millisecond, at(0), 199, -1, wire.AtOnce},
		{"less, but the rest was sent later than the beginning came", 600 * time.Millisecond, at(0), 100, 50, wire.AsSent},
		{"at the same moment proves nothing", 600 * time.Millisecond, at(0), 100, 0, wire.AtOnce},
	} {
		p := probe{paused: c.paused, answer: &wire.Answer{BodyAt: c.body, LastAt: at(c.last)}}
		var hit ledger.Hit
		if c.rest >= 0 {
			hit.Served.RestAt = at(c.rest)
		}
		if got := p.pace([]ledger.Hit{hit}); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}
