package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/preservecheck/preservecheck/record"
)

func junitOf(t testing.TB, doc record.Document) junitSuites {
	t.Helper()
	out := written(t, Format{"junit", "", JUnit}, doc)
	var s junitSuites
	if err := xml.Unmarshal([]byte(out), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// tally counts what a CI system would count, and holds it against what the suites say of themselves.
func tally(t testing.TB, s junitSuites) (tests, failures, errs, skipped int, names []string) {
	t.Helper()
	for _, x := range s.Suites {
		f, e, k := 0, 0, 0
		for _, c := range x.Cases {
			switch {
			case c.Failure != nil:
				f++
				names = append(names, c.Name)
			case c.Error != nil:
				e++
			case c.Skipped != nil:
				k++
			}
		}
		if x.Tests != len(x.Cases) || x.Failures != f || x.Errors != e || x.Skipped != k {
			t.Errorf("suite %s says %d %d %d %d of %d %d %d %d", x.Name, x.Tests, x.Failures, x.Errors, x.Skipped, len(x.Cases), f, e, k)
		}
		tests, failures, errs, skipped = tests+len(x.Cases), failures+f, errs+e, skipped+k
	}
	return tests, failures, errs, skipped, names
}

func onlyFinding() record.Document {
	doc := green()
	doc.Findings = []record.Finding{{Kind: "slept", Text: "the layer slept", Fails: true}}
	doc.Result = record.Result{Exit: 1, Word: "fail", Why: "1 finding about the run", Counts: map[string]int{"preserved": 20}}
	return doc
}

// newsOnly is a run under a baseline: what fails as before does not fail it.
func newsOnly(changes ...record.Change) record.Document {
	doc := red()
	doc.News = &record.News{Changes: changes, Same: 5}
	doc.Findings = nil
	doc.Result = record.Result{Exit: 0, Word: "pass", Why: "no new fault; 5 faults as before"}
	if len(changes) > 0 {
		doc.Result = record.Result{Exit: 1, Word: "fail", Why: "1 new fault"}
	}
	return doc
}

func TestJUnitSaysWhatTheRunSays(t *testing.T) {
	unended := record.Document{Format: record.Format, Incomplete: true, Result: record.Result{Exit: 3, Word: "could not tell"}}
	for _, c := range []struct {
		why                       string
		doc                       record.Document
		failures, errors, skipped int
	}{
		{"a green run has neither", green(), 0, 0, 2},
		{"every failing row and finding, and the result", red(), 8 + 1 + 1, 2 + 1, 2},
		{"a run whose only fault is a finding fails here, too", onlyFinding(), 2, 0, 2},
		{"what is allowed to differ passes", stripped(), 0, 0, 2},
		{"a missed control is an error, and so is the interruption", interrupted(), 0, 3, 0},
		{"a file that stands there before its run", unended, 0, 2, 0},
		{"what failed before does not fail under a baseline", newsOnly(), 0, 0, 2},
		{"what is new does", newsOnly(record.Change{What: "new", Row: "tier_cap", Mode: "plain", Text: "x", Fails: true}), 2, 0, 2},
		{"a known file's entry", func() record.Document {
			doc := green()
			doc.Known = &record.Known{Problems: []string{"known.yaml: entry 1 is stale"}}
			doc.Result.Exit, doc.Result.Word = 1, "fail"
			return doc
		}(), 2, 0, 2},
		{"a part that is missing", func() record.Document {
			doc := green()
			doc.Parts = []record.Part{{File: "a.json"}, {Layer: "eu", Problem: "is missing"}}
			doc.Result.Exit, doc.Result.Word = 3, "could not tell"
			return doc
		}(), 0, 2, 2},
	} {
		_, failures, errs, skipped, _ := tally(t, junitOf(t, c.doc))
		if failures != c.failures || errs != c.errors || skipped != c.skipped {
			t.Errorf("%s: %d failures, %d errors, %d skipped; want %d, %d, %d", c.why, failures, errs, skipped, c.failures, c.errors, c.skipped)
		}
	}
}

// TestSkippedIsOnlyExcluded: a CI system shows skipped in grey and goes on.
func TestSkippedIsOnlyExcluded(t *testing.T) {
	doc := full()
	for _, s := range junitOf(t, doc).Suites {
		if s.Name != "excluded" && s.Skipped > 0 || s.Name == "excluded" && s.Skipped != len(doc.Excluded) {
			t.Errorf("suite %s skips %d", s.Name, s.Skipped)
		}
	}
}

func TestJUnitNamesAreUnique(t *testing.T) {
	doc := red()
	doc.Rows = append(doc.Rows, doc.Rows...)
	seen := map[string]bool{}
	for _, s := range junitOf(t, doc).Suites {
		for _, c := range s.Cases {
			if seen[c.Class+c.Name] {
				t.Errorf("two cases %q", c.Name)
			}
			seen[c.Class+c.Name] = true
		}
	}
}

// many is a run in which each of n rows fails in a way of its own, the worst one last.
func many(n int) record.Document {
	doc := base()
	doc.Rows = nil
	for i := range n {
		r := record.Row{Row: fmt.Sprintf("row_%04d", i), Mode: "plain", Verdict: "changed", HitsMin: 1, HitsMax: 1, Provenance: "own-hit",
			Reason: fmt.Sprintf("reason %d", i), Class: record.Classes{Fixture: "a", Direct: "a", Layer: "a"},
			Observations: []record.Observation{{Pass: "A", Verdict: "changed", Hits: 1, Decided: true}},
			Fields: []record.Field{{Key: fmt.Sprintf("header/x-%d", i), Dir: "changed", Decides: true, Fixture: text(strings.Repeat("中", 300)),
				Direct: text(strings.Repeat("中", 300)), Layer: text(strings.Repeat("`", 300))}}}
		if i == n-1 {
			r.Verdict, r.Class.Layer = "broken", ""
		}
		doc.Rows = append(doc.Rows, r)
	}
	doc.Result.Exit, doc.Result.Word, doc.Result.Why = 1, "fail", fmt.Sprintf("%d of %d rows failed", n, n)
	return doc
}

func TestMarkdownHasALimit(t *testing.T) {
	out := written(t, Format{"markdown", "", Markdown}, many(1000))
	if len(out) > markdownSize || utf8.RuneCountInString(out) > 65_536 {
		t.Errorf("%d bytes", len(out))
	}
	if len(out) < markdownSize/2 {
		t.Errorf("only %d bytes are used", len(out))
	}
	for _, want := range []string{"more parts are left out", "Exit 1", "Covers: ", "`row_0999"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Index(out, "### broken") > strings.Index(out, "### changed") {
		t.Error("the worst one is not the first")
	}
	if left := strings.Count(out, "\n### "); !strings.Contains(out, fmt.Sprintf("**%d more parts", 1000-left)) {
		t.Errorf("%d parts are shown, and the count of what is left out is another", left)
	}
	readMarkdown(t, out)
}

func TestAnnotationsHaveALimit(t *testing.T) {
	out := written(t, Format{"github", "", GitHub}, many(40))
	if n := strings.Count(out, "::error "); n != mostAnnotations {
		t.Errorf("%d errors", n)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if !strings.Contains(lines[0], "40 of 40 rows failed") || !strings.Contains(lines[1], "title=broken%3A row_0039 (plain)") {
		t.Errorf("the result and the worst row do not come first: %q", lines[:2])
	}
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, "::notice ") || !strings.Contains(last, "::31 more are not shown") {
		t.Errorf("what is left out is not counted: %q", last)
	}
	for _, c := range []struct {
		doc  record.Document
		want string
	}{{green(), "::notice title=preservecheck%3A PASS"}, {interrupted(), "::warning title=preservecheck%3A INCOMPLETE"}} {
		if out := written(t, Format{"github", "", GitHub}, c.doc); !strings.HasPrefix(out, c.want) {
			t.Errorf("want %q, got %q", c.want, out)
		}
	}
}

func sarifOf(t testing.TB, doc record.Document) sarifRun {
	t.Helper()
	var log sarifLog
	if err := json.Unmarshal([]byte(written(t, Format{"sarif", "", SARIF}, doc)), &log); err != nil {
		t.Fatal(err)
	}
	return log.Runs[0]
}

// TestFingerprintsAreStable: code scanning takes a result with another fingerprint for a new one, and says that the old
// one was fixed.
func TestFingerprintsAreStable(t *testing.T) {
	prints := func(doc record.Document) (out []string) {
		for _, r := range sarifOf(t, doc).Results {
			out = append(out, r.Fingerprints["preservecheck/v1"])
		}
		slices.Sort(out)
		return out
	}
	before := prints(red())
	later := red()
	later.Started = later.Started.Add(time.Hour)
	later.Target.Version, later.Tool.Version, later.Result.Why = "2", "9.9.9", "other words"
	slices.Reverse(later.Rows)
	for i := range later.Rows {
		r := &later.Rows[i]
		r.Consequence, r.Reason = "in other words: "+r.Consequence, "another time "+r.Reason
		for j := range r.Fields {
			if v := r.Fields[j].Layer; v != nil {
				r.Fields[j].Layer = &record.Value{Kind: v.Kind, Text: v.Text + " req_other"}
			}
		}
	}
	for i := range later.Findings {
		later.Findings[i].Text += " (3 times)"
	}
	if !slices.Equal(before, prints(later)) {
		t.Errorf("another run has other fingerprints:\n%v\n%v", before, prints(later))
	}
	other := red()
	other.Target.Name = "another"
	for _, p := range prints(other) {
		if slices.Contains(before, p) {
			t.Errorf("another layer has the fingerprint %s", p)
		}
	}
	if len(before) < 10 || len(slices.Compact(slices.Clone(before))) != len(before) {
		t.Errorf("%d fingerprints are not unique", len(before))
	}
}

func TestSARIFPlaces(t *testing.T) {
	doc := red()
	doc.Known = &record.Known{Problems: []string{"entry 1 is stale"}}
	for _, r := range sarifOf(t, doc).Results {
		if len(r.Locations) > 0 && r.Locations[0].Physical != nil {
			t.Fatalf("a place that nobody gave: %+v", r.Locations)
		}
	}
	doc.Sources = []record.Source{{Kind: "known", Path: "ci/known file.yaml"}, {Kind: "target", Path: "ci/gateway.yaml"}}
	got := map[string]int{}
	for _, r := range sarifOf(t, doc).Results {
		got[strings.TrimPrefix(r.Rule, "preservecheck/")+" "+r.Locations[0].Physical.Artifact.URI]++
	}
	if got["known-entry ci/known%20file.yaml"] != 1 || got["broken ci/gateway.yaml"] != 1 {
		t.Errorf("got %v", got)
	}
}

func TestSARIFHasALimit(t *testing.T) {
	run := sarifOf(t, many(mostResults+7))
	if len(run.Results) != mostResults || len(run.Invocations[0].Notifications) != 1 ||
		!strings.Contains(run.Invocations[0].Notifications[0].Message.Text, "7 results more") {
		t.Errorf("%d results, %+v", len(run.Results), run.Invocations[0].Notifications)
	}
	if run.Results[0].Rule != "preservecheck/broken" {
		t.Errorf("the worst one is not the first: %s", run.Results[0].Rule)
	}
}

// TestKindsAreKnown: each kind that an item can have is in the list that rules and metrics are made of.
func TestKindsAreKnown(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range kinds() {
		if seen[k.name] || k.short == "" || k.help == "" || k.name != strings.ToLower(k.name) {
			t.Errorf("%+v", k)
		}
		seen[k.name] = true
	}
	for _, doc := range []record.Document{full(), red(), interrupted(), newsOnly(record.Change{Fails: true})} {
		for _, f := range faults(&doc) {
			if !seen[f.kind] {
				t.Errorf("no kind %q", f.kind)
			}
		}
	}
	for _, v := range worstFirst {
		if kindOf(v).name == "other" && v != "declared" && v != "preserved" {
			t.Errorf("the verdict %s has no kind", v)
		}
	}
}

// TestIssueTellsNoAddress: a report for somebody else's tracker names no machine of the user's.
func TestIssueTellsNoAddress(t *testing.T) {
	doc := red()
	doc.Target = record.Target{Name: "https://gw.corp.example:8443/llm", URL: "https://gw.corp.example:8443/llm", StubURL: "http://10.1.2.3:8787",
		Routes: []record.Route{{Name: "eu", URL: "https://eu.corp.example", Dialect: "anthropic", Headers: []string{"x-team"}}, {Name: "us", URL: "https://us.corp.example"}}}
	doc.Settings.HeadersSent = []string{"x-team"}
	setBoth(&doc, "tier_cap", func(r *record.Row) {
		r.Hits = []record.Hit{{Method: "POST", Path: "/v1/messages", Model: "m", Header: []string{"X-Team"}}}
		r.Direct, r.Layer = &record.Evidence{Status: 429, End: "ok"}, &record.Evidence{Status: 429, End: "ok"}
	})
	out := written(t, Format{"issue", "", Issue}, doc)
	for _, not := range []string{"corp.example", "10.1.2.3", "8787", "x-team", "X-Team"} {
		if strings.Contains(out, not) {
			t.Errorf("%q is in the report", not)
		}
	}
	for _, want := range []string{"> POST /v1/messages HTTP/1.1", `{"model": "m", "stream": false`, "## 1. ", "(no header retry-after)", "HTTP 429",
		"`error/details` is lost", `error/details: {"error_code":"enforced_spend_limit_reached"}  <--`, "error/details: absent  <--", "sent again by the layer"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if out := written(t, Format{"issue", "", Issue}, green()); !strings.Contains(out, "nothing to report") {
		t.Errorf("a green run: %s", out)
	}
}

// TestReservedOutputsAreNotGreen: what stands in every output before its run must not be taken for a pass.
func TestReservedOutputsAreNotGreen(t *testing.T) {
	doc := record.Document{Format: record.Format, Command: "check", Incomplete: true, Target: record.Target{Name: "gw"},
		Result: record.Result{Exit: 3, Word: "could not tell", Why: "the controls were not all proven", Counts: map[string]int{}}}
	for name, want := range map[string]string{
		"junit": `errors="1"`, "markdown": "## INCOMPLETE", "sarif": `"executionSuccessful": false`, "github": "::warning title=preservecheck%3A INCOMPLETE",
		"prometheus": "preservecheck_run_incomplete 1\n", "issue": "INCOMPLETE",
	} {
		f, err := ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		if out := written(t, f, doc); !strings.Contains(out, want) {
			t.Errorf("%s: no %q in\n%s", name, want, out)
		}
	}
}

func TestFenced(t *testing.T) {
	for in, want := range map[string]string{"a\n": "```text\na\n```\n", "```\nb": "````text\n```\nb\n````\n"} {
		if got := fenced(in); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestCommandsAreEscaped: a runner undoes escapes, so what looks like one has to come out as it went in.
func TestCommandsAreEscaped(t *testing.T) {
	var b bytes.Buffer
	command(&b, "error", "a,b:c%0A", "t%0A,u:v", "100% %0A::x")
	if want := "::error file=a%2Cb%3Ac%250A,title=t%250A%2Cu%3Av::100%25 %250A::x\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

// TestMetricsCountTheUnknown: a name that is in no list is counted as other, and not forgotten.
func TestMetricsCountTheUnknown(t *testing.T) {
	doc := green()
	doc.Rows[0].Verdict = "novel"
	doc.Rows[0].Fields = []record.Field{{Key: "k", Role: "novel", Dir: "twisted", Decides: true}}
	doc.Findings = []record.Finding{{Kind: "novel", Fails: true}}
	out := written(t, Format{"prometheus", "", Prometheus}, doc)
	for _, want := range []string{`rows{verdict="other"} 1`, `differences{direction="other",role="other",decides="true"} 1`, `findings{kind="other",fails="true"} 1`} {
		if !strings.Contains(out, "preservecheck_"+want+"\n") {
			t.Errorf("no %s", want)
		}
	}
}

func TestProse(t *testing.T) {
	for _, c := range []struct{ why, in, want string }{
		{"plain words stay", "a spend cap, now (a) 429: don't", "a spend cap, now (a) 429: don't"},
		{"what is no word is code", "tier_cap is error/details", "`tier_cap` is `error/details`"},
		{"neighbours share it", "a_b c_d e", "`a_b c_d` e"},
		{"punctuation stands behind it", "see (a_b), c", "see (`a_b`), c"},
		{"a mention", "@octocat, (@octocat)", "`@octocat`, (`@octocat`)"},
		{"an address", "at http://x.example.", "at `http://x.example`."},
		{"a backtick needs a longer fence", "a`b", "``a`b``"},
		{"at its ends a space as well", "`a`", "`` `a` ``"},
		{"a pipe would end a cell", "a|b", "`a\\x7cb`"},
		{"signs alone", "... -> (", "`... -> (`"},
		{"nothing", "", ""},
	} {
		if got := prose(plain(c.in)); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

func BenchmarkFormats(b *testing.B) {
	doc := many(1000)
	for _, f := range Formats() {
		b.Run(f.Name, func(b *testing.B) {
			for b.Loop() {
				if err := f.Write(discard{}, doc); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }
