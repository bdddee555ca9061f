package wire

import (
	"bytes"
	"strings"
)

// MaxEvents is how many events of a stream are kept.
const MaxEvents = 10_000

// Event is one server-sent event. Comments and retry fields are none.
type Event struct {
	Name     string // the last event field, "" for none (a browser then says "message")
	Data     string // the data fields, joined by line feeds
	ID       string // the id field of this event, "" for none
	NoData   bool   // no data field at all: browsers drop such an event, the SDKs' readers don't
	Complete bool   // a blank line followed
	Rest     int    // on the last event kept of a stream of more than MaxEvents: how many more there were
}

// Events splits a body into events after the parsing rules of the WHATWG HTML standard (section 9.2.6 "Interpreting
// an event stream", read 2026-11-30), and reports whether it began with a byte order mark. It differs in two ways,
// because it shows what a layer sent rather than what a browser would do: an event without its blank line at the end
// is kept, marked, and so is one that has a name only.
func Events(b []byte) (ev []Event, bom bool) {
	s := string(b) // names and data of one line are cut from this one copy
	s, bom = strings.CutPrefix(s, "\ufeff")
	if s == "" {
		return nil, bom
	}
	p := eventParser{events: make([]Event, 0, min(estimate(b), MaxEvents))}
	withCR := strings.IndexByte(s, '\r') >= 0
	for s != "" {
		var line string
		line, s = cutEventLine(s, withCR)
		if line == "" {
			p.dispatch(true)
			continue
		}
		p.line(line)
	}
	p.dispatch(false)
	if p.dropped > 0 {
		p.events[len(p.events)-1].Rest = p.dropped
	}
	return p.events, bom
}

// estimate guesses the number of events from the blank lines.
func estimate(b []byte) int {
	return bytes.Count(b, []byte("\n\n")) + bytes.Count(b, []byte("\n\r\n")) + 1
}

// cutEventLine takes off a line that LF, CR or CRLF ends, or the end of the body. Looking for both ends at once is
// slower, but looking for LF alone would be quadratic where there is none.
func cutEventLine(s string, withCR bool) (line, rest string) {
	if !withCR {
		line, rest, _ = strings.Cut(s, "\n")
		return line, rest
	}
	i := strings.IndexAny(s, "\r\n")
	if i < 0 {
		return s, ""
	}
	rest = s[i+1:]
	if s[i] == '\r' {
		rest = strings.TrimPrefix(rest, "\n")
	}
	return s[:i], rest
}

// eventParser holds the event that is being read.
type eventParser struct {
	events  []Event
	dropped int
	cur     Event
	some    bool   // an event or data field was seen
	data    bool   // a data field was seen
	joined  []byte // the data, once it has more than one line
}

func (p *eventParser) line(line string) {
	name, value, _ := strings.Cut(line, ":")
	value = strings.TrimPrefix(value, " ")
	switch name {
	case "event":
		p.cur.Name, p.some = value, true
	case "data":
		p.addData(value)
	case "id":
		if strings.IndexByte(value, 0) < 0 {
			p.cur.ID = value
		}
	}
}

// addData joins the lines of one event in a buffer, so that the cost stays linear.
func (p *eventParser) addData(value string) {
	switch {
	case !p.data:
		p.cur.Data = value
	case len(p.joined) == 0:
		p.joined = append(append(append(p.joined, p.cur.Data...), '\n'), value...)
	default:
		p.joined = append(append(p.joined, '\n'), value...)
	}
	p.data, p.some = true, true
}

// dispatch ends the current event. A block of comments, ids and retries only is none.
func (p *eventParser) dispatch(complete bool) {
	switch {
	case !p.some:
	case len(p.events) >= MaxEvents:
		p.dropped++
	default:
		if len(p.joined) > 0 {
			p.cur.Data = string(p.joined)
		}
		p.cur.NoData, p.cur.Complete = !p.data, complete
		p.events = append(p.events, p.cur)
	}
	p.cur, p.some, p.data, p.joined = Event{}, false, false, p.joined[:0]
}
