package controls

import (
	"regexp"
	"sync"

	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// textOfDelta finds where the text of the first delta begins, in each protocol's own way.
var textOfDelta = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"(?:text_delta","text|thinking_delta","thinking|input_json_delta","partial_json)":"|"delta":(?:\{[^{}]*"(?:content|arguments)":)?"`)
})

// changeText imitates filters that rewrite what a model says.
var changeText = &Fault{
	Name:      "change-text",
	Why:       "the text of a stream is another one than the model wrote",
	Mechanism: OfEvent,
	Change: func(a *wire.Answer, _ bool) {
		if a.Status != 200 || !a.End.Orderly() || !isEventStream(a) || len(a.Values("content-encoding")) > 0 {
			return
		}
		if at := textOfDelta().FindIndex(a.Body); at != nil {
			a.Body = append(append(append([]byte{}, a.Body[:at[1]]...), "CENSORED "...), a.Body[at[1]:]...)
		}
	},
	Want: func(r Seen) []Sight {
		if r.Evidence.Get("status").Number() != 200 || r.Evidence.Get("end").Text != evidence.EndOK || !r.has("stream/text") {
			return nil
		}
		return []Sight{{"stream/text", evidence.Changed}}
	},
}
