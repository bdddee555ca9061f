package controls

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// ending is what stands where the error of a stream was.
type ending struct {
	names  []string // of its events, in evidence
	events string
}

// inPlaceOfError is a fault that puts an ending in the place of the error that ends a stream.
func inPlaceOfError(name, why string, by func(end) ending) *Fault {
	return &Fault{
		Name: name, Why: why, Mechanism: OfEvent,
		Change: func(a *wire.Answer, _ bool) {
			if a.Status != 200 || !a.End.Orderly() || !isEvents(a) || !bytes.Contains(a.Body, []byte("error")) {
				return
			}
			if at := onlyErrorIn(a.Body); at > 0 || at == 0 && isEventStream(a) { // nothing but the label says that an empty body is a stream
				a.Body = append(a.Body[:at:at], by(endOfBody(a.Body)).events...)
			}
		},
		Want: func(r Seen) []Sight {
			events := r.Evidence.Get("stream/events").Items()
			if !r.onlyFails() || len(events) == 1 && !r.has("stream/keepalive") && !r.labelled() {
				return nil
			}
			out := []Sight{{"error", evidence.Lost}, {"stream/error", evidence.Lost}, {"stream/events", evidence.Changed}}
			names := by(endOfNames(events)).names
			if len(names) == 0 {
				return out
			}
			out = append(out, Sight{"stream/terminal", evidence.Invented})
			if !r.has("stream/data") {
				return append(out, Sight{"stream/data", evidence.Invented})
			}
			for _, name := range names {
				key := "stream/data/" + name
				for n := 2; r.has(key); n++ {
					key = fmt.Sprintf("stream/data/%s#%d", name, n)
				}
				out = append(out, Sight{key, evidence.Invented})
			}
			return out
		},
	}
}

// labelled: the header says that the body is events.
func (r Seen) labelled() bool {
	return strings.HasPrefix(r.Evidence.Get("header/content-type").Text, "text/event-stream")
}

// onlyErrorIn says where the one error of a stream begins, which must be its last event; -1 where it is not, or where the
// stream has said that it ended well.
func onlyErrorIn(body []byte) int {
	for _, mark := range []string{"message_stop", "[DONE]", "response.completed", "response.incomplete", `"stop_reason":"`, `"finish_reason":"`} {
		if bytes.Contains(bytes.ReplaceAll(body, []byte(`": "`), []byte(`":"`)), []byte(mark)) {
			return -1
		}
	}
	all := eventsIn(body)
	for i, e := range all {
		if e.failed() == nil {
			continue
		}
		if i == len(all)-1 && e.to == len(body) {
			return e.from
		}
		break
	}
	return -1
}

// onlyFails: a whole stream that ends with its only error and with no success.
func (r Seen) onlyFails() bool {
	names := r.names()
	if r.Evidence.Get("status").Number() != 200 || r.Evidence.Get("end").Text != evidence.EndOK || len(names) == 0 {
		return false
	}
	failing := 0
	for _, n := range names {
		if n == "error" || n == "response.failed" {
			failing++
		}
	}
	last := names[len(names)-1]
	return failing == 1 && (last == "error" || last == "response.failed") && r.Evidence.Get("error").Kind == evidence.Object && !r.has("stream/terminal")
}
