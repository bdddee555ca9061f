package evidence

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/preservecheck/preservecheck/wire"
)

// isStream reports whether a body is to be read as events: by its label, or because a layer lost the label and the
// bytes still are events.
func isStream(a *wire.Answer, b []byte) bool {
	for _, v := range a.Values("content-type") {
		if media, _, _ := strings.Cut(v, ";"); strings.EqualFold(strings.TrimSpace(media), "text/event-stream") {
			return true
		}
	}
	return bytes.HasPrefix(b, []byte("event:")) || bytes.HasPrefix(b, []byte("data:"))
}

// stream adds the names of the events in order, the success terminator if there is one, and the first error.
func (r *reader) stream(b []byte) {
	events, _ := wire.Events(b)
	names := make([]string, 0, len(events))
	terminal := ""
	failed := false
	for _, e := range events {
		n, ok := parseJSON([]byte(e.Data))
		kind := ""
		if ok {
			kind = n.typeMember()
		}
		names = append(names, eventName(e))
		if !e.Complete {
			continue // no client sees it, so it ends nothing and tells no error
		}
		if r.layout.IsTerminal != nil && r.layout.IsTerminal(e.Name, kind) {
			terminal = eventName(e)
		}
		if !failed && r.layout.IsError != nil && r.layout.IsError(e.Name, kind) {
			failed = true
			if ok {
				r.envelope("stream/error", &n)
			} else {
				r.add("stream/error", Value{Text, e.Data})
			}
		}
	}
	if n := len(events); n > 0 && events[n-1].Rest > 0 {
		names = append(names, strconv.Itoa(events[n-1].Rest)+" more")
	}
	r.add("stream/events", list(names))
	if terminal != "" {
		r.add("stream/terminal", Value{Text, terminal})
	}
}

// eventName is "-" for an event without a name, and marked when no blank line ended it: a client never sees that one.
func eventName(e wire.Event) string {
	n := e.Name
	if n == "" {
		n = "-"
	}
	if !e.Complete {
		n += " (unfinished)"
	}
	return n
}

func (n *node) typeMember() string {
	for i := range n.kids {
		if n.kids[i].name == "type" && n.kids[i].node.kind == String {
			return n.kids[i].node.text
		}
	}
	return ""
}

// Number reads a number value as an int, 0 when it is none.
func (v Value) Number() int {
	if v.Kind != Number {
		return 0
	}
	n, err := strconv.Atoi(v.Text)
	if err != nil {
		return 0
	}
	return n
}
