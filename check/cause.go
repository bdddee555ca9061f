package check

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/wire"
)

// cause says what came back instead of a canary and what is the likely reason.
func (c *canary) cause(conf *Config, route *Route) string {
	a := c.probe.answer
	if s := c.reached(conf, route); s != "" {
		return s
	}
	switch {
	case a.End == wire.EndLocal:
		return a.Err
	case a.End == wire.EndRefused:
		return "no connection to the layer: " + a.Err
	case a.End == wire.EndTimeout:
		return fmt.Sprintf("the layer took the request and gave no complete answer within %s, and the stub saw nothing: is the stub the layer's upstream?", conf.Timeout)
	case a.Status == 0:
		return "no usable answer from the layer: " + a.Err
	case c.realProvider():
		return fmt.Sprintf("the layer answered %d while the stub saw nothing: it still talks to another upstream, perhaps a real provider; stopped after one request", a.Status)
	}
	if c.strangers > 0 {
		return fmt.Sprintf("the layer answered %d, and a request without the secret came to the stub meanwhile: is the layer's upstream URL complete, or the secret its upstream's API key?%s", a.Status, conf.begins(a))
	}
	why := route.likely(a)
	if c.probe.sent != nil && (a.Status == 400 || a.Status == 422) {
		why = "it may refuse a header or a member that nobody knows, which profile " + conf.Rules.Profile.Name +
			" sends to see whether new ones pass (try --profile sdk); " + why
	}
	return fmt.Sprintf("the layer answered %d and the stub saw nothing: %s%s", a.Status, why, conf.begins(a))
}

// reached explains a canary that did reach the stub and still is no success.
func (c *canary) reached(conf *Config, route *Route) string {
	a := c.probe.answer
	hits := append(append([]ledger.Hit(nil), c.hits...), c.stray...)
	if len(hits) == 0 {
		return ""
	}
	h := hits[0]
	switch {
	case h.Note != "" && h.Served.Fixture == "":
		return h.Note + c.ownPath(route, h)
	case len(c.hits) == 0:
		return fmt.Sprintf("the stub was reached at %s, but no channel arrived: the layer passes neither prompt nor headers; try %s", h.Path,
			route.advise("--channel model or --channel armed", "channel: model or channel: armed"))
	case a.Status == 0 || !a.End.Orderly():
		return fmt.Sprintf("the stub was reached and answered a success, but what came back through the layer is unusable: %s %s", a.End, a.Err)
	}
	return fmt.Sprintf("the stub was reached and answered a success, but the layer answered %d%s", a.Status, conf.begins(a))
}

// ownPath finds the fault in the base URL when its own path is what went astray at the stub.
func (c *canary) ownPath(route *Route, h ledger.Hit) string {
	version, _, _ := strings.Cut(strings.TrimPrefix(c.probe.lane.dialect.Path, "/"), "/")
	base, ok := strings.CutSuffix(route.Base, "/"+version)
	if !ok || !strings.Contains(h.Path, "/"+version+"/"+version+"/") {
		return ""
	}
	return fmt.Sprintf(". The /%s may be the one in %[2]s, which the client adds by itself: give %[2]s with the path %[3]q instead of %[4]q", version,
		route.advise("--layer", "the url"), base, route.Base)
}

// lasting reports whether the cause is one that waiting rarely mends.
func (c *canary) lasting() bool {
	a := c.probe.answer
	astray := slices.ContainsFunc(append(append([]ledger.Hit(nil), c.hits...), c.stray...), func(h ledger.Hit) bool {
		return h.Served.Fixture == "" && h.Note != ""
	})
	return astray || a.Status == 401 || a.Status == 403 || a.Status == 405 || a.Status == 501 || a.End == wire.EndBadFraming
}

func (t *Route) likely(a *wire.Answer) string {
	switch {
	case a.Status == 401 || a.Status == 403:
		return "it refuses the client; give it a key, as in " + t.advise("--header 'authorization: Bearer $KEY'", "headers: [authorization: Bearer $KEY]")
	case a.Status >= 300 && a.Status < 400:
		return "it redirects to " + first(a.Values("location")) + ", which is not followed; give " + t.advise("--layer", "the url") + " the address that answers itself"
	case mentions(a.Body, "model"):
		return "it does not know the model; give one that it routes to the stub, as in " + t.advise("--model NAME", "model: NAME")
	case a.Status == 404 || a.Status == 405:
		return "it has no such route; " + t.advise("--layer", "the url") + " must be the base URL that a client would be given, path included"
	case a.Status == 429:
		return "it limits requests itself; try --rate"
	case a.Status == 501:
		return "what answers there is no provider and not the stub; is the stub the layer's upstream?"
	case a.Status >= 500:
		return "it can't reach its upstream; is that the stub's base URL?"
	}
	return "is the stub its upstream?"
}

func mentions(b []byte, word string) bool {
	return bytes.Contains(bytes.ToLower(b[:min(len(b), 4096)]), []byte(word))
}

func first(v []string) string {
	if len(v) == 0 {
		return "another address"
	}
	return v[0]
}

// begins shows how the body begins, since that mostly names the reason. Secrets go before it is cut.
func (c *Config) begins(a *wire.Answer) string {
	b, _, err := wire.Decode(a, wire.MaxBody)
	if err != nil {
		b = a.Body
	}
	s := string(b[:min(len(b), 4096)])
	if c.Redact != nil {
		s = c.Redact(s)
	}
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s[:min(len(s), 200)], "�")), " ")
	if s == "" {
		return ""
	}
	return " (it begins: " + s + ")"
}
