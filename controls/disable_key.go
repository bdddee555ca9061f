package controls

import (
	"bytes"

	"github.com/preservecheck/preservecheck/wire"
)

// quotaWords make the layer believe that a key is used up.
var quotaWords = []string{"quota", "credit balance", "billing", "usage limits", "insufficient_quota"}

// disableKey imitates new-api and one-api, which take a channel out of service after an error that speaks of money (public reports
// up to 2026-11-30), here for ever.
var disableKey = &Fault{
	Name:      "disable-key",
	Why:       "an error that speaks of a quota disables the key: every later request of anybody is refused with a 503",
	Mechanism: OfMemory,
	New: func() Behaviour {
		var state remembers
		return func(c *Call) *wire.Answer {
			if state.has("disabled") {
				a := ownLimit()
				a.Status, a.Reason = 503, "Service Unavailable"
				a.Body = []byte(`{"error":{"message":"No available channel for this model","type":"new_api_error"}}`)
				return a
			}
			a := c.Ask(c.Request)
			for _, w := range quotaWords {
				if isError(a) && bytes.Contains(a.Body, []byte(w)) {
					state.set("disabled")
				}
			}
			return a
		}
	},
	Want:    nothing,
	Finding: "layer-state",
}
