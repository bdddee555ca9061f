package evidence

import (
	"slices"
	"strconv"

	"github.com/preservecheck/preservecheck/wire"
)

// Layout is where a dialect keeps its error, and what the events of its streams mean.
type Layout struct {
	// Error is the member of a body that holds the error object.
	Error string
	// Event says what an event means; nil: no event means anything.
	Event func(Event) Meaning
	// Sequence is a top-level member that numbers the events of a stream. It is no evidence: a layer that cuts the same
	// text into other deltas numbers anew. "" for none.
	Sequence string
}

// Event is one whole server-sent event, as a dialect looks at it.
type Event struct {
	Name string // "" when there was no event line
	Data string // as it stood on the wire
	json *node  // nil when the data is no JSON
}

// Meaning is what a dialect makes of an event. The zero Meaning is an event like any other.
type Meaning struct {
	// Word names an event that has no event line.
	Word string
	// Error says that the event carries an error. Its error object stands at ErrorAt in the data; an empty path is the
	// whole data but for the members in Envelope.
	Error    bool
	ErrorAt  []string
	Envelope []string
	// Terminal names what ends a stream successfully, such as "message_stop"; "" for nothing.
	Terminal string
	// Keepalive says that the event carries nothing and may come or go anywhere.
	Keepalive bool
	// Text is the path of a delta's text in the data, nil for an event that is no delta.
	Text []string
}

// Get returns what stands at a path of the data: names of members, or indices of an array. It is absent when the data is
// no JSON. Of two members of one name it takes the last, as most clients do. An object's or array's text is empty.
func (e Event) Get(path ...string) Value {
	n := e.json.at(path)
	if n == nil {
		return Value{}
	}
	return Value{n.kind, n.text}
}

// at finds the node at a path, nil when there is none.
func (n *node) at(path []string) *node {
	for _, name := range path {
		if n == nil {
			return nil
		}
		n = n.child(name)
	}
	return n
}

func (n *node) child(name string) *node {
	if n.kind == Array {
		i, err := strconv.Atoi(name)
		if err != nil || i < 0 || i >= len(n.kids) {
			return nil
		}
		return &n.kids[i].node
	}
	for i := len(n.kids) - 1; i >= 0; i-- {
		if n.kids[i].name == name {
			return &n.kids[i].node
		}
	}
	return nil
}

// dropLast removes the last member of a name.
func (n *node) dropLast(name string) {
	for i := len(n.kids) - 1; i >= 0; i-- {
		if n.kids[i].name == name {
			n.kids = slices.Delete(n.kids, i, i+1)
			return
		}
	}
}

// without removes every member of a name.
func (n *node) without(name string) {
	if n == nil || n.kind != Object {
		return
	}
	keep := n.kids[:0]
	for _, m := range n.kids {
		if m.name != name {
			keep = append(keep, m)
		}
	}
	n.kids = keep
}

// meaning asks the dialect about an event that was sent whole.
func (l *Layout) meaning(e wire.Event) (Meaning, *node) {
	var json *node
	if n, ok := parseJSON(e.Data); ok {
		json = &n
	}
	if l.Event == nil {
		return Meaning{}, json
	}
	return l.Event(Event{e.Name, e.Data, json}), json
}
