package controls

import "github.com/preservecheck/preservecheck/evidence"

// nullDetails imitates gateways with a typed error object, which write as null what they could not read ("details": null
// is also what some providers send; public reports up to 2026-11-30).
var nullDetails = &Fault{
	Name:      "null-details",
	Why:       "error.details becomes null, as it is where there are none: a spend cap can't be told from a rate limit",
	Mechanism: OfBody,
	Change: editError(func(e map[string]any) {
		if _, ok := e["details"]; ok {
			e["details"] = nil
		}
	}),
	Want: func(r Seen) []Sight {
		if r.Evidence.Get("error/details").Kind == evidence.Null {
			return nil
		}
		return inJSON("error/details", evidence.Changed)(r)
	},
}
