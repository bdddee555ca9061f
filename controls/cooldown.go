package controls

import "github.com/preservecheck/preservecheck/wire"

// cooldown imitates gateways that take a model out of service after a 429 (9router 0.5.69 and CLIProxyAPI 7.2.140,
// run on 2026-11-30); here for ever.
var cooldown = &Fault{
	Name:      "cooldown",
	Why:       "after a 429 the layer answers for that model by itself, for ever, with a 429 that looks native",
	Mechanism: OfMemory,
	New: func() Behaviour {
		var state remembers
		return func(c *Call) *wire.Answer {
			if state.has(c.Model) {
				return ownLimit()
			}
			a := c.Ask(c.Request)
			if a.Status == 429 {
				state.set(c.Model)
			}
			return a
		}
	},
	Want:    nothing,
	Finding: "layer-state",
}
