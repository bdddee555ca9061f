package controls

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/record"
)

// told of a whole run.
func ran(change func(*record.Document)) *record.Document {
	d := &record.Document{Rows: []record.Row{{Row: "tier_cap", Mode: "plain", Asked: dialects.Anthropic.Name, Verdict: "preserved", HitsMax: 1, Provenance: string(compare.OwnHit)}}}
	d.Result.Exit = compare.ExitFail
	change(d)
	return d
}

// TestWholeRunsAreSettled: what a run's record has to say of a fault, and what it must not.
func TestWholeRunsAreSettled(t *testing.T) {
	finding := func(kind string, fails bool) func(*record.Document) {
		return func(d *record.Document) { d.Findings = []record.Finding{{Kind: kind, Fails: fails, Text: "t"}} }
	}
	both := func(f, g func(*record.Document)) func(*record.Document) {
		return func(d *record.Document) { f(d); g(d) }
	}
	row := func(change func(*record.Row)) func(*record.Document) {
		return func(d *record.Document) { change(&d.Rows[0]) }
	}
	lost := []record.Field{{Key: "error/details", Dir: "lost"}, {Key: "body/type"}}
	status := []record.Field{{Key: "status", Dir: "changed"}}
	for _, c := range []struct {
		why    string
		fault  *Fault
		change func(*record.Document)
		wrong  []string
	}{
		{"the finding fails the run", cooldown, finding("layer-state", true), nil},
		{"another finding", cooldown, finding("cached", true), []string{"no finding layer-state"}},
		{"it does not fail", cooldown, finding("layer-state", false), []string{"no finding layer-state"}},
		{"it is one of two", cooldown, func(d *record.Document) {
			d.Findings = []record.Finding{{Kind: "layer-state", Fails: true}, {Kind: "cached"}}
		}, nil},
		{"the run passes", cooldown, both(finding("layer-state", true), func(d *record.Document) { d.Result.Exit = compare.ExitPass }), []string{"the run passed"}},
		{"a row that reached the stub is blamed", cooldown, both(finding("layer-state", true), row(func(r *record.Row) { r.Fields = lost })), []string{"tier_cap (plain) reported as preserved: error/details lost"}},
		{"one whose id did not survive, too", cooldown, both(finding("layer-state", true), row(func(r *record.Row) { r.Fields, r.Provenance = lost, string(compare.Attributed) })), []string{"tier_cap (plain) reported as preserved: error/details lost"}},
		{"one that did not reach it is not", cooldown, both(finding("layer-state", true), row(func(r *record.Row) { r.Fields, r.Provenance = lost, string(compare.NoHit) })), nil},
		{"an intermittent fault shows in a row", flaky, both(finding("intermittent", true), row(func(r *record.Row) { r.Fields = status })), nil},
		{"but not in another key", flaky, both(finding("intermittent", true), row(func(r *record.Row) { r.Fields = lost })), []string{"tier_cap (plain) reported as preserved: error/details lost"}},
		{"nor in a row that nobody knows", flaky, both(finding("intermittent", true), row(func(r *record.Row) { r.Fields, r.Row = status, "no such" })), []string{"no such (plain) reported as preserved: status changed"}},
		{"an answer of the layer's own has its verdict", cooldown, both(finding("layer-state", true), row(func(r *record.Row) {
			r.Observations = []record.Observation{{Provenance: string(compare.NoHit), Verdict: "layer-made"}, {Provenance: string(compare.OtherHit), Verdict: "inconclusive"}, {Provenance: string(compare.OwnHit), Verdict: "changed"}}
		})), nil},
		{"an answer of the layer's own is called something else", cooldown, both(finding("layer-state", true), row(func(r *record.Row) {
			r.Observations = []record.Observation{{Provenance: string(compare.NoHit), Verdict: "preserved"}, {Provenance: string(compare.OtherHit), Verdict: "layer-made"}}
		})), []string{"whose answer came from none, was called preserved", "whose answer came from other-hit, was called layer-made"}},
		{"each row shows what is declared", dropDetails, row(func(r *record.Row) { r.Fields, r.Verdict = lost, "reclassified" }), nil},
		{"one shows nothing", dropDetails, row(func(r *record.Row) { r.Verdict = "reclassified" }), []string{"had to show [error/details lost] and showed []"}},
		{"one shows more", dropDetails, row(func(r *record.Row) { r.Fields, r.Verdict = slices.Concat(lost, status), "reclassified" }), []string{"showed [error/details lost status changed]"}},
		{"another verdict", dropDetails, row(func(r *record.Row) { r.Fields, r.Verdict = lost, "changed" }), []string{"had to be reclassified and was changed"}},
		{"of a row that is none of the article's it is not asked", identity, row(func(r *record.Row) { r.Row, r.Mode, r.Verdict = fixture.Paced, "stream", "changed" }), nil},
		{"a finding besides", identity, finding("slept", false), []string{"a finding besides: slept: t"}},
		{"hits", retryTwice, row(func(r *record.Row) { r.HitsMax, r.Verdict = 3, "retried" }), nil},
		{"one hit too few", retryTwice, row(func(r *record.Row) { r.HitsMax, r.Verdict = 2, "retried" }), []string{"had to show [hits 3] and showed [hits 2]"}},
	} {
		p := newProver(input(t, "core", bothModes...), []*Fault{c.fault})
		p.settle(c.fault, ran(c.change), "where")
		want := record.Control{Name: c.fault.Name, Why: c.fault.Why, Pairs: 1, Exact: 1}
		if len(c.wrong) > 0 {
			want.Exact, want.Missed = 0, 1
		}
		if got := *p.tally[c.fault]; fmt.Sprint(got) != fmt.Sprint(want) || p.pairs != 1 || p.exact != want.Exact {
			t.Errorf("%s: %+v, %d of %d in all", c.why, got, p.exact, p.pairs)
		}
		if len(p.missed) != len(c.wrong) {
			t.Errorf("%s: %q, want %q", c.why, p.missed, c.wrong)
			continue
		}
		for i, w := range c.wrong {
			if !strings.Contains(p.missed[i], w) || !strings.HasPrefix(p.missed[i], "where: ") {
				t.Errorf("%s: %q, want %q", c.why, p.missed[i], w)
			}
		}
	}
}

// TestRunsThatSayNothing: a run that did not take place proves nothing, and is no pair.
func TestRunsThatSayNothing(t *testing.T) {
	for _, c := range []struct {
		change func(*record.Document)
		want   string
	}{
		{func(d *record.Document) { d.NotReady = "no canary" }, "where: no canary"},
		{func(d *record.Document) { d.Incomplete, d.Result.Why = true, "interrupted" }, "where: interrupted"},
	} {
		p := bare(identity)
		if p.settle(identity, ran(c.change), "where"); p.pairs != 0 || p.tally[identity].Pairs != 0 || !slices.Equal(p.missed, []string{c.want}) {
			t.Errorf("%d pairs, missed %q, want %q", p.pairs, p.missed, c.want)
		}
	}
}

// TestNoRun: what can't be run is told, and is no pair.
func TestNoRun(t *testing.T) {
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	nobody := &Fault{Name: "no such", Want: nothing}
	for _, c := range []struct {
		why   string
		ctx   context.Context
		fault *Fault
		want  string
	}{
		{"interrupted", stopped, identity, "the proof was interrupted"},
		{"a layer that does not start", t.Context(), nobody, `control no such over sockets, channel auto, mode [plain]: no control is called "no such"`},
	} {
		p := newProver(input(t, "core", fixture.Plain), []*Fault{c.fault})
		if p.deliver(c.ctx, c.fault, "auto", []fixture.Mode{fixture.Plain}); p.pairs != 0 || !slices.Equal(p.missed, []string{c.want}) {
			t.Errorf("%s: %d pairs, missed %q", c.why, p.pairs, p.missed)
		}
	}
}

// TestRowsOfWholeRuns: the article's, and one that the fault touches where it touches none of these.
func TestRowsOfWholeRuns(t *testing.T) {
	in := input(t, "core", bothModes...)
	ten := len(rowsOf(in, bothModes))
	for _, c := range []struct {
		why   string
		fault *Fault
		more  int
	}{
		{"it touches the article's", dropDetails, 0},
		{"by its hits", retryTwice, 0},
		{"it has a finding and touches none", cooldown, 0},
		{"it touches an error inside a stream alone", swallowStreamError, 1},
	} {
		p := newProver(in, []*Fault{c.fault})
		rows := p.deliveredRows(c.fault, bothModes)
		if len(rows) != ten+c.more {
			t.Errorf("%s: %d rows, want %d", c.why, len(rows), ten+c.more)
		}
		for _, r := range rows[ten:] {
			if r.Dialect != dialects.Anthropic || r.Fixture.Dialect != r.Dialect.Name || !r.Fixture.In(r.Mode) || r.Mode != fixture.Stream || !c.fault.touches(p.in.subject(r).seen) {
				t.Errorf("%s: %s (%s)", c.why, r.Fixture.Name, r.Mode)
			}
		}
	}
}

// TestRowsOfAnotherProtocol: a row is one of the protocol that is asked in, and in a mode that it has.
func TestRowsOfAnotherProtocol(t *testing.T) {
	in := input(t, "core", bothModes...)
	f := &Fault{Name: "f", Want: func(r Seen) []Sight {
		if r.has("status") {
			return []Sight{{"status", evidence.Changed}}
		}
		return nil
	}}
	in.Matrix = &fixture.Matrix{Rows: append(chat(t, in), in.Matrix.Get(fixture.Paced))}
	var have []string
	for _, r := range newProver(in, []*Fault{f}).deliveredRows(f, bothModes) {
		have = append(have, r.Fixture.Name+" "+string(r.Mode))
	}
	if want := []string{fixture.Paced + " stream"}; !slices.Equal(have, want) {
		t.Errorf("%q, want %q", have, want)
	}
}

// chat are the rows of another protocol.
func chat(t *testing.T, in Input) (rows []*fixture.Fixture) {
	t.Helper()
	for _, f := range in.Matrix.Rows {
		if f.Dialect == dialects.OpenAIChat.Name {
			rows = append(rows, f)
		}
	}
	if len(rows) == 0 {
		t.Fatal("there is none")
	}
	return rows
}

// TestTouches: a fault touches a row by what it shows, or by its hits.
func TestTouches(t *testing.T) {
	s := made(jsonError(429, envelope), dialects.Anthropic).seen
	shows := func(Seen) []Sight { return []Sight{{"status", evidence.Changed}} }
	hits := func(n int) func(Seen) int { return func(Seen) int { return n } }
	for _, c := range []struct {
		why   string
		fault Fault
		want  bool
	}{
		{"it shows something", Fault{Want: shows}, true},
		{"it shows nothing", Fault{Want: nothing}, false},
		{"one hit", Fault{Want: nothing, Hits: hits(1)}, false},
		{"two hits", Fault{Want: nothing, Hits: hits(2)}, true},
		{"no hit", Fault{Want: nothing, Hits: hits(0)}, true},
		{"something, by one hit", Fault{Want: shows, Hits: hits(1)}, true},
	} {
		if got := c.fault.touches(s); got != c.want {
			t.Errorf("%s: %v", c.why, got)
		}
	}
}

// TestOneFaultOfEachMechanism: the first of each, in order.
func TestOneFaultOfEachMechanism(t *testing.T) {
	want := []Mechanism{Nothing, OfBody, OfStatus, OfEvent, OfHeader, OfEnd, OfRetry, OfRequest, LayerMade, OfMemory}
	var have []Mechanism
	for _, f := range onePerMechanism() {
		have = append(have, f.Mechanism)
		if i := slices.IndexFunc(All(), func(o *Fault) bool { return o.Mechanism == f.Mechanism }); All()[i] != f {
			t.Errorf("%s is not the first of %s", f.Name, f.Mechanism)
		}
	}
	if !slices.Equal(have, want) {
		t.Errorf("%q, want %q", have, want)
	}
}

// TestVerdictsThatAreExpected: the oracle's word on a row, from the fixture and the changed answer.
func TestVerdictsThatAreExpected(t *testing.T) {
	in := input(t, "core", bothModes...)
	subject := func(name string) *subject {
		s := in.subject(check.Row{Fixture: in.Matrix.Get(name), Mode: fixture.Plain, Dialect: dialects.Anthropic})
		return &s
	}
	decides, notes := []Sight{{"status", evidence.Changed}}, []Sight{{"header/x-y", evidence.Invented}}
	for _, c := range []struct {
		why     string
		row     string
		profile string
		retries int
		breaks  bool
		sights  []Sight
		hits    int
		want    compare.Verdict
	}{
		{"nothing", "rate_limit", "core", -1, false, nil, 1, compare.Preserved},
		{"a note", "rate_limit", "core", -1, false, notes, 1, compare.Preserved},
		{"a key that decides", "rate_limit", "core", -1, false, decides, 1, compare.Different},
		{"no client can use it", "rate_limit", "core", -1, true, decides, 1, compare.Broken},
		{"a fault that breaks, on a row that it can't touch", "rate_limit", "core", -1, true, nil, 1, compare.Preserved},
		{"more hits than one of a class that may be sent again", "rate_limit", "core", -1, false, nil, 9, compare.Preserved},
		{"and of one that may not", "tier_cap", "core", -1, false, nil, 2, compare.Retried},
		{"under a profile that wants one", "rate_limit", "full", -1, false, nil, 2, compare.Retried},
		{"as many as are allowed", "tier_cap", "core", 1, false, nil, 2, compare.Preserved},
		{"one more", "tier_cap", "core", 1, false, nil, 3, compare.Retried},
		{"none is allowed", "rate_limit", "core", 0, false, nil, 2, compare.Retried},
		{"none is allowed, and none came", "rate_limit", "core", 0, false, nil, 1, compare.Preserved},
		{"what decides goes before hits", "tier_cap", "core", -1, false, decides, 2, compare.Different},
	} {
		p := &prover{in: in}
		p.in.Rules.Profile, p.in.Rules.MaxLayerRetries = compare.ProfileByName(c.profile), c.retries
		s := subject(c.row)
		if got := p.expectedVerdict(&Fault{Breaks: c.breaks}, s, s.expected, c.sights, c.hits); got != c.want {
			t.Errorf("%s: %s, want %s", c.why, got, c.want)
		}
	}
	p, s := &prover{in: in}, subject("tier_cap")
	changed := s.expected.Clone()
	changed.Status = 500
	if got := p.expectedVerdict(&Fault{}, s, changed, decides, 1); got != compare.Reclassified {
		t.Errorf("another class: %s", got)
	}
	changed.Body = append([]byte("data: "), changed.Body...)
	if got := p.expectedVerdict(&Fault{}, s, changed, decides, 1); got != compare.Different {
		t.Errorf("an event, of which the article's classifier knows nothing: %s", got)
	}
}

// TestOracle: the article's classes, case by case.
func TestOracle(t *testing.T) {
	limit := func(rest string) string {
		return `{"error":{"type":"rate_limit_error"` + rest + `}}`
	}
	const invalid = `{"error":{"type":"invalid_request_error","message":"`
	for _, c := range []struct {
		status int
		body   string
		wait   bool
		want   string
	}{
		{429, "no JSON", true, "unknown_429"},
		{429, "{}", true, "unknown_429"},
		{429, `{"error":"text"}`, true, "unknown_429"},
		{500, "no JSON", true, "other"},
		{429, `{"error":{"type":"other_error"}}`, true, "unknown_429"},
		{429, limit(""), true, "rate_limit"},
		{429, limit(""), false, "unknown_429"},
		{429, limit(`,"details":null`), true, "rate_limit"},
		{429, limit(`,"details":{}`), true, "rate_limit"},
		{429, limit(`,"details":"text"`), true, "unknown_429"},
		{429, limit(`,"details":{"error_code":"enforced_spend_limit_reached"}`), true, "tier_spend_cap"},
		{429, limit(`,"details":{"error_code":"ramp_limit_exceeded"}`), true, "ramp_limit"},
		{429, limit(`,"details":{"error_code":"another"}`), true, "unknown_429"},
		{400, limit(""), true, "other"},
		{400, invalid + `You have reached your specified API usage limits."}}`, true, "user_spend_limit"},
		{400, invalid + `You have reached your specified workspace API usage limits."}}`, true, "user_spend_limit"},
		{400, invalid + `You have reached"}}`, true, "invalid_request"},
		{400, `{"error":{"type":"other_error","message":"You have reached your specified API usage limits"}}`, true, "other"},
		{401, invalid + `You have reached your specified API usage limits."}}`, true, "other"},
	} {
		a := jsonError(c.status, c.body)
		if c.wait {
			addHeader(a, "retry-after", "1")
		}
		if got := oracle(a); got != c.want {
			t.Errorf("%d %s (wait %v): %s, want %s", c.status, c.body, c.wait, got, c.want)
		}
	}
}

// TestHeadersThatAProfileReads: one that stands once, as its text.
func TestHeadersThatAProfileReads(t *testing.T) {
	a := answer(200, "", "x-a", "1", "x-b", "1", "x-b", "2")
	for key, want := range map[string]evidence.Value{"header/x-a": {Kind: evidence.Text, Text: "1"}, "header/x-b": {}, "header/x-c": {}, "x-a": {}} {
		if got := inHeader(a, key); got != want {
			t.Errorf("%s: %v", key, got)
		}
	}
}
