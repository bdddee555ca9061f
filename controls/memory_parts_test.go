package controls

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/wire"
)

// memoryWith is a stub in memory for some rows.
func memoryWith(t *testing.T) (*memoryStub, *ledger.Ledger, string) {
	t.Helper()
	in := input(t, "core", bothModes...)
	m, run := in.few(), ledger.NewRun()
	book := ledger.New(run)
	return &memoryStub{matrix: m, book: book, names: namesOf(m), answers: map[*fixture.Fixture]*wire.Answer{}}, book, run
}

// TestAStubInMemory: it answers what is asked for by a tag, with the id of a hit that it keeps, and nothing without one.
func TestAStubInMemory(t *testing.T) {
	s, book, run := memoryWith(t)
	if got := len(s.matrix.Rows); got != 3 {
		t.Fatalf("%d rows", got)
	}
	for _, stray := range []string{"", "preservecheck-nothing"} {
		if a := s.Do(t.Context(), wire.Request{Target: "/v1/messages", Body: []byte(`{"model":"` + stray + `"}`)}); a.Status != 0 || a.End != wire.EndNone {
			t.Errorf("%q was answered: %+v", stray, a)
		}
	}
	nonce := ledger.NewNonce()
	name, id := ledger.Channels{}.Names()
	header := []wire.Field{{Name: strings.ToUpper(name), Value: "tier_cap"}, {Name: id, Value: run + "." + nonce}}
	var ids []string
	for range 2 {
		a := s.Do(t.Context(), wire.Request{Method: "POST", Target: "/v1/messages?beta=true", Body: []byte(`{"stream":true}`), Header: header})
		if a.Status != 429 || a.SentAt.IsZero() || a.FirstAt.IsZero() || a.DoneAt.IsZero() {
			t.Errorf("%+v", a)
		}
		hits := book.Of(nonce)
		last := hits[len(hits)-1]
		if ids = append(ids, last.ID); !strings.Contains(string(a.Body)+a.Values("request-id")[0], last.ID) || strings.Contains(string(a.Body), fixture.NoID) {
			t.Errorf("no id %s in %v %s", last.ID, a.Header, a.Body)
		}
		if !last.Stream || last.Path != "/v1/messages" || last.Method != "POST" || last.Served.Fixture != "tier_cap" || last.Served.Status != 429 || !last.Served.Finished {
			t.Errorf("%+v", last)
		}
	}
	if len(ids) != 2 || ids[0] == ids[1] || len(s.answers) != 1 {
		t.Errorf("ids %q, %d answers kept", ids, len(s.answers))
	}
}

// TestHeadersOfARequest: by their name, however it is written.
func TestHeadersOfARequest(t *testing.T) {
	get := headerOf(wire.Request{Header: []wire.Field{{Name: "x-a", Value: " 1 "}, {Name: "X-B", Value: "2"}, {Name: "X-A", Value: "3"}}})
	for name, want := range map[string][]string{"X-a": {"1", "3"}, "x-b": {"2"}, "x-c": nil} {
		if got := get(name); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestALayerInMemorySleeps: by its clock, and not by ours.
func TestALayerInMemorySleeps(t *testing.T) {
	s, _, _ := memoryWith(t)
	y := memoryLayer{up: s, answer: func(c *Call) *wire.Answer {
		c.Sleep(time.Hour)
		c.Sleep(time.Minute)
		return c.Ask(c.Request)
	}}
	a := y.Do(t.Context(), wire.Request{Target: "/", Body: []byte("{}")})
	for what, at := range map[string]time.Time{"first byte": a.FirstAt, "end": a.DoneAt} {
		if took := at.Sub(a.SentAt); took < 61*time.Minute || took > 62*time.Minute {
			t.Errorf("the %s came after %s", what, took)
		}
	}
}

// TestWholeRunsInMemory: what a run of each fault that is proven in every check shows, and one that sleeps.
func TestWholeRunsInMemory(t *testing.T) {
	in := input(t, "core", fixture.Plain)
	for _, c := range []struct {
		fault *Fault
		from  compare.Provenance
	}{{identity, ""}, {retryTwice, ""}, {cooldown, compare.NoHit}, {cache, compare.OtherHit}, {sleep, ""}} {
		p := newProver(in, []*Fault{c.fault})
		d := p.inMemory(t.Context(), c.fault, in.Modes)
		if p.settle(c.fault, &d, c.fault.Name); len(p.missed) > 0 || p.exact != 1 {
			t.Errorf("%s: %d exact, missed %q", c.fault.Name, p.exact, p.missed)
		}
		if len(d.Rows) != 3 {
			t.Errorf("%s: %d rows", c.fault.Name, len(d.Rows))
		}
		if originOf[c.fault.Finding] != c.from || c.from != "" && !observed(&d, c.from) || observed(&d, "no such origin") {
			t.Errorf("%s: its answers come from %q", c.fault.Name, originOf[c.fault.Finding])
		}
	}
	p := newProver(in, All())
	if p.wholeRuns(t.Context()); len(p.missed) > 0 || p.pairs != 3 {
		t.Errorf("%d pairs, missed %q", p.pairs, p.missed)
	}
	p.missed, p.blind.hits = nil, func(h check.Hits) check.Hits { return noID{h} }
	if p.wholeRuns(t.Context()); !strings.Contains(strings.Join(p.missed, "\n"), "no answer was seen to be other-hit by its hits") {
		t.Errorf("without ids missed %q", p.missed)
	}
}

// TestBlindness: what it takes out of an answer and out of a run, and that it leaves all else.
func TestBlindness(t *testing.T) {
	text := func(s string) evidence.Value { return evidence.Value{Kind: evidence.Text, Text: s} }
	want := evidence.Evidence{{Key: "a", Value: text("1")}, {Key: "b", Value: text("2")}, {Key: "c", Value: text("3")}, {Key: "d", Value: text("4")}}
	got := evidence.Evidence{{Key: "a", Value: text("x")}, {Key: "b", Value: text("x")}, {Key: "e", Value: text("5")}, {Key: "f", Value: text("6")}}
	b := blindness{key: func(key string) bool { return strings.Contains("ace", key) }}
	left := evidence.Evidence{{Key: "a", Value: text("1")}, {Key: "b", Value: text("x")}, {Key: "c", Value: text("3")}, {Key: "f", Value: text("6")}}
	if out := b.read(got, want); !slices.Equal(out, left) {
		t.Errorf("%v, want %v", out, left)
	}
	if out := (&blindness{}).read(got, want); !slices.Equal(out, got) {
		t.Errorf("it sees all, and gives %v", out)
	}
	run := func() *record.Document {
		return &record.Document{
			Rows: []record.Row{
				{Verdict: "changed", Observations: []record.Observation{{Verdict: "changed"}, {Verdict: "broken"}}},
				{Verdict: "broken", Observations: []record.Observation{{Verdict: "changed"}}},
			},
			Findings: []record.Finding{{Kind: "slept"}, {Kind: "cached"}},
		}
	}
	for _, c := range []struct {
		why      string
		b        blindness
		verdicts string
		findings string
	}{
		{"sees all", blindness{}, "changed/changed/broken broken/changed", "slept cached"},
		{"a verdict", blindness{verdict: compare.Different}, "preserved/preserved/broken broken/preserved", "slept cached"},
		{"a finding", blindness{finding: "slept"}, "changed/changed/broken broken/changed", "cached"},
	} {
		d := run()
		c.b.run(d)
		var verdicts, findings []string
		for _, r := range d.Rows {
			words := []string{r.Verdict}
			for _, o := range r.Observations {
				words = append(words, o.Verdict)
			}
			verdicts = append(verdicts, strings.Join(words, "/"))
		}
		for _, f := range d.Findings {
			findings = append(findings, f.Kind)
		}
		if strings.Join(verdicts, " ") != c.verdicts || strings.Join(findings, " ") != c.findings {
			t.Errorf("%s: %q and %q", c.why, verdicts, findings)
		}
		if settled := d.Result.Word != ""; settled != (c.b.verdict != "" || c.b.finding != "") {
			t.Errorf("%s: settled %v", c.why, settled)
		}
		j := compare.Judged{Verdict: compare.Different}
		if c.b.judge(&j); (j.Verdict == compare.Preserved) != (c.b.verdict != "") {
			t.Errorf("%s: a row is called %s", c.why, j.Verdict)
		}
	}
}

// TestKeysThatAFileDeclares: a key counts as open only where a difference in it decides and is not declared.
func TestKeysThatAFileDeclares(t *testing.T) {
	entries := []compare.Declaration{{Entry: "e"}}
	for _, c := range []struct {
		why   string
		key   string
		known func(d evidence.Difference) bool
		open  bool
	}{
		{"everything is declared", "status", func(evidence.Difference) bool { return true }, false},
		{"its loss is not", "status", func(d evidence.Difference) bool { return d.Dir != evidence.Lost }, true},
		{"its change is not", "status", func(d evidence.Difference) bool { return d.Dir != evidence.Changed }, true},
		{"what is there can't be invented", "status", func(d evidence.Difference) bool { return d.Dir != evidence.Invented }, false},
		{"what is not there can be", "header/retry-after-ms", func(d evidence.Difference) bool { return d.Dir != evidence.Invented }, true},
		{"and not lost", "header/retry-after-ms", func(d evidence.Difference) bool { return d.Dir == evidence.Invented }, false},
		{"nor changed to the value that is looked for", "status", func(d evidence.Difference) bool { return d.Got.Text != otherValue && d.Want.Kind != evidence.Absent }, true},
		{"a key that does not decide", "header/x-y", func(evidence.Difference) bool { return false }, false},
	} {
		p := bare()
		p.in.Rules.Profile = compare.ProfileByName("core")
		p.in.Rules.Known = func(_ *compare.Observed, d *compare.Difference) []compare.Declaration {
			if c.known(d.Difference) {
				return entries
			}
			return nil
		}
		p.rows = []subject{made(jsonError(429, envelope), dialects.Anthropic)}
		p.declared = map[string]string{"pattern": c.key, "red": c.key}
		p.red["red"] = true
		if p.reopen(); p.red["pattern"] != c.open {
			t.Errorf("%s: open %v", c.why, p.red["pattern"])
		}
	}
}
