package controls

import (
	"strings"

	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

const latin1 = "; charset=iso-8859-1"

// changeCharset imitates servers that add their platform's default to what they pass on (label and charset faults,
// in public reports up to 2026-11-30).
var changeCharset = &Fault{
	Name:      "change-charset",
	Why:       "content-type names Latin-1 beside UTF-8 bytes: a client that believes it reads every umlaut as two characters",
	Mechanism: OfHeader,
	Change: func(a *wire.Answer, _ bool) {
		if v := a.Values("content-type"); isError(a) && len(v) == 1 {
			media, _, _ := strings.Cut(v[0], ";")
			setHeader(a, "content-type", media+latin1)
		}
	},
	Want: func(r Seen) []Sight {
		if v := r.Evidence.Get("header/content-type"); v.Kind != evidence.Text || strings.HasSuffix(v.Text, latin1) {
			return nil
		}
		return where("header/content-type", evidence.Changed)(r)
	},
}
