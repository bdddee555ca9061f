package controls

import (
	"bytes"
	"encoding/json"

	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// errorAsEvent imitates layers that frame every answer as a stream, errors before the stream included. It touches the
// errors that would be read as errors in a stream, too.
var errorAsEvent = &Fault{
	Name:      "error-as-event",
	Why:       "the body of an error is framed as an event: a client that reads a 429's body as JSON finds nothing",
	Mechanism: OfEvent,
	Change: func(a *wire.Answer, _ bool) {
		var body struct {
			Type  string
			Error json.RawMessage
		}
		if isError(a) && json.Unmarshal(a.Body, &body) == nil && body.Type == "error" && bytes.HasPrefix(body.Error, []byte("{")) {
			a.Body = []byte("data: " + string(a.Body) + "\n\n")
		}
	},
	Breaks: true,
	Want: func(r Seen) []Sight {
		if !r.hasErrorObject() || r.isEvents() || r.Evidence.Get("body/type").Text != "error" {
			return nil
		}
		return []Sight{{"body", evidence.Lost}, {"stream/error", evidence.Invented}, {"stream/events", evidence.Invented}}
	},
}
