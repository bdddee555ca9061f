package controls

import (
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// envelopeDetail imitates gateways that raise their framework's own error (FastAPI's shape, in public reports up to 2026-11-30).
var envelopeDetail = &Fault{
	Name:      "envelope-detail",
	Why:       `the whole envelope becomes {"detail": text}: there is no error object any more`,
	Mechanism: OfBody,
	Change: func(a *wire.Answer, _ bool) {
		editBody(a, func(m map[string]any) {
			if e, ok := m["error"].(map[string]any); ok {
				clear(m)
				m["detail"] = e["message"]
			}
		})
	},
	Want: func(r Seen) []Sight {
		if !r.hasErrorObject() {
			return nil
		}
		return append(lostMembers(r), Sight{"error", evidence.Lost}, Sight{"body/detail", evidence.Invented})
	},
}
