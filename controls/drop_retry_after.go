package controls

import (
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// dropRetryAfter imitates LiteLLM, which documents it, and several others (read and run up to 2026-11-30).
var dropRetryAfter = &Fault{
	Name:      "drop-retry-after",
	Why:       "retry-after is lost: a rate limit can't be told from an unclassified 429, and workers guess the wait",
	Mechanism: OfHeader,
	Change: func(a *wire.Answer, _ bool) {
		dropHeader(a, "retry-after")
	},
	Want: where("header/retry-after", evidence.Lost),
}
