package controls

import "github.com/preservecheck/preservecheck/evidence"

// prefixMessage imitates Portkey 1.15.2 on /v1/messages (run on 2026-11-30).
var prefixMessage = &Fault{
	Name:      "prefix-message",
	Why:       "the message gets a prefix: a rule on its first words no longer fits",
	Mechanism: OfBody,
	Change: editError(func(e map[string]any) {
		if m, ok := e["message"].(string); ok {
			e["message"] = "anthropic error: " + m
		}
	}),
	Want: func(r Seen) []Sight {
		if r.Evidence.Get("error/message").Kind != evidence.String {
			return nil
		}
		return inJSON("error/message", evidence.Changed)(r)
	},
}
