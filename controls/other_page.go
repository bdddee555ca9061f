package controls

import (
	"bytes"
	"strings"

	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

const ownPage = "<html><body><h1>Service error</h1></body></html>"

// otherPage imitates proxies with error pages of their own in front of others that have theirs (nginx with
// proxy_intercept_errors and a CDN's error pages, run and read up to 2026-11-30).
var otherPage = &Fault{
	Name:      "other-page",
	Why:       "a page becomes another page: what had refused the request can no longer be told",
	Mechanism: OfBody,
	Change: func(a *wire.Answer, _ bool) {
		if isError(a) && bytes.HasPrefix(a.Body, []byte("<")) {
			a.Body = []byte(ownPage)
		}
	},
	Want: func(r Seen) []Sight {
		if !r.isError() || !strings.HasPrefix(r.Evidence.Get("body").Text, "<") {
			return nil
		}
		return []Sight{{"body", evidence.Changed}}
	},
}
