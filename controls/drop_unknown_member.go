package controls

import (
	"encoding/json"

	"github.com/preservecheck/preservecheck/evidence"
)

// dropUnknownMember imitates gateways with a strict schema of requests.
var dropUnknownMember = &Fault{
	Name:      "drop-unknown-member",
	Why:       "a member of the request that the layer does not know is dropped: a new capability can't be used through it",
	Mechanism: OfRequest,
	Send: editRequest(func(m map[string]json.RawMessage) {
		for name := range m {
			switch name {
			case "model", "max_tokens", "messages", "stream", "system", "input", "max_output_tokens":
			default:
				delete(m, name)
			}
		}
	}),
	Want: func(r Seen) []Sight { return watched(r, Sight{"request/body/preservecheck", evidence.Lost}) },
}
