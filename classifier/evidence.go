package classifier

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// Format is the form of a line, as its first member says; it only ever grows.
const Format = "preservecheck.classifier/1"

// maxBody bounds the body in a line, in bytes. Answers that a worker classifies are far smaller.
const maxBody = 1 << 20

// Evidence is one answer as the program gets it. It names neither the fixture nor our own class: a classifier that
// knew them would be no classifier.
type Evidence struct {
	Format  string              `json:"format"`
	Dialect string              `json:"dialect"`
	Mode    string              `json:"mode"` // what the client asked for: plain or stream
	Status  int                 `json:"status"`
	Headers map[string][]string `json:"headers"` // names in lower case, values in order
	Body    *string             `json:"body"`    // decoded text; null when it is not UTF-8 or too long
	Error   json.RawMessage     `json:"error"`   // the error object, from the body or from the first error event; null for none
	Events  []Event             `json:"events"`  // of a stream, in order; empty for another answer
	End     string              `json:"end"`     // ok, abnormal or timeout
}

// Event is one server-sent event that a blank line ended.
type Event struct {
	Event string `json:"event"` // "" when it had no name
	Data  string `json:"data"`
}

// Of reads an answer. Each of ids, the ids of its own hits, is replaced by mask, so that equal answers are equal lines.
func Of(a *wire.Answer, d *dialects.Dialect, mode, mask string, ids ...string) Evidence {
	e := Evidence{Format: Format, Dialect: d.Name, Mode: mode, Status: a.Status, Headers: map[string][]string{}, Events: []Event{}, Error: json.RawMessage("null")}
	masked := func(s string) string {
		for _, id := range ids {
			s = strings.ReplaceAll(s, id, mask)
		}
		return s
	}
	for _, h := range a.Header {
		name := strings.ToLower(h.Name)
		e.Headers[name] = append(e.Headers[name], masked(h.Value))
	}
	read := evidence.Of(a, d.Layout, mask, ids...)
	e.End = read.Get("end").Text
	for _, key := range []string{"error", "stream/error"} {
		if raw := []byte(read.Subtree(key)); read.Get(key).Kind != evidence.Absent && json.Valid(raw) {
			e.Error = raw
			break
		}
	}
	body, _, err := wire.Decode(a, 0)
	if err != nil {
		body = a.Body
	}
	if len(body) > maxBody || !utf8.Valid(body) {
		return e
	}
	text := masked(string(body))
	e.Body = &text
	if read.Get("stream/events").Kind != evidence.Absent {
		events, _ := wire.Events([]byte(text))
		for _, ev := range events {
			if ev.Complete {
				e.Events = append(e.Events, Event{ev.Name, ev.Data})
			}
		}
	}
	return e
}

// line is the evidence as JSON on one line. Header values that are not UTF-8 lose these bytes.
func (e Evidence) line() []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil { // the one raw part was found valid
		return []byte("null")
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
