package controls

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/wire"
)

const envelope = `{"type":"error","error":{"type":"rate_limit_error","message":"m"}}`

// TestPairsAreCounted: each pair once, as what it was.
func TestPairsAreCounted(t *testing.T) {
	f := &Fault{Name: "f", Mechanism: OfBody, Want: inJSON("error/message", evidence.Changed)}
	honest := &Fault{Name: "h", Mechanism: Nothing, Want: nothing}
	hits := &Fault{Name: "r", Mechanism: OfRetry, Want: nothing, Hits: func(Seen) int { return 3 }}
	once := &Fault{Name: "o", Mechanism: OfRetry, Want: nothing, Hits: func(Seen) int { return 1 }}
	for _, c := range []struct {
		why      string
		fault    *Fault
		answer   *wire.Answer
		had, did []string
		want     record.Control
		missed   string
	}{
		{"caught exactly", f, jsonError(429, envelope), []string{"a", "b"}, []string{"a", "b"}, record.Control{Pairs: 1, Exact: 1, Had: []string{"a", "b"}, Did: []string{"a", "b"}}, ""},
		{"caught with extra", f, jsonError(429, envelope), []string{"a"}, []string{"a", "b"}, record.Control{Pairs: 1, Extra: 1, Had: []string{"a"}, Did: []string{"a", "b"}}, ": reported b besides"},
		{"missed", f, jsonError(429, envelope), []string{"a", "b"}, []string{"b"}, record.Control{Pairs: 1, Missed: 1, Had: []string{"a", "b"}, Did: []string{"b"}}, ": missed a"},
		{"missed, with extra", f, jsonError(429, envelope), []string{"a"}, []string{"b"}, record.Control{Pairs: 1, Missed: 1, Had: []string{"a"}, Did: []string{"b"}}, ": missed a, reported b besides"},
		{"can't touch", f, jsonError(429, "{}"), nil, nil, record.Control{Untouched: 1}, ""},
		{"can't touch, and is seen all the same", f, jsonError(429, "{}"), nil, []string{"a"}, record.Control{Untouched: 1, Extra: 1, Did: []string{"a"}}, ": reported a besides"},
		{"the honest layer applies everywhere", honest, jsonError(429, "{}"), nil, nil, record.Control{Pairs: 1, Exact: 1}, ""},
		{"more hits are a touch", hits, jsonError(429, "{}"), nil, nil, record.Control{Pairs: 1, Exact: 1}, ""},
		{"one hit is none", once, jsonError(429, "{}"), nil, nil, record.Control{Untouched: 1}, ""},
	} {
		p, s := bare(c.fault), made(c.answer, dialects.Anthropic)
		p.count(c.fault, &s, c.had, c.did)
		c.want.Name = c.fault.Name
		if got := *p.tally[c.fault]; !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.why, got, c.want)
		}
		if p.pairs != c.want.Pairs || p.exact != c.want.Exact {
			t.Errorf("%s: %d of %d in all", c.why, p.exact, p.pairs)
		}
		if all := strings.Join(p.missed, "\n"); c.missed == "" && all != "" || !strings.HasSuffix(all, c.missed) || len(p.missed) > 1 {
			t.Errorf("%s: %q, want %q", c.why, all, c.missed)
		}
		p.count(c.fault, &s, c.had, c.did)
		if got := p.tally[c.fault]; !slices.Equal(got.Had, c.want.Had) || !slices.Equal(got.Did, c.want.Did) {
			t.Errorf("%s: twice %q and %q", c.why, got.Had, got.Did)
		}
	}
}

// TestMutantsAreCounted: what is none of a single key, and kinds that a row has none of, are rows that can't be touched.
func TestMutantsAreCounted(t *testing.T) {
	p := bare(mutantKinds()...)
	p.rows = []subject{made(&wire.Answer{End: wire.EndReset}, dialects.Anthropic)}
	p.mutate(t.Context(), middle)
	for _, k := range mutantKinds() {
		want := record.Control{Name: k.Name, Why: k.Why, Untouched: 1}
		if k == mutantAltered { // how it ended
			want = record.Control{Name: k.Name, Why: k.Why, Pairs: 1, Exact: 1}
		}
		if got := *p.tally[k]; !reflect.DeepEqual(got, want) {
			t.Errorf("no answer: %+v", got)
		}
	}
	p = bare(mutantKinds()...)
	p.rows = []subject{made(events(named("message_start", `{"type":"message_start"}`)+"data: [DONE]\n\n"), dialects.Anthropic)}
	p.mutate(t.Context(), middle)
	if got := p.tally[mutantAltered]; got.Untouched != 1 || got.Exact == 0 { // the data of the last ends the stream
		t.Errorf("with one that others rest on: %+v", got)
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	p.missed = nil
	if p.mutate(stopped, middle); !slices.Equal(p.missed, []string{"the proof was interrupted"}) {
		t.Errorf("interrupted: %q", p.missed)
	}
}

// TestAMutantHasToTurnARowRed: where a key decides; but a row that only wants a failure has one in each.
func TestAMutantHasToTurnARowRed(t *testing.T) {
	status := func(a *wire.Answer) { a.Status = 500 }
	for _, c := range []struct {
		why, profile, failOn string
		failure              bool
		edit                 func(*wire.Answer)
		want                 Sight
		did                  string
	}{
		{"it decides", "core", "", false, status, Sight{"status", evidence.Changed}, "status changed,a red row"},
		{"it is only shown", "core", "reclassified", false, func(a *wire.Answer) { addHeader(a, "retry-after-ms", "1") }, Sight{"header/retry-after-ms", evidence.Invented}, "header/retry-after-ms invented,a red row"},
		{"nobody looks at it", "core", "", false, func(a *wire.Answer) { addHeader(a, "x-y", "1") }, Sight{"header/x-y", evidence.Invented}, "header/x-y invented"},
		{"any failure does", "core", "", true, status, Sight{"status", evidence.Changed}, "status changed"},
	} {
		p, s := bare(mutantAltered), made(jsonError(429, envelope), dialects.Anthropic)
		p.in.Rules.Profile, p.in.Rules.FailOn = compare.ProfileByName(c.profile), c.failOn
		s.row.Fixture.ExpectFailure = c.failure
		s.row.Fixture.Class = dialects.Anthropic.Classify(s.seen.Evidence).Class
		p.mutant(&s, mutant{mutantAltered, "here", c.edit, []Sight{c.want}})
		if len(p.missed) > 0 {
			t.Errorf("%s: %q", c.why, p.missed)
		}
		p.blind.key, p.missed = func(string) bool { return true }, nil
		p.mutant(&s, mutant{mutantAltered, "here", c.edit, []Sight{c.want}})
		if want := "control one-key-altered on made (plain): here: missed " + strings.ReplaceAll(c.did, ",", ", missed "); strings.Join(p.missed, "\n") != want {
			t.Errorf("%s: blind to it %q, want %q", c.why, p.missed, want)
		}
	}
}

// TestMutantsThatCountAsTheSame: a profile may call two values the same, which then turn nothing red.
func TestMutantsThatCountAsTheSame(t *testing.T) {
	p, s := bare(mutantAltered), made(answer(429, envelope, "content-type", "application/json", "retry-after", "5"), dialects.Anthropic)
	p.in.Rules.Profile = compare.ProfileByName("claude-code")
	for media, want := range map[string]bool{"application/json; charset=utf-8": false, "text/html": true} {
		a := s.expected.Clone()
		setHeader(a, "content-type", media)
		setHeader(a, "retry-after", "6") // decides by itself, whatever the other does
		if got := p.decides(&s, Sight{"header/content-type", evidence.Changed}, p.judged(&s, a)); got != want {
			t.Errorf("%s decides: %v", media, got)
		}
	}
}

// TestKeysThatTurnRed: which keys of a profile count as having turned a row red, under --fail-on and a known file.
func TestKeysThatTurnRed(t *testing.T) {
	key := func(name string) compare.Difference {
		return compare.Difference{Difference: evidence.Difference{Key: name, Dir: evidence.Lost}, Key: &compare.Key{Pattern: "[" + name + "]"}}
	}
	none := compare.Difference{Difference: evidence.Difference{Key: "none"}}
	known := func(d compare.Difference) compare.Difference { d.Declared = []string{"e"}; return d }
	for _, c := range []struct {
		why      string
		verdict  compare.Verdict
		failOn   string
		ds       []compare.Difference
		red      string
		shown    string
		declared string
	}{
		{"one decides", compare.Different, "", []compare.Difference{key("a"), none}, "[a]", "", ""},
		{"one is only shown", compare.Different, "reclassified", []compare.Difference{key("a"), none}, "", "[a]", ""},
		{"a preserved row shows nothing", compare.Preserved, "", []compare.Difference{key("a")}, "", "", ""},
		{"a declared row", compare.Declared, "", []compare.Difference{known(key("a"))}, "", "", "[a]"},
		{"one is declared, and another decides", compare.Different, "", []compare.Difference{known(key("a")), key("b")}, "[b]", "", "[a]"},
		{"one is declared, and what no key names is open", compare.Reclassified, "", []compare.Difference{known(key("a")), none}, "[a]", "", ""},
		{"one is declared, and the row fails by its class", compare.Reclassified, "", []compare.Difference{known(key("a"))}, "[a]", "", ""},
	} {
		f := &Fault{Name: "f"}
		p := bare(f)
		p.in.Rules.FailOn = c.failOn
		j := compare.Judged{Verdict: c.verdict, Differences: c.ds}
		p.note(f, j, compare.Observed{Fixture: &fixture.Fixture{}})
		names := func(m map[string]bool) (out []string) {
			for k := range m {
				out = append(out, k)
			}
			slices.Sort(out)
			return out
		}
		var declared []string
		for k := range p.declared {
			declared = append(declared, k)
		}
		if strings.Join(names(p.red), " ") != c.red || strings.Join(names(p.shown), " ") != c.shown || strings.Join(declared, " ") != c.declared {
			t.Errorf("%s: red %v, shown %v, declared %v", c.why, p.red, p.shown, p.declared)
		}
		if p.silenced[f] != (c.verdict == compare.Declared) {
			t.Errorf("%s: silenced %v", c.why, p.silenced[f])
		}
	}
}

// TestProofInNumbers: each key of a profile is deciding, shown, or told as proven by nothing.
func TestProofInNumbers(t *testing.T) {
	f := &Fault{Name: "f"}
	p := bare(f)
	p.in.Rules.Profile = ownProfile(t, "status, body/a, body/b, body/c, body/d")
	p.red = map[string]bool{"status": true, "body/b": true}
	p.shown = map[string]bool{"body/a": true, "status": true}
	p.declared = map[string]string{"body/c": "body/c", "status": "status"}
	p.silenced[f], p.pairs, p.exact, p.missed = true, 7, 6, []string{"m"}
	got := p.proof()
	if got.Pairs != 7 || got.Exact != 6 || got.Keys != 4 || got.Deciding != 2 || got.Shown != 1 || got.Silenced != 1 || len(got.Controls) != 1 {
		t.Errorf("%+v", got)
	}
	if len(got.Missed) != 3 || got.Missed[0] != "m" || !strings.Contains(got.Missed[1], "declares every fault in key body/c") || !strings.Contains(got.Missed[2], "no fault in key body/d") {
		t.Errorf("%q", got.Missed)
	}
	if !p.undecided() {
		t.Error("two keys are open")
	}
	p.red["body/c"], p.shown["body/d"] = true, true
	if p.undecided() {
		t.Error("no key is open")
	}
}

// TestUntouchedRowsAreJudgedOnce: but only where nothing at all was done to the row.
func TestUntouchedRowsAreJudgedOnce(t *testing.T) {
	nothingDone := &Fault{Name: "n", Mechanism: OfBody, Want: nothing}
	again := &Fault{Name: "r", Mechanism: OfRetry, Want: nothing, Hits: func(Seen) int { return 2 }, New: func() Behaviour {
		return func(c *Call) *wire.Answer { c.Ask(c.Request); return c.Ask(c.Request) }
	}}
	p, s := bare(nothingDone, again), made(jsonError(429, envelope), dialects.Anthropic)
	p.pair(again, &s)
	if s.untouched != nil {
		t.Error("a second hit is something")
	}
	p.pair(nothingDone, &s)
	if s.untouched == nil {
		t.Fatal("nothing was done")
	}
	s.untouched = &compare.Judged{Differences: []compare.Difference{{Difference: evidence.Difference{Key: "k", Dir: evidence.Lost}}}}
	p.pair(nothingDone, &s)
	if len(p.missed) != 1 || !strings.Contains(p.missed[0], "reported k lost besides") {
		t.Errorf("what was judged is not used: %q", p.missed)
	}
	p.missed = nil
	if p.pair(again, &s); len(p.missed) > 0 {
		t.Errorf("it is used for two hits: %q", p.missed)
	}
}

// TestSameAnswer: each part of an answer that a fault may change tells two apart.
func TestSameAnswer(t *testing.T) {
	changes := map[string]func(*wire.Answer){
		"status": func(a *wire.Answer) { a.Status++ }, "end": func(a *wire.Answer) { a.End = wire.EndShort },
		"pace": func(a *wire.Answer) { a.Pace = wire.AtOnce }, "faults": func(a *wire.Answer) { a.Faults = []string{"x"} },
		"interim": func(a *wire.Answer) { a.Interim = []int{103} }, "trailer": func(a *wire.Answer) { a.Trailer = []wire.Field{{}} },
		"header": func(a *wire.Answer) { setHeader(a, "content-type", "x") }, "body": func(a *wire.Answer) { a.Body[0]++ },
	}
	a := jsonError(429, envelope)
	if !same(a, a.Clone()) {
		t.Error("a copy is another")
	}
	for name, change := range changes {
		b := a.Clone()
		if change(b); same(a, b) || same(b, a) {
			t.Errorf("another %s is the same", name)
		}
	}
}

// TestSubjectsOfRows: a row is read as the mode and the profile want it.
func TestSubjectsOfRows(t *testing.T) {
	in := input(t, "claude-code", bothModes...)
	for _, c := range []struct {
		row    string
		mode   fixture.Mode
		d      *dialects.Dialect
		stream bool
		class  string
		asks   bool
	}{
		{"tier_cap", fixture.Plain, dialects.Anthropic, false, "tier_spend_cap", true},
		{"tier_cap", fixture.Stream, dialects.Anthropic, true, "tier_spend_cap", true},
		{fixture.Paced, fixture.Stream, dialects.Anthropic, true, "", true},
	} {
		s := in.subject(check.Row{Fixture: in.Matrix.Get(c.row), Mode: c.mode, Dialect: c.d})
		if s.seen.Stream != c.stream || s.class != c.class || (len(s.sent) > 0) != c.asks || dialects.Anthropic.Stream(s.request.Body) != c.stream {
			t.Errorf("%s (%s): stream %v, class %q, request %q, marks %q", c.row, c.mode, s.seen.Stream, s.class, s.request.Body, s.sent)
		}
	}
	in = input(t, "core", bothModes...)
	if s := in.subject(check.Row{Fixture: in.Matrix.Get("tier_cap"), Mode: fixture.Plain, Dialect: dialects.Anthropic}); s.sent != nil || s.request.Body != nil {
		t.Errorf("core watches no request: %q", s.sent)
	}
}

// TestRowsOfAProof: the article's in the run's modes, what only a stream shows where there are streams, and each other row once.
func TestRowsOfAProof(t *testing.T) {
	in := input(t, "core")
	paced := in.Matrix.Get(fixture.Paced)
	count := func(modes ...fixture.Mode) (article, others int) {
		in.Modes = modes
		for _, s := range newProver(in, nil).rows {
			if isArticle(s.row) {
				article++
			} else {
				others++
			}
			if !slices.Contains(modes, s.row.Mode) && s.row.Fixture != paced {
				t.Errorf("%v: %s (%s)", modes, s.row.Fixture.Name, s.row.Mode)
			}
		}
		return article, others
	}
	for _, c := range []struct {
		modes           []fixture.Mode
		article, others int
	}{{bothModes, 20, 2}, {bothModes[:1], 10, 0}, {bothModes[1:], 10, 2}} {
		if article, others := count(c.modes...); article != c.article || others != c.others {
			t.Errorf("%v: %d rows of the article and %d others", c.modes, article, others)
		}
	}
	for _, route := range []string{"a", "b"} {
		in.Rows = append(in.Rows, check.Row{Fixture: paced, Mode: fixture.Stream, Dialect: dialects.Anthropic, Route: route})
	}
	if _, others := count(fixture.Plain); others != 1 {
		t.Errorf("one row on two routes: %d", others)
	}
}
