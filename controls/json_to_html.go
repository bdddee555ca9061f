package controls

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// jsonToHTML imitates proxies that put their own page in place of an upstream's error (nginx 1.22.1 with proxy_intercept_errors
// and error_page, run on 2026-11-30).
var jsonToHTML = &Fault{
	Name:      "json-to-html",
	Why:       "a JSON error becomes a page: nothing but the status is left to a program",
	Mechanism: OfBody,
	Change: func(a *wire.Answer, _ bool) {
		if isError(a) && bytes.HasPrefix(a.Body, []byte("{")) && json.Valid(a.Body) {
			a.Body = []byte("<html><body><h1>" + strconv.Itoa(a.Status) + "</h1></body></html>")
			setHeader(a, "content-type", "text/html")
		}
	},
	Want: func(r Seen) []Sight {
		if !r.isError() || r.isEvents() || r.Evidence.Get("body").Kind != evidence.Object {
			return nil
		}
		return append(withError(r, Sight{"body", evidence.Changed}), typeBecomes(r, "text/html")...)
	},
}
