package controls

import "github.com/preservecheck/preservecheck/wire"

// cooldownWait imitates gateways that put a wait of their own on the refusals of a cooldown (LiteLLM since 2026, by its
// documentation; CLIProxyAPI 7.2.140, run on 2026-11-30).
var cooldownWait = &Fault{
	Name:      "cooldown-wait",
	Why:       "after a 429 the layer answers for that model by itself, with an invented retry-after: who obeys waits for nothing",
	Mechanism: OfMemory,
	New: coolDown(func(*wire.Answer) *wire.Answer {
		a := ownLimit()
		addHeader(a, "Retry-After", "60")
		return a
	}),
	Want:    nothing,
	Finding: "layer-state",
}
