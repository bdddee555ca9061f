package controls

import "github.com/preservecheck/preservecheck/wire"

// poison imitates a layer whose circuit opens for one request after each error (a public report of 2026 has a 400 that
// backs the whole account off).
var poison = &Fault{
	Name:      "poison",
	Why:       "after a 400 the next request, whatever it is, is refused by the layer itself",
	Mechanism: OfMemory,
	New: func() Behaviour {
		var state remembers
		return func(c *Call) *wire.Answer {
			if state.take("armed") {
				a := ownLimit()
				a.Status, a.Reason = 503, "Service Unavailable"
				return a
			}
			a := c.Ask(c.Request)
			if a.Status == 400 {
				state.set("armed")
			}
			return a
		}
	},
	Want:    nothing,
	Finding: "layer-state",
}
