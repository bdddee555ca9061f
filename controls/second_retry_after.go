package controls

import (
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// secondRetryAfter: the official SDKs disagree on which of two lines counts (measured 2026-11-30).
var secondRetryAfter = &Fault{
	Name:      "second-retry-after",
	Why:       "a second retry-after line is added: clients disagree on which one counts",
	Mechanism: OfHeader,
	Change: func(a *wire.Answer, _ bool) {
		if len(a.Values("retry-after")) > 0 {
			addHeader(a, "Retry-After", "30")
		}
	},
	Want: where("header/retry-after", evidence.Changed),
}
