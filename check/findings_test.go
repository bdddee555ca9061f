package check

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/record"
)

// book answers what a run asks of the ledger from two lists.
type book struct {
	Hits        // all that no test here asks
	unexplained []ledger.Hit
	of          map[string][]ledger.Hit
	shared      bool
	refused     int
}

func (b book) Unexplained() []ledger.Hit            { return b.unexplained }
func (b book) Of(nonce string) []ledger.Hit         { return b.of[nonce] }
func (b book) Shared() bool                         { return b.shared }
func (b book) Sync() error                          { return nil }
func (b book) Refused() int                         { return b.refused }
func (b book) Witness(string, time.Time, time.Time) {}
func (b book) Nonce(string) string                  { return ledger.NewNonce() }

func fixtureHit(path, name string) ledger.Hit {
	return ledger.Hit{Method: "POST", Path: path, Tag: ledger.Tag{Fixture: name}}
}

func texts(fs []record.Finding) (out []string) {
	for _, f := range fs {
		out = append(out, f.Kind+": "+f.Text)
	}
	return out
}

// TestForeignAnswers: a cache and a mix-up are mended in different places, so they are told apart, and each pair is named.
func TestForeignAnswers(t *testing.T) {
	const caching, mixing = "cached: the layer answered from memory: ", "crosstalk: the layer mixed up answers of different requests: "
	for _, c := range []struct {
		why  string
		hits int
		of   string // whose answer it is
		want []string
	}{
		{"it did not ask the stub", 0, "rate_limit", []string{caching + "tier_cap got the answer to rate_limit"}},
		{"it did", 1, "rate_limit", []string{mixing + "tier_cap got the answer to rate_limit"}},
		{"nobody knows whose it was", 0, "", []string{caching + "tier_cap got the answer to another request"}},
	} {
		r, row := tierCap(t)
		s := r.observation(row, passAlone, compare.Inconclusive, c.hits)
		s.other = &ledger.Hit{ID: "0f9a1b7e02d4a65f", Tag: ledger.Tag{Fixture: c.of}}
		r.seen[row] = []*seen{s}
		r.unbacked = []unbacked{{what: "tier_cap", row: row, other: s.other}, {what: "canary", row: row}}
		got := r.foreign()
		if d := cmp.Diff(c.want, texts(got)); d != "" {
			t.Errorf("%s (- want, + have):\n%s", c.why, d)
		}
		if len(got) == 1 && (strings.Contains(got[0].Advice, "caching") != (c.hits == 0) || !got[0].Fails) {
			t.Errorf("%s: %+v", c.why, got[0])
		}
	}
}

// TestSilentLayer: what a layer refused by itself, and what a person may do about it.
func TestSilentLayer(t *testing.T) {
	other := &ledger.Hit{ID: "0f9a1b7e02d4a65f"}
	canary := func(status, number int) unbacked {
		return unbacked{what: "canary", status: status, number: number}
	}
	look := func(what string) unbacked {
		return unbacked{what: what, pass: passLook, when: "after the harmless rows", status: 429}
	}
	row := unbacked{what: "tier_cap", pass: passAlone, number: 9}
	const oneRow = "layer-state: 1 row was answered without a call to the stub, though a canary had come through"
	const stopped = "layer-state: after the harmless rows the layer stopped calling the stub: "
	for _, c := range []struct {
		why    string
		list   []unbacked
		want   []string
		advice string // a part of it, "" for none
	}{
		{"nothing", nil, nil, ""},
		{"a row, and no canary was refused", []unbacked{row}, []string{oneRow}, ""},
		{"an answer of another request is no silence", []unbacked{{what: "tier_cap", other: other}}, nil, ""},
		{"canaries as well, with a limit's status", []unbacked{row, canary(429, 7)}, []string{oneRow}, "(6 requests before"},
		{"the first refusal counts, in whatever order they are noted", []unbacked{canary(429, 7), canary(429, 3), row}, []string{oneRow}, "(2 requests before"},
		{"what has no number is before nothing", []unbacked{canary(429, 3), canary(429, 0), row}, []string{oneRow}, "(2 requests before"},
		{"at the second request", []unbacked{canary(429, 2), row}, []string{oneRow}, "(1 request before"},
		{"an answer of another request is no refusal", []unbacked{row, {what: "canary", other: other, number: 2, status: 429}}, []string{oneRow}, ""},
		{"with a 5xx it is an outage", []unbacked{row, canary(500, 7)}, []string{oneRow}, "out of service"},
		{"499 is none", []unbacked{row, canary(499, 7)}, []string{oneRow}, "--rate, or"},
		{"no answer names no status", []unbacked{row, canary(0, 7)}, []string{oneRow}, "seems to have ended, or to hang"},
		{"half of them is not most", []unbacked{row, canary(500, 7), canary(429, 8)}, []string{oneRow}, "--rate, or"},
		{"more than half is", []unbacked{row, canary(500, 7), canary(502, 7), canary(429, 8)}, []string{oneRow}, "out of service"},
		{"a look by a canary", []unbacked{look("canary")}, []string{stopped + "a valid request was not passed on"}, "--rate, or"},
		{"a look by a row", []unbacked{look("tier_cap")}, []string{stopped + "tier_cap, asked again, was not passed on"}, ""},
		{"a look that got another's answer is no silence", []unbacked{{what: "canary", pass: passLook, when: "x", other: other}, look("tier_cap")}, []string{stopped + "tier_cap, asked again, was not passed on"}, ""},
		{
			"the rows after which a canary was refused, each once",
			[]unbacked{{what: "canary", after: "a", status: 429}, {what: "canary", after: "a", status: 429}, {what: "canary", after: "b", status: 429}},
			[]string{"layer-state: after a, b the layer stopped calling the stub: the next valid request was not passed on"}, "--rate, or",
		},
		{
			"a canary that reached the stub and came back broken is no refusal, and no outage",
			[]unbacked{{what: "canary", after: "a", status: 502, number: 2, hits: 1}, {what: "canary", after: "b", status: 429, number: 5}},
			[]string{
				"layer-state: after b the layer stopped calling the stub: the next valid request was not passed on",
				"layer-state: after a the next valid request reached the stub, but no whole success came back",
			}, "--rate, or a higher limit for this test (4 requests",
		},
		{
			"a look that reached the stub", []unbacked{{what: "canary", pass: passLook, when: "after the harmless rows", hits: 1}},
			[]string{"layer-state: after the harmless rows a valid request reached the stub, but no whole success came back"}, "",
		},
		{"but not one that got another's answer", []unbacked{{what: "canary", after: "a", other: other}}, nil, ""},
		{"nor a row", []unbacked{{what: "tier_cap", pass: passAlone, after: "a"}}, []string{oneRow}, ""},
	} {
		r, known := tierCap(t)
		for _, u := range c.list {
			u.row = known
			r.unbacked = append(r.unbacked, u)
		}
		got := r.silent()
		if d := cmp.Diff(c.want, texts(got)); d != "" {
			t.Errorf("%s (- want, + have):\n%s", c.why, d)
		}
		if len(got) > 0 && (!strings.Contains(got[0].Advice, c.advice) || (c.advice == "") != (got[0].Advice == "")) {
			t.Errorf("%s: %q", c.why, got[0].Advice)
		}
	}
}

// TestSoftly: a layer that refuses only what comes side by side is no fault of a row, once the row passed alone.
func TestSoftly(t *testing.T) {
	for _, c := range []struct {
		why   string
		pass  string
		alone compare.Verdict
		more  []unbacked
		want  bool
	}{
		{"it passed alone", passAlone, compare.Preserved, nil, true},
		{"it differs as was declared", passAlone, compare.Declared, nil, true},
		{"it failed alone as well", passAlone, compare.Different, nil, false},
		{"it was never asked alone", passRepeat, compare.Preserved, nil, false},
		{"a look was refused", passAlone, compare.Preserved, []unbacked{{what: "tier_cap", pass: passLook}}, false},
		{"a canary was", passAlone, compare.Preserved, []unbacked{{what: "canary"}}, false},
	} {
		r, row := tierCap(t)
		r.seen[row] = []*seen{r.observation(row, c.pass, c.alone, 1)}
		r.unbacked = c.more
		if got := r.softly([]string{r.label(row)}); got != c.want {
			t.Errorf("%s: %v", c.why, got)
		}
	}
}

// TestUnsteadyRows: observations that do not agree, how many of all of them, and whether they differ alike.
func TestUnsteadyRows(t *testing.T) {
	const p, d, b = compare.Preserved, compare.Different, compare.Broken
	const often, unlike = "tier_cap (plain) differed in ", ", and not always in the same way"
	for _, c := range []struct {
		why  string
		all  []compare.Verdict
		more int // further ones like the first
		want string
	}{
		{"all preserved", []compare.Verdict{p, p}, 0, ""},
		{"all differ alike: that is what the row shows anyway", []compare.Verdict{d, d}, 0, ""},
		{"one of two", []compare.Verdict{p, d}, 0, often + "1 of 2 observations"},
		{"folded ones count", []compare.Verdict{p, d}, 8, often + "1 of 10 observations"},
		{"folded ones that differ as well", []compare.Verdict{d, p}, 8, often + "9 of 10 observations"},
		{"alike, with one preserved between", []compare.Verdict{d, p, d}, 0, often + "2 of 3 observations"},
		{"unlike", []compare.Verdict{d, b}, 0, often + "2 of 2 observations" + unlike},
	} {
		r, row := tierCap(t)
		for _, v := range c.all {
			r.seen[row] = append(r.seen[row], r.observation(row, passRepeat, v, 1))
		}
		r.seen[row][0].more = c.more
		got := r.unsteady()
		if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || got[0].Text != c.want) {
			t.Errorf("%s: %+v", c.why, got)
		}
	}
}

// TestUnexplainedHits: what reached the stub besides, counted by what it was, each row once.
func TestUnexplainedHits(t *testing.T) {
	for _, c := range []struct {
		why   string
		hits  []ledger.Hit
		help  []ledger.Hit // of one canary
		rows  []string
		fails bool
		says  string
	}{
		{"none", nil, nil, nil, false, ""},
		{"a health probe", []ledger.Hit{{Method: "GET", Path: "/"}}, nil, nil, false, "1 request reached the stub that no request of this run explains (a health probe, another client, or a retry without its tag): 1 × GET /"},
		{
			"retries of what no retry helps fail a run", []ledger.Hit{fixtureHit("/v1/messages", "tier_cap"), fixtureHit("/v1/messages", "tier_cap")}, nil, []string{"tier_cap"}, true,
			"2 requests reached the stub that no request of this run explains (a health probe, another client, or a retry without its tag): 2 × POST /v1/messages for tier_cap",
		},
		{"those of a rate limit are a note", []ledger.Hit{fixtureHit("/a", "rate_limit")}, nil, []string{"rate_limit"}, false, "1 × POST /a for rate_limit"},
		{"so is a name that no row has", []ledger.Hit{fixtureHit("/a", "nothing")}, nil, []string{"nothing"}, false, "for nothing"},
		{"a canary may hit once", nil, []ledger.Hit{fixtureHit("/a", "ok")}, nil, false, ""},
		{"and not twice", nil, []ledger.Hit{fixtureHit("/a", "ok"), fixtureHit("/b", "ok")}, []string{"ok"}, false, "1 × POST /b for ok"},
	} {
		r, _ := tierCap(t)
		r.c.Rules.Profile = compare.ProfileByName("core")
		r.c.Hits = book{unexplained: c.hits, of: map[string][]ledger.Hit{"n": c.help}}
		r.helpers = []ledger.Tag{{Nonce: "n"}}
		got := r.unexplained()
		if c.says == "" {
			if len(got) > 0 {
				t.Errorf("%s: %+v", c.why, got)
			}
			continue
		}
		if len(got) != 1 || got[0].Fails != c.fails || !strings.HasSuffix(got[0].Text, c.says) || !cmp.Equal(got[0].Rows, c.rows) {
			t.Errorf("%s: %+v", c.why, got)
		}
	}
}

// TestDirtyWay: the way to the stub that alters answers is named with what it altered.
func TestDirtyWay(t *testing.T) {
	r, row := tierCap(t)
	clean := Row{Fixture: row.Fixture, Mode: fixture.Stream, Dialect: row.Dialect}
	r.c.Rows = append(r.c.Rows, clean)
	if got := r.dirtyWay(); got != nil {
		t.Errorf("a clean way: %+v", got)
	}
	r.dirty = map[Row]string{row: "status changed"}
	const want = "dirty-way: 1 row was answered otherwise the second time, fetched directly (status changed): whatever stands between the check and its stub changes answers"
	if d := cmp.Diff([]string{want}, texts(r.dirtyWay())); d != "" {
		t.Error(d)
	}
	r.dirty[clean] = "end changed"
	if got := texts(r.dirtyWay()); len(got) != 1 || !strings.Contains(got[0], "2 rows were answered") {
		t.Errorf("%q", got)
	}
}

// TestSome: five are named, and of six the last is counted.
func TestSome(t *testing.T) {
	five := []string{"a", "b", "c", "d", "e"}
	if got := some(five); got != "a, b, c, d, e" {
		t.Errorf("five: %q", got)
	}
	if got := some(append(five, "f")); got != "a, b, c, d, e and 1 more" {
		t.Errorf("six: %q", got)
	}
}
