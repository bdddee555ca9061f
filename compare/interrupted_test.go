package compare

import (
	"testing"

	"github.com/preservecheck/preservecheck/record"
)

// TestInterruptedRunsFail: a run that was interrupted fails by what it had found until then, whatever that was and however much.
func TestInterruptedRunsFail(t *testing.T) {
	for _, c := range []struct {
		why          string
		failing, own int
		problems     int
		exit         int
	}{
		{"nothing was found", 0, 0, 0, ExitCouldNotTell},
		{"a row", 1, 0, 0, ExitFail},
		{"the user's own classifier", 0, 1, 0, ExitFail},
		{"an entry of a known file", 0, 0, 1, ExitFail},
		{"a row, and the own classifier", 1, 1, 0, ExitFail},
		{"a row, and an entry", 1, 0, 1, ExitFail},
		{"the own classifier, and an entry", 0, 1, 1, ExitFail},
		{"as many rows as the two others together", 2, 1, 1, ExitFail},
	} {
		d := &record.Document{Incomplete: true, Rows: make([]record.Row, 5)}
		if c.problems > 0 {
			d.Known = &record.Known{Problems: make([]string, c.problems)}
		}
		if exit, why := decideRows(d, tally{failing: c.failing, own: c.own, judged: 5}); exit != c.exit {
			t.Errorf("%s: exit %d, want %d: %s", c.why, exit, c.exit, why)
		}
	}
}
