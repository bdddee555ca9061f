package controls

import (
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// changeStatus imitates the most frequent kind of public report: 37 of 118 (read up to 2026-11-30).
var changeStatus = &Fault{
	Name:      "change-status",
	Why:       "every error becomes a 503: nothing is left of a limit but its text",
	Mechanism: OfStatus,
	Change: func(a *wire.Answer, _ bool) {
		if isError(a) {
			a.Status, a.Reason = 503, "Service Unavailable"
		}
	},
	Want: func(r Seen) []Sight {
		if !r.isError() || r.Evidence.Get("status").Number() == 503 {
			return nil
		}
		return []Sight{{"status", evidence.Changed}}
	},
}
