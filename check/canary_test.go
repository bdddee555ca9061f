package check

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/wire"
)

// TestCanarySays: what one canary tells of a layer that is not ready.
func TestCanarySays(t *testing.T) {
	stray := func(ch ...ledger.Channel) []ledger.Hit { return []ledger.Hit{{Channels: ch, From: "127.0.0.1:1"}} }
	end := func(e wire.End) *probe { return &probe{answer: &wire.Answer{End: e}} }
	from := func(local string) *probe { return &probe{answer: &wire.Answer{Local: local}} }
	for _, c := range []struct {
		why                       string
		can                       canary
		connected, self, provider bool
		next                      ledger.Channel
	}{
		{"refused", canary{probe: end(wire.EndRefused)}, false, false, false, ""},
		{"this machine could not ask", canary{probe: end(wire.EndLocal)}, false, false, false, ""},
		{"it hung", canary{probe: end(wire.EndTimeout)}, true, false, false, ""},
		{"a success from elsewhere", canary{probe: from("127.0.0.1:9"), class: classify.OK}, true, false, true, ""},
		{"a failure from elsewhere", canary{probe: from("127.0.0.1:9"), class: classify.ServerError}, true, false, false, ""},
		{"a success with a hit", canary{probe: from("127.0.0.1:9"), class: classify.OK, hits: stray()}, true, false, false, ""},
		{"a success while the stub was called without a tag", canary{probe: from("127.0.0.1:9"), class: classify.OK, stray: stray()}, true, false, false, ledger.Armed},
		{"the model came, without a tag", canary{probe: from("x"), stray: stray(ledger.Path, ledger.Model)}, true, false, false, ledger.Model},
		{"the path came", canary{probe: from("x"), stray: stray(ledger.Path)}, true, false, false, ledger.Path},
		{"a hit of its own needs no other channel", canary{probe: from("x"), hits: stray(), stray: stray(ledger.Path)}, true, false, false, ""},
		{"the stub was called from our own socket", canary{probe: from("127.0.0.1:1"), hits: stray()}, true, true, false, ""},
		{"the same, without its tag", canary{probe: from("127.0.0.1:1"), stray: stray(ledger.Path)}, true, true, false, ledger.Path},
		{"a way in memory has no socket", canary{probe: from(""), hits: []ledger.Hit{{}}}, true, false, false, ""},
	} {
		if got := c.can.connected(); got != c.connected {
			t.Errorf("%s: connected %v", c.why, got)
		}
		if got := c.can.self(); got != c.self {
			t.Errorf("%s: the stub itself %v", c.why, got)
		}
		if got := c.can.realProvider(); got != c.provider {
			t.Errorf("%s: a real provider %v", c.why, got)
		}
		if got := c.can.rowOnly(); got != c.next {
			t.Errorf("%s: next channel %q", c.why, got)
		}
	}
}

// TestGivenUp: a canary that was cut off by the end of the wait says nothing, one that hung by itself does.
func TestGivenUp(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		why  string
		end  wire.End
		over bool
		want bool
	}{
		{"the run was ended", wire.EndCanceled, false, true},
		{"it hung until the end of the wait", wire.EndTimeout, true, true},
		{"it hung until its own deadline", wire.EndTimeout, false, false},
		{"it was refused, and then the wait was over", wire.EndRefused, true, false},
	} {
		ctx := t.Context()
		if c.over {
			ctx = ended
		}
		can := canary{probe: &probe{answer: &wire.Answer{End: c.end}}}
		if got := can.givenUp(ctx); got != c.want {
			t.Errorf("%s: %v", c.why, got)
		}
	}
}

// TestWanted: which channels are sent, and whether one of them decides without having been seen to arrive.
func TestWanted(t *testing.T) {
	for _, c := range []struct {
		why, channel, model string
		send                string
		decides             ledger.Channel
	}{
		{"by itself it tries those that carry a whole tag", "auto", "m", "marker header", ""},
		{"and the model, where its name may hold the row", "auto", "m-{fixture}", "marker header model", ""},
		{"one of them alone", "marker", "m-{fixture}", "marker", ""},
		{"a header", "header", "m", "header", ""},
		{"what carries only the row is believed", "model", "m-{fixture}", "model", ledger.Model},
		{"the path as well", "path", "m", "path", ledger.Path},
		{"and what carries nothing", "armed", "m", "armed", ledger.Armed},
	} {
		got := (&Route{Channel: c.channel, Model: c.model}).wanted()
		var send []string
		for _, ch := range got.send {
			send = append(send, string(ch))
		}
		if strings.Join(send, " ") != c.send || got.decides != c.decides {
			t.Errorf("%s: %v, decides %q", c.why, got.send, got.decides)
		}
	}
}

// TestBestChannel: of those that arrived the one that carries most decides.
func TestBestChannel(t *testing.T) {
	for _, c := range []struct {
		why     string
		arrived []ledger.Channel
		chosen  ledger.Channel
		want    ledger.Channel
	}{
		{"all", []ledger.Channel{ledger.Path, ledger.Model, ledger.Header, ledger.Marker}, "", ledger.Marker},
		{"the prompt was rewritten", []ledger.Channel{ledger.Path, ledger.Model, ledger.Header}, "", ledger.Header},
		{"headers were lost as well", []ledger.Channel{ledger.Path, ledger.Model}, "", ledger.Model},
		{"the user said which", []ledger.Channel{ledger.Marker}, ledger.Path, ledger.Path},
	} {
		r, row := tierCap(t)
		r.channel = map[lane]channels{}
		r.settleChannel(row.lane(), channels{decides: c.chosen}, canary{probe: &probe{answer: &wire.Answer{}}, hits: []ledger.Hit{{Channels: c.arrived}}})
		if got := r.channel[row.lane()].decides; got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

// TestArmAll: one lane that carries nothing makes the others do the same, but for those whose tags are whole.
func TestArmAll(t *testing.T) {
	a, b, m := lane{route: "a"}, lane{route: "b"}, lane{route: "m"}
	for _, c := range []struct {
		why  string
		of   ledger.Channel // of lane a
		want ledger.Channel // of lane b, which goes by the model
	}{
		{"one is armed", ledger.Armed, ledger.Armed},
		{"none is", ledger.Path, ledger.Model},
	} {
		r := &runner{turns: turns{rows: map[string]*turn{}}, channel: map[lane]channels{a: {decides: c.of}, b: {decides: ledger.Model}, m: {decides: ledger.Marker}}}
		r.armAll()
		if r.channel[a].decides != c.of || r.channel[b].decides != c.want || r.channel[m].decides != ledger.Marker {
			t.Errorf("%s: %v", c.why, r.channel)
		}
	}
}

// TestSlot: requests leave no closer than the rate allows, and time that went by unused is not made up for.
func TestSlot(t *testing.T) {
	tr := traffic{}
	for range 2 {
		if wait := tr.slot(0); wait != 0 {
			t.Errorf("without a rate: %s", wait)
		}
	}
	first, second, third := tr.slot(0.01), tr.slot(0.01), tr.slot(0.01)
	if first != 0 || second < 99*time.Second || second > 100*time.Second || third < 199*time.Second {
		t.Errorf("one in 100 s: %s, %s, %s", first, second, third)
	}
	idle := traffic{next: time.Now().Add(-time.Hour)}
	if first, second := idle.slot(0.01), idle.slot(0.01); first != 0 || second < 99*time.Second {
		t.Errorf("after an hour without any: %s, %s", first, second)
	}
}

// TestCrowd: two that are under way at once know it, whichever came first; one that is alone does not.
func TestCrowd(t *testing.T) {
	tr := traffic{active: map[*probe]bool{}}
	a, b, alone := &probe{}, &probe{}, &probe{}
	if n := tr.enter(a); n != 1 {
		t.Errorf("the first has the number %d", n)
	}
	tr.enter(b)
	tr.leave(a)
	tr.leave(b)
	if n := tr.enter(alone); n != 3 || !a.crowded || !b.crowded || alone.crowded {
		t.Errorf("number %d, crowded %v %v %v", n, a.crowded, b.crowded, alone.crowded)
	}
}

// slow is an observation that took so long.
func (r *runner) slow(row Row, d time.Duration) *seen {
	s := r.observation(row, passAlone, compare.Preserved, 1)
	s.probe.answer.SentAt = time.Unix(100, 0)
	s.probe.answer.DoneAt = s.probe.answer.SentAt.Add(d)
	return s
}

// TestSleepy: what a layer adds to an answer is measured against what the stub itself takes.
func TestSleepy(t *testing.T) {
	for _, c := range []struct {
		why      string
		took     time.Duration
		direct   time.Duration
		allowed  time.Duration
		profile  string
		canary   time.Duration
		change   func(Row, *seen)
		finding  bool
		mentions bool // beside the row, whatever is allowed
	}{
		{"no more than is allowed", 3 * time.Second, 0, 3 * time.Second, "core", 0, nil, false, true},
		{"more", 3*time.Second + 1, 0, 3 * time.Second, "core", 0, nil, true, true},
		{"the stub took as long", 4 * time.Second, time.Second, 3 * time.Second, "core", 0, nil, false, true},
		{"core allows any", time.Hour, 0, 0, "core", 0, nil, false, true},
		{"full allows what no client notices", patienceOfFull, 0, 0, "full", 0, nil, false, false},
		{"and no more", patienceOfFull + 1, 0, 0, "full", 0, nil, true, true},
		{"above what a canary takes", patienceOfFull + 1, 0, 0, "full", time.Second, nil, false, false},
		{"a broken answer is told as that", time.Hour, 0, time.Second, "core", 0, func(_ Row, s *seen) { s.judged.Verdict = compare.Broken }, false, false},
		{"nobody waits for a row that fails", time.Hour, 0, time.Second, "core", 0, func(row Row, _ *seen) { row.Fixture.ExpectFailure = true }, false, false},
	} {
		r, row := tierCap(t)
		f := *row.Fixture
		row.Fixture = &f
		r.c.Rows = []Row{row}
		r.c.MaxLayerWait, r.c.Rules.Profile, r.canaryTime = c.allowed, compare.ProfileByName(c.profile), c.canary
		r.directTime = map[Row]time.Duration{row: c.direct}
		s := r.slow(row, c.took)
		if c.change != nil {
			c.change(row, s)
		}
		r.seen[row] = []*seen{s}
		if got := r.sleepy(); (len(got) > 0) != c.finding {
			t.Errorf("%s: %+v", c.why, got)
		}
		if got := r.waited(row, s); (got != "") != c.mentions {
			t.Errorf("%s: %q", c.why, got)
		}
	}
}

// TestLongestGap: late hits are waited for as long as the layer's own retries suggest.
func TestLongestGap(t *testing.T) {
	r, row := tierCap(t)
	at := func(ms int) ledger.Hit {
		return ledger.Hit{At: time.Unix(100, 0).Add(time.Duration(ms) * time.Millisecond)}
	}
	r.c.Hits = book{of: map[string][]ledger.Hit{"one": {at(0)}, "many": {at(0), at(10), at(70), at(90)}}}
	s := r.observation(row, passAlone, compare.Preserved, 0)
	r.seen[row] = []*seen{s}
	s.probe.tag.Nonce = "one"
	if gap := r.longestGap(); gap != 0 {
		t.Errorf("of one hit: %s", gap)
	}
	s.probe.tag.Nonce = "many"
	if gap := r.longestGap(); gap != 60*time.Millisecond {
		t.Errorf("of many: %s", gap)
	}
}

// TestUnstreamed: rows of a lane say less where the layer asks its upstream for a whole answer.
func TestUnstreamed(t *testing.T) {
	for _, c := range []struct {
		why  string
		mode fixture.Mode
		hits []ledger.Hit
		more int
		want string
	}{
		{"it asked for a stream", fixture.Stream, []ledger.Hit{{Stream: true}}, 0, ""},
		{"it did not", fixture.Stream, []ledger.Hit{{}}, 0, "in 1 of 1 requests"},
		{"nor any of those that were folded", fixture.Stream, []ledger.Hit{{}}, 4, "in 5 of 5 requests"},
		{"no stream was asked of it", fixture.Plain, []ledger.Hit{{}}, 0, ""},
		{"it did not ask at all", fixture.Stream, nil, 0, ""},
	} {
		r, row := tierCap(t)
		row.Mode = c.mode
		r.c.Rows = []Row{row}
		r.seen[row] = []*seen{{row: row, hits: c.hits, more: c.more}}
		if got := strings.Join(r.unstreamed(), "\n"); !strings.Contains(got, c.want) || (c.want == "") != (got == "") {
			t.Errorf("%s: %q", c.why, got)
		}
	}
}

// TestModels: at the end each model that was asked for is looked at once, since a layer may have shut out one.
func TestModels(t *testing.T) {
	m, err := fixture.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	of := func(name string, mode fixture.Mode) Row {
		return Row{Fixture: m.Get(name), Mode: mode, Dialect: dialects.Anthropic}
	}
	a, b, stream := of("tier_cap", fixture.Plain), of("rate_limit", fixture.Plain), of("tier_cap", fixture.Stream)
	canary := m.Canary("anthropic", fixture.Plain).Name
	for _, c := range []struct {
		why     string
		model   string
		decides ledger.Channel
		rows    []Row
		want    []string
	}{
		{"a model for each row", "m-{fixture}", ledger.Marker, []Row{a, b}, []string{"m-tier_cap", "m-rate_limit"}},
		{"the same row again asks for nothing new", "m-{fixture}", ledger.Marker, []Row{a, a}, []string{"m-tier_cap"}},
		{"another lane does", "m-{fixture}", ledger.Marker, []Row{a, stream}, []string{"m-tier_cap", "m-tier_cap"}},
		{"one model for all", "m", ledger.Marker, []Row{a, b}, []string{"m"}},
		{"the model is the channel: another row's would name that row", "m-{fixture}", ledger.Model, []Row{a, b}, []string{"m-" + canary}},
		{"nothing is the channel", "m-{fixture}", ledger.Armed, []Row{a, b}, []string{"m-tier_cap", "m-rate_limit"}},
	} {
		r := &runner{c: Config{Matrix: m}, routes: map[string]*Route{"": {Model: c.model}}, channel: map[lane]channels{a.lane(): {decides: c.decides}, stream.lane(): {decides: c.decides}}}
		var got []string
		for _, l := range r.models(c.rows) {
			got = append(got, l.model)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.why, got, c.want)
		}
	}
}

// TestOrderOfRows: rows that are asked alone keep the matrix's order, each once.
func TestOrderOfRows(t *testing.T) {
	a, b, c := Row{Route: "a"}, Row{Route: "b"}, Row{Route: "c"}
	if got := inOrder([]Row{a, b, c}, []Row{c, a, c}); !slices.Equal(got, []Row{a, c}) {
		t.Errorf("%v", got)
	}
	if got := firsts([]Row{a, b, a}); !slices.Equal(got, []Row{a, b}) {
		t.Errorf("the first of each lane: %v", got)
	}
}

// TestDeadlineOf: a row's own deadline is one, and no other.
func TestDeadlineOf(t *testing.T) {
	m, err := fixture.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	r := &runner{c: Config{Matrix: m, Timeout: time.Minute}}
	own := 0
	for _, f := range m.Rows {
		want := time.Minute
		if f.Deadline > 0 {
			want, own = f.Deadline, own+1
		}
		if got := r.deadlineOf(f.Name); got != want {
			t.Errorf("%s: %s, want %s", f.Name, got, want)
		}
	}
	if own == 0 || r.deadlineOf("no such row") != time.Minute {
		t.Errorf("%d rows have their own; one that nobody knows has %s", own, r.deadlineOf("no such row"))
	}
}
