package controls

import (
	"sync/atomic"

	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// oneIn is how rare the fault of flaky is: 3 of 200 errors.
const oneIn = 66

// flaky imitates faults that come and go (public reports of 2026: 66 of 1000 streams, "every several requests").
var flaky = &Fault{
	Name:      "flaky",
	Why:       "three of 200 errors come as a 502: a test that asks once passes, and somebody is paged at night",
	Mechanism: OfMemory,
	New: func() Behaviour {
		var n atomic.Int64
		return func(c *Call) *wire.Answer {
			a := c.Ask(c.Request)
			if isError(a) && n.Add(1)%oneIn == 0 {
				a.Status, a.Reason = 502, "Bad Gateway"
			}
			return a
		}
	},
	Want:    where("status", evidence.Changed),
	Finding: "intermittent",
	Repeat:  12, // of ten rows in two modes: more than 200 errors
}
