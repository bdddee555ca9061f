package controls

import (
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// errorToSuccess imitates layers that answer an upstream's error with a finished, empty success.
var errorToSuccess = &Fault{
	Name:      "error-to-success",
	Why:       "an error becomes an empty success: the job counts as done and nobody learns that it is not",
	Mechanism: OfEvent,
	Change: func(a *wire.Answer, stream bool) {
		if !isError(a) {
			return
		}
		a.Status, a.Reason = 200, "OK"
		a.Body = []byte(`{"type":"message","content":[]}`)
		if stream {
			setHeader(a, "content-type", "text/event-stream")
			a.Body = []byte("event: message_start\ndata: {\"type\":\"message_start\"}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n")
		}
	},
	Want: func(r Seen) []Sight {
		switch {
		case !r.isError():
			return nil
		case r.Stream:
			return append(gone(r, "body"), Sight{"status", evidence.Changed}, Sight{"header/content-type", evidence.Changed},
				Sight{"stream/events", evidence.Invented}, Sight{"stream/terminal", evidence.Invented}, Sight{"stream/data", evidence.Invented})
		case r.Evidence.Get("body").Kind != evidence.Object:
			return []Sight{{"status", evidence.Changed}, {"body", evidence.Changed}}
		}
		return append(gone(r, "body/request_id"), Sight{"status", evidence.Changed}, Sight{"body/type", evidence.Changed}, Sight{"body/content", evidence.Invented})
	},
}

// gone declares a key and the error object as lost, where they exist.
func gone(r Seen, key string) (out []Sight) {
	for _, k := range []string{key, "error"} {
		if r.has(k) {
			out = append(out, Sight{k, evidence.Lost})
		}
	}
	return out
}
