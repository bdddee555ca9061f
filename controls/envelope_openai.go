package controls

import (
	"strconv"

	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// envelopeOpenAI imitates gateways that answer in OpenAI's shape whatever they were asked in (LiteLLM's documented errors, whose
// code is the status as text; read 2026-11-30).
var envelopeOpenAI = &Fault{
	Name:      "envelope-openai",
	Why:       "the error comes in OpenAI's envelope, its code the status as text: details, the top-level type and request_id are lost",
	Mechanism: OfBody,
	Change: func(a *wire.Answer, _ bool) {
		editBody(a, func(m map[string]any) {
			e, ok := m["error"].(map[string]any)
			if !ok {
				return
			}
			clear(m)
			m["error"] = map[string]any{"message": e["message"], "type": e["type"], "param": e["param"], "code": strconv.Itoa(a.Status)}
		})
	},
	Want: func(r Seen) (out []Sight) {
		if !r.hasErrorObject() {
			return nil
		}
		status := evidence.Value{Kind: evidence.String, Text: r.Evidence.Get("status").Text}
		for _, name := range []string{"error/message", "error/type", "error/param", "error/code"} {
			switch {
			case !r.has(name):
				out = append(out, Sight{name, evidence.Invented})
			case name == "error/code" && r.Evidence.Get(name) != status:
				out = append(out, Sight{name, evidence.Changed})
			}
		}
		for _, e := range r.Evidence {
			switch {
			case evidence.Parent(e.Key) != "error":
			case e.Key != "error/message" && e.Key != "error/type" && e.Key != "error/param" && e.Key != "error/code":
				out = append(out, Sight{e.Key, evidence.Lost})
			}
		}
		return append(out, lostMembers(r)...)
	},
}

// lostMembers declares the top-level members beside the error as lost.
func lostMembers(r Seen) (out []Sight) {
	for _, k := range r.members() {
		out = append(out, Sight{k, evidence.Lost})
	}
	return out
}
