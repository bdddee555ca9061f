package controls

import (
	"sync"

	"github.com/preservecheck/preservecheck/wire"
)

// cache imitates caches that key on too little (nginx proxy_cache with POST, run on 2026-11-30).
var cache = &Fault{
	Name:      "cache",
	Why:       "an answer to one request is served to the next of the same model",
	Mechanism: OfMemory,
	New: func() Behaviour {
		var mu sync.Mutex
		kept := map[string]*wire.Answer{}
		return func(c *Call) *wire.Answer {
			mu.Lock()
			a := kept[c.Model]
			mu.Unlock()
			if a != nil {
				return a.Clone()
			}
			a = c.Ask(c.Request)
			mu.Lock()
			kept[c.Model] = a.Clone()
			mu.Unlock()
			return a
		}
	},
	Want:    nothing,
	Finding: "cached",
}
