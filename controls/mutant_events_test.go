package controls

import (
	"fmt"
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/dialects"
)

// TestWhatEventsTell: what one event means in its protocol, by its name, its data or both.
func TestWhatEventsTell(t *testing.T) {
	a, c, r := dialects.Anthropic, dialects.OpenAIChat, dialects.OpenAIResponses
	for _, e := range []struct {
		d                *dialects.Dialect
		name, data, want string
	}{
		{a, "", "[DONE]", "[DONE] ends by [DONE]"},
		{a, "", "[DONE] and more", "[DONE] ends by [DONE]"},
		{a, "ping", "{}", " keeps alive"},
		{a, "", `{"type":"ping"}`, "ping keeps alive"},
		{a, "error", "{}", " fails at error"},
		{a, "", `{"type":"error"}`, "error fails at error"},
		{a, "message_stop", "{}", " ends by message_stop"},
		{a, "", `{"type":"message_stop"}`, "message_stop ends by message_stop"},
		{a, "message_delta", `{"delta":{"stop_reason":"end_turn"}}`, " ends by stop_reason end_turn"},
		{a, "message_delta", `{"delta":{"stop_reason":null}}`, ""},
		{a, "message_delta", `{"delta":{"stop_reason":1}}`, ""},
		{a, "content_block_delta", `{"delta":{"type":"text_delta","text":"a"}}`, " text at delta/text"},
		{a, "content_block_delta", `{"delta":{"type":"thinking_delta"}}`, " text at delta/thinking"},
		{a, "content_block_delta", `{"delta":{"type":"input_json_delta"}}`, " text at delta/partial_json"},
		{a, "content_block_delta", `{"delta":{"type":"signature_delta"}}`, ""},
		{a, "other", `{"type":"x"}`, "x"},
		{a, "other", "no JSON", ""},

		{c, "", "[DONE]", "[DONE] ends by [DONE]"},
		{c, "", `{"error":{}}`, "error fails at error"},
		{c, "", `{"error":{},"choices":[]}`, "error fails at error"},
		{c, "error", `{}`, " fails"},
		{c, "error", `{"choices":[]}`, " fails"},
		{c, "", `{}`, ""},
		{c, "", `{"choices":{}}`, ""},
		{c, "", `{"choices":null}`, ""},
		{c, "", `{"choices":[]}`, "chunk text at choices/0/delta/tool_calls/0/function/arguments"},
		{c, "", `{"choices":[{"delta":{"content":"a"}}]}`, "chunk text at choices/0/delta/content"},
		{c, "", `{"choices":[{"delta":{"content":null},"finish_reason":"stop"}]}`, "chunk ends by finish_reason stop text at choices/0/delta/tool_calls/0/function/arguments"},
		{c, "", `{"choices":[{"finish_reason":"error"},{"finish_reason":"length"},{"finish_reason":"stop"}]}`, "chunk ends by finish_reason length text at choices/0/delta/tool_calls/0/function/arguments"},

		{r, "", "[DONE]", "[DONE] ends by [DONE]"},
		{r, "error", `{"type":"x","error":{}}`, "x fails at error"},
		{r, "error", `{}`, " fails beside type"},
		{r, "", `{"type":"error","message":"m"}`, "error fails beside type"},
		{r, "response.failed", `{}`, " fails at response/error"},
		{r, "", `{"type":"response.failed"}`, "response.failed fails at response/error"},
		{r, "response.completed", `{}`, " ends by response.completed"},
		{r, "", `{"type":"response.completed"}`, "response.completed ends by response.completed"},
		{r, "response.incomplete", `{}`, " ends by response.incomplete"},
		{r, "", `{"type":"response.incomplete"}`, "response.incomplete ends by response.incomplete"},
		{r, "response.completed", `{"type":"response.incomplete"}`, "response.incomplete ends by response.completed"},
		{r, "", `{"type":"response.output_text.delta","delta":"a"}`, "response.output_text.delta text at delta"},
		{r, "response.output_text.delta", `{"delta":"a"}`, ""},
	} {
		m := meansIn(e.d)(&toldEvent{name: e.name, data: e.data, hasData: true})
		if got := inWords(m); got != e.want {
			t.Errorf("%s, event %q %s: %q, want %q", e.d.Name, e.name, e.data, got, e.want)
		}
	}
}

// inWords tells what an event means.
func inWords(m meaning) string {
	out := m.word
	if m.terminal != "" {
		out += " ends by " + m.terminal
	}
	if m.keepalive {
		out += " keeps alive"
	}
	if m.failed {
		out += " fails"
	}
	if len(m.errorAt) > 0 {
		out += " at " + strings.Join(m.errorAt, "/")
	}
	if len(m.envelope) > 0 {
		out += " beside " + strings.Join(m.envelope, "/")
	}
	if len(m.textAt) > 0 {
		out += " text at " + strings.Join(m.textAt, "/")
	}
	return out
}

// TestWhereEventsStand: which key the data of each event has.
func TestWhereEventsStand(t *testing.T) {
	delta := func(index, text string) string {
		return named("content_block_delta", `{"index":`+index+`,"delta":{"type":"text_delta","text":"`+text+`"}}`)
	}
	a := dialects.Anthropic
	for _, c := range []struct {
		why  string
		d    *dialects.Dialect
		body string
		want string // of each event its key, what is listed, what ends it, the text
	}{
		{"nothing", a, "", "[]; []; []; "},
		{"comments alone", a, ": a\n\n: b\n\n", "[]; []; []; "},
		{"one after the other", a, named("x", "1") + named("y", "{}") + named("x", "2"), "[stream/data/x stream/data/y stream/data/x#2]; [x y x]; []; "},
		{"the same twice is listed once", a, named("x", "1") + named("x", "2"), "[stream/data/x stream/data/x#2]; [x]; []; "},
		{"no data", a, "event: x\n\n" + named("y", "1"), "[ stream/data/y]; [x y]; []; "},
		{"keepalives are not listed", a, named("ping", "{}") + named("x", "1") + named("ping", "{}"), "[stream/keepalive/ping stream/data/x stream/keepalive/ping#2]; [x]; []; "},
		{"an error, and a second one", a, named("error", "{}") + named("error", "{}"), "[error stream/data/error]; [error]; []; "},
		{"deltas that are alike", a, delta("0", "a") + delta("0", "b"), "[stream/data/content_block_delta stream/data/content_block_delta joined]; [content_block_delta]; []; ab"},
		{"deltas of another block", a, delta("0", "a") + delta("1", "b"), "[stream/data/content_block_delta stream/data/content_block_delta#2]; [content_block_delta]; []; ab"},
		{"a keepalive does not part deltas", a, delta("0", "a") + named("ping", "{}") + delta("0", "b"), "[stream/data/content_block_delta stream/keepalive/ping stream/data/content_block_delta joined]; [content_block_delta]; []; ab"},
		{"but other data does", a, delta("0", "a") + named("x", "1") + delta("0", "b"), "[stream/data/content_block_delta stream/data/x stream/data/content_block_delta#2]; [content_block_delta x content_block_delta]; []; ab"},
		{"deltas under another name", a, delta("0", "a") + strings.Replace(delta("0", "b"), "event: content_block_delta", "event: x", 1), "[stream/data/content_block_delta stream/data/x]; [content_block_delta x]; []; a"},
		{"the number of an event is no difference", dialects.OpenAIResponses, named("d", `{"type":"a.delta","sequence_number":1,"delta":"x"}`) + named("d", `{"type":"a.delta","sequence_number":2,"delta":"y"}`), "[stream/data/d stream/data/d joined]; [d]; []; xy"},
		{"but in another protocol it is", dialects.OpenAIChat, "data: {\"sequence_number\":1,\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\ndata: {\"sequence_number\":2,\"choices\":[{\"delta\":{\"content\":\"y\"}}]}\n\n", "[stream/data/-chunk stream/data/-chunk#2]; [-chunk]; []; xy"},
		{"a name with signs of keys", a, named("a/b~#", "1"), "[stream/data/a~1b~0~2]; [a/b~#]; []; "},
		{"a name that looks like a mark", a, named("-x", "1") + named("a b", "2") + named(`q"`, "3") + named("p(", "4"), `[stream/data/"-x" stream/data/"a b" stream/data/"q"" stream/data/"p("]; ["-x" "a b" "q"" "p("]; []; `},
		{"one that is not finished", a, named("message_stop", "{}") + "event: x\ndata: 1\n", "[stream/data/message_stop ]; [message_stop x (unfinished)]; [message_stop]; "},
		{"two that end it", a, named("message_stop", "{}") + "data: [DONE]\n\n", "[stream/data/message_stop stream/data/-[DONE]]; [message_stop -[DONE]]; [message_stop [DONE]]; "},
	} {
		s := readStream(c.body, c.d)
		var keys []string
		for _, e := range s.events {
			key := e.key
			if e.joined {
				key += " joined"
			}
			keys = append(keys, key)
		}
		if got := fmt.Sprintf("%v; %v; %v; %s", keys, s.names, s.terminals, s.text); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.why, got, c.want)
		}
	}
}

// TestWhereEventsAreCut: each with its bytes, the comments before it included.
func TestWhereEventsAreCut(t *testing.T) {
	const body = ": a\n\nevent: x\ndata: 1\ndata:2\r\n\r\n\nid: 7\ndata:  3\n\nevent: y\n"
	var have []string
	for _, e := range cutEvents(body) {
		have = append(have, fmt.Sprintf("%q %s %q %v %v", body[e.from:e.to], e.name, e.data, e.hasData, e.complete))
	}
	want := []string{
		`": a\n\nevent: x\ndata: 1\ndata:2\r\n\r\n" x "1\n2" true true`,
		`"\nid: 7\ndata:  3\n\n"  " 3" true true`,
		`"event: y\n" y "" false false`,
	}
	if strings.Join(have, "\n") != strings.Join(want, "\n") {
		t.Error(strings.Join(have, "\n"))
	}
}

// TestAt: a path into JSON, through objects and arrays.
func TestAt(t *testing.T) {
	v := (&toldEvent{data: `{"a":[{"b":1},null],"c":"x"}`}).json()
	for path, want := range map[string]string{
		"a/0/b": "1", "a/1": "<nil>", "a/2": "<nil>", "a/x": "<nil>", "a/0/x": "<nil>", "c": "x", "c/0": "<nil>", "x": "<nil>", "a/0": "map[b:1]",
	} {
		if got := fmt.Sprint(at(v, strings.Split(path, "/")...)); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	for _, bad := range []string{"", "{} x", "{"} {
		if v := (&toldEvent{data: bad}).json(); v != nil {
			t.Errorf("%q is %v", bad, v)
		}
	}
}

// TestSameStructure: each part of an event that a key rests on tells two readings apart.
func TestSameStructure(t *testing.T) {
	whole := toldEvent{key: "k", hasData: true, complete: true, meaning: meaning{label: "l", isDelta: true, textAt: []string{"t"}, errorAt: []string{"e"}, envelope: []string{"n"}}}
	for name, change := range map[string]func(*toldEvent){
		"label": func(e *toldEvent) { e.label = "x" }, "key": func(e *toldEvent) { e.key = "x" }, "joined": func(e *toldEvent) { e.joined = true },
		"delta": func(e *toldEvent) { e.isDelta = false }, "error": func(e *toldEvent) { e.failed = true }, "keepalive": func(e *toldEvent) { e.keepalive = true },
		"data": func(e *toldEvent) { e.hasData = false }, "end": func(e *toldEvent) { e.complete = false }, "place of the error": func(e *toldEvent) { e.errorAt = nil },
		"envelope": func(e *toldEvent) { e.envelope = nil }, "place of the text": func(e *toldEvent) { e.textAt = nil },
	} {
		other := whole
		if change(&other); sameStructure(told{events: []toldEvent{whole}}, told{events: []toldEvent{other}}) {
			t.Errorf("another %s is the same", name)
		}
	}
	plain := whole
	plain.isDelta = false
	other := plain
	if other.textAt = nil; !sameStructure(told{events: []toldEvent{plain}}, told{events: []toldEvent{other}}) {
		t.Error("what is no delta has no place of a text")
	}
	if sameStructure(told{events: []toldEvent{whole}}, told{}) {
		t.Error("one event is none")
	}
}

// TestRewritten: other data in one event, on as many lines as it has, and nothing else is touched.
func TestRewritten(t *testing.T) {
	const body = "event: x\ndata: 1\n\nevent: y\r\nid: 7\r\ndata: 2\r\ndata: 3\r\n: c\r\n\r\ndata: 4\n\n"
	all := cutEvents(body)
	for data, want := range map[string]string{
		"a":    "event: x\ndata: 1\n\nevent: y\r\nid: 7\r\ndata: a\r\n: c\r\n\r\ndata: 4\n\n",
		"a\nb": "event: x\ndata: 1\n\nevent: y\r\nid: 7\r\ndata: a\r\ndata: b\r\n: c\r\n\r\ndata: 4\n\n",
	} {
		if got := rewritten(body, &all[1], data); got != want {
			t.Errorf("%q becomes %q, want %q", data, got, want)
		}
	}
}

// TestRenamed: another name on the line that there is, on one of its own where there is none, or on none.
func TestRenamed(t *testing.T) {
	for _, c := range []struct{ block, name, want string }{
		{"event: x\ndata: 1\n\n", "y", "event: y\ndata: 1\n\n"},
		{"id: 1\r\nevent: x\r\ndata: 1\r\n\r\n", "y", "id: 1\r\nevent: y\r\ndata: 1\r\n\r\n"},
		{"data: 1\n\n", "y", "event: y\ndata: 1\n\n"},
		{"event: x\ndata: 1\n\n", "", "data: 1\n\n"},
		{"data: 1\n\n", "", "data: 1\n\n"},
	} {
		if got := renamed(c.block, c.name); got != c.want {
			t.Errorf("%q as %q: %q, want %q", c.block, c.name, got, c.want)
		}
	}
}

// TestNumbersOfKeys: a key of which there are several has a number from the second on.
func TestNumbersOfKeys(t *testing.T) {
	for _, c := range []struct {
		key, name, number string
		n                 int
	}{{"a", "a", "", 1}, {"a#2", "a", "#2", 2}, {"#3", "", "#3", 3}} {
		if name, number := splitNumber(c.key); name != c.name || number != c.number {
			t.Errorf("%s: %q and %q", c.key, name, number)
		}
		if got := numberedKey(c.name, c.n); got != c.key {
			t.Errorf("%s with %d: %s", c.name, c.n, got)
		}
	}
}
