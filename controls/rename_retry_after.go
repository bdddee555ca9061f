package controls

import (
	"strings"

	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

const providerPrefix = "llm_provider-"

// renameRetryAfter imitates LiteLLM, which puts a prefix before the provider's headers (documentation and a public report of 2026).
var renameRetryAfter = &Fault{
	Name:      "rename-retry-after",
	Why:       "retry-after comes as llm_provider-retry-after: the wait is there, and no client reads it",
	Mechanism: OfHeader,
	Change: func(a *wire.Answer, _ bool) {
		for i := range a.Header {
			if strings.EqualFold(a.Header[i].Name, "retry-after") {
				a.Header[i].Name = providerPrefix + "retry-after"
			}
		}
	},
	Want: func(r Seen) []Sight {
		if !r.has("header/retry-after") {
			return nil
		}
		return []Sight{{"header/retry-after", evidence.Lost}, {"header/" + providerPrefix + "retry-after", evidence.Invented}}
	},
}
