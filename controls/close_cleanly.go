package controls

import (
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// closeCleanly imitates proxies that end their own answer in good order when the upstream's breaks off (public reports of 2026 of
// truncated streams; many proxies do so once the head was sent).
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
