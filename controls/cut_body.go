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
		if isError(a) && len(a.Body) > 0 {
			a.Body, a.End = a.Body[:len(a.Body)/2], wire.EndShort
		}
	},
	Breaks: true,
	Want: func(r Seen) []Sight {
		if !r.isError() || !r.hasBytes() {
			return nil
		}
		out := withError(r, Sight{"body", evidence.Changed})
		if r.isEvents() {
			out = noEvents(r) // the one event of a refusal is no longer whole
		}
		if r.Evidence.Get("end").Text == evidence.EndOK {
			out = append(out, Sight{"end", evidence.Changed})
		}
		return out
	},
}
