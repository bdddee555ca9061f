package controls

import (
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// duplicateRetryAfter imitates layers that add the upstream's headers to those which they had copied before; all proxies in C
// and Go that were run (2026-11-30) then pass both lines on.
var duplicateRetryAfter = &Fault{
	Name:      "duplicate-retry-after",
	Why:       "retry-after is sent twice: clients that join the lines read no number at all",
	Mechanism: OfHeader,
	Change: func(a *wire.Answer, _ bool) {
		if v := a.Values("retry-after"); len(v) > 0 {
			addHeader(a, "Retry-After", v[0])
		}
	},
	Want: withRetryAfter(nil),
}

// withRetryAfter declares another retry-after where there is one that fits; nil: any.
func withRetryAfter(fits func(evidence.Value) bool) func(Seen) []Sight {
	return func(r Seen) []Sight {
		if v := r.Evidence.Get("header/retry-after"); v.Kind == evidence.Absent || fits != nil && !fits(v) {
			return nil
		}
		return []Sight{{"header/retry-after", evidence.Changed}}
	}
}
