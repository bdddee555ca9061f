package controls

import (
	"strings"

	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// errorAsEvent imitates layers that frame every answer as a stream, errors before the stream included.
var errorAsEvent = &Fault{
	Name:      "error-as-event",
	Why:       "the body of an error is framed as an event: a client that reads a 429's body as JSON finds nothing",
	Mechanism: OfEvent,
	Change: func(a *wire.Answer, _ bool) {
		if isError(a) && strings.HasPrefix(string(a.Body), "{") {
			a.Body = []byte("data: " + string(a.Body) + "\n\n")
		}
	},
	Want: func(r Seen) []Sight {
		if !r.isError() || r.Evidence.Get("body").Kind != evidence.Object {
			return nil
		}
		return []Sight{{"body", evidence.Lost}, {"stream/error", evidence.Invented}, {"stream/events", evidence.Invented}}
	},
}
