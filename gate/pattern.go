package gate

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/dialects"
)

// The placeholders of a value.
const (
	original = "{original}" // what the fixture has
	anything = "{any}"      // any text, also none
)

// pattern is the value of an entry. All but the placeholders stands for itself.
type pattern struct{ text string }

// removed is what records hold instead of a secret.
var removed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[secret [^\[\]]+\]`) })

// fitsHidden is fits for a value that was written from a record, where a placeholder stands instead of each secret. hide is how
// this run takes its secrets out of its own record. The value fits if it would be written the same way now, so that a
// placeholder stands for that secret alone; no other text fits it.
func (p *pattern) fitsHidden(want, got string, hide func(string) string) bool {
	if hide == nil || !removed().MatchString(p.text) {
		return false
	}
	hidden := hide(got)
	return !removed().MatchString(got) && slices.Equal(removed().FindAllString(hidden, -1), removed().FindAllString(p.text, -1)) && p.fits(hide(want), hidden)
}

func (p *pattern) fits(want, got string) bool {
	parts := strings.Split(p.text, anything)
	for i := range parts {
		parts[i] = strings.ReplaceAll(parts[i], original, want)
	}
	rest, ok := strings.CutPrefix(got, parts[0])
	if !ok || len(parts) == 1 {
		return ok && rest == ""
	}
	last := len(parts) - 1
	for _, part := range parts[1:last] {
		at := strings.Index(rest, part)
		if at < 0 {
			return false
		}
		rest = rest[at+len(part):]
	}
	return strings.HasSuffix(rest, parts[last])
}

// needsValue reports whether a class rests on the value of a key, or on one below it.
func needsValue(key string) bool {
	return isExact(key) || restsOn(func(k string) bool { return strings.HasPrefix(k, unnumbered(key)+"/") })
}

// isExact reports whether a class rests on the value of the key itself.
func isExact(key string) bool {
	return key == "end" || restsOn(func(k string) bool { return k == unnumbered(key) })
}

// restsOn reports whether one of the keys by which status, type, code and wait are known, in any dialect, is meant.
func restsOn(meant func(key string) bool) bool {
	for _, d := range dialects.All() {
		for _, role := range []classify.Role{classify.Status, classify.Type, classify.Code, classify.RetryAfter} {
			if k := d.Keys[role]; k != "" && meant(k) {
				return true
			}
		}
	}
	return false
}

// unnumbered takes the number off a second member of a name.
func unnumbered(key string) string {
	if i := strings.LastIndexByte(key, '#'); i > strings.LastIndexByte(key, '/') {
		return key[:i]
	}
	return key
}

// roots are the keys that evidence has, and those that have others below them.
var roots = map[string]bool{"status": false, "end": false, "framing": false, "decode": false, "interim": false,
	"error": true, "body": true, "header": true, "trailer": true, "stream": true, "request": true}

// wellFormed reports whether an answer could have such a key.
func wellFormed(key string) bool {
	root, below, deep := strings.Cut(key, "/")
	many, ok := roots[unnumbered(root)]
	switch {
	case !ok, deep && (!many || below == ""), strings.ContainsAny(key, "*?["):
		return false
	case root == "header" || root == "trailer":
		return deep && strings.ToLower(below) == below && !strings.ContainsFunc(below, unicode.IsSpace)
	case root == "stream":
		return deep
	}
	return true
}
