package attempts

import (
	"fmt"

	"github.com/preservecheck/preservecheck/record"
)

// Exit codes, as DESIGN has them for all commands. There is no 1: a count is no verdict.
const (
	exitMeasured = 0
	exitUnknown  = 3
)

// Judge says whether all that was planned could be told.
func Judge(d *record.Attempts) {
	untold := 0
	for _, j := range d.Jobs {
		if j.Told == record.ToldNot {
			untold++
		}
	}
	d.Exit, d.Word = exitUnknown, "could not tell"
	switch {
	case d.NotReady != "":
		d.Why = "nothing was asked through the layer: " + d.NotReady
	case d.Incomplete:
		d.Why = "the run was broken off"
	case len(d.Jobs) == 0:
		d.Why = "there was no job"
	case untold > 0:
		d.Why = fmt.Sprintf("the requests of %d of %d jobs could not be told", untold, len(d.Jobs))
	default:
		d.Exit, d.Word = exitMeasured, "measured"
		d.Why = fmt.Sprintf("the requests of all %d jobs were told; what they should be is for you to judge", len(d.Jobs))
	}
}
