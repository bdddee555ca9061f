package dialects

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/preservecheck/preservecheck/wire"
)

// Arrived is a request as far as it is watched.
type Arrived struct {
	Header func(name string) []string // values in order
	Query  string                     // without the question mark
	Body   []byte
}

// Watched is one part of a request that must reach the provider as the client sent it.
type Watched struct {
	Key string // of the evidence
	// Part gives the bytes that are compared; false: there is no such part.
	Part func(Arrived) ([]byte, bool)
}

// probeName names what no provider and no layer knows, so that a closed list of headers or members shows.
const (
	probeHeader = "anthropic-preservecheck"
	probeMember = "preservecheck"
)

// anthropicWatched is what Anthropic asks of gateways in front of Claude Code: version and beta byte for byte, headers and members
// as open lists, the body unmodified (code.claude.com/docs/en/llm-gateway-protocol, a copy of mid-2026, read 2026-11-30). The
// model may be another name upstream, so it is left out of the body. That ?beta=true arrives is not asked, only that it
// is accepted.
var anthropicWatched = []Watched{
	{"request/header/anthropic-version", headerPart("anthropic-version")},
	{"request/header/anthropic-beta", headerPart("anthropic-beta")},
	{"request/header/" + probeHeader, headerPart(probeHeader)},
	{"request/query/beta", betaPart},
	{"request/body", bodyPart},
	{"request/body/" + probeMember, memberPart},
}

// anthropicProbe adds what is watched to a request: a beta of the user's own stays.
func anthropicProbe(r wire.Request) wire.Request {
	if !has(r.Header, "anthropic-beta") {
		r.Header = append(r.Header[:len(r.Header):len(r.Header)], wire.Field{Name: "anthropic-beta", Value: "preservecheck-2026-11-30"})
	}
	r.Header = append(r.Header, wire.Field{Name: probeHeader, Value: "1"})
	r.Target += "?beta=true"
	if b, ok := bytes.CutSuffix(r.Body, []byte("}")); ok {
		r.Body = append(bytes.Clone(b), `,"`+probeMember+`":{"sent":"by the tester"}}`...)
	}
	return r
}

func headerPart(name string) func(Arrived) ([]byte, bool) {
	return func(a Arrived) ([]byte, bool) {
		vs := a.Header(name)
		return []byte(strings.Join(vs, "\n")), len(vs) > 0
	}
}

func betaPart(a Arrived) ([]byte, bool) {
	q, err := url.ParseQuery(a.Query)
	if err != nil || !q.Has("beta") {
		return nil, false
	}
	return []byte(strings.Join(q["beta"], "\n")), true
}

// bodyPart is the body as JSON, whatever its spaces, its order of members and its escapes; as bytes where it is none.
func bodyPart(a Arrived) ([]byte, bool) {
	var m map[string]any
	d := json.NewDecoder(bytes.NewReader(a.Body))
	d.UseNumber()
	if d.Decode(&m) != nil || d.More() {
		return a.Body, len(a.Body) > 0
	}
	delete(m, "model")
	delete(m, probeMember)
	b, err := json.Marshal(m)
	return b, err == nil
}

// memberPart is the unknown member, whatever its spaces.
func memberPart(a Arrived) ([]byte, bool) {
	v := member(a.Body, probeMember)
	var b bytes.Buffer
	if v == nil || json.Compact(&b, v) != nil {
		return v, v != nil
	}
	return b.Bytes(), true
}
