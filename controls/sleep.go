package controls

import (
	"strconv"
	"time"

	"github.com/preservecheck/preservecheck/wire"
)

// longestSleep bounds what the layer waits, so that no retry-after of a fixture makes a run slow.
const longestSleep = 2500 * time.Millisecond

// sleep imitates gateways that wait for the provider's retry-after with the client on the line (public reports of 2026).
var sleep = &Fault{
	Name:      "sleep",
	Why:       "the layer sits out retry-after (2.5 s at most) before it answers: a client's own deadline passes. A run fails by --max-layer-wait, or under profile full",
	Mechanism: OfMemory,
	New: func() Behaviour {
		return func(c *Call) *wire.Answer {
			a := c.Ask(c.Request)
			if v := a.Values("retry-after"); len(v) == 1 {
				if n, err := strconv.Atoi(v[0]); err == nil && n > 0 {
					c.Sleep(min(time.Duration(min(n, 60))*time.Second, longestSleep))
				}
			}
			return a
		}
	},
	Want:    nothing,
	Finding: "slept",
	MaxWait: 500 * time.Millisecond,
}
