package gate

import (
	"strings"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/record"
)

const knownHead = "format: preservecheck.known/1\nentries:\n"

// entry is one that is right, with some of its lines replaced; "" takes a line out.
func entry(lines ...string) string {
	all := map[string]string{"layer": "gw", "rows": "[rate_limit]", "key": "header/retry-after", "direction": "lost", "reason": "it does",
		"expires": "2999-01-01"}
	for i := 0; i < len(lines); i += 2 {
		all[lines[i]] = lines[i+1]
	}
	out := "  -"
	for _, name := range []string{"layer", "route", "rows", "mode", "key", "direction", "value", "class", "finding", "reason", "ticket", "expires",
		"intermittent", "wide", "typo"} {
		if v := all[name]; v != "" {
			out += " " + name + ": " + v + "\n   "
		}
	}
	return strings.TrimRight(out, " ")
}

// loaded are entries that the loader takes, or refuses with words. What has bigger in its why can't be said by the schema.
var loaded = []struct {
	why, in, want string
	reader        bool // only the reader refuses it
}{
	{"the least there is", entry(), "", false},
	{"all that there is", entry("route", "chat", "mode", "stream", "key", "status", "direction", "changed", "value", "503",
		"class", "rate_limit -> unknown_429", "ticket", "OPS-1", "intermittent", "true", "wide", "true"), "", false},
	{"a route alone", entry("layer", "", "route", "chat"), "", false},
	{"neither layer nor route", entry("layer", ""), "names neither", false},
	{"no rows", entry("rows", ""), "names no rows", false},
	{"a pattern that is none", entry("rows", `["[a"]`), "no pattern", true},
	{"an empty reason, as it is written for you", entry("reason", `""`), "the reason is empty", false},
	{"a reason of spaces", entry("reason", `"  "`), "the reason is empty", false},
	{"no date", entry("expires", ""), "no date in expires", false},
	{"a date that is none", entry("expires", "soon"), "is no date", false},
	{"a wildcard key", entry("key", `"header/*"`), "no wildcard", false},
	{"a wildcard in a deep key", entry("key", `"error/**"`), "no wildcard", false},
	{"a key that no answer has", entry("key", "headers/retry-after"), "there is no key", false},
	{"an upper-case header", entry("key", "header/Retry-After"), "there is no key", false},
	{"a wildcard direction", entry("direction", `"*"`), "none of lost", false},
	{"status without a value would excuse 200", entry("key", "status", "direction", "changed"), "needs a value", false},
	{"any value would, too", entry("key", "status", "direction", "changed", "value", `"{any}"`), "has to be exact", true},
	{"a part that is open would, too", entry("key", "status", "direction", "changed", "value", `"{any}0"`), "has to be exact", true},
	{"type", entry("key", "error/type", "direction", "changed"), "needs a value", false},
	{"code", entry("key", "error/details/error_code", "direction", "invented"), "needs a value", false},
	{"what code stands in", entry("key", "error/details", "direction", "changed"), "needs a value", false},
	{"retry-after", entry("direction", "changed"), "needs a value", false},
	{"end", entry("key", "end", "direction", "changed"), "needs a value", false},
	{"a message may be any", entry("key", "error/message", "direction", "changed"), "", false},
	{"what is lost has none", entry("value", `"1"`), "lost has no value", false},
	{"what is invented has no original", entry("key", "header/x", "direction", "invented", "value", `"{original}"`), "has no {original}", true},
	{"a terminator that nobody sent", entry("key", "stream/terminal", "direction", "invented", "value", "x"), "can't be declared", true},
	{"a class that does not exist", entry("class", "rate_limit -> calm"), "not written like", false},
	{"half a class change", entry("class", "rate_limit"), "not written like", false},
	{"error to success", entry("class", "rate_limit -> ok"), "a success of an error", true},
	{"error to success with headroom", entry("class", "rate_limit -> ok_ample"), "a success of an error", true},
	{"a finding that can be declared", entry("key", "", "direction", "", "finding", "intermittent"), "", false},
	{"hits without rows", entry("rows", "", "key", "", "direction", "", "finding", "unexplained-hits"), "", false},
	{"a finding that can't", entry("key", "", "direction", "", "finding", "layer-state"), "can't be declared", false},
	{"layer-made is no finding", entry("key", "", "direction", "", "finding", "layer-made"), "can't be declared", false},
	{"both at once", entry("finding", "intermittent"), "an entry for each", false},
	{"which rows are unsteady?", entry("rows", "", "key", "", "direction", "", "finding", "intermittent"), "names no rows", false},
	{"a mode that is none", entry("mode", "both"), "neither plain nor stream", false},
	{"a typo", entry("typo", "x"), `unknown key "typo"`, false},
}

func TestLoad(t *testing.T) {
	for _, c := range loaded {
		f, err := Load("dir/known.yaml", []byte(knownHead+c.in))
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.why, err)
		case c.want == "" && (len(f.Entries) != 1 || f.Name != "known.yaml" || len(f.Digest) != 64):
			t.Errorf("%s: %+v", c.why, f)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: got %v, want %q", c.why, err, c.want)
		}
	}
	if _, err := Load("x", []byte("format: preservecheck.known/2\nentries: []\n")); err == nil || !strings.Contains(err.Error(), "known/1") {
		t.Errorf("another format: %v", err)
	}
	if _, err := Load("x", []byte("# comment\n")); err == nil {
		t.Error("an incomplete file was taken")
	}
}

func TestPattern(t *testing.T) {
	for _, c := range []struct {
		why, pattern, want, got string
		fits                    bool
	}{
		{"a prefix", "anthropic error: {original}", "slow down", "anthropic error: slow down", true},
		{"another prefix", "anthropic error: {original}", "slow down", "openai error: slow down", false},
		{"more behind it", "anthropic error: {original}", "slow down", "anthropic error: slow down!", false},
		{"an id behind it", "{original} (request id: {any})", "a", "a (request id: 2026)", true},
		{"nothing for any", "{original}{any}", "a", "a", true},
		{"all else is itself", "a.c*", "", "abcc", false},
		{"parts in order", "{any}b{any}a", "", "xbya", true},
		{"parts out of order", "{any}b{any}a{any}", "", "a-b", false},
		{"overlap", "ab{any}bc", "", "abc", false},
		{"empty is empty", "", "", "x", false},
	} {
		if got := (&pattern{c.pattern}).fits(c.want, c.got); got != c.fits {
			t.Errorf("%s: %v", c.why, got)
		}
	}
}

// TestPatternOfASecret: what was written with a secret taken out fits where this secret stands, and nowhere else.
func TestPatternOfASecret(t *testing.T) {
	hide := strings.NewReplacer("hunter2222", "[secret KEY]", "swordfish9", "[secret OTHER]").Replace
	for _, c := range []struct {
		why, pattern, got string
		fits              bool
	}{
		{"the secret", "[secret KEY] {original}", "hunter2222 slow", true},
		{"another secret", "[secret KEY] {original}", "swordfish9 slow", false},
		{"another text", "[secret KEY] {original}", "whatever slow", false},
		{"none", "[secret KEY] {original}", " slow", false},
		{"another text beside it", "[secret KEY] {original}", "hunter2222 fast", false},
		{"a text that looks like what is written", "[secret KEY]{any}", "[secret KEY] hunter2222", false},
		{"a second secret under an open place", "[secret KEY] {any}", "hunter2222 swordfish9", false},
		{"no placeholder, no rewriting", "{any}", "swordfish9", false},
	} {
		if got := (&pattern{c.pattern}).fitsHidden("slow", c.got, hide); got != c.fits {
			t.Errorf("%s: %v", c.why, got)
		}
	}
	if (&pattern{"[secret KEY]"}).fitsHidden("", "hunter2222", nil) {
		t.Error("a run without secrets takes none out")
	}
}

func files(t *testing.T, entries ...string) []*File {
	t.Helper()
	f, err := Load("known.yaml", []byte(knownHead+strings.Join(entries, "\n")+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	return []*File{f}
}

func builtin(t *testing.T) *fixture.Matrix {
	t.Helper()
	m, err := fixture.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestFor(t *testing.T) {
	for _, c := range []struct{ why, in, want string }{
		{"a row that exists", entry(), ""},
		{"a pattern that fits rows", entry("rows", `["ra_*"]`), ""},
		{"a row that does not", entry("rows", "[rate_limit, rate_limitt]"), `no row "rate_limitt"`},
		{"a key that the row has not", entry("rows", "[tier_cap]"), "can't be lost"},
		{"what is invented need not be there", entry("rows", "[tier_cap]", "direction", "invented", "value", `"1"`), ""},
		{"what a request held is no part of a row", entry("key", "request/header/anthropic-beta", "direction", "lost"), ""},
		{"of another layer nothing is looked at", entry("layer", "other", "rows", "[nobody]"), ""},
		{"nor of another route", entry("route", "chat", "rows", "[nobody]"), ""},
	} {
		_, err := For(files(t, c.in), "gw", nil, builtin(t))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %q", c.why, err, c.want)
		}
	}
}

// asked asks what is declared of a row that changed.
func asked(t *testing.T, d *Declared, row string, mode fixture.Mode, change func(e evidence.Evidence) evidence.Evidence) []compare.Declaration {
	t.Helper()
	f := builtin(t).Get(row)
	want := evidence.Of(f.Expected(fixture.NoID, false), dialects.Anthropic.Layout, fixture.NoID)
	got := change(append(evidence.Evidence{}, want...))
	ds := evidence.Diff(want, got)
	if len(ds) != 1 {
		t.Fatalf("%d differences", len(ds))
	}
	return d.Known(&compare.Observed{Fixture: f, Mode: mode, Expected: want, Layer: got}, &compare.Difference{Difference: ds[0]})
}

func without(key string) func(evidence.Evidence) evidence.Evidence {
	return func(e evidence.Evidence) (out evidence.Evidence) {
		for _, x := range e {
			if x.Key != key {
				out = append(out, x)
			}
		}
		return out
	}
}

func with(key, text string) func(evidence.Evidence) evidence.Evidence {
	return func(e evidence.Evidence) evidence.Evidence {
		for i := range e {
			if e[i].Key == key {
				e[i].Value.Text = text
			}
		}
		return e
	}
}

func TestKnown(t *testing.T) {
	lost := without("header/retry-after")
	d, err := For(files(t, entry("route", "chat")), "gw", []string{"chat", "other"}, builtin(t))
	if err != nil {
		t.Fatal(err)
	}
	f := builtin(t).Get("rate_limit")
	want := evidence.Of(f.Expected(fixture.NoID, false), dialects.Anthropic.Layout, fixture.NoID)
	x := compare.Difference{Difference: evidence.Difference{Key: "header/retry-after", Dir: evidence.Lost}}
	for route, n := range map[string]int{"chat": 1, "other": 0, "": 0} {
		if got := d.Known(&compare.Observed{Fixture: f, Mode: fixture.Plain, Expected: want, Route: route}, &x); len(got) != n {
			t.Errorf("route %q: %v", route, got)
		}
	}
	for _, c := range []struct {
		why, in string
		mode    fixture.Mode
		change  func(evidence.Evidence) evidence.Evidence
		want    int
	}{
		{"as it says", entry(), fixture.Plain, lost, 1},
		{"in both modes", entry(), fixture.Stream, lost, 1},
		{"another mode", entry("mode", "stream"), fixture.Plain, lost, 0},
		{"a pattern", entry("rows", `["rate_*"]`), fixture.Plain, lost, 1},
		{"another row", entry("rows", "[ramp_limit]"), fixture.Plain, lost, 0},
		{"another direction", entry("direction", "changed", "value", `"9"`), fixture.Plain, lost, 0},
		{"another key", entry(), fixture.Plain, without("error/message"), 0},
		{"the value that is named", entry("key", "status", "direction", "changed", "value", "503"), fixture.Plain, with("status", "503"), 1},
		{"another value", entry("key", "status", "direction", "changed", "value", "503"), fixture.Plain, with("status", "200"), 0},
		{"another layer", entry("layer", "other"), fixture.Plain, lost, 0},
	} {
		d, err := For(files(t, c.in), "gw", nil, builtin(t))
		if err != nil {
			t.Fatalf("%s: %v", c.why, err)
		}
		if got := asked(t, d, "rate_limit", c.mode, c.change); len(got) != c.want {
			t.Errorf("%s: %v", c.why, got)
		}
	}
}

var today = time.Date(2026, 11, 30, 23, 0, 0, 0, time.UTC)

// ran is a record in which these rows ("name mode verdict") have a result.
func ran(rows ...string) *record.Document {
	d := &record.Document{Target: record.Target{Name: "gw"}, Settings: record.Settings{Dialects: []string{"anthropic"}}}
	for _, r := range rows {
		w := strings.Fields(r)
		d.Rows = append(d.Rows, record.Row{Row: w[0], Mode: w[1], Verdict: w[2]})
	}
	return d
}

func sees(d *record.Document, key string) *record.Document {
	d.Rows[0].Fields = []record.Field{{Key: key, Dir: "lost", Decides: true, Declared: []string{"known.yaml entry 1 (" + key + " lost)"}}}
	return d
}

func TestProblems(t *testing.T) {
	both := []string{"rate_limit plain preserved", "rate_limit stream preserved"}
	incomplete := ran(both...)
	incomplete.Incomplete = true
	excluded := ran("rate_limit plain preserved")
	excluded.Excluded = []record.Excluded{{Row: "rate_limit", Mode: "stream", Why: "--exclude"}}
	hazard := ran("rate_limit plain preserved")
	hazard.Excluded = []record.Excluded{{Row: "rate_limit", Mode: "stream", Why: "hazard limit"}}
	for _, c := range []struct {
		why, in string
		doc     *record.Document
		want    string
	}{
		{"seen in one mode", entry(), sees(ran(both...), "header/retry-after"), ""},
		{"tested, not seen", entry(), ran(both...), "stale"},
		{"it comes and goes", entry("intermittent", "true"), ran(both...), ""},
		{"one mode was not run, and may show it", entry(), ran(both[0]), ""},
		{"that mode is not meant", entry("mode", "plain"), ran(both[0]), "stale"},
		{"left out by the user", entry(), excluded, ""},
		{"left out by its hazard", entry(), hazard, "stale"},
		{"a row that could not be told", entry(), ran("rate_limit plain inconclusive", both[1]), ""},
		{"a row without an answer", entry(), ran("rate_limit plain broken", both[1]), ""},
		{"not run at all", entry(), ran("tier_cap plain preserved"), ""},
		{"a run that did not end", entry(), incomplete, ""},
		{"one of two rows is gone", entry("rows", "[rate_limit, ra_0_429]"), sees(ran(append(both, "ra_0_429 plain preserved", "ra_0_429 stream preserved")...), "header/retry-after"), "no longer seen in ra_0_429;"},
		{"expired yesterday", entry("expires", "2026-11-29"), sees(ran(both...), "header/retry-after"), "expired on 2026-11-29"},
		{"expires today", entry("expires", "2026-11-30"), sees(ran(both...), "header/retry-after"), ""},
		{"too wide", entry("rows", `["*"]`, "key", "error/message"), sees(ran(both...), "error/message"), "too wide"},
		{"wide on purpose", entry("rows", `["*"]`, "key", "error/message", "wide", "true"), sees(ran(both...), "error/message"), ""},
		{"expired of another layer", entry("layer", "other", "expires", "2026-11-29"), ran(both...), ""},
		{"what comes and goes was not found", entry("finding", "intermittent", "key", "", "direction", ""), ran(both...), ""},
		{"another finding was not made", entry("finding", "unexplained-hits", "key", "", "direction", ""), ran(both...), "stale"},
		{"seen on one route of two", entry("mode", "plain"), sees(ran("rate_limit plain declared", "rate_limit plain preserved"), "header/retry-after"), ""},
		{"could not be told on one route of two", entry("mode", "plain"), ran("rate_limit plain preserved", "rate_limit plain broken"), ""},
	} {
		d, err := For(files(t, c.in), "gw", nil, builtin(t))
		if err != nil {
			t.Fatalf("%s: %v", c.why, err)
		}
		d.Settle(c.doc, today)
		got := strings.Join(c.doc.Known.Problems, "\n")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.why, got, c.want)
		}
	}
}

// TestStaleSaysWhatIsSeenInstead: "no longer seen" would be false of a key that differs in another way.
func TestStaleSaysWhatIsSeenInstead(t *testing.T) {
	value := func(s string) *record.Value { return &record.Value{Kind: "number", Text: s} }
	doc := ran("rate_limit plain changed", "ra_0_429 plain changed", "tier_cap plain preserved")
	for i, status := range []string{"502", "504"} {
		doc.Rows[i].Fields = []record.Field{{Key: "status", Dir: "changed", Decides: true, Layer: value(status)}, {Key: "end"}}
	}
	status := []string{"key", "status", "direction", "changed", "value", "503", "mode", "plain"}
	for _, c := range []struct{ why, in, want, not string }{
		{"another value", entry(status...), `entry 1 (status changed): stale: tested and seen otherwise in rate_limit, where now status is changed to "502" in rate_limit (plain); correct it`, "504"},
		{"two", entry(append(status, "rows", "[rate_limit, ra_0_429]")...), `"502" in rate_limit (plain), status is changed to "504" in ra_0_429 (plain)`, ""},
		{"a key that is as it was", entry("mode", "plain"), "no longer seen in rate_limit; remove it", "where now"},
		{"only where it is stale", entry(append(status, "rows", "[tier_cap]")...), "no longer seen in tier_cap; remove it", "502"},
	} {
		d, err := For(files(t, c.in), "gw", nil, builtin(t))
		if err != nil {
			t.Fatalf("%s: %v", c.why, err)
		}
		d.Settle(doc, today)
		got := strings.Join(doc.Known.Problems, "\n")
		if !strings.Contains(got, c.want) || c.not != "" && strings.Contains(got, c.not) {
			t.Errorf("%s: got %q, want %q", c.why, got, c.want)
		}
	}
	doc.Rows[0].Varies = &record.Varies{Sightings: []record.Sighting{{Field: record.Field{Key: "status", Dir: "changed", Declared: []string{"known.yaml entry 1 (status changed)"}}}}}
	d, err := For(files(t, entry(status...)), "gw", nil, builtin(t))
	if err != nil {
		t.Fatal(err)
	}
	if d.Settle(doc, today); len(doc.Known.Problems) > 0 {
		t.Errorf("what another observation of the row showed is seen: %v", doc.Known.Problems)
	}
}

func TestFindingsThatAreDeclared(t *testing.T) {
	finding := func(kind string, rows ...string) *record.Document {
		d := ran("rate_limit plain preserved")
		d.Findings = []record.Finding{{Kind: kind, Rows: rows, Fails: true}}
		return d
	}
	unsteady := entry("finding", "intermittent", "key", "", "direction", "")
	hits := entry("finding", "unexplained-hits", "key", "", "direction", "", "rows", "")
	for _, c := range []struct {
		why, in string
		doc     *record.Document
		fails   bool
	}{
		{"its row", unsteady, finding("intermittent", "rate_limit (plain)"), false},
		{"another row", unsteady, finding("intermittent", "tier_cap (plain)"), true},
		{"its row and another", unsteady, finding("intermittent", "rate_limit (plain)", "tier_cap (plain)"), true},
		{"its row on another route", entry("finding", "intermittent", "key", "", "direction", "", "route", "chat"), finding("intermittent", "rate_limit (plain; route other)"), true},
		{"its row on its route", entry("finding", "intermittent", "key", "", "direction", "", "route", "chat", "mode", "plain"), finding("intermittent", "rate_limit (plain; route chat)"), false},
		{"health probes", hits, finding("unexplained-hits"), false},
		{"retries of a row that is not named", hits, finding("unexplained-hits", "tier_cap"), true},
		{"another finding", hits, finding("layer-state"), true},
		{"a difference of the row is no excuse", entry(), finding("intermittent", "rate_limit (plain)"), true},
	} {
		d, err := For(files(t, c.in), "gw", []string{"chat", "other"}, builtin(t))
		if err != nil {
			t.Fatalf("%s: %v", c.why, err)
		}
		d.Settle(c.doc, today)
		if f := c.doc.Findings[0]; f.Fails != c.fails || f.Fails == (len(f.Declared) > 0) {
			t.Errorf("%s: %+v", c.why, f)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(knownHead + entry()))
	f.Add([]byte(knownHead + entry("key", "status", "direction", "changed", "value", "503", "class", "a -> b")))
	f.Add([]byte("format: preservecheck.known/1\nentries: []\n"))
	f.Add([]byte("entries: [{}]\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := Load("x", b)
		if err != nil {
			if strings.Contains(err.Error(), "\n") && !strings.Contains(err.Error(), "x:") {
				t.Errorf("not in words: %v", err)
			}
			return
		}
		m, err := fixture.Builtin()
		if err != nil {
			t.Fatal(err)
		}
		if d, err := For([]*File{file}, "gw", nil, m); err == nil {
			d.Settle(ran("rate_limit plain preserved"), today)
		}
	})
}
