package report

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/preservecheck/preservecheck/record"
)

var update = flag.Bool("update", false, "write the golden files anew")

func render(t testing.TB, doc record.Document, o TextOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := Text(&b, doc, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	for _, c := range []struct {
		name, why string
		doc       record.Document
		o         TextOptions
	}{
		{"green-100", "a green run is short", green(), TextOptions{Width: 100}},
		{"green-60", "and fits a narrow terminal", green(), TextOptions{Width: 60}},
		{"green-100-verbose", "-v shows preserved rows, settings and controls", green(), TextOptions{Width: 100, Verbose: true}},
		{"red-100", "every verdict, worst first", red(), TextOptions{Width: 100}},
		{"red-60", "values below their keys where columns are too narrow", red(), TextOptions{Width: 60}},
		{"red-100-verbose", "-v shows passes, keys that do not decide and whole values", red(), TextOptions{Width: 100, Verbose: true}},
		{"stripped-100", "one story in many rows is one paragraph", stripped(), TextOptions{Width: 100}},
		{"stripped-60", "also on a narrow terminal", stripped(), TextOptions{Width: 60}},
		{"interrupted-100", "a missed proof and an interruption come before everything", interrupted(), TextOptions{Width: 100}},
		{"controls-100", "the proof alone lists its controls", controls(), TextOptions{Width: 100}},
		{"hostile-100", "text of a layer in every slot", hostile(), TextOptions{Width: 100}},
		{"hostile-60", "the same, narrow", hostile(), TextOptions{Width: 60}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := render(t, c.doc, c.o)
			file := filepath.Join("testdata", c.name+".golden")
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
				t.Errorf("%s (-want +got):\n%s", c.why, diff)
			}
			mustBeSafe(t, got, c.o.Width)
		})
	}
}

// mustBeSafe holds a whole text report against what a terminal and a workflow log would obey.
func mustBeSafe(t testing.TB, report string, columns int) {
	t.Helper()
	if !utf8.ValidString(report) {
		t.Error("not valid UTF-8")
	}
	if i := strings.IndexFunc(report, func(r rune) bool { return r != '\n' && hidden(r) }); i >= 0 {
		t.Errorf("invisible or control character at %q", report[i:min(len(report), i+20)])
	}
	if strings.Contains(report, "##") {
		t.Error("## would start a command")
	}
	for l := range strings.Lines(report) {
		if strings.HasPrefix(strings.TrimLeft(l, " "), "::") {
			t.Errorf("a workflow command: %q", l)
		}
		if w := width(safe(strings.TrimSuffix(l, "\n"))); w > columns && !strings.HasPrefix(l, "next: ") {
			t.Errorf("%d columns wide: %q", w, l)
		}
	}
}

// TestEveryStringIsEscaped plants a hostile text in one string of the record at a time, so that a slot that is
// printed as it came is found even if a neighbour's text hides it.
func TestEveryStringIsEscaped(t *testing.T) {
	computes(t)
	var paths []string
	doc := full()
	eachString(reflect.ValueOf(&doc).Elem(), "", func(path string, _ func() string, _ func(string)) { paths = append(paths, path) })
	if len(paths) < 300 {
		t.Fatalf("only %d strings found: the walk is broken", len(paths))
	}
	for _, planted := range paths {
		doc := full()
		eachString(reflect.ValueOf(&doc).Elem(), "", func(path string, _ func() string, set func(string)) {
			if path == planted {
				set(nasty)
			}
		})
		for _, o := range []TextOptions{{Width: 60, Verbose: true}, {Width: 100}} {
			mustBeSafe(t, render(t, doc, o), o.Width)
		}
		if t.Failed() {
			t.Fatalf("planted in %s", planted)
		}
	}
}

// TestWrappingMakesNoCommand: a word that is too long is broken anywhere, and so may put "::" at the start of a line.
func TestWrappingMakesNoCommand(t *testing.T) {
	for n := range 130 {
		doc := green()
		doc.Notes = []string{strings.Repeat("x", n) + "::error::pwned"}
		doc.Rows[0].Verdict, doc.Rows[0].Reason = "changed", doc.Notes[0]
		doc.Rows[0].Fields[0] = record.Field{Key: "k", Dir: "changed", Decides: true, Layer: object(strings.Repeat("x", n) + "::error::pwned")}
		for _, o := range []TextOptions{{Width: 60}, {Width: 60, Verbose: true}} {
			mustBeSafe(t, render(t, doc, o), o.Width)
		}
	}
}

var inkSequence = regexp.MustCompile("\x1b\\[[0-9;]*m")

func TestColor(t *testing.T) {
	for _, c := range []struct {
		why  string
		doc  record.Document
		word string
	}{
		{"red marks a failure", red(), "\x1b[31;1mFAIL\x1b["},
		{"green marks a pass", green(), "\x1b[32;1mPASS\x1b["},
		{"yellow marks that nothing can be said", controls(), "\x1b[33;1mCOULD NOT TELL\x1b["},
		{"or that the run did not end", interrupted(), "\x1b[33;1mINCOMPLETE\x1b["},
		{"a difference that is allowed is not red", stripped(), "\x1b[33;1mchanged\x1b["},
	} {
		on, off := render(t, c.doc, TextOptions{Color: true}), render(t, c.doc, TextOptions{})
		if !strings.Contains(on, c.word) {
			t.Errorf("%s: no %q in\n%s", c.why, c.word, on)
		}
		if strings.Contains(off, "\x1b") {
			t.Errorf("%s: colour though it is off", c.why)
		}
		if got := inkSequence.ReplaceAllString(on, ""); got != off {
			t.Errorf("%s: colour changes the text: %s", c.why, cmp.Diff(off, got))
		}
	}
}

type failing struct{ after int }

var errFull = errors.New("disk full")

func (f *failing) Write(b []byte) (int, error) {
	if f.after -= len(b); f.after < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestWriterErrorsAreReturned(t *testing.T) {
	for _, f := range Formats() {
		if err := f.Write(&failing{after: 10}, red()); !errors.Is(err, errFull) {
			t.Errorf("%s: got %v, want the writer's error", f.Name, err)
		}
		if err := f.Write(io.Discard, red()); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}

func TestFormatsLeaveTheRecordAlone(t *testing.T) {
	for _, f := range Formats() {
		doc, before := hostile(), hostile()
		doc.Channels, before.Channels = nil, nil
		if err := f.Write(io.Discard, doc); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, doc); diff != "" {
			t.Errorf("%s changed the document: %s", f.Name, diff)
		}
	}
}

func TestByName(t *testing.T) {
	for _, f := range Formats() {
		if got, err := ByName(f.Name); err != nil || got.Name != f.Name || f.Why == "" {
			t.Errorf("%s: %v, %v, why %q", f.Name, got.Name, err, f.Why)
		}
	}
	_, err := ByName("pretty")
	if err == nil || !strings.Contains(err.Error(), "text, json") {
		t.Errorf("a typo must name the known formats, got %v", err)
	}
}

func TestGrouping(t *testing.T) {
	for _, c := range []struct {
		why  string
		doc  func() record.Document
		want []string
		not  []string
	}{
		{"modes with the same story share a paragraph", red, []string{"reclassified  tier_cap (plain, stream)"}, nil},
		{"another value in one mode keeps them apart", func() record.Document {
			doc := red()
			rowOf(&doc, "tier_cap", "stream").Fields[2].Layer = text("2")
			return doc
		}, []string{"reclassified  tier_cap (plain)\n", "reclassified  tier_cap (stream)\n"}, nil},
		{"other hits in one mode keep them apart", func() record.Document {
			doc := red()
			rowOf(&doc, "tier_cap", "stream").HitsMax = 4
			return doc
		}, []string{"3 to 4 reached the stub", "reclassified  tier_cap (plain)\n"}, nil},
		{"few rows are told apart by their values, and only by these", func() record.Document {
			doc := stripped()
			for i := range doc.Rows {
				if r := &doc.Rows[i]; r.Verdict == "changed" && r.Row != "rate_limit" && r.Row != "claude_code_ws_429" && r.Row != "proxy_429" {
					r.Verdict = "preserved"
				}
			}
			return doc
		}, []string{"changed  3 rows in the same way: rate_limit (plain, stream); proxy_429 (plain)\n", "unchanged in every row",
			"changed  claude_code_ws_429 (plain, stream)\n"}, []string{"(values)"}},
		{"a verdict of a newer version is not hidden at the end", func() record.Document {
			doc := red()
			rowOf(&doc, "validation_400", "stream").Verdict = "novel"
			return doc
		}, []string{"untestable, 1 declared, 9 preserved\n", "try --rate 2\n\nnovel  validation_400 (stream)"}, nil},
	} {
		got := render(t, c.doc(), TextOptions{})
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in\n%s", c.why, want, got)
			}
		}
		for _, not := range c.not {
			if strings.Contains(got, not) {
				t.Errorf("%s: %q in\n%s", c.why, not, got)
			}
		}
	}
}
