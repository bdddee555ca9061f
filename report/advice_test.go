package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/record"
)

// TestAdvice: each piece of advice stands once, under the worst rows that it explains.
func TestAdvice(t *testing.T) {
	row := func(name, verdict, key string) record.Row {
		return record.Row{Row: name, Route: "only", Mode: "plain", Verdict: verdict, HitsMin: 1, HitsMax: 1, Observations: []record.Observation{{}},
			Fields: []record.Field{{Key: key, Dir: "lost", Decides: true, Fixture: &record.Value{Kind: "text", Text: "v"}}}}
	}
	name := func(s string) record.RowName { return record.RowName{Row: s, Mode: "plain", Route: "only"} }
	doc := record.Document{
		Rows: []record.Row{row("mild", "changed", "header/a"), row("bad", "reclassified", "error"), row("other", "changed", "header/c")},
		Advice: []record.Advice{
			{Cause: "an error page", Remedy: "remove \x1b[31mit", Source: "https://example.org/p", Date: "2026-11-30", Rows: []record.RowName{name("bad"), name("mild")}},
			{Cause: "a hidden header", Remedy: "show it", Source: "https://example.org/h", Date: "2026-11-30", Rows: []record.RowName{name("mild")}},
		},
	}
	var b bytes.Buffer
	if err := Text(&b, doc, TextOptions{}); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	last := 0
	for _, want := range []string{"reclassified  bad", "likely cause: an error page", "remedy: remove \\x1b[31mit (https://example.org/p, 2026-11-30)", "changed  mild", "likely cause: a hidden header", "changed  other"} {
		at := strings.Index(got, want)
		if at < last {
			t.Errorf("%q is at %d, behind %d:\n%s", want, at, last, got)
		}
		last = at
	}
	if strings.Count(got, "an error page") != 1 {
		t.Errorf("said twice:\n%s", got)
	}
	saidOnce(t, doc)
}

// saidOnce holds every other format for people to the same advice. JUnit's cases are read one by one, so each has its own.
func saidOnce(t *testing.T, doc record.Document) {
	t.Helper()
	for format, times := range map[string]int{"markdown": 1, "html": 1, "issue": 1, "github": 1, "junit": 2, "sarif": 2} { // sarif: in the help of two rules
		f, err := ByName(format)
		if err != nil {
			t.Fatal(err)
		}
		out := written(t, f, doc)
		for text, want := range map[string]int{"an error page": times, "https://example.org/p": times, "a hidden header": 1, "31mit": times} {
			if n := strings.Count(out, text); n != want {
				t.Errorf("%s says %q %d times, want %d", format, text, n, want)
			}
		}
	}
}

// TestAdviceOnFindings: a cause of a kind of finding stands once, under the first that fails the run.
func TestAdviceOnFindings(t *testing.T) {
	doc := record.Document{
		Findings: []record.Finding{{Kind: "cached", Text: "first"}, {Kind: "layer-state", Text: "second", Fails: true}, {Kind: "layer-state", Text: "third", Fails: true}},
		Advice: []record.Advice{{Finding: "layer-state", Cause: "a limiter", Remedy: "raise it", Source: "https://example.org/l", Date: "2026-11-30"},
			{Finding: "cached", Cause: "a cache", Remedy: "empty it", Source: "https://example.org/c", Date: "2026-11-30"}},
	}
	var b bytes.Buffer
	if err := Text(&b, doc, TextOptions{}); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	second, third, cause := strings.Index(got, "second"), strings.Index(got, "third"), strings.Index(got, "likely cause: a limiter")
	if second < 0 || cause < second || third < cause || strings.Count(got, "a limiter") != 1 || !strings.Contains(got, "remedy: raise it (https://example.org/l, 2026-11-30)") {
		t.Errorf("not once and in its place:\n%s", got)
	}
	if strings.Contains(got, "a cache") {
		t.Errorf("a finding that does not fail the run has a cause:\n%s", got)
	}
}
