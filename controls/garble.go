package controls

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// garble imitates relays that decode a body piece by piece, so that a character of several bytes is cut in two and each half
// is replaced (public reports of 2026, of streams with Chinese text). Here every character is cut: which one a flush meets is chance.
var garble = &Fault{
	Name:      "garble",
	Why:       "characters that are cut at a flush become U+FFFD: text in any script but Latin is damaged for ever",
	Mechanism: OfBody,
	Change: func(a *wire.Answer, _ bool) {
		if bytes.Contains(a.Body, []byte(`\u`)) {
			editBody(a, func(map[string]any) {}) // written anew, escapes are characters
		}
		if utf8.Valid(a.Body) {
			a.Body = []byte(strings.Map(func(c rune) rune {
				if c >= utf8.RuneSelf {
					return utf8.RuneError
				}
				return c
			}, string(a.Body)))
		}
	},
	Want: func(r Seen) (out []Sight) {
		for _, e := range r.Evidence {
			root, _, _ := strings.Cut(e.Key, "/")
			if root != "error" && root != "body" && root != "stream" || e.Value.Kind == evidence.Bytes {
				continue
			}
			if strings.ContainsFunc(e.Value.Text, func(c rune) bool { return c >= utf8.RuneSelf }) {
				out = append(out, Sight{e.Key, evidence.Changed})
			}
		}
		return out
	},
}
