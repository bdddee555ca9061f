package controls

import (
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

var dropRequestID = &Fault{
	Name:      "drop-request-id",
	Why:       "the request-id header is lost: nobody can ask the provider about this error",
	Mechanism: OfHeader,
	Change: func(a *wire.Answer, _ bool) {
		if isError(a) {
			dropHeader(a, "request-id")
		}
	},
	Want: where("header/request-id", evidence.Lost),
}
