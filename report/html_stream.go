package report

import (
	"encoding/json"
	"strings"

	"github.com/preservecheck/preservecheck/record"
)

// htmlStream is the order of a stream's events, as served and as they came.
type htmlStream struct {
	Name  safe
	Wide  bool // it may need to be scrolled, so the keyboard has to reach it
	Lines []htmlEvent
	Note  safe
}

type htmlEvent struct {
	State         safe // same, lost, invented, changed
	Expected, Got safe
	Remark        safe
}

// mostEvents bounds a stream that is shown, and the work of bringing two in line.
const mostEvents = 200

// stream brings the events of fixture and layer in line, nil where neither is a stream. How many deltas carried a text
// is no difference, so the record has the names of a run of them once.
func (v *htmlView) stream(r *record.Row) *htmlStream {
	var events *record.Field
	for i := range r.Fields {
		if r.Fields[i].Key == "stream/events" {
			events = &r.Fields[i]
		}
	}
	if events == nil {
		return nil
	}
	expected, ok := eventNames(events.Fixture)
	got, okGot := eventNames(events.Layer)
	if !ok || !okGot {
		return nil // shown as it is, beside the other keys
	}
	out := &htmlStream{Name: brief(r.Row, 60) + behind(rowHow(r))}
	if len(expected) > mostEvents || len(got) > mostEvents {
		out.Note = "only the first " + num(mostEvents) + " events are shown"
		expected, got = expected[:min(len(expected), mostEvents)], got[:min(len(got), mostEvents)]
	}
	for _, s := range align(expected, got, func(string) int { return 1 }) {
		e := htmlEvent{State: "same"}
		if s.a >= 0 {
			e.Expected = brief(expected[s.a], 60)
		}
		if s.b >= 0 {
			e.Got = brief(got[s.b], 60)
		}
		switch {
		case s.b < 0:
			e.State, e.Remark = "lost", "lost"
		case s.a < 0:
			e.State, e.Remark = "invented", "invented"
		default:
			if n := dataDiffers(r, expected[s.a]); n > 0 {
				e.State, e.Remark = "changed", count(n, "difference")+" in its data, above"
			}
		}
		out.Wide = out.Wide || len(e.Expected)+len(e.Got)+len(e.Remark) > 40
		out.Lines = append(out.Lines, e)
	}
	return out
}

// dataDiffers counts the differences in the data of an event.
func dataDiffers(r *record.Row, event string) (n int) {
	for i := range r.Fields {
		f := &r.Fields[i]
		name, data := strings.CutPrefix(f.Key, "stream/data/")
		name, _, _ = strings.Cut(name, "/")
		if data && f.Dir != "" && name == event {
			n++
		}
	}
	return n
}

// eventNames reads the list that the record has; an absent one is empty.
func eventNames(x *record.Value) (names []string, ok bool) {
	if x == nil {
		return nil, true
	}
	return names, x.Cut == 0 && json.Unmarshal([]byte(x.Text), &names) == nil
}
