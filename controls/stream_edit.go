package controls

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// The helpers below change the events of a stream as layers do that know the protocols: they read the bytes for themselves and
// not with package wire, so that no bug can hide in both.

// event is one whole event of a stream, and where it stands.
type event struct {
	name     string // of its event line
	data     map[string]any
	from, to int // in the body, the blank line included
}

// eventsIn reads the whole events of a body; data that is no JSON object is nil.
func eventsIn(body []byte) (out []event) {
	var e event
	var data []byte
	at, any := 0, false
	for line := range bytes.Lines(body) {
		at += len(line)
		text := bytes.TrimRight(line, "\r\n")
		field, value, _ := bytes.Cut(text, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch {
		case len(text) == 0:
			if any {
				e.to, e.data = at, object(data)
				out = append(out, e)
			}
			e, data, any = event{from: at}, nil, false
		case string(field) == "event":
			e.name, any = string(value), true
		case string(field) == "data":
			data, any = append(append(data, value...), '\n'), true
		}
	}
	return out
}

func object(data []byte) map[string]any {
	var m map[string]any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if d.Decode(&m) != nil {
		return nil
	}
	return m
}

// failed gives the error object of an event, nil when it tells none: beside the envelope's type, in a member of its own, or
// in the response that failed.
func (e *event) failed() map[string]any {
	if m, ok := e.data["error"].(map[string]any); ok {
		return m
	}
	kind, _ := e.data["type"].(string)
	if r, ok := e.data["response"].(map[string]any); ok && (e.name == "response.failed" || kind == "response.failed") {
		m, _ := r["error"].(map[string]any)
		return m
	}
	if e.name == "error" || kind == "error" {
		return e.data
	}
	return nil
}

// bytes writes an event anew.
func (e *event) bytes() []byte {
	var b bytes.Buffer
	if e.name != "" {
		b.WriteString("event: " + e.name + "\n")
	}
	b.WriteString("data: ")
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(e.data) // it came from JSON
	b.WriteString("\n")
	return b.Bytes()
}

// isEvents reports whether a body is read as events by its label or by its first line.
func isEvents(a *wire.Answer) bool {
	return len(a.Values("content-encoding")) == 0 &&
		(isEventStream(a) || bytes.HasPrefix(a.Body, []byte("event:")) || bytes.HasPrefix(a.Body, []byte("data:")))
}

// editStreamError changes the first event of a stream that tells an error.
func editStreamError(edit func(e *event, inner map[string]any)) func(*wire.Answer, bool) {
	return func(a *wire.Answer, _ bool) {
		if !isEvents(a) || !bytes.Contains(a.Body, []byte("error")) {
			return
		}
		for _, e := range eventsIn(a.Body) {
			if inner := e.failed(); inner != nil {
				edit(&e, inner)
				a.Body = slices.Concat(a.Body[:e.from], e.bytes(), a.Body[e.to:])
				return
			}
		}
	}
}

// inStream declares one sight on the streams whose error has a key.
func inStream(key string, dir evidence.Direction, fits func(evidence.Value) bool) func(Seen) []Sight {
	return func(r Seen) []Sight {
		if v := r.Evidence.Get(key); !r.isEvents() || v.Kind == evidence.Absent || fits != nil && !fits(v) {
			return nil
		}
		return []Sight{{key, dir}}
	}
}

// names are those of a stream's events, without the mark of a missing event line.
func (r Seen) names() []string {
	names := r.Evidence.Get("stream/events").Items()
	for i := range names {
		names[i] = strings.TrimPrefix(names[i], "-")
	}
	return names
}
