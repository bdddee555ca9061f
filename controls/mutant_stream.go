package controls

import (
	"slices"
	"strings"

	"github.com/preservecheck/preservecheck/evidence"
)

// stream makes the mutants of a body of events.
func (m *maker) stream() {
	body := string(m.s.expected.Body)
	s := readStream(body, m.s.row.Dialect)
	m.insertEvent(body, s)
	for i := range s.events {
		e := &s.events[i]
		if !e.complete {
			continue // no client sees it
		}
		m.wholeEvent(body, s, i)
		m.eventLine(body, s, i)
		if e.key != "" && e.hasData && !e.joined {
			m.eventData(body, s, i)
		}
	}
}

// eventEdit adds a mutant whose body is read anew here: what ends the stream and the text follow from that. A place on which other
// keys rest is put apart, because its change is none of a single key.
func (m *maker) eventEdit(kind *Fault, place, body string, before told, want []Sight, same func(after told) bool) {
	after := readStream(body, m.s.row.Dialect)
	if !same(after) || len(after.events) == 0 && !isEventStream(m.s.expected) {
		m.entangled = append(m.entangled, mutant{kind, place, withBody([]byte(body)), want})
		return
	}
	if !slices.Equal(before.names, after.names) {
		want = append(want, Sight{"stream/events", evidence.Changed})
	}
	want = append(want, follows("stream/terminal", len(before.terminals) > 0, len(after.terminals) > 0, slices.Equal(before.terminals, after.terminals))...)
	want = append(want, follows("stream/text", before.hasText, after.hasText, before.text == after.text)...)
	if len(want) == 0 {
		return // what is told is the same, such as a delta of no text sent twice
	}
	m.add(kind, place, withBody([]byte(body)), want...)
}

// follows is the sight of a key that is read out of events.
func follows(key string, was, is, equal bool) []Sight {
	switch {
	case was && !is:
		return []Sight{{key, evidence.Lost}}
	case !was && is:
		return []Sight{{key, evidence.Invented}}
	case !equal:
		return []Sight{{key, evidence.Changed}}
	}
	return nil
}

// insertEvent puts an event without data behind one that is whole, or into a stream of none.
func (m *maker) insertEvent(body string, s told) {
	var ends []int
	for _, e := range s.events {
		if e.complete {
			ends = append(ends, e.to)
		}
	}
	if len(ends) == 0 {
		ends = []int{0}
	}
	to := ends[m.pick(len(ends))]
	m.add(mutantInvented, "an event", withBody([]byte(body[:to]+"event: preservecheck\n\n"+body[to:])), Sight{"stream/events", evidence.Changed})
}

// wholeEvent loses an event, and sends it twice.
func (m *maker) wholeEvent(body string, s told, i int) {
	e := s.events[i]
	place := "event " + e.label
	if !e.joined && shared(s, i) {
		m.wholeKey(body, s, i)
	}
	m.eventEdit(mutantLost, place, body[:e.from]+body[e.to:], s, m.without(s, i), func(after told) bool {
		return sameStructure(told{events: slices.Delete(slices.Clone(s.events), i, i+1)}, after)
	})
	if want, ok := m.twice(s, i); ok {
		block := body[e.from:e.to]
		m.eventEdit(mutantDuplicated, place, body[:e.to]+block+body[e.to:], s, want, func(after told) bool {
			others := slices.Delete(slices.Clone(after.events), i+1, i+2)
			return sameStructure(s, told{events: others})
		})
	}
}

// wholeKey loses all deltas that have their data under one key.
func (m *maker) wholeKey(body string, s told, i int) {
	e := s.events[i]
	var keep []toldEvent
	for j := len(s.events) - 1; j >= 0; j-- {
		if o := s.events[j]; o.key == e.key {
			body = body[:o.from] + body[o.to:]
		} else {
			keep = append([]toldEvent{o}, keep...)
		}
	}
	m.eventEdit(mutantLost, "all events of "+e.key, body, s, lostData(s, e.key), func(after told) bool {
		return sameStructure(told{events: keep}, after)
	})
}

// without is what is gone with an event, beside what follows.
func (m *maker) without(s told, i int) []Sight {
	switch e := s.events[i]; {
	case e.key == "error":
		return gone(m.s.seen, "stream/error")
	case e.key == "" || e.joined || shared(s, i):
		return nil
	default:
		return lostData(s, e.key)
	}
}

// lostData is the sight of an event's data that is gone: with the only one, the root is.
func lostData(s told, key string) []Sight {
	if onlyOne(s, key) {
		key = rootOf(key)
	}
	return []Sight{{key, evidence.Lost}}
}

// shared reports whether later deltas have their data under the key of event i.
func shared(s told, i int) bool {
	return slices.ContainsFunc(s.events[i+1:], func(e toldEvent) bool { return e.joined && e.key == s.events[i].key })
}

// rootOf is "stream/data" or "stream/keepalive".
func rootOf(key string) string { return strings.Join(strings.SplitN(key, "/", 3)[:2], "/") }

// onlyOne reports whether nothing else stands under the root of a key.
func onlyOne(s told, key string) bool {
	return !slices.ContainsFunc(s.events, func(e toldEvent) bool {
		return e.key != "" && e.key != key && e.key != "error" && rootOf(e.key) == rootOf(key)
	})
}

// twice is what an event shows that comes again at once; false where the keys of others would move.
func (m *maker) twice(s told, i int) (want []Sight, ok bool) {
	e := s.events[i]
	switch {
	case e.key == "" || e.isDelta:
		return nil, true
	case e.key == "error" && !e.hasData:
		return nil, false
	case e.key == "error":
		key := "stream/data/" + escaped(e.label)
		if onlyOne(s, key) {
			key = "stream/data"
		} else if hasKey(s, key) {
			return nil, false
		}
		return []Sight{{key, evidence.Invented}}, true
	}
	base, _ := splitNumber(e.key)
	n := 1
	for hasKey(s, numberedKey(base, n)) {
		n++
	}
	return []Sight{{numberedKey(base, n), evidence.Invented}}, e.key == numberedKey(base, n-1)
}

func hasKey(s told, key string) bool {
	return slices.ContainsFunc(s.events, func(e toldEvent) bool { return e.key == key })
}

// eventLine loses, alters or invents the name of an event, under which its data stands.
func (m *maker) eventLine(body string, s told, i int) {
	e := s.events[i]
	rename := func(kind *Fault, name string) {
		was := body[e.from:e.to]
		is := renamed(was, name)
		var want []Sight
		to := label(name, e.word)
		if e.key != "" && e.key != "error" {
			root := rootOf(e.key) + "/"
			key := root + escaped(to)
			if strings.Contains(e.key, "#") || shared(s, i) || e.joined || hasKey(s, root+escaped(e.label)+"#2") || hasKey(s, key) {
				return
			}
			want = []Sight{{e.key, evidence.Lost}, {key, evidence.Invented}}
		}
		m.eventEdit(kind, "name of event "+e.label, body[:e.from]+is+body[e.to:], s, want, func(after told) bool {
			if len(after.events) != len(s.events) || after.events[i].label != to {
				return false
			}
			events := slices.Clone(after.events)
			events[i].label, events[i].key = e.label, e.key
			return sameStructure(s, told{events: events})
		})
	}
	if e.name == "" {
		rename(mutantInvented, "preservecheck")
		return
	}
	rename(mutantLost, "")
	rename(mutantAltered, alteredText(e.name, m.pick))
}

// renamed is an event with another name, or none.
func renamed(block, name string) string {
	var b strings.Builder
	if name != "" && !strings.Contains("\n"+block, "\nevent") {
		b.WriteString("event: " + name + "\n")
	}
	for line := range strings.Lines(block) {
		text := strings.TrimRight(line, "\r\n")
		switch field, _, _ := strings.Cut(text, ":"); {
		case field != "event":
			b.WriteString(line)
		case name != "":
			b.WriteString("event: " + name + line[len(text):])
		}
	}
	return b.String()
}

// eventData makes the mutants of what an event carries; of deltas that share their data all are changed alike.
func (m *maker) eventData(body string, s told, i int) {
	e := &s.events[i]
	doc, isJSON := readDoc(e.data)
	same := func(after told) bool { return sameStructure(s, after) }
	if !isJSON {
		key := e.key
		if key == "error" {
			key = "stream/error"
		}
		altered := rewritten(body, e, alteredText(e.data, m.pick))
		m.eventEdit(mutantAltered, "data of "+e.label, altered, s, []Sight{{key, evidence.Changed}}, same)
		return
	}
	w := walk{
		key: e.keyAt, pick: m.pick, text: e.data,
		emit: func(kind *Fault, place string, edits []edit, want Sight, at []string) {
			want2, ok := m.inEvent(e, kind, want, at)
			if !ok {
				return
			}
			onlyThis := e.isDelta && slices.Equal(at, e.textAt) && kind == mutantAltered
			if changed, ok := editAll(body, s, i, edits, onlyThis); ok {
				holdsText := e.isDelta && len(at) < len(e.textAt) && slices.Equal(at, e.textAt[:len(at)])
				m.eventEdit(kind, "event "+e.label+" "+place, changed, s, want2, func(after told) bool {
					return (!holdsText || kind != mutantDuplicated) && sameStructure(s, after)
				})
			}
		},
	}
	w.value(doc, nil, false)
}

// inEvent is what a change in an event's data shows beside what follows from it; false for a place that is no key, or that
// holds another key.
func (m *maker) inEvent(e *toldEvent, kind *Fault, want Sight, at []string) ([]Sight, bool) {
	switch {
	case numbers(m.s.row.Dialect) && slices.Equal(at, []string{sequenceMember}):
		return nil, false // no evidence: a layer that cuts a text anew also counts anew
	case e.key == "error" && len(at) < len(e.errorAt) && slices.Equal(at, e.errorAt[:len(at)]):
		return sightsOfHolder(kind, want), true
	case !e.isDelta:
	case kind == mutantLost && slices.Equal(at, e.textAt) && e.said() == "":
		return nil, false // a delta of no text is no key
	case slices.Equal(at, e.textAt) && kind == mutantDuplicated && want.Dir == evidence.Invented:
		key := want.Key[:strings.LastIndexByte(want.Key, '#')] // the text proper stands elsewhere, so the second one has its place
		return []Sight{{key, evidence.Invented}}, true
	case slices.Equal(at, e.textAt) && kind != mutantDuplicated:
		return nil, true // the text is a key of its own
	}
	return []Sight{want}, true
}

// sightsOfHolder adds the error that stands in a member to what happens to the member: it is a key of its own.
func sightsOfHolder(kind *Fault, want Sight) []Sight {
	switch kind {
	case mutantLost:
		return []Sight{want, {"error", evidence.Lost}}
	case mutantDuplicated:
		return []Sight{want, {"error#2", evidence.Invented}}
	}
	return []Sight{want}
}

// editAll makes the edits of event i in all events that share its key, or in that one only.
func editAll(body string, s told, i int, edits []edit, onlyThis bool) (string, bool) {
	e := &s.events[i]
	for j := range s.events {
		if s.events[j].key != e.key || onlyThis && j != i {
			continue
		}
		now, ok := cutEvents(body), false
		if body, ok = alike(body, &now[j], e, edits, s.events[j].data); !ok {
			return "", false
		}
	}
	return body, true
}

// alike makes in another event the edits that were made for e: both have the same places, though a text or a number may be longer.
func alike(body string, other, e *toldEvent, edits []edit, data string) (string, bool) {
	from, _ := readDoc(e.data)
	to, ok := readDoc(data)
	places := map[int]int{}
	if !ok || !samePlaces(from, to, places) {
		return "", false
	}
	moved := slices.Clone(edits)
	for i := range moved {
		moved[i].from, moved[i].to = places[moved[i].from], places[moved[i].to]
	}
	return rewritten(body, other, apply(data, moved)), true
}

// keyAt is the key of a place in an event's data.
func (e *toldEvent) keyAt(path []string) string {
	if e.key != "error" {
		return strings.Join(append([]string{e.key}, path...), "/")
	}
	const around = "stream/error"
	switch n := len(e.errorAt); {
	case n == 0: // the data is the error, but for its envelope
		if len(path) == 0 {
			return around
		}
		if name, _ := splitNumber(path[0]); slices.Contains(e.envelope, name) {
			return strings.Join(append([]string{around}, path...), "/")
		}
		return strings.Join(append([]string{"error"}, path...), "/")
	case len(path) >= n && slices.Equal(path[:n-1], e.errorAt[:n-1]):
		if name, number := splitNumber(path[n-1]); name == e.errorAt[n-1] {
			return strings.Join(append([]string{"error" + number}, path[n:]...), "/")
		}
	}
	return strings.Join(append([]string{around}, path...), "/")
}
