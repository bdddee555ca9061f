package controls

import (
	"sync"

	"github.com/preservecheck/preservecheck/wire"
)

// cooldown imitates gateways that take a model out of service after a 429 (9router 0.5.69 and CLIProxyAPI 7.2.140,
// run on 2026-11-30); here for ever.
var cooldown = &Fault{
	Name:      "cooldown",
	Why:       "after a 429 the layer answers for that model by itself, for ever, with a 429 that looks native",
	Mechanism: OfMemory,
	New:       coolDown(func(*wire.Answer) *wire.Answer { return ownLimit() }),
	Want:      nothing,
	Finding:   "layer-state",
}

// coolDown answers for a model by itself once it got a 429 for it.
func coolDown(own func(last *wire.Answer) *wire.Answer) func() Behaviour {
	return func() Behaviour {
		var mu sync.Mutex
		last := map[string]*wire.Answer{}
		return func(c *Call) *wire.Answer {
			mu.Lock()
			l := last[c.Model]
			mu.Unlock()
			if l != nil {
				return own(l)
			}
			a := c.Ask(c.Request)
			if a.Status == 429 {
				mu.Lock()
				last[c.Model] = a.Clone()
				mu.Unlock()
			}
			return a
		}
	}
}
