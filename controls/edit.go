package controls

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// The helpers below change answers. They read JSON with encoding/json and not with package evidence, so that no bug
// can hide in both.

func isError(a *wire.Answer) bool { return a.Status >= 400 }

// editBody changes a JSON object body in place; other bodies stay as they are.
func editBody(a *wire.Answer, edit func(body map[string]any)) {
	d := json.NewDecoder(bytes.NewReader(a.Body))
	d.UseNumber()
	var m map[string]any
	if !isError(a) || d.Decode(&m) != nil || m == nil {
		return
	}
	edit(m)
	setJSON(a, m)
}

func setJSON(a *wire.Answer, v any) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) == nil {
		a.Body = bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	}
}

// editError changes the error object of an answer.
func editError(edit func(e map[string]any)) func(*wire.Answer, bool) {
	return func(a *wire.Answer, _ bool) {
		editBody(a, func(m map[string]any) {
			if e, ok := m["error"].(map[string]any); ok {
				edit(e)
			}
		})
	}
}

func dropHeader(a *wire.Answer, name string) {
	var keep []wire.Field
	for _, f := range a.Header {
		if !strings.EqualFold(f.Name, name) {
			keep = append(keep, f)
		}
	}
	a.Header = keep
}

func addHeader(a *wire.Answer, name, value string) {
	a.Header = append(a.Header, wire.Field{Name: name, Value: value})
}

func setHeader(a *wire.Answer, name, value string) {
	for i := range a.Header {
		if strings.EqualFold(a.Header[i].Name, name) {
			a.Header[i].Value = value
		}
	}
}

// The helpers below declare what must be seen.

func (r Seen) has(key string) bool { return r.Evidence.Get(key).Kind != evidence.Absent }

func (r Seen) isError() bool { return r.Evidence.Get("status").Number() >= 400 }

func (r Seen) hasErrorObject() bool {
	return r.isError() && !r.isEvents() && r.Evidence.Get("error").Kind == evidence.Object
}

// isEvents: the body is events, which the faults that edit JSON leave alone.
func (r Seen) isEvents() bool { return r.has("stream/events") }

// hasBytes: the body has at least a byte.
func (r Seen) hasBytes() bool {
	if r.isEvents() {
		return r.Evidence.Get("stream/events").Text != "[]"
	}
	return r.has("body") && r.Evidence.Get("body").Kind != evidence.Empty
}

// members are the keys of the top-level members of a JSON object, but for the error.
func (r Seen) members() (keys []string) {
	for _, e := range r.Evidence {
		if evidence.Parent(e.Key) == "body" {
			keys = append(keys, e.Key)
		}
	}
	return keys
}

// noEvents declares what is gone when events are.
func noEvents(r Seen) []Sight {
	return append(gone(r, "stream/error"), Sight{"stream/events", evidence.Changed})
}

// inJSON declares one sight on the rows whose JSON body has a key.
func inJSON(key string, dir evidence.Direction) func(Seen) []Sight {
	return func(r Seen) []Sight {
		if r.isEvents() {
			return nil
		}
		return where(key, dir)(r)
	}
}

// where declares one sight on the rows that have a key.
func where(key string, dir evidence.Direction) func(Seen) []Sight {
	return func(r Seen) []Sight {
		if !r.isError() || !r.has(key) {
			return nil
		}
		return []Sight{{key, dir}}
	}
}

// absent declares an invented key on the error rows that do not have it.
func absent(key string) func(Seen) []Sight {
	return func(r Seen) []Sight {
		if !r.isError() || r.has(key) {
			return nil
		}
		return []Sight{{key, evidence.Invented}}
	}
}

// nothing is what an honest layer shows.
func nothing(Seen) []Sight { return nil }
