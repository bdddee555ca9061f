package evidence

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/preservecheck/preservecheck/wire"
)

// sse is a stream of events; an event without a name is ":data".
func sse(events ...string) *wire.Answer {
	var b strings.Builder
	for _, e := range events {
		name, data, _ := strings.Cut(e, ":")
		if name != "" {
			b.WriteString("event: " + name + "\n")
		}
		if data != "" {
			b.WriteString("data: " + strings.ReplaceAll(data, "\n", "\ndata: ") + "\n")
		}
		b.WriteString("\n")
	}
	return answer(200, b.String(), "content-type", "text/event-stream")
}

// streamKeys is what a stream adds to an answer.
func streamKeys(a *wire.Answer) []string { return show(Of(a, layout, mask))[3:] }

const (
	startEvent = `start:{"type":"start"}`
	stopEvent  = `message_stop:{"type":"message_stop"}`
)

func delta(text string) string {
	return fmt.Sprintf(`delta:{"type":"delta","choices":[{"i":0,"text":%q}]}`, text)
}

func TestStream(t *testing.T) {
	for _, c := range []struct {
		why  string
		a    *wire.Answer
		want []string
	}{
		{
			"an error that is the whole data but for its envelope; the event's number is no evidence",
			sse(`flat:{"type":"error","code":"c","message":"m","seq":3}`),
			[]string{`stream/events = list ["flat"]`, "stream/error = object ", "stream/error/type = string error", "error = object ", "error/code = string c", "error/message = string m"},
		},
		{
			"an error two levels down; what stands around it is kept",
			sse(`x:{"type":"deep","response":{"id":"r","error":{"code":"c"}}}`),
			[]string{
				`stream/events = list ["x"]`, "stream/error = object ", "stream/error/response = object ", "stream/error/response/id = string r",
				"stream/error/type = string deep", "error = object ", "error/code = string c",
			},
		},
		{
			"two members of one name on the way to the error hold two errors",
			sse(`x:{"type":"deep","response":{"error":1},"response":{"error":2}}`),
			[]string{
				`stream/events = list ["x"]`, "stream/error = object ", "stream/error/response = object ", "stream/error/response#2 = object ",
				"stream/error/type = string deep", "error = number 1", "error#2 = number 2",
			},
		},
		{
			"an error that is not where it should be: the event is one all the same",
			sse(`x:{"type":"deep","response":null}`),
			[]string{`stream/events = list ["x"]`, "stream/error = object ", "stream/error/response = null null", "stream/error/type = string deep"},
		},
		{
			"an error event that is no object",
			sse("flat:7"),
			[]string{`stream/events = list ["flat"]`, "stream/error = number 7"},
		},
		{
			"an error event that is no JSON",
			sse("error:overloaded"),
			[]string{`stream/events = list ["error"]`, "stream/error = text overloaded"},
		},
		{
			"a client raises the first error; a second one is data",
			sse(`error:{"error":{"type":"a"}}`, `error:{"error":{"type":"b"}}`),
			[]string{
				`stream/events = list ["error"]`, "stream/error = object ", "error = object ", "error/type = string a",
				"stream/data = object ", "stream/data/error = object ", "stream/data/error/error = object ", "stream/data/error/error/type = string b",
			},
		},
		{
			"terminators in the order in which they came, each told",
			sse(stopEvent, `x:{"stop":"end_turn"}`, `x:{"stop":null}`, stopEvent),
			[]string{
				`stream/events = list ["message_stop","x","message_stop"]`, `stream/terminal = list ["message_stop","stop end_turn","message_stop"]`,
				"stream/data = object ", "stream/data/message_stop = object ", "stream/data/message_stop/type = string message_stop",
				"stream/data/x = object ", "stream/data/x/stop = string end_turn", "stream/data/x#2 = object ", "stream/data/x#2/stop = null null",
				"stream/data/message_stop#2 = object ", "stream/data/message_stop#2/type = string message_stop",
			},
		},
		{
			"deltas: the text once and joined, what stands around it once for each run",
			sse(delta("a"), delta("b"), "ping:{}", delta("c"), `delta:{"type":"delta","choices":[{"i":1,"text":"d"}]}`),
			[]string{
				`stream/events = list ["delta","ping","delta"]`, "stream/text = text abcd", "stream/data = object ",
				"stream/data/delta = object ", `stream/data/delta/choices = array [{"i":0}]`, "stream/data/delta/type = string delta", "stream/data/ping = object ",
				"stream/data/delta#2 = object ", `stream/data/delta#2/choices = array [{"i":0}]`, "stream/data/delta#2/type = string delta",
				"stream/data/delta#3 = object ", `stream/data/delta#3/choices = array [{"i":1}]`, "stream/data/delta#3/type = string delta",
			},
		},
		{
			"a delta without its text is data; an empty text is a text",
			sse(`delta:{"type":"delta","choices":[{"text":null}]}`, `delta:{"type":"delta","choices":[{"text":""}]}`),
			[]string{
				`stream/events = list ["delta"]`, "stream/text = text ", "stream/data = object ",
				"stream/data/delta = object ", `stream/data/delta/choices = array [{"text":null}]`, "stream/data/delta/type = string delta",
				"stream/data/delta#2 = object ", `stream/data/delta#2/choices = array [{}]`, "stream/data/delta#2/type = string delta",
			},
		},
		{
			"data that is no JSON is text; an event without data has none",
			sse("a:x\ny", "b"),
			[]string{`stream/events = list ["a","b"]`, "stream/data = object ", "stream/data/a = text x\ny"},
		},
		{
			"a name can't pose as one of our marks, nor as a path",
			sse(`-message_stop:1`, "a (unfinished):1", "2 more:1", "a/b#2:1"),
			[]string{
				`stream/events = list ["\"-message_stop\"","\"a (unfinished)\"","\"2 more\"","a/b#2"]`, "stream/data = object ",
				`stream/data/"-message_stop" = number 1`, `stream/data/"a (unfinished)" = number 1`, `stream/data/"2 more" = number 1`, "stream/data/a~1b~22 = number 1",
			},
		},
		{
			"keepalives stand apart and have no part in the order",
			sse(`beat:{"type":"beat"}`, startEvent, `beat:{"type":"beat","a":1}`),
			[]string{
				`stream/events = list ["start"]`, "stream/data = object ", "stream/data/start = object ", "stream/data/start/type = string start",
				"stream/keepalive = object ", "stream/keepalive/beat = object ", "stream/keepalive/beat/type = string beat",
				"stream/keepalive/beat#2 = object ", "stream/keepalive/beat#2/a = number 1", "stream/keepalive/beat#2/type = string beat",
			},
		},
		{
			"no event at all is still a stream",
			answer(200, "", "content-type", "text/event-stream"),
			[]string{"stream/events = list []"},
		},
	} {
		if d := cmp.Diff(c.want, streamKeys(c.a)); d != "" {
			t.Errorf("%s:\n%s", c.why, d)
		}
	}
}

func TestDiffOfStreams(t *testing.T) {
	for _, c := range []struct {
		why       string
		want, got *wire.Answer
		diff      []string
	}{
		{"the same text in other deltas", sse(startEvent, delta("ab"), delta("c"), stopEvent), sse(startEvent, delta("a"), delta(""), delta("bc"), stopEvent), nil},
		{"numbered anew, as such a layer does", sse(`a:{"seq":1,"x":1}`), sse(`a:{"seq":7,"x":1}`), nil},
		{"comments are no events", sse(startEvent), answer(200, ": ping\n\n"+string(sse(startEvent).Body), "content-type", "text/event-stream"), nil},
		{"a text that lost a letter", sse(delta("ab"), delta("c")), sse(delta("ab")), []string{"stream/text changed"}},
		{"a text that stands before the rest of its delta is cut out all the same", sse(delta("ab")), sse(strings.Replace(delta("ab"), `"i":0,"text":"ab"`, `"text":"ab","i":0`, 1)), nil},
		{"a text for another choice", sse(delta("ab")), sse(strings.Replace(delta("ab"), `"i":0`, `"i":1`, 1)), []string{"stream/data/delta/choices changed"}},
		{"deltas that became none", sse(delta("a"), stopEvent), sse(stopEvent), []string{"stream/events changed", "stream/text lost", "stream/data/delta lost"}},
		{"a terminator that nobody sent", sse(startEvent), sse(startEvent, stopEvent), []string{"stream/events changed", "stream/terminal invented", "stream/data/message_stop invented"}},
		{"an event line that was lost", sse(stopEvent), sse(":" + strings.TrimPrefix(stopEvent, "message_stop:")), []string{"stream/events changed", "stream/data/message_stop lost", "stream/data/-message_stop invented"}},
		{"an altered event", sse(`start:{"id":"a","b":{"c":1}}`), sse(`start:{"id":"x","b":{"c":1}}`), []string{"stream/data/start/id changed"}},
		{"an inserted event moves none but those of its name", sse(startEvent, "ping:{}", stopEvent), sse(startEvent, "ping:{}", "ping:{}", stopEvent), []string{"stream/data/ping#2 invented"}},
		{"a stream of data that became a plain body is one difference less", sse(startEvent), answer(200, "{}", "content-type", "text/event-streams"), []string{
			"header/content-type changed embedded", "stream/events lost", "stream/data lost", "body invented",
		}},
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

func TestGetOfAnEvent(t *testing.T) {
	n, ok := parseJSON(`{"a":[{"b":"x"},7],"c":1,"c":2,"o":{}}`)
	if !ok {
		t.Fatal("no JSON")
	}
	e := Event{json: &n}
	for _, c := range []struct {
		why  string
		path []string
		want Value
	}{
		{"into an array", []string{"a", "0", "b"}, Value{String, "x"}},
		{"an item", []string{"a", "1"}, Value{Number, "7"}},
		{"behind an array", []string{"a", "2"}, Value{}},
		{"before an array", []string{"a", "-1"}, Value{}},
		{"a name in an array", []string{"a", "b"}, Value{}},
		{"into a number", []string{"c", "x"}, Value{}},
		{"the last of two, as most parsers take it", []string{"c"}, Value{Number, "2"}},
		{"an object", []string{"o"}, Value{Kind: Object}},
		{"the whole", nil, Value{Kind: Object}},
	} {
		if got := e.Get(c.path...); got != c.want {
			t.Errorf("%s: got %v, want %v", c.why, got, c.want)
		}
	}
	if got := (Event{}).Get("a"); got != (Value{}) {
		t.Errorf("data that is no JSON has %v", got)
	}
}

func TestItems(t *testing.T) {
	for _, want := range [][]string{{}, {""}, {`a"b`, "\n", "ü"}} {
		if d := cmp.Diff(want, list(want).Items()); d != "" {
			t.Error(d)
		}
	}
	if (Value{Text, `["a"]`}).Items() != nil {
		t.Error("a text that looks like a list has items")
	}
}

// TestStreamIsBounded: what decides is kept, however much a layer sends.
func TestStreamIsBounded(t *testing.T) {
	many := make([]string, 0, 2*wire.MaxEvents)
	for i := range 2 * wire.MaxEvents {
		many = append(many, fmt.Sprintf(`x%d:{"a":1,"b":2}`, i))
	}
	e := Of(sse(many...), layout, mask)
	if len(e) > maxKeys+1 || e.Get("body/…").Kind == Absent {
		t.Errorf("%d keys were kept", len(e))
	}
	big := `error:{"error":{"type":"t"},` + strings.Repeat(`"a":1,`, 2*maxKeys) + `"z":1}`
	e = Of(sse(big, stopEvent), layout, mask)
	if len(e) > maxKeys+1 || e.Get("stream/terminal").Kind != List || e.Get("stream/error").Kind != Object {
		t.Errorf("%d keys were kept, and what decides was lost", len(e))
	}
}

func BenchmarkOfStream(b *testing.B) {
	events := []string{startEvent}
	for range 100 {
		events = append(events, delta("some words "))
	}
	a := sse(append(events, stopEvent)...)
	b.ReportAllocs()
	for b.Loop() {
		Of(a, layout, mask, "9f3c1b7e02d4a658")
	}
}
