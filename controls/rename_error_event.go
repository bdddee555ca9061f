package controls

import (
	"slices"

	"github.com/preservecheck/preservecheck/evidence"
)

// renameErrorEvent imitates layers that write every event under one name (error events that were
// retyped, in public reports up to 2026-11-30).
var renameErrorEvent = &Fault{
	Name:      "rename-error-event",
	Why:       "the error event of a stream comes under another name: SDKs go by the name, and none raises it",
	Mechanism: OfEvent,
	Change: editStreamError(func(e *event, _ map[string]any) {
		if e.name == "error" {
			e.name = "message"
		}
	}),
	Want: func(r Seen) []Sight {
		if !r.has("stream/error") || !slices.Contains(r.Evidence.Get("stream/events").Items(), "error") {
			return nil
		}
		return []Sight{{"stream/events", evidence.Changed}}
	},
}
