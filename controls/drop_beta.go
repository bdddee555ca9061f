package controls

import (
	"strings"

	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// dropBeta imitates gateways that forward headers from a closed list (several public reports of 2025 and 2026).
var dropBeta = &Fault{
	Name:      "drop-beta",
	Why:       "of the request's anthropic-* headers only the version is passed on: a capability is asked for by halves",
	Mechanism: OfRequest,
	Send: func(r wire.Request) wire.Request {
		var keep []wire.Field
		for _, f := range r.Header {
			if n := strings.ToLower(f.Name); !strings.HasPrefix(n, "anthropic-") || n == "anthropic-version" {
				keep = append(keep, f)
			}
		}
		r.Header = keep
		return r
	},
	Want: func(r Seen) []Sight {
		return watched(r, Sight{"request/header/anthropic-beta", evidence.Lost}, Sight{"request/header/anthropic-preservecheck", evidence.Lost})
	},
}

// watched declares what is seen where the request side is looked at.
func watched(r Seen, sights ...Sight) (out []Sight) {
	for _, s := range sights {
		if r.has(s.Key) {
			out = append(out, s)
		}
	}
	return out
}
