package controls

import (
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// changeRetryAfter uses a wait above 60 s, which the official SDKs handle in five different ways (measured 2026-11-30).
var changeRetryAfter = &Fault{
	Name:      "change-retry-after",
	Why:       "retry-after becomes 90: some clients wait, some fail at once, some ignore it",
	Mechanism: OfHeader,
	Change: func(a *wire.Answer, _ bool) {
		setHeader(a, "retry-after", "90")
	},
	Want: where("header/retry-after", evidence.Changed),
}
