package controls

import "github.com/preservecheck/preservecheck/evidence"

// prefixStreamMessage is prefix-message inside a stream, where 23 of 118 public reports (up to 2026-11-30) have their fault and few
// tests look.
var prefixStreamMessage = &Fault{
	Name:      "prefix-stream-message",
	Why:       "the message of an error inside a stream gets a prefix: a rule on its first words no longer fits",
	Mechanism: OfEvent,
	Change: editStreamError(func(_ *event, inner map[string]any) {
		if m, ok := inner["message"].(string); ok {
			inner["message"] = "Streaming error: " + m
		}
	}),
	Want: inStream("error/message", evidence.Changed, func(v evidence.Value) bool { return v.Kind == evidence.String }),
}
