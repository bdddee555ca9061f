package controls

import (
	"bytes"
	"slices"
	"strings"

	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// finishStream imitates layers that close what broke off as if it had ended, such as translators that write their own last
// event whatever came before.
var finishStream = &Fault{
	Name:      "finish-stream",
	Why:       "a stream that failed or broke off is finished with a success event: half an answer counts as a whole one",
	Mechanism: OfEvent,
	Change: func(a *wire.Answer, _ bool) {
		if a.Status != 200 || !a.End.Orderly() || !isEventStream(a) || len(a.Values("content-encoding")) > 0 {
			return
		}
		if !bytes.Contains(a.Body, []byte("data:")) {
			return // no event came at all
		}
		for _, e := range ends {
			if bytes.Contains(a.Body, []byte(e.terminal)) {
				return
			}
		}
		e := endOfBody(a.Body)
		a.Body = append(slices.Clip(a.Body), e.event...)
	},
	Want: func(r Seen) []Sight {
		names := r.Evidence.Get("stream/events").Items()
		terminals := r.Evidence.Get("stream/terminal")
		if r.Evidence.Get("status").Number() != 200 || r.Evidence.Get("end").Text != evidence.EndOK || len(names) == 0 {
			return nil
		}
		for _, e := range ends {
			if slices.Contains(terminals.Items(), e.terminal) {
				return nil
			}
		}
		out := []Sight{{"stream/events", evidence.Changed}, {"stream/terminal", evidence.Invented}}
		if terminals.Kind != evidence.Absent {
			out[1].Dir = evidence.Changed
		}
		if !r.has("stream/data") {
			return append(out, Sight{"stream/data", evidence.Invented})
		}
		return append(out, Sight{"stream/data/" + endOfNames(names).name, evidence.Invented})
	},
}

// end is how one protocol ends a stream.
type end struct {
	terminal string
	name     string // of the event in evidence
	event    string
}

var ends = []end{
	{"response.completed", "response.completed", "event: response.completed\ndata: {\"type\":\"response.completed\"}\n\n"},
	{"[DONE]", "-[DONE]", doneEvent},
	{"message_stop", "message_stop", "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"},
}

// endOfBody tells the protocols apart as a layer can: by the names in the bytes, and by whether there are event lines.
func endOfBody(body []byte) end {
	switch {
	case bytes.Contains(body, []byte(`"response.`)):
		return ends[0]
	case !bytes.Contains(body, []byte("event:")):
		return ends[1]
	}
	return ends[2]
}

// endOfNames is the same, told from the fixture's evidence.
func endOfNames(names []string) end {
	nameless := true
	for _, n := range names {
		if strings.HasPrefix(strings.TrimPrefix(n, "-"), "response.") {
			return ends[0]
		}
		nameless = nameless && strings.HasPrefix(n, "-")
	}
	if nameless {
		return ends[1]
	}
	return ends[2]
}

func isEventStream(a *wire.Answer) bool {
	for _, v := range a.Values("content-type") {
		if strings.HasPrefix(v, "text/event-stream") {
			return true
		}
	}
	return false
}
