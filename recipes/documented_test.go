package recipes

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

const goodDocumented = `format: preservecheck.recipe/1
name: thing
what: a hosted gateway
homepage: https://example.org/
documented: true
channels: [marker]
config: |
  upstream: http://STUB
facts:
  - about: upstream
    say: set the base URL
    source: https://example.org/base
    date: 2026-11-30
  - about: fixture
    say: the prompt arrives
    source: https://example.org/prompt
    date: 2026-11-30
  - about: expect
    say: details are dropped
    source: https://example.org/errors
    date: 2026-11-30
`

var refusedDocumented = []struct {
	old, new, want, why string
	reader              bool
}{
	{"config: |", "command: [thing]\nconfig: |", "mine/recipe.yaml:7:10: this belongs to another kind of recipe", "it would look as if it could be run", false},
	{"documented: true", "documented: perhaps", "mine/recipe.yaml:5:13: documented is neither", "which kind is it?", false},
	{"documented: true\n", "", "mine/recipe.yaml:1:1: versions is missing", "a recipe that runs has more", false},
	{"about: fixture", "about: prices", `mine/recipe.yaml:14:12: unknown about "prices"`, "the page has no place for it", false},
	{"about: fixture", "about: cache", "mine/recipe.yaml:10:3: no fact about fixture", "how does the fixture get through?", true},
	{"about: fixture", "about: fixture\n    basis: hearsay", `mine/recipe.yaml:15:12: unknown basis "hearsay"`, "what does it rest on?", false},
	{"    source: https://example.org/prompt\n", "", "mine/recipe.yaml:14:5: source is missing", "hearsay", false},
	{"https://example.org/prompt", "a friend", "mine/recipe.yaml:16:13: source is no URL", "it can't be looked up", false},
	{"date: 2026-11-30\n  - about: expect", "date: lately\n  - about: expect", `mine/recipe.yaml:17:11: "lately" is no date`, "facts grow old", false},
}

func TestDocumented(t *testing.T) {
	load := func(text string) (*Recipe, error) {
		return Load("mine", fstest.MapFS{File: {Data: []byte(text)}})
	}
	r, err := load(goodDocumented)
	if err != nil || !r.Documented || len(r.Facts) != 3 || r.Facts[0].Basis != "read" || r.Config != "upstream: http://STUB\n" || r.Facts[1].Source != "https://example.org/prompt" {
		t.Fatalf("%+v, %v", r, err)
	}
	for _, c := range refusedDocumented {
		if !strings.Contains(goodDocumented, c.old) {
			t.Fatalf("%s: %q does not stand in the file", c.why, c.old)
		}
		if _, err := load(strings.Replace(goodDocumented, c.old, c.new, 1)); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s\n got %v\nwant %s", c.why, err, c.want)
		}
	}
}

// TestDocumentedSwitches: whoever checks a layer by hand has to know about its retries, cooldown and cache, or that it is not known.
func TestDocumentedSwitches(t *testing.T) {
	for _, name := range Names() {
		r, err := Builtin(name)
		if err != nil || !r.Documented {
			continue
		}
		for _, about := range Abouts() {
			if about != "obstacle" && !slices.ContainsFunc(r.Facts, func(f Fact) bool { return f.About == about }) {
				t.Errorf("%s says nothing about %s", name, about)
			}
		}
	}
}
