package controls

import "github.com/preservecheck/preservecheck/evidence"

// retypeStreamError imitates translators that know one type for every error in a stream (public reports of 2026).
var retypeStreamError = &Fault{
	Name:      "retype-stream-error",
	Why:       "the type of an error inside a stream becomes server_error: an overload or a limit looks like a failure of the provider",
	Mechanism: OfEvent,
	Change: editStreamError(func(_ *event, inner map[string]any) {
		if t, ok := inner["type"].(string); ok && t != "error" { // the envelope's own
			inner["type"] = "server_error"
		}
	}),
	Want: inStream("error/type", evidence.Changed, func(v evidence.Value) bool {
		return v.Kind == evidence.String && v.Text != "server_error" && v.Text != "error"
	}),
}
