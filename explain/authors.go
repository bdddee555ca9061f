package explain

import (
	"strings"

	"github.com/preservecheck/preservecheck/evidence"
)

// author is a sign by which a layer gives itself away. An empty condition fits everything.
type author struct {
	name   string
	header string   // a response header's name begins so
	body   []string // the body holds all of these
	key    string   // evidence has this key
	says   string   // what follows from it
}

const (
	ownPage   = " wrote this body itself: it is not the provider's answer, and the upstream may never have been asked"
	through   = " handled this answer on its way"
	ownAnswer = " wrote this error: it is not the provider's answer"
)

// authors are the signs of layers, the most telling first. From runs of nginx 1.22.1 and HAProxy 2.6.12 on loopback, the
// vendors' documentation and sources of one-api, new-api, LiteLLM (read 2026-11-30).
var authors = []author{
	{name: "nginx", body: []string{"<center>nginx"}, says: ownPage},
	{name: "HAProxy", body: []string{"<html><body><h1>", "No server is available to handle this request"}, says: ownPage},
	{name: "HAProxy", body: []string{"<html><body><h1>", "The server didn't respond in time"}, says: ownPage},
	{name: "HAProxy", body: []string{"<html><body><h1>", "You have sent too many requests in a given amount of time"}, says: ownPage},
	{name: "Cloudflare", key: "body/cloudflare_error", says: ownPage + "; its error_code and retry_after are not the provider's"},
	{name: "Cloudflare", body: []string{"<html", "cloudflare"}, says: ownPage},
	{name: "Envoy", body: []string{"local_rate_limited"}, says: ownPage},
	{name: "Envoy", body: []string{"upstream connect error or disconnect/reset before headers"}, says: ownPage},
	{name: "AWS API Gateway", header: "x-amzn-errortype", says: ownAnswer},
	{name: "Kong", body: []string{`"API rate limit exceeded"`}, says: ownAnswer},
	{name: "Bifrost", key: "body/is_bifrost_error", says: ownAnswer},
	{name: "LiteLLM", body: []string{"litellm."}, says: " put the provider's error into words of its own"},
	{name: "LiteLLM", header: "x-litellm-", says: through},
	{name: "LiteLLM", header: "llm_provider-", says: through + ", and gave the provider's headers other names"},
	{name: "Portkey", header: "x-portkey-", says: through},
	{name: "Cloudflare AI Gateway", header: "cf-aig-", says: through},
	{name: "ngrok's AI gateway", header: "ngrok-aig-", says: through},
	{name: "Envoy", header: "x-envoy-", says: through},
}

// authorsOf names the layers that show, and a page of nobody known.
func authorsOf(v *view) []string {
	var out []string
	body := string(v.saved.body)
	for i := range authors {
		if authors[i].shows(v, body) {
			out = append(out, authors[i].name+authors[i].says)
		}
	}
	own := len(out) > 0 && strings.Contains(out[0], ownPage)
	if !own && v.saved.status >= 400 && pageStart().MatchString(body) && !v.facts.HasError {
		out = append([]string{"an HTML page: a proxy or load balancer in between wrote it, not the provider"}, out...)
	}
	if !own && v.saved.status >= 400 && v.saved.bodyKnown && len(body) == 0 {
		out = append(out, "an error without a body: the provider's errors have one, so a layer wrote or emptied this")
	}
	return out
}

func (a *author) shows(v *view, body string) bool {
	if a.header != "" && !hasHeaderPrefix(v, a.header) {
		return false
	}
	if a.key != "" && v.ev.Get(a.key).Kind == evidence.Absent {
		return false
	}
	for _, b := range a.body {
		if !strings.Contains(body, b) {
			return false
		}
	}
	return true
}

func hasHeaderPrefix(v *view, prefix string) bool {
	for _, f := range v.saved.header {
		if len(f.Name) >= len(prefix) && strings.EqualFold(f.Name[:len(prefix)], prefix) {
			return true
		}
	}
	return false
}
