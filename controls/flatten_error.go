package controls

import (
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

var flattenError = &Fault{
	Name:      "flatten-error",
	Why:       "the whole envelope becomes {\"error\": text}: only the message is left",
	Mechanism: OfBody,
	Change: func(a *wire.Answer, _ bool) {
		editBody(a, func(m map[string]any) {
			if e, ok := m["error"].(map[string]any); ok {
				clear(m)
				m["error"] = e["message"]
			}
		})
	},
	Want: func(r Seen) []Sight {
		if !r.hasErrorObject() {
			return nil
		}
		out := []Sight{{"error", evidence.Changed}}
		for _, k := range r.members() {
			out = append(out, Sight{k, evidence.Lost})
		}
		return out
	},
}
