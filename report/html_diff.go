package report

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/preservecheck/preservecheck/record"
)

// htmlCell is the value of one side. Note stands where there is nothing to show: "absent", "as in the fixture".
type htmlCell struct {
	Label    safe
	Note     safe
	Segments []htmlSegment
}

// htmlSegment is a piece of a value: the same on both sides, only in the fixture, only in what came, or said by us.
type htmlSegment struct {
	Kind int
	Text safe
}

const (
	segSame = iota
	segGone
	segCame
	segAside
)

// Of one page and of one value on it, in characters. A value that was cut shows what differs and some of what stands around it.
const (
	maxPage    = 6 << 20
	wholeValue = 4000
	shortValue = 160
	around     = 160
)

// room is how many characters a value may take. It falls when the page has grown long.
func (v *htmlView) room() int {
	if v.spent > maxPage {
		return shortValue
	}
	return wholeValue
}

// cells puts fixture, direct and layer beside each other, with the differing characters marked. The direct answer is
// nearly always the fixture; then it is said once.
func (v *htmlView) cells(f *record.Field) []htmlCell {
	fixture, layer := spread(f.Fixture), spread(f.Layer)
	was, is := v.marked(fixture, layer)
	if sameValue(f.Direct, f.Fixture) {
		return []htmlCell{v.cell("fixture, and direct the same", f.Fixture, was), v.cell("layer", f.Layer, is)}
	}
	_, direct := v.marked(fixture, spread(f.Direct))
	return []htmlCell{v.cell("fixture", f.Fixture, was), v.cell("direct", f.Direct, direct), v.cell("layer", f.Layer, is)}
}

func (v *htmlView) cell(label safe, value *record.Value, segments []htmlSegment) htmlCell {
	if value == nil {
		return htmlCell{Label: label, Note: "absent"}
	}
	for _, s := range segments {
		v.spent += len(s.Text)
	}
	if value.Cut > 0 {
		segments = append(segments, htmlSegment{segAside, " (+" + count(value.Cut, "byte") + " not kept)"})
	}
	return htmlCell{Label: label, Segments: segments}
}

// spread gives a value's characters; an object or a list that is too long for a line gets one for each member.
func spread(x *record.Value) []safe {
	if x == nil {
		return nil
	}
	us := valueOf(x).units
	if (x.Kind == "object" || x.Kind == "array") && len(us) > 60 {
		return indented(us)
	}
	return us
}

// indented breaks JSON text into lines. It only adds white space outside of strings, and stands text that is no JSON.
func indented(us []safe) []safe {
	const deepest = 12
	out := make([]safe, 0, len(us)+len(us)/4)
	depth, inString, escape := 0, false, false
	line := func() {
		out = append(out, "\n")
		for range min(max(depth, 0), deepest) {
			out = append(out, "  ")
		}
	}
	for i := 0; i < len(us); i++ {
		u := us[i]
		empty := i+1 < len(us) && (u == "{" && us[i+1] == "}" || u == "[" && us[i+1] == "]")
		switch {
		case inString:
			out = append(out, u)
			inString, escape = escape || u != `"`, u == `\` && !escape
		case empty:
			out = append(out, u, us[i+1])
			i++
		case u == "{" || u == "[":
			depth++
			out = append(out, u)
			line()
		case u == "}" || u == "]":
			depth--
			line()
			out = append(out, u)
		case u == ",":
			out = append(out, u)
			line()
			if i+1 < len(us) && us[i+1] == " " {
				i++
			}
		default:
			inString = u == `"`
			out = append(out, u)
		}
	}
	return out
}

// marked compares two values, character by character from both ends and word by word between.
func (v *htmlView) marked(a, b []safe) (was, is []htmlSegment) {
	switch {
	case a == nil:
		return nil, unbroken(bounded([]htmlSegment{{segCame, join(b)}}, v.room()))
	case b == nil:
		return unbroken(bounded([]htmlSegment{{segGone, join(a)}}, v.room())), nil
	}
	broken := slices.Contains(a, "\n") && slices.Contains(b, "\n")
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	for same > 0 && broken && (same == len(a) || a[same] != "\n") {
		same-- // lines are compared as lines
	}
	tail := 0
	for tail < min(len(a), len(b))-same && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	for tail > 0 && broken && a[len(a)-tail] != "\n" {
		tail--
	}
	before, after := join(a[:same]), join(a[len(a)-tail:])
	midA, midB := between(a[same:len(a)-tail], b[same:len(b)-tail])
	wrap := func(mid []htmlSegment) []htmlSegment {
		out := append([]htmlSegment{{segSame, before}}, mid...)
		return unbroken(bounded(append(out, htmlSegment{segSame, after}), v.room()))
	}
	return wrap(midA), wrap(midB)
}

// unbroken takes the mark from the white space that lines of ours begin with.
func unbroken(segments []htmlSegment) (out []htmlSegment) {
	for _, s := range segments {
		if s.Kind == segSame || s.Kind == segAside {
			out = append(out, s)
			continue
		}
		for i, line := range strings.Split(string(s.Text), "\n") {
			text := strings.TrimLeft(line, " ")
			if i > 0 {
				out = append(out, htmlSegment{segSame, safe("\n" + line[:len(line)-len(text)])})
			} else {
				text = line
			}
			if text != "" {
				out = append(out, htmlSegment{s.Kind, safe(text)})
			}
		}
	}
	return out
}

// bounded shortens what is the same first, around what differs, then what differs.
func bounded(segments []htmlSegment, room int) (out []htmlSegment) {
	total := 0
	for _, s := range segments {
		total += len(s.Text)
	}
	segments = slices.DeleteFunc(segments, func(s htmlSegment) bool { return s.Text == "" })
	if total <= room {
		return segments
	}
	for i, s := range segments {
		if room <= 0 {
			left := 0
			for _, s := range segments[i:] {
				left += utf8.RuneCountInString(string(s.Text))
			}
			return append(out, htmlSegment{segAside, "…(" + num(left) + " left out)…"})
		}
		keep := room
		if s.Kind == segSame {
			keep = min(room, 2*around)
		}
		room -= min(len(s.Text), keep)
		out = append(out, shortened(s, keep, i == 0, i == len(segments)-1)...)
	}
	return out
}

// shortened cuts one piece: its end is kept where something differs behind it, its beginning where something differs
// before it.
func shortened(s htmlSegment, keep int, first, last bool) []htmlSegment {
	rs := []rune(string(s.Text))
	if len(s.Text) <= keep || len(rs) <= keep {
		return []htmlSegment{s}
	}
	piece := func(part []rune) htmlSegment { return htmlSegment{s.Kind, safe(part)} }
	out := htmlSegment{segAside, "…(" + num(len(rs)-keep) + " left out)…"}
	switch {
	case s.Kind == segSame && first && !last:
		return []htmlSegment{out, piece(rs[len(rs)-keep:])}
	case last && !first || s.Kind != segSame:
		return []htmlSegment{piece(rs[:keep]), out}
	}
	return []htmlSegment{piece(rs[:keep/2]), out, piece(rs[len(rs)-(keep-keep/2):])}
}
