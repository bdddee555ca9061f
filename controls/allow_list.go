package controls

import (
	"slices"
	"strings"

	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// knownHeaders are what the list lets through: those that are needed to read an answer, and the wait.
var knownHeaders = []string{"content-type", "content-length", "transfer-encoding", "content-encoding", "date", "cache-control", "retry-after", "request-id"}

// allowList imitates gateways that forward headers from a closed list, which fails silently when a provider adds a name (several
// public reports of 2025 and 2026).
var allowList = &Fault{
	Name:      "allow-list",
	Why:       "only headers from a closed list are passed on: limits, x-should-retry and every name that is new are lost",
	Mechanism: OfHeader,
	Change: func(a *wire.Answer, _ bool) {
		a.Header = slices.DeleteFunc(a.Header, func(f wire.Field) bool {
			return !slices.Contains(knownHeaders, strings.ToLower(f.Name))
		})
	},
	Want: func(r Seen) (out []Sight) {
		for _, e := range r.Evidence {
			if name, ok := strings.CutPrefix(e.Key, "header/"); ok && !slices.Contains(knownHeaders, name) {
				out = append(out, Sight{e.Key, evidence.Lost})
			}
		}
		return out
	},
}
