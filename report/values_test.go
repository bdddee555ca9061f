package report

import (
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/record"
)

func TestValueOf(t *testing.T) {
	for _, c := range []struct {
		why  string
		in   *record.Value
		want safe
	}{
		{"absent", nil, `absent`},
		{"the word absent is a value", text("absent"), `"absent"`},
		{"nothing is not absent", text(""), `""`},
		{"an empty body", &record.Value{Kind: "empty"}, `(empty)`},
		{"null", &record.Value{Kind: "null"}, `(null)`},
		{"null with its text", &record.Value{Kind: "null", Text: "null"}, `null`},
		{"a number", number("429"), `429`},
		{"a number that became text", str("429"), `"429"`},
		{"a new line", str("a\nb"), `"a\nb"`},
		{"a backslash and an n", str(`a\nb`), `"a\\nb"`},
		{"an object keeps its JSON", object(`{"a":"b\n"}`), `{"a":"b\n"}`},
		{"bytes", &record.Value{Kind: "bytes", Text: "AP8="}, `AP8= (base64)`},
		{"a page in Latin-1 can be read", &record.Value{Kind: "bytes", Text: "PHA+U2VydmV1ciBzYXR1cuk8L3A+"}, `"<p>Serveur satur\xe9</p>" (not UTF-8)`},
		{"also cut within four digits", &record.Value{Kind: "bytes", Text: "PHA+U2VydmV1ciBzYXR1cuk8L3", Cut: 5}, `"<p>Serveur satur\xe9<" (not UTF-8) (+5 bytes not kept)`},
		{"no base64 after all", &record.Value{Kind: "bytes", Text: "<p>!"}, `<p>! (base64)`},
		{"more than the record keeps", &record.Value{Kind: "string", Text: "ab", Cut: 1}, `"ab" (+1 byte not kept)`},
	} {
		s := valueOf(c.in)
		if got := join(s.units) + s.after; got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

func TestCut(t *testing.T) {
	long := strings.Repeat("0123456789", 20)
	for _, c := range []struct {
		why  string
		in   string
		room int
		want safe
	}{
		{"what fits is whole", "short", 5, "short"},
		{"the middle goes, with a count", long, 50, "01234567890123456789…(166 left out)…67890123456789"},
		{"an escape is one character", strings.Repeat("\x1b", 60), 50, `\x1b\x1b\x1b\x1b\x1b…(52 left out)…\x1b\x1b\x1b`},
		{"no count where nothing could be read beside it", long, 20, "01234567890…23456789"},
		{"wide characters count twice", strings.Repeat("中", 60), 40, "中中中中中中中…(48 left out)…中中中中中"},
	} {
		if got := cut(units(c.in), c.room); got != c.want {
			t.Errorf("%s: %q (%d), want %q", c.why, got, width(got), c.want)
		}
	}
}

// FuzzCutPair: a reader must see that two values differ, wherever they do.
func FuzzCutPair(f *testing.F) {
	same := strings.Repeat("the same words ", 30)
	f.Add(same, "one", "two", 50)
	f.Add(same, "", "x"+same, 42)
	f.Add("", same+"1", same+"2", 60)
	f.Add(strings.Repeat("\x1b", 80), "\U000e0041", "\U000e0042", 45)
	f.Add(strings.Repeat("中", 20), same, "x"+same, 53)
	f.Fuzz(func(t *testing.T, before, a, b string, room int) {
		room = 42 + (room&0xff)%80
		a, b = before+a, before+b
		showA, showB := cutPair(shown{units: quoted(a)}, shown{units: quoted(b)}, room)
		if a != b && showA == showB {
			t.Errorf("in %d columns %q and %q both are %q", room, a, b, showA)
		}
		if width(showA) > room || width(showB) > room {
			t.Errorf("wider than %d: %q, %q", room, showA, showB)
		}
	})
}
