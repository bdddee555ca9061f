package controls

import (
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// closeCleanly imitates proxies that end their own answer in good order when the upstream's breaks off (claude-code-router
// and new-api, commit 9f8a4ec0, run on 2026-11-30; public reports of 2026 of truncated streams).
var closeCleanly = &Fault{
	Name:      "close-cleanly",
	Why:       "an answer that broke off is ended in good order: the client can't know that something is missing",
	Mechanism: OfEnd,
	Change: func(a *wire.Answer, _ bool) {
		if a.Status > 0 && !a.End.Orderly() {
			a.End, a.Err = wire.EndComplete, ""
		}
	},
	Want: func(r Seen) []Sight {
		if !r.has("status") || r.Evidence.Get("end").Text == evidence.EndOK {
			return nil
		}
		return []Sight{{"end", evidence.Changed}}
	},
}
