package controls

import (
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// mislabelGzip imitates gateways that pass a label on from a body which they have already decoded.
var mislabelGzip = &Fault{
	Name:      "mislabel-gzip",
	Why:       "a plain body is labelled gzip: no client can decode it",
	Mechanism: OfHeader,
	Change: func(a *wire.Answer, _ bool) {
		if isError(a) {
			addHeader(a, "Content-Encoding", "gzip")
		}
	},
	Want: func(r Seen) []Sight {
		if !r.isError() || !r.hasBytes() {
			return nil
		}
		return []Sight{{"decode", evidence.Invented}}
	},
}
