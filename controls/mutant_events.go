package controls

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/preservecheck/preservecheck/dialects"
)

// told is what a stream tells, read here apart from packages evidence and dialects: which event has which key, and what
// ends the stream. The expectation of a mutant rests on it.
type told struct {
	events    []toldEvent
	names     []string // as "stream/events" lists them
	terminals []string
	text      string
	hasText   bool
}

// toldEvent is one event with its place in the body.
type toldEvent struct {
	from, to int // of its bytes, with the blank line
	name     string
	data     string
	hasData  bool
	complete bool

	meaning
	key    string // of its data, "" where it has none of its own
	joined bool   // a delta whose data is that of the delta before
}

// meaning is what an event means in its protocol.
type meaning struct {
	label     string // as the event is listed
	word      string // for an event without a name
	failed    bool   // carries an error
	errorAt   []string
	envelope  []string // members around an error that is the whole data
	terminal  string
	keepalive bool
	textAt    []string
	isDelta   bool
}

// readStream reads a body as events.
func readStream(body string, d *dialects.Dialect) told {
	s := told{events: cutEvents(body)}
	count, failed, last := map[string]int{}, false, -1
	for i := range s.events {
		e := &s.events[i]
		e.meaning = meansIn(d)(e)
		e.label = label(e.name, e.word)
		if !e.complete {
			s.listed(label(e.name, "") + " (unfinished)")
			continue
		}
		if !e.keepalive {
			s.listed(e.label)
		}
		if e.terminal != "" {
			s.terminals = append(s.terminals, e.terminal)
		}
		switch {
		case e.failed && !failed:
			failed, e.key = true, "error"
			continue
		case !e.hasData:
			continue
		case e.keepalive:
			e.key = "stream/keepalive/"
		default:
			e.failed, e.key = false, "stream/data/" // a second error is data like any other
			e.isDelta = s.delta(e)
			if last >= 0 && e.isDelta && s.events[last].isDelta && s.events[last].label == e.label && e.rest(d) == s.events[last].rest(d) {
				e.key, e.joined = s.events[last].key, true
				continue
			}
			last = i
		}
		count[e.label]++
		e.key = numberedKey(e.key+escaped(e.label), count[e.label])
	}
	return s
}

func (s *told) listed(name string) {
	if n := len(s.names); n == 0 || s.names[n-1] != name {
		s.names = append(s.names, name)
	}
}

// delta takes the text of a delta, reporting whether there is one.
func (s *told) delta(e *toldEvent) bool {
	text, ok := at(e.json(), e.textAt...).(string)
	if !ok || len(e.textAt) == 0 {
		return false
	}
	s.text, s.hasText = s.text+text, true
	return true
}

// said is the text of a delta.
func (e *toldEvent) said() string {
	text, _ := at(e.json(), e.textAt...).(string)
	return text
}

// rest is a delta without its text and its number.
func (e *toldEvent) rest(d *dialects.Dialect) string {
	v := e.json()
	if m, ok := at(v, e.textAt[:len(e.textAt)-1]...).(map[string]any); ok {
		delete(m, e.textAt[len(e.textAt)-1])
	}
	if m, ok := v.(map[string]any); ok && numbers(d) {
		delete(m, sequenceMember)
	}
	b, _ := json.Marshal(v)
	return string(b)
}

func (e *toldEvent) json() (v any) {
	d := json.NewDecoder(strings.NewReader(e.data))
	d.UseNumber()
	if !json.Valid([]byte(e.data)) || d.Decode(&v) != nil {
		return nil
	}
	return v
}

// sequenceMember numbers the events of the Responses API.
const sequenceMember = "sequence_number"

func numbers(d *dialects.Dialect) bool { return d.Name == dialects.OpenAIResponses.Name }

// at finds what stands at a path, nil for nothing and for null.
func at(v any, path ...string) any {
	for _, name := range path {
		switch x := v.(type) {
		case map[string]any:
			v = x[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(x) {
				return nil
			}
			v = x[i]
		default:
			return nil
		}
	}
	return v
}

// cutEvents parts a body at its blank lines. A part that holds comments alone belongs to the event behind it.
func cutEvents(body string) (out []toldEvent) {
	e, some, from := toldEvent{}, false, 0
	end := func(to int, complete bool) {
		if some {
			e.from, e.to, e.complete = from, to, complete
			out = append(out, e)
			from = to
		}
		e, some = toldEvent{}, false
	}
	pos := 0
	for line := range strings.Lines(body) {
		pos += len(line)
		text := strings.TrimRight(line, "\r\n")
		field, value, _ := strings.Cut(text, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case text == "":
			end(pos, true)
		case field == "event":
			e.name, some = value, true
		case field == "data" && e.hasData:
			e.data += "\n" + value
		case field == "data":
			e.data, e.hasData, some = value, true, true
		}
	}
	end(len(body), false)
	return out
}

// label names an event as "stream/events" does.
func label(name, word string) string {
	switch {
	case name == "":
		return "-" + word
	case name[0] == '-' || strings.ContainsAny(name, ` ("`):
		return `"` + name + `"`
	}
	return name
}

func meansIn(d *dialects.Dialect) func(*toldEvent) meaning {
	switch d.Name {
	case dialects.Anthropic.Name:
		return meansInMessages
	case dialects.OpenAIChat.Name:
		return meansInChat
	}
	return meansInResponses
}

// meansInMessages follows the documented events of the Messages API (platform.claude.com, streaming, read 2026-11-30).
func meansInMessages(e *toldEvent) meaning {
	v := e.json()
	kind, _ := at(v, "type").(string)
	m := meaning{word: kind}
	is := func(name string) bool { return e.name == name || kind == name }
	switch {
	case strings.HasPrefix(e.data, "[DONE]"):
		m.word, m.terminal = "[DONE]", "[DONE]"
	case is("ping"):
		m.keepalive = true
	case is("error"):
		m.failed, m.errorAt = true, []string{"error"}
	case is("message_stop"):
		m.terminal = "message_stop"
	case is("message_delta"):
		if reason, ok := at(v, "delta", "stop_reason").(string); ok {
			m.terminal = "stop_reason " + reason
		}
	case is("content_block_delta"):
		switch at(v, "delta", "type") {
		case "text_delta":
			m.textAt = []string{"delta", "text"}
		case "thinking_delta":
			m.textAt = []string{"delta", "thinking"}
		case "input_json_delta":
			m.textAt = []string{"delta", "partial_json"}
		}
	}
	return m
}

// meansInChat follows the chunks of Chat Completions, and OpenRouter's, which end in an error by finish_reason.
func meansInChat(e *toldEvent) meaning {
	v := e.json()
	choices, _ := at(v, "choices").([]any)
	switch {
	case strings.HasPrefix(e.data, "[DONE]"):
		return meaning{word: "[DONE]", terminal: "[DONE]"}
	case at(v, "error") != nil:
		return meaning{word: "error", failed: true, errorAt: []string{"error"}}
	case e.name == "error":
		return meaning{failed: true}
	case at(v, "choices") == nil || !isArray(at(v, "choices")):
		return meaning{}
	}
	m := meaning{word: "chunk", textAt: []string{"choices", "0", "delta", "content"}}
	if _, ok := at(v, m.textAt...).(string); !ok {
		m.textAt = []string{"choices", "0", "delta", "tool_calls", "0", "function", "arguments"}
	}
	for _, c := range choices {
		if reason, ok := at(c, "finish_reason").(string); ok && reason != "error" {
			m.terminal = "finish_reason " + reason
			break
		}
	}
	return m
}

func isArray(v any) bool { _, ok := v.([]any); return ok }

// meansInResponses follows the events of the Responses API. Its error event is flat by the reference and nested on the wire.
func meansInResponses(e *toldEvent) meaning {
	v := e.json()
	kind, _ := at(v, "type").(string)
	m := meaning{word: kind}
	is := func(name string) bool { return e.name == name || kind == name }
	switch {
	case strings.HasPrefix(e.data, "[DONE]"):
		m.word, m.terminal = "[DONE]", "[DONE]"
	case at(v, "error") != nil:
		m.failed, m.errorAt = true, []string{"error"}
	case is("error"):
		m.failed, m.envelope = true, []string{"type"}
	case is("response.failed"):
		m.failed, m.errorAt = true, []string{"response", "error"}
	case is("response.completed"), is("response.incomplete"):
		m.terminal = "response.completed"
		if is("response.incomplete") && !is("response.completed") {
			m.terminal = "response.incomplete"
		}
	case strings.HasSuffix(kind, ".delta"):
		m.textAt = []string{"delta"}
	}
	return m
}

// rewritten is the body with other data in one event, on data lines of its own.
func rewritten(body string, e *toldEvent, data string) string {
	var b bytes.Buffer
	b.WriteString(body[:e.from])
	done := false
	for line := range strings.Lines(body[e.from:e.to]) {
		text := strings.TrimRight(line, "\r\n")
		field, _, _ := strings.Cut(text, ":")
		if field != "data" {
			b.WriteString(line)
			continue
		}
		if !done {
			for part := range strings.SplitSeq(data, "\n") {
				b.WriteString("data: " + part + line[len(text):])
			}
		}
		done = true
	}
	return b.String() + body[e.to:]
}

// sameStructure reports whether two readings have the same events under the same keys.
func sameStructure(a, b told) bool {
	return slices.EqualFunc(a.events, b.events, func(x, y toldEvent) bool {
		return x.label == y.label && x.key == y.key && x.joined == y.joined && x.isDelta == y.isDelta && x.failed == y.failed &&
			x.keepalive == y.keepalive && x.hasData == y.hasData && x.complete == y.complete &&
			slices.Equal(x.errorAt, y.errorAt) && slices.Equal(x.envelope, y.envelope) && (!x.isDelta || slices.Equal(x.textAt, y.textAt))
	})
}
