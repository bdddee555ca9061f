package controls

import (
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

var changeContentType = &Fault{
	Name:      "change-content-type",
	Why:       "content-type becomes text/plain: clients that trust the label do not parse the error",
	Mechanism: OfHeader,
	Change: func(a *wire.Answer, _ bool) {
		if isError(a) {
			setHeader(a, "content-type", "text/plain")
		}
	},
	Want: func(r Seen) []Sight {
		if r.Evidence.Get("header/content-type").Text == "text/plain" {
			return nil
		}
		return where("header/content-type", evidence.Changed)(r)
	},
}
