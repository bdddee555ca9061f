//go:build real && linux

package real_test

import (
	"maps"
	"strings"
	"testing"
)

// variantRuns are variants with what all rows that are asked by default must show, in both modes: how many have each verdict
// that is not preserved. Read from runs of Debian 12's packages on 2026-11-30. Where a layer remembers, counts hang on the
// order: then only the exit code and the kind of finding are held.
var variantRuns = []struct {
	recipe  string
	exit    int
	finding string // nil counts are not held when there is one
	counts  map[string]int
}{
	{"apache", 0, "", nil},
	{"apache/override", 1, "", counts(194, 102, 0)},
	{"apache/override-5xx", 1, "", counts(10, 20, 0)},
	{"apache/header-unset", 1, "", counts(70, 50, 0)},
	{"apache/header-always-unset", 0, "", nil},
	{"apache/header-set", 1, "", counts(13, 306, 0)},
	{"apache/deflate", 0, "", nil},
	{"apache/failonstatus", 1, "layer-state", nil},
	{"caddy", 1, "", counts(0, 0, 4)},
	{"caddy/handle-response", 1, "any", nil}, // it cuts a valid stream in some runs
	{"caddy/handle-errors", 1, "", counts(0, 0, 4)},
	{"caddy/header-down", 1, "", counts(70, 50, 4)},
	{"caddy/encode", 1, "", counts(0, 0, 4)},
	{"caddy/passive-health", 1, "layer-state", nil},
	{"varnish", 0, "", nil},
	{"varnish/hash", 3, "", nil},
	{"varnish/gzip", 0, "", nil},
	{"varnish/retry", 1, "", counts(170, 24, 0)},
	{"varnish/synth", 1, "", counts(170, 24, 0)},
	{"squid", 0, "", nil},
	{"squid/allow-list", 1, "", counts(77, 64, 0)},
	{"squid/retry-on-error", 0, "", nil},
	{"lighttpd", 1, "", counts(0, 2, 4)},
	{"lighttpd/stream", 1, "", counts(0, 2, 0)},
	{"lighttpd/deflate", 1, "", counts(0, 2, 4)},
	{"lighttpd/hide-retry-after", 1, "", counts(70, 50, 4)},
	{"lighttpd/error-intercept", 1, "", counts(194, 102, 4)},
	{"nginx/buffered", 0, "", nil},
	{"nginx/keepalive", 0, "", nil},
	{"nginx/unbuffered", 0, "", nil},
	{"nginx/gzip", 0, "", nil},
	{"nginx/intercept-5xx", 1, "", counts(10, 20, 0)},
	{"nginx/intercept-json", 1, "", counts(164, 82, 0)},
	{"nginx/add-retry-after", 1, "", counts(13, 306, 0)},
	{"nginx/sub-filter", 1, "", counts(2, 2, 0)},
	{"nginx/next-upstream", 1, "layer-state", nil},
	{"nginx/next-upstream-always", 1, "", map[string]int{"retried": 24}},
	{"nginx/limit-req", 1, "layer-state", nil},
	{"nginx/limit-req-503", 1, "layer-state", nil},
	{"haproxy/del-header-pattern", 1, "", counts(77, 64, 0)},
	{"haproxy/no-delay", 0, "", nil},
	{"haproxy/http-close", 0, "", nil},
	{"haproxy/compression", 0, "", nil},
	{"haproxy/errorfile", 0, "", nil},
	{"haproxy/http-error", 1, "", counts(108, 86, 0)},
	{"haproxy/rate-limit", 1, "layer-state", nil},
	{"haproxy/retry-on", 1, "", map[string]int{"retried": 20}},
	{"haproxy/retry-not-post", 0, "", nil},
	{"haproxy/mark-down", 1, "layer-state", nil},
}

func counts(reclassified, changed, broken int) map[string]int {
	all := map[string]int{"reclassified": reclassified, "changed": changed, "broken": broken}
	maps.DeleteFunc(all, func(_ string, n int) bool { return n == 0 })
	return all
}

// TestVariants asks for every row through every variant, one after the other, and wants advice for every row that fails.
func TestVariants(t *testing.T) {
	for _, c := range variantRuns {
		t.Run(strings.ReplaceAll(c.recipe, "/", "-"), func(t *testing.T) {
			doc, exit := check(t, freeAddress(t), "--recipe", c.recipe)
			if exit != c.exit {
				t.Errorf("exit %d, want %d: %s", exit, c.exit, doc.Result.Why)
			}
			for _, f := range doc.Findings {
				if f.Kind != c.finding && c.finding != "any" {
					t.Errorf("finding %s: %s", f.Kind, f.Text)
				}
			}
			advised := map[string]bool{}
			for _, a := range doc.Advice {
				for _, r := range a.Rows {
					advised[r.Row+r.Mode] = true
				}
			}
			have := map[string]int{}
			for _, r := range doc.Rows {
				switch r.Verdict {
				case "preserved", "excluded":
					continue
				case "inconclusive", "untestable":
				default:
					if !advised[r.Row+r.Mode] {
						t.Errorf("no advice for %s %s (%s)", r.Row, r.Mode, r.Verdict)
					}
				}
				have[r.Verdict]++
			}
			if c.finding == "" && !maps.Equal(have, c.counts) {
				t.Errorf("%v, want %v", have, c.counts)
			}
			if c.finding == "layer-state" && len(doc.Findings) == 0 {
				t.Errorf("no finding %s", c.finding)
			}
		})
	}
}
