package dialects

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/preservecheck/preservecheck/wire"
)

func TestRequest(t *testing.T) {
	plain := `{"model":"m","max_tokens":16,"messages":[{"role":"user","content":"hi"}]}`
	for _, c := range []struct {
		why, base    string
		ask          wire.Ask
		target, body string
	}{
		{"plain", "", wire.Ask{Model: "m", Prompt: "hi"}, "/v1/messages", plain},
		{"stream is only named when it is wanted", "", wire.Ask{Model: "m", Prompt: "hi", Stream: true}, "/v1/messages", strings.TrimSuffix(plain, "}") + `,"stream":true}`},
		{"a base path is kept", "/anthropic", wire.Ask{Model: "m", Prompt: "hi"}, "/anthropic/v1/messages", plain},
		{"slashes are not doubled", "/anthropic/", wire.Ask{Model: "m", Prompt: "hi", Prefix: "/f/x/"}, "/anthropic/f/x/v1/messages", plain},
		{"a base of only a slash is none", "/", wire.Ask{Model: "m", Prompt: "hi"}, "/v1/messages", plain},
		{"a marker is not escaped as for HTML", "", wire.Ask{Model: "m", Prompt: `<[[a=b & c]]>"`}, "/v1/messages", `{"model":"m","max_tokens":16,"messages":[{"role":"user","content":"<[[a=b & c]]>\""}]}`},
	} {
		r := Anthropic.Request(c.base, c.ask)
		if r.Method != "POST" || r.Target != c.target || string(r.Body) != c.body {
			t.Errorf("%s: got %s %s %s", c.why, r.Method, r.Target, r.Body)
		}
		again := Anthropic.Request(c.base, c.ask)
		if !cmp.Equal(r, again) {
			t.Errorf("%s: two requests for one ask differ", c.why)
		}
		if got := Anthropic.Model(r.Body); got != c.ask.Model {
			t.Errorf("%s: the model reads back as %q", c.why, got)
		}
		if got := Anthropic.Stream(r.Body); got != c.ask.Stream {
			t.Errorf("%s: stream reads back as %v", c.why, got)
		}
	}
}

func TestRequestHeaders(t *testing.T) {
	names := func(h []wire.Field) (out []string) {
		for _, f := range h {
			out = append(out, f.Name+": "+f.Value)
		}
		return out
	}
	base := []string{
		"content-type: application/json", "accept: application/json", "accept-encoding: gzip, deflate",
		"anthropic-version: 2023-06-01", "x-api-key: preservecheck-not-a-key", "user-agent: preservecheck",
	}
	without := func(name string, more ...string) (out []string) {
		for _, h := range base {
			if !strings.HasPrefix(h, name+":") {
				out = append(out, h)
			}
		}
		return append(out, more...)
	}
	for _, c := range []struct {
		why  string
		ask  []wire.Field
		want []string
	}{
		{"the defaults", nil, base},
		{"another name is added", []wire.Field{{Name: "X-Fixture", Value: "a"}}, without("-", "X-Fixture: a")},
		{"the same name in another case replaces", []wire.Field{{Name: "Anthropic-Version", Value: "2026-10-21"}}, without("anthropic-version", "Anthropic-Version: 2026-10-21")},
		{"a name may repeat", []wire.Field{{Name: "user-agent", Value: "a"}, {Name: "User-Agent", Value: "b"}}, without("user-agent", "user-agent: a", "User-Agent: b")},
		{"a bearer token comes instead of the key, as in the SDKs", []wire.Field{{Name: "Authorization", Value: "Bearer t"}}, without("x-api-key", "Authorization: Bearer t")},
		{"unless both are given", []wire.Field{{Name: "authorization", Value: "Bearer t"}, {Name: "x-api-key", Value: "k"}}, without("x-api-key", "authorization: Bearer t", "x-api-key: k")},
	} {
		got := names(Anthropic.Request("", wire.Ask{Header: c.ask}).Header)
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.why, d)
		}
	}
	Anthropic.Request("", wire.Ask{Header: []wire.Field{{Name: "accept", Value: "x"}}})
	if got := names(Anthropic.Request("", wire.Ask{}).Header); !cmp.Equal(got, base) {
		t.Errorf("an ask changed the defaults of the next: %v", got)
	}
}

var memberCases = []struct{ why, body, model string }{
	{"first", `{"model":"a"}`, "a"},
	{"after others, with nesting and brackets in strings", ` { "messages" : [{"model":"no","content":"}]\"model\":\"no\""}] , "model" : "a" }`, "a"},
	{"only the top level counts", `{"x":{"model":"no"}}`, ""},
	{"a model inside a list", `[{"model":"no"}]`, ""},
	{"escapes in the value", `{"model":"a\/b\u0041"}`, "a/bA"},
	{"escapes in the key", `{"m\u006fdel":"a"}`, "a"},
	{"more than ASCII", `{"model":"modèle"}`, "modèle"},
	{"a control character is no JSON", "{\"model\":\"a\nb\"}", ""},
	{"another case is another member", `{"Model":"no"}`, ""},
	{"not a string", `{"model":7}`, ""},
	{"null", `{"model":null}`, ""},
	{"an object", `{"model":{"a":"b"}}`, ""},
	{"no body", ``, ""},
	{"not JSON", `model=a`, ""},
	{"cut in the value", `{"model":"a`, ""},
	{"cut after an escape", `{"model":"a\`, ""},
	{"cut in a nesting", `{"x":[{"a":"b"`, ""},
	{"garbage after what is asked for", `{"model":"a" oops`, "a"},
	{"a colon is missing", `{"model" "a"}`, ""},
	{"a key that is no string", `{1:"x","model":"a"}`, ""},
	{"a lone quote", `{"`, ""},
	{"closing brackets", `{"x":]],"model":"a"}`, ""},
	{"an empty value", `{"x":,"model":"a"}`, ""},
	{"behind a member without a name", `{"":1,"model":"a"}`, "a"},
	{"nothing but escapes", `{"model":"\\\\"}`, `\\`},
	{"nothing but a control character", "{\"model\":\"\n\"}", ""},
	{"bytes that are no UTF-8, as JSON readers take them", "{\"model\":\"\xff\"}", "\ufffd"},
}

func TestModelOfARequest(t *testing.T) {
	for _, c := range memberCases {
		if got := Anthropic.Model([]byte(c.body)); got != c.model {
			t.Errorf("%s: got %q, want %q", c.why, got, c.model)
		}
	}
}

func TestStreamOfARequest(t *testing.T) {
	for _, c := range []struct {
		why, body string
		want      bool
	}{
		{"true", `{"stream" : true}`, true},
		{"false", `{"stream":false}`, false},
		{"absent", `{}`, false},
		{"a string is no bool", `{"stream":"true"}`, false},
		{"nested", `{"x":{"stream":true}}`, false},
		{"garbage", `stream true`, false},
	} {
		if got := Anthropic.Stream([]byte(c.body)); got != c.want {
			t.Errorf("%s: got %v", c.why, got)
		}
	}
}

// Where a body is JSON without duplicate members, the scanner must agree with encoding/json.
func FuzzMember(f *testing.F) {
	if len(memberCases) == 0 {
		f.Fatal("no seeds")
	}
	for _, c := range memberCases {
		f.Add([]byte(c.body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		got := member(body, "model")
		var want map[string]json.RawMessage
		if json.Unmarshal(body, &want) != nil || want == nil || bytes.Count(body, []byte("odel")) > 1 || bytes.Contains(body, []byte(`\u`)) {
			return
		}
		if !bytes.Equal(got, want["model"]) {
			t.Errorf("got %q, want %q", got, want["model"])
		}
	})
}

func TestMemberAllocatesNothing(t *testing.T) {
	body := Anthropic.Request("", wire.Ask{Model: "m", Prompt: "hi", Stream: true}).Body
	if n := testing.AllocsPerRun(100, func() { Anthropic.Stream(body) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkModel(b *testing.B) {
	body := Anthropic.Request("", wire.Ask{Model: "claude-tier_cap", Prompt: strings.Repeat("x", 200)}).Body
	b.ReportAllocs()
	for b.Loop() {
		Anthropic.Model(body)
	}
}
