package controls

import "github.com/preservecheck/preservecheck/wire"

// answerOnce imitates a short cooldown: one answer after an error is the layer's own, whatever was asked.
var answerOnce = &Fault{
	Name:      "answer-once",
	Why:       "after the first 429 the layer answers one request itself, with a 429 that looks native",
	Mechanism: LayerMade,
	New: func() Behaviour {
		var state remembers
		return func(c *Call) *wire.Answer {
			if state.take("armed") {
				return ownLimit()
			}
			a := c.Ask(c.Request)
			if a.Status == 429 && !state.has("done") {
				state.set("done")
				state.set("armed")
			}
			return a
		}
	},
	Want:    nothing,
	Finding: "layer-state",
}
