package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/preservecheck/preservecheck/record"
)

// told says what a job costs until a person hears of it, with the most retries: of the first fixture that somebody is paged for
// when there is no layer. It is empty where there is none.
func (b *attemptsBlock) told() string {
	if len(b.retries) == 0 {
		return ""
	}
	most := slices.Max(b.retries)
	for _, r := range b.rows {
		both := r.pair(most)
		if both[0] == nil || both[0].Alert != "page" || both[0].Told == record.ToldNot {
			continue
		}
		s := fmt.Sprintf("until somebody is paged, %s at %d: %s", r.fixture, most, untilTold(both[0]))
		if j := both[1]; j != nil && j.Failed == "" {
			s += " → "
			switch {
			case j.Alert == "page":
				s += untilTold(j)
			default:
				s += "nobody is paged (" + untilTold(j) + ", then: " + strings.ReplaceAll(j.Outcome, "_", " ") + ")"
			}
		}
		return s
	}
	return ""
}

func untilTold(j *record.AttemptsJob) string {
	s := string(count(j.Hits, "request"))
	if j.TookMS == nil {
		return s
	}
	d := time.Duration(*j.TookMS * float64(time.Millisecond))
	switch {
	case d < time.Minute:
		return s + ", " + strconv.FormatFloat(d.Round(100*time.Millisecond).Seconds(), 'f', -1, 64) + " s"
	case d < 2*time.Hour:
		return s + fmt.Sprintf(", %.0f min", d.Minutes())
	}
	return s + fmt.Sprintf(", %.0f h", d.Hours())
}
