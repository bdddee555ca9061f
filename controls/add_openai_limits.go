package controls

import (
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// openaiLimits are the names that a gateway's own limiter sends (Envoy, Kong and LiteLLM write them for limits of their own).
var openaiLimits = []struct{ name, value string }{
	{"x-ratelimit-limit-requests", "10000"}, {"x-ratelimit-remaining-requests", "9999"}, {"x-ratelimit-reset-requests", "6ms"},
}

// addOpenAILimits imitates gateways with hardcoded limit headers in OpenAI's names (a public report of 2026).
var addOpenAILimits = &Fault{
	Name:      "add-openai-limits",
	Why:       "x-ratelimit headers are invented on errors: who reads them believes that nothing is used up",
	Mechanism: OfHeader,
	Change: func(a *wire.Answer, stream bool) {
		for _, h := range openaiLimits {
			invent(h.name, h.value)(a, stream)
		}
	},
	Want: func(r Seen) (out []Sight) {
		for _, h := range openaiLimits {
			if r.isError() && !r.has("header/"+h.name) {
				out = append(out, Sight{"header/" + h.name, evidence.Invented})
			}
		}
		return out
	},
}
