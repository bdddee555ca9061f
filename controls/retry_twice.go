package controls

import "github.com/preservecheck/preservecheck/wire"

// retryTwice imitates a gateway's own retry loop with two attempts more, which leaves no trace in the answer.
var retryTwice = &Fault{
	Name:      "retry-twice",
	Why:       "every error is asked for twice more by the layer itself: the answer is untouched, the door is hammered",
	Mechanism: OfRetry,
	New: func() Behaviour {
		return func(c *Call) *wire.Answer {
			a := c.Ask(c.Request)
			for n := 0; n < 2 && isError(a); n++ {
				a = c.Ask(c.Request)
			}
			return a
		}
	},
	Want: nothing,
	Hits: func(r Seen) int {
		if r.isError() {
			return 3
		}
		return 1
	},
}
