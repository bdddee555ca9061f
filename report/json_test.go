package report

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/preservecheck/preservecheck/record"
)

func renderJSON(t testing.TB, doc record.Document) string {
	t.Helper()
	var b bytes.Buffer
	if err := JSON(&b, doc); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestJSONRoundTrip(t *testing.T) {
	empty := record.Document{Format: record.Format}
	for _, c := range []struct {
		why string
		doc record.Document
	}{
		{"a green run", green()}, {"every verdict", red()}, {"an interrupted run", interrupted()},
		{"text that JSON can't carry", hostile()}, {"nothing at all", empty},
	} {
		first := renderJSON(t, c.doc)
		read, err := record.Read(strings.NewReader(first))
		if err != nil {
			t.Fatalf("%s: %v", c.why, err)
		}
		if diff := cmp.Diff(first, renderJSON(t, read)); diff != "" {
			t.Errorf("%s: written again it differs: %s", c.why, diff)
		}
		if again := renderJSON(t, c.doc); again != first {
			t.Errorf("%s: two writes differ", c.why)
		}
	}
	read, err := record.Read(strings.NewReader(renderJSON(t, red())))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(filled(red()), read); diff != "" {
		t.Errorf("what is read is not what was written: %s", diff)
	}
}

// TestJSONIsQuiet: a record is printed with --format json, so it must not command a terminal or a workflow either.
func TestJSONIsQuiet(t *testing.T) {
	doc := red()
	plantAll(&doc, nasty)
	got := renderJSON(t, doc)
	for l := range strings.Lines(got) {
		mustBePlain(t, strings.TrimSuffix(l, "\n"))
		if t.Failed() {
			t.FailNow()
		}
	}
	if !strings.HasSuffix(got, "}\n") || strings.HasSuffix(got, "\n\n") {
		t.Errorf("it must end in one new line, ends in %q", got[len(got)-5:])
	}
}

func TestJSONKeepsText(t *testing.T) {
	valid := strings.ToValidUTF8(nasty, "?") + `<b>&amp;</b> \ufffd � \x00`
	doc := record.Document{Format: record.Format, Notes: []string{valid}}
	got := renderJSON(t, doc)
	if !strings.Contains(got, "<b>&amp;</b>") {
		t.Errorf("HTML is escaped: %s", got)
	}
	var read record.Document
	if err := json.Unmarshal([]byte(got), &read); err != nil {
		t.Fatal(err)
	}
	if read.Notes[0] != valid {
		t.Errorf("text changed:\n%q\n%q", valid, read.Notes[0])
	}
	got = renderJSON(t, record.Document{Notes: []string{"a\xffb"}})
	if !strings.Contains(got, `"a\\xffb"`) {
		t.Errorf("a byte that is not UTF-8 must stay visible: %s", got)
	}
}

func TestJSONHasListsNotNull(t *testing.T) {
	got := renderJSON(t, record.Document{Rows: []record.Row{{Layer: &record.Evidence{}}}})
	for _, want := range []string{`"rows": [`, `"channels": []`, `"keys": []`, `"modes": []`, `"dialects": []`, `"hazards": []`, `"observations": []`, `"counts": {}`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	if !strings.Contains(got, `"retry_after": null`) {
		t.Errorf("an absent header is null in an answer's evidence: %s", got)
	}
}

func TestJSONRefusesWhatItCantWrite(t *testing.T) {
	err := JSON(&bytes.Buffer{}, record.Document{DurationMS: math.NaN()})
	if err == nil || !strings.Contains(err.Error(), "can't be written") {
		t.Errorf("got %v", err)
	}
}

func TestValidUTF8CopiesAll(t *testing.T) {
	doc := red()
	plantAll(&doc, "\xff")
	before := red()
	plantAll(&before, "\xff")
	out := validUTF8(reflect.ValueOf(doc)).Interface().(record.Document)
	n := 0
	eachString(reflect.ValueOf(&out).Elem(), "", func(path string, get func() string, _ func(string)) {
		n++
		if get() != `\xff` {
			t.Errorf("%s is %q", path, get())
		}
	})
	if n < 300 {
		t.Errorf("only %d strings: the walk is broken", n)
	}
	if diff := cmp.Diff(before, doc); diff != "" {
		t.Errorf("the original changed: %s", diff)
	}
}
