package evidence

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/preservecheck/preservecheck/wire"
)

var layout = Layout{Error: "error", Sequence: "seq", Event: func(e Event) Meaning {
	kind := e.Get("type").Text
	m := Meaning{Word: kind}
	switch {
	case e.Name == "flat":
		m.Error, m.Envelope = true, []string{"type"}
	case kind == "deep":
		m.Error, m.ErrorAt = true, []string{"response", "error"}
	case e.Name == "error" || kind == "error":
		m.Error, m.ErrorAt = true, []string{"error"}
	case e.Name == "message_stop" || kind == "message_stop":
		m.Terminal = "message_stop"
	case e.Get("stop").Kind == String:
		m.Terminal = "stop " + e.Get("stop").Text
	case kind == "beat":
		m.Keepalive = true
	case kind == "delta":
		m.Text = []string{"choices", "0", "text"}
	}
	return m
}}

const mask = "0000000000000000"

func answer(status int, body string, header ...string) *wire.Answer {
	a := &wire.Answer{Proto: "HTTP/1.1", Status: status, Body: []byte(body), Framing: wire.FramingLength, End: wire.EndComplete}
	for i := 0; i+1 < len(header); i += 2 {
		a.Header = append(a.Header, wire.Field{Name: header[i], Value: header[i+1]})
	}
	return a
}

func show(e Evidence) (out []string) {
	for _, x := range e {
		out = append(out, fmt.Sprintf("%s = %s %s", x.Key, x.Value.Kind, x.Value.Text))
	}
	return out
}

func TestOf(t *testing.T) {
	for _, c := range []struct {
		why  string
		a    *wire.Answer
		ids  []string
		want []string
	}{
		{
			"a whole error: every place has one key, the error object stands under its own",
			answer(429, `{"type":"error","error":{"type":"t","details":{"error_code":"c","n":1}},"request_id":"r"}`, "Content-Type", "application/json", "RETRY-AFTER", "1"), nil,
			[]string{
				"status = number 429", "end = text ok", "header/content-type = text application/json", "header/retry-after = text 1", "body = object ",
				"body/request_id = string r", "body/type = string error",
				"error = object ", "error/details = object ", "error/details/error_code = string c", "error/details/n = number 1", "error/type = string t",
			},
		},
		{
			"two lines of one name are a list in order; framing and compression headers are no keys",
			answer(429, "", "retry-after", "1", "Content-Length", "0", "Retry-After", "30", "connection", "close"), nil,
			[]string{"status = number 429", "end = text ok", `header/retry-after = list ["1","30"]`, "body = empty "},
		},
		{
			"an empty header value is not an absent one",
			answer(429, "x", "retry-after", ""), nil,
			[]string{"status = number 429", "end = text ok", "header/retry-after = text ", "body = text x"},
		},
		{
			"the answer's own hit id is masked in headers and bodies, at equal length",
			answer(429, `{"request_id":"req_9f3c1b7e02d4a658"}`, "request-id", "req_9f3c1b7e02d4a658"), []string{"9f3c1b7e02d4a658"},
			[]string{"status = number 429", "end = text ok", "header/request-id = text req_" + mask, "body = object ", "body/request_id = string req_" + mask},
		},
		{
			"a body that is not UTF-8 is bytes",
			answer(502, "\xff\x00"), nil,
			[]string{"status = number 502", "end = text ok", "body = bytes /wA="},
		},
		{
			"a member named like a path can't pose as one",
			answer(400, `{"a/b":1,"c#2":2,"d~":3}`), nil,
			[]string{"status = number 400", "end = text ok", "body = object ", "body/a~1b = number 1", "body/c~22 = number 2", "body/d~0 = number 3"},
		},
		{
			"a second error object and a second member are keys of their own",
			answer(400, `{"error":{"type":"a","type":"b"},"error":"x"}`), nil,
			[]string{"status = number 400", "end = text ok", "body = object ", "error = object ", "error/type = string a", "error/type#2 = string b", "error#2 = string x"},
		},
		{
			"an error that is a text stands under the error's key",
			answer(400, `{"error":"slow down"}`), nil,
			[]string{"status = number 400", "end = text ok", "body = object ", "error = string slow down"},
		},
		{
			"a label that lies about the encoding is evidence, and the bytes are shown as they are",
			answer(429, "{}", "content-encoding", "gzip"), nil,
			[]string{"status = number 429", "end = text ok", "decode = text not gzip as labelled", "body = object "},
		},
		{
			"a stream: events by name, the error as everywhere, no terminator",
			answer(200, "event: message_start\ndata: {\"type\":\"message_start\"}\n\nevent: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"t\"}}\n\n", "content-type", "text/event-stream; charset=utf-8"), nil,
			[]string{
				"status = number 200", "end = text ok", "header/content-type = text text/event-stream; charset=utf-8",
				`stream/events = list ["message_start","error"]`, "stream/error = object ", "stream/error/type = string error", "error = object ", "error/type = string t",
				"stream/data = object ", "stream/data/message_start = object ", "stream/data/message_start/type = string message_start",
			},
		},
		{
			"events without their label, and a terminator",
			answer(200, "data: {\"type\":\"message_stop\"}\n\n"), nil,
			[]string{
				"status = number 200", "end = text ok", `stream/events = list ["-message_stop"]`, `stream/terminal = list ["message_stop"]`,
				"stream/data = object ", "stream/data/-message_stop = object ", "stream/data/-message_stop/type = string message_stop",
			},
		},
		{
			"an unfinished event is marked: no client sees it",
			answer(200, "event: ping\ndata: 1\n\nevent: message_st", "content-type", "text/event-stream"), nil,
			[]string{
				"status = number 200", "end = text ok", "header/content-type = text text/event-stream", `stream/events = list ["ping","message_st (unfinished)"]`,
				"stream/data = object ", "stream/data/ping = number 1",
			},
		},
		{
			"an unfinished error or terminator is seen by nobody",
			answer(200, "event: message_stop\ndata: {\"type\":\"message_stop\"}", "content-type", "text/event-stream"), nil,
			[]string{"status = number 200", "end = text ok", "header/content-type = text text/event-stream", `stream/events = list ["message_stop (unfinished)"]`},
		},
		{
			"no answer at all: nothing but how it ended",
			&wire.Answer{End: wire.EndTimeout}, nil,
			[]string{"end = text timeout"},
		},
		{
			"faults of the framing are one key",
			&wire.Answer{Status: 429, End: wire.EndComplete, Faults: []string{"a", "b"}}, nil,
			[]string{"status = number 429", "end = text ok", `framing = list ["a","b"]`, "body = empty "},
		},
		{
			"two header values that are not UTF-8 stay different",
			answer(429, "", "x-a", "caf\xe9"), nil,
			[]string{"status = number 429", "end = text ok", "header/x-a = text café", "body = empty "},
		},
	} {
		if d := cmp.Diff(c.want, show(Of(c.a, layout, mask, c.ids...))); d != "" {
			t.Errorf("%s:\n%s", c.why, d)
		}
	}
}

func TestOfIsBounded(t *testing.T) {
	e := Of(answer(400, "{"+strings.Repeat(`"a":1,`, 3*maxKeys)+`"z":1}`), layout, mask)
	if len(e) > maxKeys+1 {
		t.Errorf("%d keys were kept", len(e))
	}
	if wide := Of(answer(400, "["+strings.Repeat("0,", maxValues)+"0]"), layout, mask); wide.Get("body").Kind != Text {
		t.Errorf("a body of absurd width was read as %v", wide.Get("body").Kind)
	}
	deep := Of(answer(400, strings.Repeat(`{"a":`, 50_000)+"1"+strings.Repeat("}", 50_000)), layout, mask)
	if deep.Get("body").Kind != Text {
		t.Errorf("a body of absurd depth was read as %v", deep.Get("body").Kind)
	}
}

func TestDiff(t *testing.T) {
	full := `{"type":"error","error":{"type":"t","message":"hello world","details":{"error_code":"c"}},"request_id":"r"}`
	for _, c := range []struct {
		why       string
		want, got *wire.Answer
		diff      []string
	}{
		{"equal but for order, case and spaces", answer(429, full, "A", "1", "B", "2"), answer(429, strings.ReplaceAll(full, ":", ": "), "b", "2", "a", "1"), nil},
		{"a lost subtree is one difference", answer(429, full), answer(429, `{"type":"error","error":{"type":"t","message":"hello world"},"request_id":"r"}`), []string{"error/details lost"}},
		{"an invented subtree, too", answer(429, `{"error":{}}`), answer(429, `{"error":{"details":{"a":{"b":1}}}}`), []string{"error/details invented"}},
		{"null is not absent", answer(429, `{"error":{}}`), answer(429, `{"error":{"details":null}}`), []string{"error/details invented"}},
		{"an object that became a text is one change, its members went with it", answer(429, full), answer(429, strings.Replace(full, `{"error_code":"c"}`, `"c"`, 1)), []string{"error/details changed"}},
		{"a body that became HTML: the body, and the error that stood in it", answer(429, full), answer(429, "<html>"), []string{"body changed", "error lost"}},
		{"the whole answer gone", answer(429, full), &wire.Answer{End: wire.EndReset}, []string{"status lost", "end changed", "body lost", "error lost"}},
		{"embedded: the original stands in a longer text", answer(429, full), answer(429, strings.Replace(full, "hello world", "prefix: hello world", 1)), []string{"error/message changed embedded"}},
		{"three letters stand in many texts by chance", answer(429, `{"error":{"message":"abc"}}`), answer(429, `{"error":{"message":"xabc"}}`), []string{"error/message changed"}},
		{"four hardly do", answer(429, `{"error":{"message":"abcd"}}`), answer(429, `{"error":{"message":"xabcd"}}`), []string{"error/message changed embedded"}},
		{"retyped", answer(429, `{"error":{"code":429}}`), answer(429, `{"error":{"code":"429"}}`), []string{"error/code changed retyped"}},
		{"moved under another name, and both places are told", answer(429, "", "retry-after", "17"), answer(429, "", "llm_provider-retry-after", "17"), []string{"header/retry-after lost moved header/llm_provider-retry-after", "header/llm_provider-retry-after invented"}},
		{"a second line", answer(429, "", "retry-after", "1"), answer(429, "", "retry-after", "1", "retry-after", "30"), []string{"header/retry-after changed"}},
		{"a second member", answer(429, `{"error":{"type":"a"}}`), answer(429, `{"error":{"type":"a","type":"a"}}`), []string{"error/type#2 invented"}},
	} {
		var got []string
		for _, d := range Diff(Of(c.want, layout, mask), Of(c.got, layout, mask)) {
			got = append(got, strings.Join(strings.Fields(fmt.Sprintf("%s %s %s %s", d.Key, d.Dir, d.Nuance, d.Other)), " "))
		}
		if d := cmp.Diff(c.diff, got); d != "" {
			t.Errorf("%s:\n%s", c.why, d)
		}
	}
}

// FuzzOf: no bytes of a layer make it panic, and an answer never differs from itself.
func FuzzOf(f *testing.F) {
	f.Add(429, "application/json", "", []byte(`{"error":{"details":{}}}`))
	f.Add(200, "text/event-stream", "", []byte("event: error\ndata: {\"error\":{\"type\":\"x\"}}\n\n"))
	f.Add(502, "text/html", "gzip", []byte("\x1f\x8b\x08"))
	f.Fuzz(func(t *testing.T, status int, kind, coding string, body []byte) {
		a := answer(status, string(body), "content-type", kind, "content-encoding", coding)
		e := Of(a, layout, mask)
		if d := Diff(e, Of(a.Clone(), layout, mask)); len(d) > 0 {
			t.Fatalf("an answer differs from itself: %v", d)
		}
		seen := map[string]bool{}
		for _, x := range e {
			if seen[x.Key] {
				t.Fatalf("two entries have the key %q", x.Key)
			}
			seen[x.Key] = true
		}
	})
}

func BenchmarkOf(b *testing.B) {
	a := answer(429, `{"type": "error", "error": {"type": "rate_limit_error", "message": "m", "details": {"error_code": "c"}}, "request_id": "req_fixture_9f3c1b7e02d4a658"}`, "content-type", "application/json", "request-id", "req_fixture_9f3c1b7e02d4a658")
	b.ReportAllocs()
	for b.Loop() {
		Of(a, layout, mask, "9f3c1b7e02d4a658")
	}
}

func TestSubtree(t *testing.T) {
	for _, c := range []struct{ body, key, want string }{
		{`{"error":{"details":{"error_code":"c","n":1,"deep":{"a":[1,"x"],"b/c":null}}}}`, "error/details", `{"deep": {"a": [1,"x"], "b/c": null}, "error_code": "c", "n": 1}`},
		{`{"error":{"details":"t\"x"}}`, "error/details", `"t\"x"`},
		{`{"error":{"a":1,"a":2}}`, "error", `{"a": 1, "a": 2}`},
		{`{"error":{}}`, "error", `{}`},
		{`{"error":{"aa":{"x":1},"bb":2}}`, "error/aa", `{"x": 1}`}, // the next key is as long, and stands beside it
	} {
		if got := Of(answer(400, c.body), layout, mask).Subtree(c.key); got != c.want {
			t.Errorf("%s of %s is %s, want %s", c.key, c.body, got, c.want)
		}
	}
}
