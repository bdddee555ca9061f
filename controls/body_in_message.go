package controls

import (
	"encoding/json"

	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// bodyInMessage imitates LiteLLM, which writes the provider's whole body into a message of its own (a public report of
// 2026-08-20 shows a user's spend limit that went this way).
var bodyInMessage = &Fault{
	Name:      "body-in-message",
	Why:       "the whole body becomes text inside a message, and details go: all the evidence is there, and nothing finds it",
	Mechanism: OfBody,
	Change: func(a *wire.Answer, _ bool) {
		whole := string(a.Body)
		editBody(a, func(m map[string]any) {
			var e map[string]any
			if e, _ = m["error"].(map[string]any); e == nil {
				return
			}
			e["message"] = json.RawMessage(quoted("BadRequestError: AnthropicException - b'" + whole + "'"))
			delete(e, "details")
		})
	},
	Want: func(r Seen) (out []Sight) {
		if !r.hasErrorObject() {
			return nil
		}
		if r.has("error/details") {
			out = append(out, Sight{"error/details", evidence.Lost})
		}
		if !r.has("error/message") {
			return append(out, Sight{"error/message", evidence.Invented})
		}
		return append(out, Sight{"error/message", evidence.Changed})
	},
}

func quoted(s string) []byte {
	b, _ := json.Marshal(s) // a string can't fail
	return b
}
