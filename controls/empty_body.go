package controls

import (
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

var emptyBody = &Fault{
	Name:      "empty-body",
	Why:       "the body of an error is emptied: status and headers are all that is left",
	Mechanism: OfBody,
	Change: func(a *wire.Answer, _ bool) {
		if isError(a) {
			a.Body = nil
		}
	},
	Want: func(r Seen) []Sight {
		switch {
		case !r.isError() || !r.hasBytes():
			return nil
		case r.isEvents():
			return noEvents(r)
		}
		return withError(r, Sight{"body", evidence.Changed})
	},
}

// withError adds the loss of the error object, where there is one.
func withError(r Seen, s ...Sight) []Sight {
	if r.has("error") {
		s = append(s, Sight{"error", evidence.Lost})
	}
	return s
}
