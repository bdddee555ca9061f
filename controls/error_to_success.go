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
		if !r.isError() {
			return nil
		}
		out := []Sight{{"status", evidence.Changed}}
		switch {
		case r.Stream:
			out = append(out, intoEvents(r)...)
		case r.isEvents(): // the label stays, and JSON holds no events
			out = append(out, noEvents(r)...)
		case r.Evidence.Get("body").Kind != evidence.Object:
			out = append(out, Sight{"body", evidence.Changed})
		default:
			out = append(out, intoMessage(r)...)
		}
		return out
	},
}

// intoEvents declares that a finished stream has taken the place of the body.
func intoEvents(r Seen) []Sight {
	out := []Sight{{"stream/terminal", evidence.Invented}}
	if r.isEvents() {
		out = append(out, noEvents(r)...)
	} else {
		out = append(append(out, gone(r, "body")...), Sight{"stream/events", evidence.Invented})
	}
	if r.has("header/content-type") {
		out = append(out, Sight{"header/content-type", evidence.Changed})
	}
	return out
}

// intoMessage declares that the members of an empty message have taken the place of an envelope's.
func intoMessage(r Seen) []Sight {
	out := append(gone(r, ""), Sight{"body/content", evidence.Invented})
	kind := evidence.Invented
	for _, k := range r.members() {
		if k == "body/type" {
			kind = evidence.Changed
			continue
		}
		out = append(out, Sight{k, evidence.Lost})
	}
	return append(out, Sight{"body/type", kind})
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
