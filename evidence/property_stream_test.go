package evidence

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// happening is an event that can be written in many ways: one with data of its own, or a text that may come in parts.
type happening struct {
	name string
	data *tree
	text string // of a delta
}

// happenings are events of a stream without its error and its end.
var happenings = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) happening {
	if rapid.Bool().Draw(t, "is a delta") {
		return happening{name: "delta", text: rapid.StringOfN(rapid.RuneFrom([]rune("a é中😀\n\"")), 1, 8, -1).Draw(t, "text")}
	}
	h := happening{name: rapid.SampledFrom([]string{"", "start", "stop", "a b", "é"}).Draw(t, "event"), data: objects(2).Draw(t, "data")}
	kept := h.data.kids[:0]
	for _, k := range h.data.kids {
		switch string(k.name) {
		case "type", "stop", "seq": // these have a meaning in the layout of these tests
		default:
			kept = append(kept, k)
		}
	}
	h.data.kids = kept
	return h
}), 1, 5)

// written writes events as any honest layer may: with other line ends, comments and keepalives in between, the event's name
// before or after the data, data over several lines, and texts in other parts.
func written(t *rapid.T, all []happening) []byte {
	end := rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(t, "line end")
	var b bytes.Buffer
	if rapid.Bool().Draw(t, "byte order mark") {
		b.WriteString("\ufeff")
	}
	for _, h := range all {
		if h.data != nil {
			block(t, &b, h.name, h.data.write(t, nil), end)
			continue
		}
		for _, part := range parts(t, h.text) {
			text := &tree{kind: String, units: []rune(part)}
			data := append(append([]byte(`{"type":"delta","choices":[{"i":0,"text":`), text.write(t, nil)...), `}]}`...)
			block(t, &b, h.name, data, end)
		}
	}
	return b.Bytes()
}

// parts cuts a text between characters.
func parts(t *rapid.T, s string) (out []string) {
	rs := []rune(s)
	for len(rs) > 0 {
		n := rapid.IntRange(1, len(rs)).Draw(t, "part")
		out, rs = append(out, string(rs[:n])), rs[n:]
	}
	return out
}

func block(t *rapid.T, b *bytes.Buffer, name string, data []byte, end string) {
	colon := func() string { return rapid.SampledFrom([]string{":", ": "}).Draw(t, "colon") }
	var lines []string
	for line := range strings.SplitSeq(string(data), "\n") { // line feeds stand between the tokens only
		sep := colon()
		if strings.HasPrefix(line, " ") {
			sep = ": " // one space is taken off
		}
		lines = append(lines, "data"+sep+line)
	}
	if name != "" {
		at := rapid.SampledFrom([]int{0, len(lines)}).Draw(t, "place of the name")
		lines = append(lines[:at:at], append([]string{"event" + colon() + name}, lines[at:]...)...)
	}
	for _, extra := range []string{": comment", "retry: 3000", "id: 7", "unknown: field"} {
		if rapid.IntRange(0, 3).Draw(t, "extra") == 0 {
			lines = append(lines, extra)
		}
	}
	if rapid.IntRange(0, 3).Draw(t, "keepalive") == 0 {
		b.WriteString(": keepalive" + end + end)
	}
	b.WriteString(strings.Join(lines, end) + end + end)
}

// TestAnyHonestStreamIsTheSame: no key differs, however events are written, framed and cut.
func TestAnyHonestStreamIsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all, header := happenings.Draw(t, "events"), headers.Draw(t, "headers")
		one := message{"text/event-stream", header, written(t, all)}.read(t)
		two := message{"text/event-stream", header, written(t, all)}.read(t)
		if d := Diff(one, two); len(d) > 0 {
			t.Fatalf("%+v", d)
		}
	})
}

// TestAnyLeafOfAStreamIsSeen: one changed leaf of an event is one difference, and so is one changed text.
func TestAnyLeafOfAStreamIsSeen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := happenings.Draw(t, "events")
		before := message{"text/event-stream", nil, written(t, all)}.read(t)
		h := &all[rapid.IntRange(0, len(all)-1).Draw(t, "which")]
		under := "stream/data/"
		if h.data == nil {
			h.text += "x"
			under = "stream/text"
		} else {
			places := h.data.leaves("", "")
			if len(places) == 0 {
				t.Skip("nothing to change")
			}
			rapid.SampledFrom(places).Draw(t, "place").node.edit(t)
		}
		d := Diff(before, message{"text/event-stream", nil, written(t, all)}.read(t))
		if len(d) != 1 || d[0].Dir != Changed || !strings.HasPrefix(d[0].Key, under) {
			t.Fatalf("want one change under %s, have %+v", under, d)
		}
	})
}
