package controls

import "github.com/preservecheck/preservecheck/wire"

// excessBytes imitates layers that add to a body and leave the length that it had: what is behind it belongs to no answer, or
// to the next one on the connection (such layers among 118 public reports, read up to 2026-11-30).
var excessBytes = &Fault{
	Name:      "excess-bytes",
	Why:       "bytes come behind the end that the answer states: one client ignores them, the next takes them for its next answer",
	Mechanism: OfHeader,
	Change: func(a *wire.Answer, _ bool) {
		if isError(a) {
			a.Faults = append(a.Faults, wire.FaultExcess)
		}
	},
	Want: onErrors("framing"),
}
