package report

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/preservecheck/preservecheck/gate"
	"github.com/preservecheck/preservecheck/record"
)

func known(t *testing.T, doc record.Document) string {
	t.Helper()
	var b bytes.Buffer
	if err := Known(&b, doc); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestKnownGolden(t *testing.T) {
	got := known(t, red())
	file := filepath.Join("testdata", "known.golden")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestKnownIsReadBack: what is written is refused for its empty reasons and for nothing else, whatever a layer sent.
func TestKnownIsReadBack(t *testing.T) {
	bad := hostile()
	for i := range bad.Rows { // names that a run gives itself
		bad.Rows[i].Row, bad.Rows[i].Mode, bad.Rows[i].Verdict = "rate_limit", "plain", "changed"
		bad.Rows[i].Class = record.Classes{}
		for j := range bad.Rows[i].Fields {
			f := &bad.Rows[i].Fields[j]
			f.Key, f.Dir, f.Decides, f.Declared, f.Role = "error/message", "changed", true, nil, ""
		}
	}
	bad.Target.Name, bad.Incomplete, bad.NotReady, bad.Refused = nasty, false, "", ""
	for _, c := range []struct {
		why string
		doc record.Document
	}{{"every verdict", red()}, {"one story in many rows", stripped()}, {"text of a layer in every slot", bad}} {
		text := known(t, c.doc)
		mustBeSafe(t, text, 1<<20)
		if _, err := gate.Load("known.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), "the reason is empty") {
			t.Errorf("%s: %v in\n%s", c.why, err, text)
		}
		filled := strings.ReplaceAll(text, `reason: ""`, "reason: because")
		if _, err := gate.Load("known.yaml", []byte(filled)); err != nil {
			t.Errorf("%s: %v in\n%s", c.why, err, text)
		}
	}
	if text := known(t, interrupted()); !strings.HasPrefix(text, "# Not a known file") || strings.Contains(text, "format:") {
		t.Errorf("a run that did not end: %s", text)
	}
	if _, err := gate.Load("known.yaml", []byte(known(t, green()))); err != nil {
		t.Errorf("nothing to declare: %v", err)
	}
}

// TestKnownSplits: no entry is too wide, and each names its modes.
func TestKnownSplits(t *testing.T) {
	doc := base()
	doc.Rows = nil
	for i := range 45 {
		doc.Rows = append(doc.Rows, record.Row{Row: "row_" + string(rune('a'+i/26)) + string(rune('a'+i%26)), Mode: "plain", Verdict: "changed",
			Fields: []record.Field{{Key: "header/x", Dir: "lost", Decides: true}}})
	}
	both := doc.Rows[44]
	both.Mode = "stream"
	doc.Rows = append(doc.Rows, both)
	text := known(t, doc)
	if n := strings.Count(text, "  - layer:"); n != 4 { // 20, 20 and 4 in plain, and one in both modes
		t.Errorf("%d entries in\n%s", n, text)
	}
	if strings.Count(text, `mode: "plain"`) != 3 {
		t.Errorf("modes in\n%s", text)
	}
}

func TestValuePattern(t *testing.T) {
	for _, c := range []struct {
		why  string
		f    record.Field
		want string
	}{
		{"the original in it", record.Field{Key: "error/message", Dir: "changed", Fixture: str("slow down"), Layer: str("anthropic error: slow down")}, "anthropic error: {original}"},
		{"an id in it", record.Field{Key: "error/message", Dir: "changed", Fixture: str("slow down"), Layer: str("slow down (request id: 20261130-abc12)")}, "{original} (request id: {any})"},
		{"a status is exact", record.Field{Key: "status", Dir: "changed", Fixture: number("429"), Layer: number("503")}, "503"},
		{"also where the original is in it", record.Field{Key: "error/type", Role: "type", Dir: "changed", Fixture: str("rate_limit_error"), Layer: str("upstream_rate_limit_error")}, "upstream_rate_limit_error"},
		{"a wait is exact", record.Field{Key: "header/retry-after", Role: "retry-after", Dir: "changed", Fixture: text("1"), Layer: text("1700000000123")}, "1700000000123"},
		{"what is lost has none", record.Field{Key: "status", Dir: "lost", Layer: str("x")}, ""},
		{"a value that was cut can't be written", record.Field{Key: "error/message", Dir: "changed", Layer: &record.Value{Kind: "string", Text: "x", Cut: 1}}, ""},
	} {
		got := ""
		if v := valuePattern(&c.f); v != nil {
			got = *v
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

// newsDoc is a run with news of every kind.
func newsDoc() record.Document {
	doc := red()
	doc.Result.Why, doc.Result.Counts = "2 new faults", nil
	doc.Known = &record.Known{Files: []record.KnownFile{{Name: "known.yaml"}}, Problems: []string{"known.yaml entry 2 (header/x lost): expired on 2026-11-29"}}
	side := record.Side{Layer: "gw", Version: "1.2", Started: "2026-11-30T12:00:00Z", Result: "pass"}
	doc.News = &record.News{Old: side, New: side, Same: 3, Untold: []string{"tier_cap (plain) was not run"}, Changes: []record.Change{
		{What: "new", Row: "rate_limit", Mode: "plain", Text: "header/retry-after lost", Fails: true},
		{What: "new", Row: "rate_limit", Mode: "stream", Text: "header/retry-after lost", Fails: true},
		{What: "new", Row: "ramp_limit", Mode: "plain", Text: "error/message changed"},
		{What: "finding", Text: "finding layer-state: it stopped", Fails: true},
		{What: "version", Text: "version of the layer: 1.1 -> 1.2"},
		{What: "gone", Row: "tier_cap", Mode: "plain", Text: "error/details lost is gone"},
	}}
	return doc
}

func TestNewsGolden(t *testing.T) {
	for _, c := range []struct {
		name  string
		write func(*bytes.Buffer) error
	}{
		{"news-60", func(b *bytes.Buffer) error { return Text(b, newsDoc(), TextOptions{Width: 60}) }},
		{"diff-100", func(b *bytes.Buffer) error { return Diff(b, newsDoc(), TextOptions{Width: 100}) }},
	} {
		var b bytes.Buffer
		if err := c.write(&b); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("testdata", c.name+".golden")
		if *update {
			if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), b.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestNewsIsPlain: both records may hold what a layer sent.
func TestNewsIsPlain(t *testing.T) {
	doc := newsDoc()
	plantAll(&doc, nasty)
	for _, width := range []int{60, 100} {
		var b bytes.Buffer
		if err := Diff(&b, doc, TextOptions{Width: width}); err != nil {
			t.Fatal(err)
		}
		mustBeSafe(t, b.String(), width)
		mustBeSafe(t, render(t, doc, TextOptions{Width: width}), width)
	}
	var b bytes.Buffer
	if err := DiffJSON(&b, record.Diff{Format: record.NewsFormat, News: *newsDoc().News}); err != nil || !strings.Contains(b.String(), `"what": "gone"`) {
		t.Errorf("%v: %s", err, b.String())
	}
}

// TestKnownLeavesOutWhatIsDeclared: a second file can stand beside the first. A class that nobody named has to be.
func TestKnownLeavesOutWhatIsDeclared(t *testing.T) {
	doc := base()
	doc.Rows = []record.Row{
		{Row: "a", Mode: "plain", Verdict: "changed", Fields: []record.Field{
			{Key: "header/x", Dir: "lost", Decides: true, Declared: []string{"known.yaml entry 1"}}, {Key: "header/y", Dir: "lost", Decides: true}}},
		{Row: "b", Mode: "plain", Verdict: "reclassified", Class: record.Classes{Fixture: "rate_limit", Layer: "other"}, Fields: []record.Field{
			{Key: "header/z", Dir: "lost", Decides: true, Declared: []string{"known.yaml entry 2"}}}},
	}
	text := known(t, doc)
	if strings.Contains(text, "header/x") || !strings.Contains(text, "header/y") || !strings.Contains(text, "header/z") {
		t.Error(text)
	}
}

// TestKnownOfWhatVaries: what comes and goes is marked, what is always there is not, and a value that has another id each
// time is one.
func TestKnownOfWhatVaries(t *testing.T) {
	sighting := func(times int, key, class string, v *record.Value) record.Sighting {
		return record.Sighting{Times: times, Class: class, Field: record.Field{Key: key, Dir: "changed", Decides: true, Fixture: str("slow down"), Layer: v}}
	}
	doc := base()
	doc.Rows = []record.Row{{Row: "rate_limit", Mode: "plain", Verdict: "changed", Class: record.Classes{Fixture: "rate_limit"}, Varies: &record.Varies{
		Observations: 3, Sightings: []record.Sighting{
			sighting(1, "error/message", "", str("slow down (id 20261130-abc12)")), sighting(2, "error/message", "", str("slow down (id 20261130-abc13)")),
			sighting(1, "status", "unknown_429", number("503")), sighting(2, "header/x", "", text("1")), sighting(1, "header/x", "unknown_429", text("1")),
		}}}, {Row: "tier_cap", Mode: "plain", Verdict: "broken"}}
	doc.Findings = []record.Finding{{Kind: "intermittent", Fails: true, Rows: []string{"rate_limit (plain)"}}, {Kind: "intermittent", Fails: true, Rows: []string{"tier_cap (plain)"}},
		{Kind: "unexplained-hits", Fails: true}, {Kind: "unexplained-hits"}, {Kind: "cached", Fails: true}}
	text := known(t, doc)
	for what, n := range map[string]int{"- layer": 6, "intermittent: true": 1, "(id {any})": 1, `"rate_limit -> unknown_429"`: 2, `finding: "intermittent"`: 1,
		`finding: "unexplained-hits"`: 1, "can't be declared: finding cached": 1, "rows: ": 5} {
		if got := strings.Count(text, what); got != n {
			t.Errorf("%q stands %d times, not %d, in\n%s", what, got, n, text)
		}
	}
	doc.Rows[0].Varies.Sightings[2].InventedSuccess = true
	if text := known(t, doc); !strings.Contains(text, "rate_limit (plain): a success that nobody sent") || strings.Contains(text, "rate_limit\"]") {
		t.Error(text)
	}
	doc.Rows[0].Varies.Sightings[2].InventedSuccess, doc.Rows[0].Varies.Sightings[2].Field.Key = false, "header/[secret TOKEN]"
	if text := known(t, doc); !strings.Contains(text, "can't be written in a known file") {
		t.Error(text)
	}
}
