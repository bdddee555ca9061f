//go:build real && linux

package real_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// packageRuns are recipes whose packages come from PyPI and Maven Central, with the article's rows as plain answers: how many
// have each verdict that is not preserved. Read from runs on 2026-11-30.
var packageRuns = []struct {
	recipe string
	exit   int
	counts map[string]int
}{
	{"litellm", 1, counts(6, 4, 0)}, // of messages; all ten of passthrough are preserved
	{"litellm/passthrough", 0, nil},
	{"litellm/headers", 1, counts(6, 4, 0)},
	{"litellm/retries", 1, counts(6, 4, 0)},
	{"mitmproxy", 0, nil},
	{"mitmproxy/buffered", 0, nil},
	{"spring-cloud-gateway", 0, nil},
	{"spring-cloud-gateway/remove-header", 1, counts(3, 2, 0)},
}

// TestPackages runs those that are installed; installing all takes minutes and gigabytes, so which ones are is left to who
// runs it.
func TestPackages(t *testing.T) {
	for _, c := range packageRuns {
		t.Run(strings.ReplaceAll(c.recipe, "/", "-"), func(t *testing.T) {
			name, _, _ := strings.Cut(c.recipe, "/")
			if _, err := os.Stat(filepath.Join(os.Getenv("PRESERVECHECK_RECIPE_DIR"), name)); err != nil {
				t.Skipf("%s is not installed in PRESERVECHECK_RECIPE_DIR: preservecheck recipes show %s", name, name)
			}
			doc, exit := check(t, freeAddress(t), "--recipe", c.recipe, "--stream", "off", "--fixture", "article/*")
			if exit != c.exit || len(doc.Findings) > 0 {
				t.Errorf("exit %d, want %d: %s, %v", exit, c.exit, doc.Result.Why, doc.Findings)
			}
			have := map[string]int{}
			for _, r := range doc.Rows {
				if r.Verdict != "preserved" && r.Verdict != "excluded" {
					have[r.Verdict]++
				}
			}
			if !maps.Equal(have, c.counts) {
				t.Errorf("%v, want %v", have, c.counts)
			}
		})
	}
}
