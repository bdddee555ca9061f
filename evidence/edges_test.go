package evidence

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDiffOfPartsOfOneList: lists that share their memory are the same only when they are equally long.
func TestDiffOfPartsOfOneList(t *testing.T) {
	e := Evidence{{"a", Value{Text, "1"}}, {"b", Value{Text, "2"}}}
	for _, c := range []struct {
		why       string
		want, got Evidence
		dirs      []Direction
	}{
		{"the same list", e, e, nil},
		{"none and none", nil, nil, nil},
		{"none was expected", nil, e, []Direction{Invented, Invented}},
		{"none came", e, nil, []Direction{Lost, Lost}},
		{"the beginning came", e, e[:1], []Direction{Lost}},
		{"more came than its beginning", e[:1], e, []Direction{Invented}},
	} {
		var dirs []Direction
		for _, d := range Diff(c.want, c.got) {
			dirs = append(dirs, d.Dir)
		}
		if diff := cmp.Diff(c.dirs, dirs); diff != "" {
			t.Errorf("%s (- want, + have):\n%s", c.why, diff)
		}
	}
}

// TestSecondTextOfADelta: clients read the last member of a name, so that one is the text; the other was sent by nobody.
func TestSecondTextOfADelta(t *testing.T) {
	stream := func(choice string) Evidence {
		return Of(answer(200, `data: {"type":"delta","choices":[{`+choice+`}]}`+"\n\n", "content-type", "text/event-stream"), layout, mask)
	}
	once, twice := stream(`"i":0,"text":"a"`), stream(`"text":"b","i":0,"text":"a"`)
	if text := twice.Get("stream/text").Text; text != "a" {
		t.Errorf("the text is %q", text)
	}
	if d := Diff(once, twice); len(d) != 1 || d[0].Key != "stream/data/-delta/choices" || d[0].Dir != Changed {
		t.Errorf("%+v", d)
	}
}

// TestWhatIsStillJSON: the bounds of what is read, and the first and last character of each range.
func TestWhatIsStillJSON(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	numbers := func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat("0,", n), ",") + "]" }
	for _, c := range []struct {
		why, text string
		want      bool
	}{
		{"as deep as is read", nested(maxDepth + 1), true},
		{"one deeper", nested(maxDepth + 2), false},
		{"as many values as are read, with their array", numbers(maxValues - 1), true},
		{"one more", numbers(maxValues), false},
		{"first and last digits", `[10,19,90,-0,0.09,1e09,1E+10,1e-9]`, true},
		{"what stands before 0", `1/`, false},
		{"what stands behind 9", `1:`, false},
		{"a zero before digits", `01`, false},
		{"first and last hex digits", `"\u09af\uAF90"`, true},
		{"what stands before 0 in hex", `"\u00/0"`, false},
		{"what stands behind 9 in hex", `"\u00:0"`, false},
		{"what stands before a", "\"\\u00`0\"", false},
		{"what stands behind f", `"\u00g0"`, false},
		{"what stands before A", `"\u00@0"`, false},
		{"what stands behind F", `"\u00G0"`, false},
		{"an escape that breaks off", `"\u004`, false},
		{"an escape of nothing", `"\`, false},
		{"a pair whose second half breaks off", `"\ud83d\u`, false},
		{"a text that breaks off behind an escape", `"\n`, false},
		{"a pair whose second half is a lone backslash", `"\ud83d\`, false},
		{"a space is no control character", `" "`, true},
		{"the last control character", "\"\x1f\"", false},
		{"and behind an escape", "\"\\n\x1f\"", false},
		{"a space behind an escape", `"\n "`, true},
	} {
		if _, ok := parseJSON(c.text); ok != c.want {
			t.Errorf("%s: read as JSON: %v", c.why, ok)
		}
	}
}

// TestCanonicalQuotes: what would break a text is escaped, and nothing else.
func TestCanonicalQuotes(t *testing.T) {
	n, _ := parseJSON(`["\u0000\u001f \"\\ü"]`)
	if got := string(n.canonical(nil)); got != `["\u0000\u001f \"\\ü"]` {
		t.Error(got)
	}
}

// TestLongValuesAreCut: from one byte over the bound, and so that two long texts stay two.
func TestLongValuesAreCut(t *testing.T) {
	of := func(text string) string {
		return Of(answer(429, `{"a":"`+text+`"}`), layout, mask).Get("body/a").Text
	}
	whole, long := strings.Repeat("x", maxText), strings.Repeat("x", maxText+1)
	if of(whole) != whole {
		t.Error("a text of just the bound was cut")
	}
	cut := of(long)
	if !strings.HasPrefix(cut, strings.Repeat("x", begins)+"… (65537 bytes, sha256 ") || len(cut) > begins+200 {
		t.Errorf("%d bytes: %.20q…%q", len(cut), cut, cut[max(0, len(cut)-100):])
	}
	if of(long[:maxText]+"y") == cut {
		t.Error("two long texts became one")
	}
}

// TestManyKeysAreBounded: the last that fits is kept, and one entry stands for the rest.
func TestManyKeysAreBounded(t *testing.T) {
	of := func(members int) Evidence {
		var b strings.Builder
		for i := range members {
			fmt.Fprintf(&b, `,"k%d":0`, i)
		}
		return Of(answer(429, "{"+b.String()[1:]+"}"), layout, mask)
	}
	const before = 3 // status, end, body
	if e := of(maxKeys - before); len(e) != maxKeys || e.Get("body/…").Kind != Absent {
		t.Errorf("%d keys, the rest %v", len(e), e.Get("body/…"))
	}
	for _, more := range []int{1, 5} {
		if e := of(maxKeys - before + more); len(e) != maxKeys+1 || e.Get("body/…").Text != "more than 10000 keys" {
			t.Errorf("%d more: %d keys, the rest %v", more, len(e), e.Get("body/…"))
		}
	}
}

// TestNumber: what is no whole number is none, whatever it looks like.
func TestNumber(t *testing.T) {
	for _, c := range []struct {
		why  string
		v    Value
		want int
	}{
		{"a status", Value{Number, "429"}, 429},
		{"a text is no number", Value{Text, "429"}, 0},
		{"nor is what is not there", Value{}, 0},
		{"a fraction", Value{Number, "4.5"}, 0},
		{"larger than an int: not the largest int", Value{Number, "99999999999999999999"}, 0},
	} {
		if got := c.v.Number(); got != c.want {
			t.Errorf("%s: %d, want %d", c.why, got, c.want)
		}
	}
}

// TestALongBodyIsNotKept: a run holds the evidence of many answers, and a layer may pad each to the size that is read.
func TestALongBodyIsNotKept(t *testing.T) {
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	const bodies, size = 32, 1 << 20
	before, kept := heap(), make([]Evidence, 0, bodies)
	for range bodies {
		kept = append(kept, Of(answer(429, `{"error":{"type":"a_short_one"},"pad":"`+strings.Repeat("x", size)+`"}`), layout, mask))
	}
	if after := heap(); after > before+bodies*size/4 {
		t.Errorf("%d answers hold %d bytes", len(kept), after-before)
	}
	if got := kept[bodies-1].Get("error/type").Text; got != "a_short_one" {
		t.Errorf("the type is %q", got)
	}
}
