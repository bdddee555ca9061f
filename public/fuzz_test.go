package public

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// FuzzClean holds that a text of others is one short line of things that can be seen.
func FuzzClean(f *testing.F) {
	for _, s := range []string{"", "Invalid response", "\x1b]0;title\x07", "\u202e", "a\xff\xfe", strings.Repeat("\u00e4", mostText)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := clean(s)
		if !utf8.ValidString(got) || len(got) > mostText+len(" …") || strings.ContainsFunc(got, func(r rune) bool { return !unicode.IsGraphic(r) }) {
			t.Errorf("%q from %q", got, s)
		}
	})
}

// FuzzCheckName holds that a name which is taken stays in its folder, and is taken again as it is.
func FuzzCheckName(f *testing.F) {
	for _, s := range []string{"stub.example.org", "..", "[2001:db8::1]", "::ffff:192.0.2.1", "a/b", `a\b`, "A.", "fe80::1%../x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		name, ip, err := checkName(s)
		if err != nil {
			return
		}
		if part := portable(name); !filepath.IsLocal(part) || strings.ContainsAny(part, `/\:`) {
			t.Errorf("%q leads elsewhere", part)
		}
		again, still, err := checkName(name)
		if err != nil || again != name || still != ip {
			t.Errorf("%q is %q the second time: %v", name, again, err)
		}
	})
}
