package controls

import (
	"strings"

	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// dropQuery imitates gateways that build the upstream's URL anew. That is allowed: the query has to be accepted, not passed on.
var dropQuery = &Fault{
	Name:      "drop-query",
	Why:       "the query of the request is not passed on",
	Mechanism: OfRequest,
	Send: func(r wire.Request) wire.Request {
		r.Target, _, _ = strings.Cut(r.Target, "?")
		return r
	},
	Want: func(r Seen) []Sight { return watched(r, Sight{"request/query/beta", evidence.Lost}) },
}
