package controls

import (
	"encoding/json"

	"github.com/preservecheck/preservecheck/evidence"
)

var stringifyDetails = &Fault{
	Name:      "stringify-details",
	Why:       "error.details becomes a text that holds JSON: the code is still there, and no classifier finds it",
	Mechanism: OfBody,
	Change: editError(func(e map[string]any) {
		if d, ok := e["details"]; ok {
			if b, err := json.Marshal(d); err == nil {
				e["details"] = string(b)
			}
		}
	}),
	Want: inJSON("error/details", evidence.Changed), // a text becomes one in quotes
}
