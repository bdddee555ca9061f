package explain

import (
	"github.com/preservecheck/preservecheck/authors"
)

// authorsOf names the layers that show, and a page of nobody known.
func authorsOf(v *view) []string {
	var out []string
	signs := authors.Of(v.saved.answer(), v.ev)
	for _, s := range signs {
		out = append(out, s.Name+s.Says)
	}
	own := len(signs) > 0 && signs[0].Wrote()
	if !own && v.saved.status >= 400 && pageStart().Match(v.saved.body) && !v.facts.HasError {
		out = append([]string{"an HTML page: a proxy or load balancer in between wrote it, not the provider"}, out...)
	}
	if !own && v.saved.status >= 400 && v.saved.bodyKnown && len(v.saved.body) == 0 {
		out = append(out, "an error without a body: the provider's errors have one, so a layer wrote or emptied this")
	}
	return out
}
