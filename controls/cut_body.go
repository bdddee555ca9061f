package controls

import (
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

var cutBody = &Fault{
	Name:      "cut-body",
	Why:       "an error's body ends before its declared length: no client can read it",
	Mechanism: OfEnd,
	Change: func(a *wire.Answer, _ bool) {
		if isError(a) && len(a.Body) > 1 {
			a.Body, a.End = a.Body[:len(a.Body)/2], wire.EndShort
		}
	},
	Breaks: true,
	Want: func(r Seen) []Sight {
		if !r.isError() || !r.has("body") || r.Evidence.Get("body").Kind == evidence.Empty {
			return nil
		}
		return withError(r, Sight{"end", evidence.Changed}, Sight{"body", evidence.Changed})
	},
}
