package controls

import (
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// bufferStream imitates proxies that gather an answer before they pass it on, which several do unless told not to.
var bufferStream = &Fault{
	Name:      "buffer-stream",
	Why:       "a stream is held back until its end: every event arrives, and a user waits for the first as long as for the last",
	Mechanism: OfEvent,
	Change: func(a *wire.Answer, _ bool) {
		if a.Pace == wire.AsSent || isEventStream(a) && a.LastAt.Sub(a.BodyAt) >= silence {
			a.Pace = wire.AtOnce
		}
	},
	Want: func(r Seen) []Sight {
		if r.Evidence.Get("stream/pace").Text != string(wire.AsSent) {
			return nil
		}
		return []Sight{{"stream/pace", evidence.Changed}}
	},
}
