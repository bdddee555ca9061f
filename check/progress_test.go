package check_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/preservecheck/preservecheck/check"
)

// TestProgressCounts: each answer to a row once, of as many as are asked for in all.
func TestProgressCounts(t *testing.T) {
	var mu sync.Mutex
	var done, totals []int
	rows := 0
	run(t, honest, only("tier_cap", "rate_limit"), func(c *check.Config) {
		c.Repeat, rows = 3, len(c.Rows)
		c.Progress = func(p check.Progress) {
			mu.Lock()
			defer mu.Unlock()
			if p.Phase == "rows" {
				done, totals = append(done, p.Done), append(totals, p.Total)
			}
		}
	})
	slices.Sort(done)
	var want []int
	for i := range 3 * rows {
		want = append(want, i+1)
	}
	if totals = slices.Compact(totals); rows < 2 || !slices.Equal(done, want) || !slices.Equal(totals, []int{3 * rows}) {
		t.Errorf("%d rows three times: %v of %v", rows, done, totals)
	}
}
