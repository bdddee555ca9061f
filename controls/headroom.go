package controls

import (
	"strings"

	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// limitHeaders are the names that a throttle reads, beside what a layer that makes them up puts there.
var limitHeaders = []struct{ name, value string }{
	{"anthropic-ratelimit-requests-limit", "50"}, {"anthropic-ratelimit-requests-remaining", "49"},
	{"anthropic-ratelimit-tokens-limit", "40000"}, {"anthropic-ratelimit-tokens-remaining", "39999"},
	{"anthropic-ratelimit-input-tokens-limit", "40000"}, {"anthropic-ratelimit-input-tokens-remaining", "39998"},
	{"anthropic-ratelimit-output-tokens-limit", "8000"}, {"anthropic-ratelimit-output-tokens-remaining", "7999"},
}

// addHeadroom imitates gateways that send rate-limit headers of their own invention (a public report of 2026).
var addHeadroom = &Fault{
	Name:      "add-headroom",
	Why:       "rate-limit headers are invented on every answer that lacks them: a throttle is told that plenty is left",
	Mechanism: OfHeader,
	Change: func(a *wire.Answer, _ bool) {
		for _, h := range limitHeaders {
			if a.Status > 0 && len(a.Values(h.name)) == 0 {
				addHeader(a, h.name, h.value)
			}
		}
	},
	Want: func(r Seen) (out []Sight) {
		for _, h := range limitHeaders {
			if r.has("status") && !r.has("header/"+h.name) {
				out = append(out, Sight{"header/" + h.name, evidence.Invented})
			}
		}
		return out
	},
}

const limitFamily = "anthropic-ratelimit-"

// dropHeadroom imitates gateways that forward headers from a list (several public reports of 2025 and 2026).
var dropHeadroom = &Fault{
	Name:      "drop-headroom",
	Why:       "the whole family of rate-limit headers is lost, from successes as well: a throttle is blind until the first 429",
	Mechanism: OfHeader,
	Change: func(a *wire.Answer, _ bool) {
		var keep []wire.Field
		for _, f := range a.Header {
			if !strings.HasPrefix(strings.ToLower(f.Name), limitFamily) {
				keep = append(keep, f)
			}
		}
		a.Header = keep
	},
	Want: func(r Seen) (out []Sight) {
		for _, e := range r.Evidence {
			if strings.HasPrefix(e.Key, "header/"+limitFamily) {
				out = append(out, Sight{e.Key, evidence.Lost})
			}
		}
		return out
	},
}
