package controls

import (
	"encoding/json"

	"github.com/preservecheck/preservecheck/wire"
)

// fallBack imitates gateways with a list of models to turn to (LiteLLM's fallbacks, read 2026-11-30), whose last error the
// client gets.
var fallBack = &Fault{
	Name:      "fall-back",
	Why:       "after an error another model is asked by the layer itself: its answer, and its price, are not what was asked for",
	Mechanism: OfRetry,
	New: func() Behaviour {
		return func(c *Call) *wire.Answer {
			a := c.Ask(c.Request)
			if !isError(a) {
				return a
			}
			return c.Ask(editRequest(func(m map[string]json.RawMessage) {
				m["model"] = quoted(c.Model + "-mini")
			})(c.Request))
		}
	},
	Want: nothing,
	Hits: func(r Seen) int {
		if r.isError() {
			return 2
		}
		return 1
	},
}
