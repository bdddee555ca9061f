package controls

import "github.com/preservecheck/preservecheck/wire"

// cooldownText imitates gateways that keep the last error of a model and tell it again (9router 0.5.69, run on 2026-11-30): here with
// the text of the error before, under the layer's own head.
var cooldownText = &Fault{
	Name:      "cooldown-text",
	Why:       "after a 429 the layer repeats that error's text for whatever is asked next: a spend cap long past looks like today's",
	Mechanism: OfMemory,
	New: coolDown(func(last *wire.Answer) *wire.Answer {
		a := ownLimit()
		var text any
		editBody(last.Clone(), func(m map[string]any) {
			if e, ok := m["error"].(map[string]any); ok {
				text = e["message"]
			}
		})
		if text != nil {
			editMessage(func(string) string { s, _ := text.(string); return s })(a, false)
		}
		return a
	}),
	Want:    nothing,
	Finding: "layer-state",
}
