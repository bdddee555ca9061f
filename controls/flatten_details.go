package controls

import (
	"strings"

	"github.com/preservecheck/preservecheck/evidence"
)

// flattenDetails imitates gateways whose error object has no depth: what stood in details stands beside the message
// (strict schemas, in public reports up to 2026-11-30).
var flattenDetails = &Fault{
	Name:      "flatten-details",
	Why:       "the members of error.details are lifted into the error: the code is still there, a level above where it is looked for",
	Mechanism: OfBody,
	Change: editError(func(e map[string]any) {
		d, ok := e["details"].(map[string]any)
		if !ok {
			return
		}
		delete(e, "details")
		for name, v := range d {
			if _, taken := e[name]; !taken {
				e[name] = v
			}
		}
	}),
	Want: func(r Seen) []Sight {
		if !r.hasErrorObject() || r.Evidence.Get("error/details").Kind != evidence.Object {
			return nil
		}
		out := []Sight{{"error/details", evidence.Lost}}
		for _, e := range r.Evidence {
			if at := "error/" + strings.TrimPrefix(e.Key, "error/details/"); evidence.Parent(e.Key) == "error/details" && !r.has(at) {
				out = append(out, Sight{at, evidence.Invented})
			}
		}
		return out
	},
}
