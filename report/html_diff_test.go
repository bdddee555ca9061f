package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/record"
)

// drawn writes segments as [-gone-], {+came+} and (left out).
func drawn(segments []htmlSegment) string {
	var b strings.Builder
	for _, s := range segments {
		b.WriteString(map[int]string{segSame: "%s", segGone: "[-%s-]", segCame: "{+%s+}", segAside: "(%s)"}[s.Kind])
	}
	var args []any
	for _, s := range segments {
		args = append(args, s.Text)
	}
	return fmt.Sprintf(b.String(), args...)
}

func TestMarked(t *testing.T) {
	long := strings.Repeat("word ", 2000)
	for _, c := range []struct{ why, a, b, was, is string }{
		{"equal values have no mark", "same", "same", `"same"`, `"same"`},
		{"what was put around a text", "cap", `err: cap!`, `"cap"`, `"{+err: +}cap{+!+}"`},
		{"a word in the middle", "try in 5 minutes", "try in 7 minutes", `"try in [-5-] minutes"`, `"try in {+7+} minutes"`},
		{"two places at once", "one two three four", "one 2 three 4", `"one [-two-] three [-four-]"`, `"one {+2+} three {+4+}"`},
		{"a sign that is not seen", "a", "a\u200b", `"a"`, `"a{+\u200b+}"`},
		{"nothing alike", "abc", "xyz", `"[-abc-]"`, `"{+xyz+}"`},
		{"what differs is in view, however long the rest", long + "x", long + "y", `(…(9681 left out)…)` + strings.Repeat("word ", 64) + `[-x-]"`, `(…(9681 left out)…)` + strings.Repeat("word ", 64) + `{+y+}"`},
	} {
		v := &htmlView{}
		was, is := v.marked(spread(str(c.a)), spread(str(c.b)))
		if got := drawn(was); got != c.was {
			t.Errorf("%s: was %s, want %s", c.why, got, c.was)
		}
		if got := drawn(is); got != c.is {
			t.Errorf("%s: is %s, want %s", c.why, got, c.is)
		}
	}
}

// TestMarkedOnOneSide: what is lost or invented as a whole is marked as a whole, and the other side says that it is absent.
func TestMarkedOnOneSide(t *testing.T) {
	v := &htmlView{}
	lost := v.cells(&record.Field{Fixture: str("gone"), Direct: str("gone")})
	if len(lost) != 2 || drawn(lost[0].Segments) != `[-"gone"-]` || lost[1].Note != "absent" {
		t.Errorf("lost: %+v", lost)
	}
	invented := v.cells(&record.Field{Layer: text("new")})
	if len(invented) != 2 || invented[0].Note != "absent" || drawn(invented[1].Segments) != `{+"new"+}` {
		t.Errorf("invented: %+v", invented)
	}
	direct := v.cells(&record.Field{Fixture: number("429"), Direct: number("502"), Layer: number("429")})
	if len(direct) != 3 || direct[1].Label != "direct" || drawn(direct[1].Segments) != "{+502+}" || drawn(direct[2].Segments) != "429" {
		t.Errorf("a direct answer of its own: %+v", direct)
	}
}

func TestMarkedObjects(t *testing.T) {
	v := &htmlView{}
	was, is := v.marked(spread(object(`{"details": {"error_code": "enforced_spend_limit_reached"}, "message": "fixture", "type": "rate_limit_error"}`)),
		spread(object(`{"message": "fixture", "type": "rate_limit_error", "more": [], "text": "a, {b}", "none": {}}`)))
	const wantWas = "{\n  [-\"details\": {-]\n    [-\"error_code\": \"enforced_spend_limit_reached\"-]\n  [-},-]\n  \"message\": \"fixture\",\n  \"type\": \"rate_limit_error\"\n}"
	const wantIs = "{\n  \"message\": \"fixture\",\n  \"type\": \"rate_limit_error\"{+,+}\n  {+\"more\": [],+}\n  {+\"text\": \"a, {b}\",+}\n  {+\"none\": {}+}\n}"
	if got := drawn(was); got != wantWas {
		t.Errorf("was\n%s\nwant\n%s", got, wantWas)
	}
	if got := drawn(is); got != wantIs {
		t.Errorf("is\n%s\nwant\n%s", got, wantIs)
	}
}

// FuzzMarked: but for marks, white space and what is said to be left out, both sides stand there whole.
func FuzzMarked(f *testing.F) {
	for _, s := range hostileTexts {
		f.Add(s, s+"x", "object")
		f.Add(`{"a": "`+s+`"}`, `{"a": 1, "b": [`+s, "list")
	}
	f.Fuzz(func(t *testing.T, a, b, kind string) {
		for _, k := range []string{"string", "object", kind} {
			x, y := spread(&record.Value{Kind: k, Text: a}), spread(&record.Value{Kind: k, Text: b})
			v := &htmlView{}
			was, is := v.marked(x, y)
			for _, side := range []struct {
				segments []htmlSegment
				want     []safe
				never    int
			}{{was, x, segCame}, {is, y, segGone}} {
				var got strings.Builder
				aside := false
				for _, s := range side.segments {
					aside = aside || s.Kind == segAside
					if s.Kind == side.never {
						t.Fatalf("%q and %q: %s", a, b, drawn(side.segments))
					}
					got.WriteString(string(s.Text))
				}
				if want := string(join(side.want)); !aside && got.String() != want {
					t.Fatalf("%q became %q", want, got.String())
				}
				if got.Len() > 3*wholeValue {
					t.Fatalf("%d bytes are shown", got.Len())
				}
			}
		}
	})
}

func TestTimeLine(t *testing.T) {
	doc := streamed()
	v := &htmlView{p: newPage(TextOptions{}), doc: &doc}
	got := v.hits(rowOf(&doc, "rate_limit", "stream"))
	want := []string{"at 1.0 ms: POST", "at 501.0 ms, 500.0 ms after the one before, though retry-after said 2.0 s: POST", "at 2.6 s, 2.1 s after the one before: POST"}
	for i, w := range want {
		if i >= len(got.Lines) || !strings.HasPrefix(string(got.Lines[i]), w) {
			t.Errorf("line %d of %q, want %s", i, got.Lines, w)
		}
	}
	var kinds []safe
	for _, m := range got.Chart.Marks {
		kinds = append(kinds, m.Kind)
	}
	if fmt.Sprint(kinds) != "[fine early fine]" || got.Chart.Wait != "retry-after: wait 2.0 s" {
		t.Errorf("%v, %q: only the second came before the wait was over", kinds, got.Chart.Wait)
	}
	if one := v.hits(&record.Row{Hits: []record.Hit{{AtMS: 1}}}); one.Chart != nil {
		t.Error("one hit of a fast answer needs no time line")
	}
}

func TestStreamLines(t *testing.T) {
	doc := streamed()
	v := &htmlView{p: newPage(TextOptions{}), doc: &doc}
	var got []string
	for _, e := range v.stream(rowOf(&doc, "rate_limit", "stream")).Lines {
		got = append(got, fmt.Sprintf("%s|%s|%s", e.Expected, e.Got, e.Remark))
	}
	want := "[message_start|message_start| ping||lost error|error|1 difference in its data, above |message_stop|invented]"
	if fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
	cut := &record.Row{Fields: []record.Field{{Key: "stream/events", Layer: &record.Value{Kind: "list", Text: `["a","b"]`, Cut: 9}}}}
	if v.stream(cut) != nil {
		t.Error("a list that was cut can't be brought in line")
	}
}
