package controls

import (
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// dropEnvelope imitates gateways that keep the error object and write an envelope of their own around it.
var dropEnvelope = &Fault{
	Name:      "drop-envelope",
	Why:       "the top-level type and request_id are lost: the answer no longer says that it is the provider's",
	Mechanism: OfBody,
	Change: func(a *wire.Answer, _ bool) {
		editBody(a, func(m map[string]any) {
			delete(m, "type")
			delete(m, "request_id")
		})
	},
	Want: func(r Seen) (out []Sight) {
		for _, k := range []string{"body/type", "body/request_id"} {
			if r.isError() && r.has(k) {
				out = append(out, Sight{k, evidence.Lost})
			}
		}
		return out
	},
}
