package controls

import "github.com/preservecheck/preservecheck/evidence"

var alterCode = &Fault{
	Name:      "alter-code",
	Why:       "error.details.error_code becomes the layer's own word",
	Mechanism: OfBody,
	Change: editError(func(e map[string]any) {
		if d, ok := e["details"].(map[string]any); ok && d["error_code"] != nil {
			d["error_code"] = "upstream_error"
		}
	}),
	Want: inJSON("error/details/error_code", evidence.Changed),
}
