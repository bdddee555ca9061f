package controls

import "github.com/preservecheck/preservecheck/wire"

// retryAtOnce imitates gateways that retry a 429 without looking at its wait (Helicone's documented retries; public reports of 2026).
var retryAtOnce = &Fault{
	Name:      "retry-at-once",
	Why:       "a limit with a retry-after is asked for three times more at once: the wait is ignored, and the limit lasts longer",
	Mechanism: OfRetry,
	New: func() Behaviour {
		return func(c *Call) *wire.Answer {
			a := c.Ask(c.Request)
			for n := 0; n < 3 && a.Status == 429 && len(a.Values("retry-after")) > 0; n++ {
				a = c.Ask(c.Request)
			}
			return a
		}
	},
	Want: nothing,
	Hits: func(r Seen) int {
		if r.Evidence.Get("status").Number() == 429 && r.has("header/retry-after") {
			return 4
		}
		return 1
	},
}
