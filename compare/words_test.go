package compare

import (
	"slices"
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/wire"
)

// TestReasonOfBroken: a reader has to know how it broke and whether the stub was asked at all.
func TestReasonOfBroken(t *testing.T) {
	const unseen = "the stub saw no hit of this request"
	for _, c := range []struct {
		why    string
		hits   int
		answer wire.Answer
		want   string
		unseen bool
	}{
		{"it was asked, and the answer was cut", 1, wire.Answer{Status: 200, End: wire.EndShort}, "the answer was cut short", false},
		{"it was not asked", 0, wire.Answer{End: wire.EndTimeout}, "no complete answer before the deadline", true},
		{"an end without words of its own", 1, wire.Answer{End: "odd"}, "no usable answer", false},
		{"the reader says more", 1, wire.Answer{End: wire.EndReset, Err: "after 3 bytes"}, "the connection was reset (after 3 bytes)", false},
	} {
		o, _ := observed(t, "rate_limit")
		o.Answer, o.Hits = &c.answer, c.hits
		got := judge(o, rules("core"))
		if text, _, _ := strings.Cut(got.Reason, "; "); got.Verdict != Broken || text != c.want || strings.Contains(got.Reason, unseen) != c.unseen {
			t.Errorf("%s: %s: %q, want %q", c.why, got.Verdict, got.Reason, c.want)
		}
	}
}

// TestCovers: with a subtree goes what a class rule reads below it, and a reader has to see that.
func TestCovers(t *testing.T) {
	const details = `"details": {"error_code": "enforced_spend_limit_reached"}`
	for _, c := range []struct {
		why, row string
		change   func(*Observed)
		key      string
		want     []classify.Role
	}{
		{"the subtree is lost", "tier_cap", text(details, `"x": 1`), "error/details", []classify.Role{classify.Code}},
		{"it became a text", "tier_cap", text(details, `"details": "x"`), "error/details", []classify.Role{classify.Code}},
		{"a key without anything below", "rate_limit", func(o *Observed) { o.Answer.Header = nil }, "header/retry-after", nil},
		{"an invented subtree took nothing away", "headerless_429", text(`"message"`, `"details": {"error_code": "x"}, "message"`), "error/details", nil},
	} {
		o, a := observed(t, c.row)
		if !strings.Contains(string(a.Body), details) && c.row == "tier_cap" {
			t.Fatalf("%s has no %s: %s", c.row, details, a.Body)
		}
		c.change(&o)
		found := false
		for _, d := range judge(o, rules("core")).Differences {
			if d.Difference.Key == c.key {
				found = true
				if !slices.Equal(d.Covers, c.want) {
					t.Errorf("%s: covers %v, want %v", c.why, d.Covers, c.want)
				}
			}
		}
		if !found {
			t.Errorf("%s: no difference in %s", c.why, c.key)
		}
	}
}

// TestKeysOf: few are named, many are counted.
func TestKeysOf(t *testing.T) {
	d := func(key string) evidence.Difference { return evidence.Difference{Key: key, Dir: evidence.Lost} }
	for _, c := range []struct {
		why  string
		ds   []evidence.Difference
		want string
	}{
		{"one", []evidence.Difference{d("a")}, "a lost"},
		{"three are named", []evidence.Difference{d("a"), d("b"), d("c")}, "a lost, b lost, c lost"},
		{"of five two are counted", []evidence.Difference{d("a"), d("b"), d("c"), d("d"), d("e")}, "a lost, b lost, c lost and 2 more"},
	} {
		if got := KeysOf(c.ds); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

// TestJudgeDeclares: what a known file says holds for a row, but never for a success that nobody sent.
func TestJudgeDeclares(t *testing.T) {
	r := rules("core")
	r.Known = func(*Observed, *Difference) []Declaration {
		return []Declaration{{Entry: "e", From: classify.RateLimit, To: classify.OK}}
	}
	o, _ := observed(t, "rate_limit")
	text("fixture: rate limit", "x")(&o)
	if got := judge(o, r); got.Verdict != Declared || got.InventedSuccess {
		t.Errorf("a declared message: %s, invented success %v", got.Verdict, got.InventedSuccess)
	}
	o, _ = observed(t, "rate_limit")
	o.Answer.Status, o.Answer.Body = 200, []byte(`{"type":"message"}`)
	if got := judge(o, r); got.Verdict != Reclassified || !got.InventedSuccess {
		t.Errorf("a declared success: %s, invented success %v", got.Verdict, got.InventedSuccess)
	}
}

// TestAnyServersFailureIsOne: from 500 on, and with whatever headers it comes.
func TestAnyServersFailureIsOne(t *testing.T) {
	for _, c := range []struct {
		why    string
		change func(*wire.Answer)
		want   Verdict
	}{
		{"500 is the first of them", func(a *wire.Answer) { a.Status, a.End, a.Body = 500, wire.EndComplete, nil }, Preserved},
		{"499 is none", func(a *wire.Answer) { a.Status, a.End, a.Body = 499, wire.EndComplete, nil }, Broken},
		{"a header more is no other content", func(a *wire.Answer) { a.Header = append(a.Header, wire.Field{Name: "x", Value: "1"}) }, Preserved},
		{"another error in the body is", func(a *wire.Answer) { a.Body = []byte(`{"error":{"message":"b"}}`) }, Different},
	} {
		a := &wire.Answer{Status: 200, Body: []byte(`{"error":{"message":"a"}}`), End: wire.EndReset}
		o, _ := observed(t, "rate_limit")
		e := evidence.Of(a, o.Dialect.Layout, fixture.NoID)
		came := a.Clone()
		c.change(came)
		o.Fixture = &fixture.Fixture{Name: "cut", Class: classify.Truncated, ExpectFailure: true}
		o.Expected, o.Direct, o.Answer = e, e, came
		if got := judge(o, rules("core")); got.Verdict != c.want {
			t.Errorf("%s: %s (%s), want %s", c.why, got.Verdict, got.Reason, c.want)
		}
	}
}

// TestAllowedRetriesAreNoHop: only more hits than are allowed are news.
func TestAllowedRetriesAreNoHop(t *testing.T) {
	for _, c := range []struct {
		why           string
		allowed, hits int
		hops          int
	}{
		{"any number is allowed", 0, 2, 0},
		{"as many as are allowed", 2, 2, 0},
		{"one more", 2, 3, 1},
	} {
		row := record.Row{Row: "rate_limit", Mode: "plain", Asked: "anthropic", Route: "edge", Verdict: string(Preserved), HitsMin: 1, HitsMax: c.hits, HitsAllowed: c.allowed}
		other := row
		other.Route, other.HitsMax = "gw", 1
		if hops := Hops([]string{"edge", "gw"}, []record.Row{row, other}); len(hops) != c.hops {
			t.Errorf("%s: %+v", c.why, hops)
		}
	}
}

// TestPassSaysWhatWasLetThrough: green that rests on --allow-untestable is not the same as green.
func TestPassSaysWhatWasLetThrough(t *testing.T) {
	for _, c := range []struct {
		why      string
		verdicts []Verdict
		want     string
	}{
		{"all were judged", []Verdict{Preserved}, "every row was judged and passes"},
		{"one was not", []Verdict{Preserved, Untestable}, "every row was judged and passes, but for 1 row that --allow-untestable lets through"},
	} {
		d := record.Document{Proof: record.Proof{Pairs: 1, Exact: 1, Keys: 1, Deciding: 1}, Settings: record.Settings{AllowUntestable: true}}
		for _, v := range c.verdicts {
			d.Rows = append(d.Rows, record.Row{Verdict: string(v)})
		}
		if Settle(&d); d.Result.Exit != ExitPass || d.Result.Why != c.want {
			t.Errorf("%s: exit %d, %q, want %q", c.why, d.Result.Exit, d.Result.Why, c.want)
		}
	}
}

// TestGreenBesideOldFaults: with an older record only news counts, and rows that fail as before were judged like those that pass.
func TestGreenBesideOldFaults(t *testing.T) {
	for _, c := range []struct {
		why      string
		verdicts []Verdict
		exit     int
	}{
		{"one fails as before, one passes", []Verdict{Different, Preserved}, ExitPass},
		{"all fail as before", []Verdict{Different}, ExitPass},
		{"all pass", []Verdict{Preserved}, ExitPass},
		{"none was judged", []Verdict{Inconclusive}, ExitCouldNotTell},
	} {
		d := record.Document{Proof: record.Proof{Pairs: 1, Exact: 1, Keys: 1, Deciding: 1}, News: &record.News{Same: 1}}
		for _, v := range c.verdicts {
			d.Rows = append(d.Rows, record.Row{Verdict: string(v)})
		}
		if Settle(&d); d.Result.Exit != c.exit {
			t.Errorf("%s: exit %d (%s), want %d", c.why, d.Result.Exit, d.Result.Why, c.exit)
		}
	}
}

// TestCoversSaysWhatIsNotPlain: routes, repeats, notes and silenced faults are named where there are any, and only there.
func TestCoversSaysWhatIsNotPlain(t *testing.T) {
	for _, c := range []struct {
		why, word string
		set       func(*record.Document)
		want      bool
	}{
		{"one route is plain", "routes", func(d *record.Document) { d.Target.Routes = make([]record.Route, 1) }, false},
		{"two are not", "2 routes", func(d *record.Document) { d.Target.Routes = make([]record.Route, 2) }, true},
		{"asked once is plain", "times each", func(d *record.Document) { d.Settings.Repeat = 1 }, false},
		{"asked twice is not", "2 times each", func(d *record.Document) { d.Settings.Repeat = 2 }, true},
		{"no class of the user's own to note", "more noted", func(d *record.Document) { d.Classifier = &record.Classifier{} }, false},
		{"a known file that silences nothing", "silenced", func(d *record.Document) { d.Known = &record.Known{} }, false},
		{"faults that no known file silenced", "silenced", func(d *record.Document) { d.Proof.Silenced = 2 }, false},
		{"a known file that silences", "(2 faults silenced by k.yaml)", func(d *record.Document) {
			d.Known, d.Proof.Silenced = &record.Known{Files: []record.KnownFile{{Name: "k.yaml"}}}, 2
		}, true},
	} {
		d := record.Document{Rows: []record.Row{{Verdict: string(Preserved)}}}
		c.set(&d)
		if Settle(&d); strings.Contains(d.Result.Covers, c.word) != c.want {
			t.Errorf("%s: %q", c.why, d.Result.Covers)
		}
	}
}

// TestFailureNamesKnownFilesOnlyWithProblems: what fails a run is told, and nothing else.
func TestFailureNamesKnownFilesOnlyWithProblems(t *testing.T) {
	for _, c := range []struct {
		why   string
		known *record.Known
		want  string
	}{
		{"no known file", nil, "1 of 1 row failed"},
		{"one without problems", &record.Known{}, "1 of 1 row failed"},
		{"one with a problem", &record.Known{Problems: []string{"k.yaml:3 is stale"}}, "1 of 1 row failed; 1 entry of a known file is stale, expired or too wide"},
		{"with two", &record.Known{Problems: []string{"a", "b"}}, "1 of 1 row failed; 2 entries of known files are stale, expired or too wide"},
	} {
		d := record.Document{Proof: record.Proof{Pairs: 1, Exact: 1, Keys: 1, Deciding: 1}, Rows: []record.Row{{Verdict: string(Broken)}}, Known: c.known}
		if Settle(&d); d.Result.Exit != ExitFail || d.Result.Why != c.want {
			t.Errorf("%s: exit %d, %q, want %q", c.why, d.Result.Exit, d.Result.Why, c.want)
		}
	}
}
