package report

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPlain(t *testing.T) {
	for _, c := range []struct{ why, in, want string }{
		{"ordinary text is left alone", `a "b" c:d::e # f \ /`, `a "b" c:d::e # f \ /`},
		{"other scripts and emoji as well", "中文 한국어 العربية é 🎉", "中文 한국어 العربية é 🎉"},
		{"letters with marks as well", "e\u0301 ก\u0e35\u0e48", "e\u0301 ก\u0e35\u0e48"},
		{"no new line", "a\nb\r\nc\td", `a\nb\r\nc\td`},
		{"no terminal control", "\x1b[2J\x00\x07\x7f", `\x1b[2J\x00\x07\x7f`},
		{"C1 controls are obeyed by some terminals", "\u0085\u009b31m", `\u0085\u009b31m`},
		{"the direction of writing stays", "\u202eabc\u2066\u200f", `\u202eabc\u2066\u200f`},
		{"zero width hides text", "a\u200bb\u200d\ufeffc\u00ad\u2060", `a\u200bb\u200d\ufeffc\u00ad\u2060`},
		{"line and paragraph separators", "\u2028\u2029", `\u2028\u2029`},
		{"a space that is none would look the same", "a\u00a0b\u3000c", `a\u00a0b\u3000c`},
		{"variation selectors and tags can carry hidden text", "a\ufe0f\U000e0100\U000e0041", `a\ufe0f\U000e0100\U000e0041`},
		{"letters without a shape", "\u3164\u115f\u034f", `\u3164\u115f\u034f`},
		{"bytes that are not UTF-8", "a\xff\xfeb", `a\xff\xfeb`},
		{"half a surrogate pair", "\xed\xa0\x80", `\xed\xa0\x80`},
		{"an overlong form", "\xc0\x80", `\xc0\x80`},
		{"a cut character", "\xe6\x96", `\xe6\x96`},
		{"the character for such bytes is one itself", "\ufffd", "\ufffd"},
		{"a heap of marks would run over other lines", "a" + strings.Repeat("\u0301", 5), "a\u0301\u0301\u0301\\u0301\\u0301"},
		{"a mark may not sit on our own text", "\u0301a", `\u0301a`},
		{"a workflow command at the start", "::error::x", `\x3a:error::x`},
		{"after spaces", "  ::error::x", `  \x3a:error::x`},
		{"a word that wrapping may move to the start", "see ::error::x", `see \x3a:error::x`},
		{"in the middle of a word it is harmless", "a::b", "a::b"},
		{"the older form works anywhere", "a##[error]b", `a#\x23[error]b`},
		{"more signs do not help", "###[x] ####[x]", `#\x23#[x] #\x23#\x23[x]`},
		{"other CI systems", "##vso[task.x] ##teamcity[y]", `#\x23vso[task.x] #\x23teamcity[y]`},
		{"nothing stays nothing", "", ""},
	} {
		if got := Plain(c.in); got != c.want {
			t.Errorf("%s: Plain(%q) = %q, want %q", c.why, c.in, got, c.want)
		}
	}
}

func FuzzPlain(f *testing.F) {
	for _, s := range []string{nasty, "", "::", "##", "# #[", "\u0301", "a\xff", "\U0010ffff", "##[a]\n::b", strings.Repeat("中\u0301", 200)} {
		f.Add(s, "other "+s)
	}
	f.Fuzz(func(t *testing.T, s, other string) {
		got := Plain(s)
		mustBePlain(t, got)
		mustBePlain(t, string(join(quoted(s))))
		if s != other && string(join(quoted(s))) == string(join(quoted(other))) {
			t.Errorf("%q and %q look alike", s, other)
		}
		for _, room := range []int{0, 20, 60} {
			short := cut(units(s), room)
			mustBePlain(t, string(short))
			if room > 20 && width(short) > room {
				t.Errorf("%d columns instead of %d: %q", width(short), room, short)
			}
			for _, l := range wrap(safe(got), max(room, 1), max(room, 1)) {
				if room > 2 && width(l) > room {
					t.Errorf("%d columns instead of %d: %q", width(l), room, l)
				}
			}
		}
		// What is planted in a document is laid out, wrapped and cut; the whole report has to hold.
		doc := stripped()
		doc.Rows[2].Row, doc.Rows[2].Reason, doc.Result.Why, doc.Notes = s, s, s, []string{other + s}
		doc.Rows[3].Fields[1].Layer = str(s)
		for _, o := range []TextOptions{{Width: 60}, {Width: 60, Verbose: true}} {
			mustBeSafe(t, render(t, doc, o), o.Width)
		}
	})
}

func mustBePlain(t *testing.T, s string) {
	t.Helper()
	if !utf8.ValidString(s) {
		t.Errorf("not UTF-8: %q", s)
	}
	for _, r := range s {
		if r < 0x20 || r >= 0x7f && r < 0xa0 || hidden(r) {
			t.Errorf("%q holds %U", s, r)
		}
	}
	if strings.Contains(s, "##") || strings.HasPrefix(strings.TrimLeft(s, " "), "::") {
		t.Errorf("%q can be read as a command", s)
	}
}

func TestWidth(t *testing.T) {
	for s, want := range map[safe]int{"abc": 3, "中文": 4, "한": 2, "é": 1, "e\u0301": 1, "🎉": 2, "…": 1, "": 0, "ｆ": 2} {
		if got := width(s); got != want {
			t.Errorf("width(%q) = %d, want %d", s, got, want)
		}
	}
}
