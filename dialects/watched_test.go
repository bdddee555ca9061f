package dialects

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/preservecheck/preservecheck/wire"
)

// marked gives the watched parts of a request by their keys, as they are compared.
func marked(a Arrived) map[string]string {
	out := map[string]string{}
	for i, m := range Anthropic.Marks(a, func(b []byte) string { return "<" + string(b) + ">" }) {
		if m != "" {
			out[strings.TrimPrefix(Anthropic.Watched[i].Key, "request/")] = m
		}
	}
	return out
}

func arrived(query, body string, header ...string) Arrived {
	h := http.Header{}
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		h.Add(name, value)
	}
	return Arrived{Header: h.Values, Query: query, Body: []byte(body)}
}

func TestMarks(t *testing.T) {
	for _, c := range []struct {
		why  string
		a    Arrived
		want map[string]string
	}{
		{"a request without any of it has no mark, so that lost is not the same as empty", arrived("", ""), map[string]string{}},
		{"an empty header is one", arrived("", "", "anthropic-version: "), map[string]string{"header/anthropic-version": "<>"}},
		{"two lines of a header are two", arrived("", "", "anthropic-beta: a", "anthropic-beta: b"), map[string]string{"header/anthropic-beta": "<a\nb>"}},
		{"the beta of the query", arrived("beta=true", ""), map[string]string{"query/beta": "<true>"}},
		{"without a value", arrived("x=1&beta", ""), map[string]string{"query/beta": "<>"}},
		{"another query", arrived("x=1", ""), map[string]string{}},
		{"a query that can't be read tells nothing", arrived("beta=true&%zz=1", ""), map[string]string{}},
		{
			"order, spaces and escapes of a body are nobody's loss, and the model may be another",
			arrived("", "{ \"b\":1.0 ,\"a\":\"\\u0041\",\"model\":\"m\"}"), map[string]string{"body": `<{"a":"A","b":1.0}>`},
		},
		{
			"the unknown member is a part of its own",
			arrived("", `{"a":1,"preservecheck":{"sent": "x"}}`), map[string]string{"body": `<{"a":1}>`, "body/preservecheck": `<{"sent":"x"}>`},
		},
		{"a body that is no JSON is its bytes", arrived("", "a=1"), map[string]string{"body": "<a=1>"}},
		{"one with more behind it as well", arrived("", `{"a":1} {}`), map[string]string{"body": `<{"a":1} {}>`}},
		{
			"an unknown member that is no JSON is its bytes",
			arrived("", `{"preservecheck":{ ]`), map[string]string{"body": `<{"preservecheck":{ ]>`, "body/preservecheck": "<{ ]>"},
		},
	} {
		if d := cmp.Diff(c.want, marked(c.a)); d != "" {
			t.Errorf("%s (- want, + have):\n%s", c.why, d)
		}
	}
}

// TestProbe: what is watched is sent, and nothing of the user's own is replaced by it.
func TestProbe(t *testing.T) {
	const ours = "anthropic-beta: preservecheck-2026-11-30"
	for _, c := range []struct {
		why, body, wantBody string
		header              []wire.Field
		want                []string
	}{
		{"nothing of the user's own", `{"model":"m"}`, `{"model":"m","preservecheck":{"sent":"by the tester"}}`, nil, []string{ours, "anthropic-preservecheck: 1"}},
		{
			"a beta of the user's own stays alone", `{"model":"m"}`, `{"model":"m","preservecheck":{"sent":"by the tester"}}`,
			[]wire.Field{{Name: "Anthropic-Beta", Value: "theirs"}}, []string{"Anthropic-Beta: theirs", "anthropic-preservecheck: 1"},
		},
		{"a body that is no object stays", "[]", "[]", nil, []string{ours, "anthropic-preservecheck: 1"}},
	} {
		r := Anthropic.Probe(wire.Request{Target: "/v1/messages", Header: c.header, Body: []byte(c.body)})
		var header []string
		for _, f := range r.Header {
			header = append(header, f.Name+": "+f.Value)
		}
		if d := cmp.Diff(c.want, header); d != "" || r.Target != "/v1/messages?beta=true" || string(r.Body) != c.wantBody {
			t.Errorf("%s: %s %s\n%s", c.why, r.Target, r.Body, d)
		}
	}
}
