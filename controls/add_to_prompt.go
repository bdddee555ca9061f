package controls

import (
	"encoding/json"

	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// addToPrompt imitates gateways that put words of their own, or cache marks, into what the client asks (a public report of
// 2026: such a mark caused a 400).
var addToPrompt = &Fault{
	Name:      "add-to-prompt",
	Why:       "a system prompt of the layer's own is put into every request",
	Mechanism: OfRequest,
	Send:      editRequest(func(m map[string]json.RawMessage) { m["system"] = json.RawMessage(`"Be brief."`) }),
	Want:      func(r Seen) []Sight { return watched(r, Sight{"request/body", evidence.Changed}) },
}

// editRequest changes the members of a request's body.
func editRequest(edit func(map[string]json.RawMessage)) func(wire.Request) wire.Request {
	return func(r wire.Request) wire.Request {
		var m map[string]json.RawMessage
		if json.Unmarshal(r.Body, &m) != nil || m == nil {
			return r
		}
		edit(m)
		if b, err := json.Marshal(m); err == nil {
			r.Body = b
		}
		return r
	}
}
