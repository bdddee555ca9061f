package controls

import (
	"bytes"
	"strings"

	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// htmlToJSON imitates gateways that make an error of their own out of a page (9router and others, run on 2026-11-30).
var htmlToJSON = &Fault{
	Name:      "html-to-json",
	Why:       "a page of something in between becomes a native error with an invented type: the provider seems to have said it",
	Mechanism: OfBody,
	Change: func(a *wire.Answer, _ bool) {
		if isError(a) && bytes.HasPrefix(a.Body, []byte("<")) {
			a.Body = []byte(`{"type":"error","error":{"type":"rate_limit_error","message":"Upstream request failed"}}`)
			setHeader(a, "content-type", "application/json")
		}
	},
	Want: func(r Seen) []Sight {
		if !r.isError() || !strings.HasPrefix(r.Evidence.Get("body").Text, "<") {
			return nil
		}
		out := []Sight{{"body", evidence.Changed}, {"error", evidence.Invented}}
		return append(out, typeBecomes(r, "application/json")...)
	},
}

// typeBecomes declares another content-type, where there is one.
func typeBecomes(r Seen, media string) []Sight {
	if at := r.Evidence.Get("header/content-type"); at.Kind == evidence.Absent || at.Text == media {
		return nil
	}
	return []Sight{{"header/content-type", evidence.Changed}}
}
