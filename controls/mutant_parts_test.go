package controls

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

var update = flag.Bool("update", false, "write testdata/mutants.txt anew; read what has changed")

// smallRows hold one of each thing that a mutant may meet, so that all of theirs can be read.
var smallRows = []struct {
	why    string
	d      *dialects.Dialect
	answer *wire.Answer
}{
	{"no answer", dialects.Anthropic, &wire.Answer{End: wire.EndReset}},
	{"nothing but a status", dialects.Anthropic, answer(400, "")},
	{"an error with all kinds of values", dialects.Anthropic, answer(429,
		`{"type":"error", "error" : {"type":"e","details":{"n":-12.5e3,"t":true,"f":false,"z":null},"o":{},"a":[],"list":["x",{"k":1}],"k/~#":"\n"},"error":{"two":""}}`,
		"Content-Type", jsonType, "X-A", "1", "x-a", "2", "Connection", "close")},
	{"JSON that is no object", dialects.Anthropic, answer(500, ` [7] `, "content-type", jsonType, "content-encoding", "br")},
	{"a page", dialects.Anthropic, answer(502, "<p>q</p>", "content-type", "text/html")},
	{"bytes that are no text", dialects.Anthropic, framed(answer(503, "\xff\xfe"))},
	{"a stream that is only labelled as one", dialects.Anthropic, events(": note\n\n")},
	{"a stream that only its first line tells", dialects.Anthropic, answer(200, "data: 1\n\n")},
	{"a stream with an error of which nothing is told", dialects.Anthropic, events("event: error\n\n" + named("x", "1"))},
	{"a stream of messages", dialects.Anthropic, events(": note\n\n" +
		"event: ping\ndata: {\"type\":\"ping\"}\n\n" +
		named("content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"ab"}}`) +
		named("content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"c"}}`) +
		named("content_block_delta", `{"type":"content_block_delta","index":1,"delta":{"type":"thinking_delta","thinking":""}}`) +
		named("message_delta", `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`) +
		named("message_stop", `{"type":"message_stop"}`) +
		"event: ping\ndata: {\"type\":\"ping\"}\n\n" + "event: half\ndata: {}\n")},
	{"a stream of messages that fails", dialects.Anthropic, broken(events(
		named("message_start", `{"type":"message_start","m":1}`) +
			named("content_block_delta", `{"type":"content_block_delta","delta":{"type":"input_json_delta","partial_json":"{"}}`) +
			named("error", `{"type":"error","error":{"type":"overloaded_error"},"request_id":"r"}`) +
			named("error", `{"type":"error","error":{"type":"again"}}`)))},
	{"a stream of chunks", dialects.OpenAIChat, events(
		"data: {\"id\":\"i\",\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n" +
			"data: {\"id\":\"i\",\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"arguments\":\"b\"}}]}}]}\r\n\r\n" +
			"data: {\"id\":\"i\",\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n" +
			"data: {\"usage\":{}}\n\ndata: [DONE]\n\n")},
	{"a stream of chunks that fails", dialects.OpenAIChat, events(
		"data: {\"error\":{\"code\":502},\"choices\":[{\"delta\":{\"content\":\"\"},\"finish_reason\":\"error\"}]}\n\nevent: error\ndata: no JSON\n\n")},
	{"a stream of responses", dialects.OpenAIResponses, events(
		named("response.output_text.delta", `{"type":"response.output_text.delta","sequence_number":1,"delta":"a"}`) +
			named("response.output_text.delta", `{"type":"response.output_text.delta","sequence_number":2,"delta":"b"}`) +
			named("response.completed", `{"type":"response.completed","sequence_number":3}`) +
			named("response.incomplete", `{"type":"response.incomplete","sequence_number":4}`))},
	{"a stream of responses with a flat error", dialects.OpenAIResponses, events(named("error", `{"type":"error","code":"c","message":"m"}`))},
	{"a stream of responses that failed", dialects.OpenAIResponses, events(
		named("response.failed", `{"type":"response.failed","response":{"id":"r","error":{"code":"c"}}}`) +
			named("x", "{}") + named("x", "{}"))},
}

func named(name, data string) string { return "event: " + name + "\ndata: " + data + "\n\n" }

// framed has all that only raw bytes can have.
func framed(a *wire.Answer) *wire.Answer {
	a.Faults, a.Interim, a.Trailer = []string{wire.FaultExcess}, []int{102}, []wire.Field{{Name: "retry-after", Value: "1"}}
	return a
}

func broken(a *wire.Answer) *wire.Answer { a.End = wire.EndShort; return a }

// TestMutantsOfSmallRows: just these mutants are made, and each is seen just as declared. What is right in the list is for
// people to read; that it agrees with the comparison is tried here.
func TestMutantsOfSmallRows(t *testing.T) {
	var out strings.Builder
	for _, r := range smallRows {
		s, p := made(r.answer, r.d), bare(mutantKinds()...)
		fmt.Fprintf(&out, "== %s: %d %q\n", r.why, r.answer.Status, r.answer.Body)
		single, entangled := mutants(&s, middle)
		for _, m := range single {
			fmt.Fprintln(&out, line(&s, m))
			p.mutant(&s, m)
		}
		for _, m := range entangled {
			fmt.Fprintln(&out, "entangled:", line(&s, m))
		}
		for _, m := range p.missed {
			t.Errorf("%s: %s", r.why, m)
		}
	}
	const name = "testdata/mutants.txt"
	if *update {
		if err := os.WriteFile(name, []byte(out.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	was := strings.Split(strings.ReplaceAll(string(want), "\r\n", "\n"), "\n")
	for i, l := range strings.Split(out.String(), "\n") {
		if i >= len(was) || l != was[i] {
			t.Fatalf("%s:%d: now %s", name, i+1, l)
		}
	}
	if n := strings.Count(out.String(), "\n"); n != len(was)-1 {
		t.Errorf("%d lines, want %d", n, len(was)-1)
	}
}

// line tells a mutant in one.
func line(s *subject, m mutant) string {
	a := s.expected.Clone()
	m.edit(a)
	var sights []string
	for _, w := range m.want {
		sights = append(sights, w.Key+" "+string(w.Dir))
	}
	return fmt.Sprintf("%s, %s: %s => %s", strings.TrimPrefix(m.kind.Name, "one-key-"), m.place, changed(s.expected, a), strings.Join(sights, ", "))
}

// changed tells what is other in an answer.
func changed(a, b *wire.Answer) string {
	switch {
	case a.Status != b.Status:
		return fmt.Sprint(b.Status)
	case a.End != b.End:
		return string(b.End)
	case fmt.Sprint(a.Header) != fmt.Sprint(b.Header):
		return fmt.Sprint(b.Header)
	case fmt.Sprint(a.Faults, a.Interim, a.Trailer) != fmt.Sprint(b.Faults, b.Interim, b.Trailer):
		return fmt.Sprint(b.Faults, b.Interim, b.Trailer)
	}
	was, is := string(a.Body), string(b.Body)
	i, j := 0, 0
	for i < min(len(was), len(is)) && was[i] == is[i] {
		i++
	}
	for j < min(len(was), len(is))-i && was[len(was)-1-j] == is[len(is)-1-j] {
		j++
	}
	return fmt.Sprintf("at %d %q becomes %q", i, short(was[i:len(was)-j]), short(is[i:len(is)-j]))
}

// short leaves out the middle of a long text.
func short(s string) string {
	if len(s) > 60 {
		return s[:28] + "..." + s[len(s)-28:]
	}
	return s
}

// TestEntangledIsSeen: what is none of a single key is noticed all the same.
func TestEntangledIsSeen(t *testing.T) {
	n := 0
	for _, r := range smallRows {
		s := made(r.answer, r.d)
		_, entangled := mutants(&s, middle)
		for _, m := range entangled {
			a := s.expected.Clone()
			m.edit(a)
			if n++; len(evidence.Diff(s.seen.Evidence, evidence.Of(a, r.d.Layout, ""))) == 0 {
				t.Errorf("%s: nothing is seen of %s", r.why, line(&s, m))
			}
		}
	}
	if n == 0 {
		t.Error("there is none")
	}
}
