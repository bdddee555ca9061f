package evidence

import (
	"bytes"
	"slices"
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

// Unfinished stands behind the name of an event that no blank line ended: no client sees it.
const Unfinished = " (unfinished)"

// events gathers what a stream says.
type events struct {
	names     []string // of events that stand side by side, one
	terminals []string
	failed    *failure
	text      strings.Builder
	deltas    bool
	data      []datum
	beats     []datum // of keepalives
	rest      []byte  // of the delta kept last: its canonical form without the text
	spare     []byte  // memory for the next
	count     map[string]int
}

// failure is the first error of a stream.
type failure struct {
	meaning Meaning
	json    *node // nil: data is no JSON
	data    string
}

// datum is what one event carried, under its key.
type datum struct {
	name  string // of the event
	key   string
	json  *node // nil: text
	text  string
	delta bool
}

// stream adds the names of the events, what ended the stream successfully, the first error (the one that a client raises),
// the text of all deltas and the data of the other events. Events are aligned by name: how many deltas carry a text is no
// evidence, so a name that repeats at once is told once, and keepalives have no part in the order. What decides comes first, so that the bound on the number of
// keys never costs it.
func (r *reader) stream(b []byte, pace wire.Pace) {
	evs, _ := wire.Events(b)
	s := events{names: make([]string, 0, min(len(evs), 16)), count: map[string]int{}}
	for i := range evs {
		s.event(&evs[i], &r.layout)
	}
	if n := len(evs); n > 0 && evs[n-1].Rest > 0 {
		s.names = append(s.names, strconv.Itoa(evs[n-1].Rest)+" more")
	}
	r.add("stream/events", list(s.names))
	if len(s.terminals) > 0 {
		r.add("stream/terminal", list(s.terminals))
	}
	if s.failed != nil {
		r.failure(s.failed)
	}
	if pace != "" {
		r.add("stream/pace", Value{Text, string(pace)})
	}
	if s.deltas {
		r.add("stream/text", Value{Text, r.maskedString(s.text.String())}) // an id may have been cut in two
	}
	r.data("stream/data", s.data)
	r.data("stream/keepalive", s.beats)
}

func (s *events) event(e *wire.Event, layout *Layout) {
	if !e.Complete { // no client sees it, so it ends nothing and tells no error
		s.named(eventName(e.Name, "") + Unfinished)
		return
	}
	m, json := layout.meaning(*e)
	name := eventName(e.Name, m.Word)
	if !m.Keepalive {
		s.named(name)
	}
	if m.Terminal != "" {
		s.terminals = append(s.terminals, m.Terminal)
	}
	if layout.Sequence != "" {
		json.without(layout.Sequence)
	}
	switch {
	case m.Error && s.failed == nil:
		s.failed = &failure{m, json, e.Data}
	case e.NoData:
	case m.Keepalive: // apart, so that one between two deltas moves neither
		s.count[name]++
		s.beats = append(s.beats, datum{name: name, key: numbered("stream/keepalive/"+escape(name), s.count[name]), json: json, text: e.Data})
	default:
		s.keep(name, &m, json, e.Data)
	}
}

func (s *events) named(name string) {
	if n := len(s.names); n == 0 || s.names[n-1] != name {
		s.names = append(s.names, name)
	}
}

// failure adds an error object under its own key, and what stood around it under "stream/error".
func (r *reader) failure(f *failure) {
	const root = "stream/error"
	switch {
	case f.json == nil:
		r.add(root, Value{Text, f.data})
	case len(f.meaning.ErrorAt) > 0:
		r.envelope(root, f.json, f.meaning.ErrorAt)
	case f.json.kind != Object:
		r.value(root, f.json)
	default:
		around, inner := node{kind: Object}, node{kind: Object}
		for _, k := range f.json.kids {
			if slices.Contains(f.meaning.Envelope, k.name) {
				around.kids = append(around.kids, member{k.name, k.node})
			} else {
				inner.kids = append(inner.kids, member{k.name, k.node})
			}
		}
		r.value(root, &around)
		r.value("error", &inner)
	}
}

// keep puts an event's data aside. A delta's text goes to the joined text, and the rest of it is kept once for all deltas in a
// row that have the same.
func (s *events) keep(name string, m *Meaning, json *node, data string) {
	d := datum{name: name, json: json, text: data}
	if text, ok := json.cutText(m.Text); ok {
		s.deltas = true
		s.text.WriteString(text)
		d.delta = true
		s.spare = json.canonical(s.spare[:0])
		if n := len(s.data); n > 0 && s.data[n-1].delta && s.data[n-1].name == name && bytes.Equal(s.rest, s.spare) {
			return
		}
		s.rest, s.spare = s.spare, s.rest
	}
	s.count[name]++
	d.key = numbered("stream/data/"+escape(name), s.count[name])
	s.data = append(s.data, d)
}

// cutText takes a string out of a value, reporting whether it was there. Of two members of one name it takes the one that
// clients read; the other stays, since nobody sent it.
func (n *node) cutText(path []string) (string, bool) {
	if n == nil || len(path) == 0 {
		return "", false
	}
	parent := n.at(path[:len(path)-1])
	if parent == nil || parent.kind != Object {
		return "", false
	}
	leaf := path[len(path)-1]
	at := parent.child(leaf)
	if at == nil || at.kind != String {
		return "", false
	}
	text := at.text
	parent.dropLast(leaf)
	return text, true
}

// data adds what events carried.
func (r *reader) data(root string, all []datum) {
	if len(all) > 0 {
		r.add(root, Value{Kind: Object})
	}
	for i := range all {
		if d := &all[i]; d.json != nil {
			r.value(d.key, d.json)
		} else {
			r.add(d.key, Value{Text, d.text})
		}
	}
}

// eventName names an event by its event line. One without that line gets a dash and the dialect's word for it; names that could
// be mistaken for these, or for marks of ours, are quoted.
func eventName(name, word string) string {
	switch {
	case name == "":
		return "-" + word
	case name[0] == '-' || strings.ContainsAny(name, ` ("`):
		return `"` + name + `"`
	}
	return name
}
