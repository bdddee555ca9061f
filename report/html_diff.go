package report

import (
	"slices"
	"unicode"
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

// cells puts fixture, direct and layer beside each other, with the differing characters marked.
func (v *htmlView) cells(f *record.Field) []htmlCell {
	fixture, layer := spread(f.Fixture), spread(f.Layer)
	was, is := v.marked(fixture, layer)
	out := []htmlCell{v.cell("fixture", f.Fixture, was), {Label: "direct", Note: "as in the fixture"}, v.cell("layer", f.Layer, is)}
	switch {
	case f.Direct == nil && f.Fixture == nil:
		out[1].Note = "absent"
	case !sameValue(f.Direct, f.Fixture):
		_, direct := v.marked(fixture, spread(f.Direct))
		out[1] = v.cell("direct", f.Direct, direct)
	}
	return out
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
		return nil, bounded([]htmlSegment{{segCame, join(b)}}, v.room())
	case b == nil:
		return bounded([]htmlSegment{{segGone, join(a)}}, v.room()), nil
	}
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	tail := 0
	for tail < min(len(a), len(b))-same && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	before, after := join(a[:same]), join(a[len(a)-tail:])
	midA, midB := between(a[same:len(a)-tail], b[same:len(b)-tail])
	wrap := func(mid []htmlSegment) []htmlSegment {
		out := append([]htmlSegment{{segSame, before}}, mid...)
		return bounded(append(out, htmlSegment{segSame, after}), v.room())
	}
	return wrap(midA), wrap(midB)
}

// mostPairs bounds the work of one comparison: words of one side times words of the other.
const mostPairs = 60_000

// between marks what differs in two texts whose ends are the same already.
func between(a, b []safe) (was, is []htmlSegment) {
	wa, wb := words(a), words(b)
	if len(wa)*len(wb) > mostPairs {
		return []htmlSegment{{segGone, join(a)}}, []htmlSegment{{segCame, join(b)}}
	}
	for _, s := range align(wa, wb) {
		switch {
		case s.a >= 0 && s.b >= 0:
			was, is = grow(was, segSame, wa[s.a]), grow(is, segSame, wb[s.b])
		case s.a >= 0:
			was = grow(was, segGone, wa[s.a])
		default:
			is = grow(is, segCame, wb[s.b])
		}
	}
	return was, is
}

func grow(segments []htmlSegment, kind int, text safe) []htmlSegment {
	if n := len(segments); n > 0 && segments[n-1].Kind == kind {
		segments[n-1].Text += text
		return segments
	}
	return append(segments, htmlSegment{kind, text})
}

// words joins letters and digits that follow each other; everything else stands alone.
func words(us []safe) (out []safe) {
	inWord := false
	for _, u := range us {
		r, size := utf8.DecodeRuneInString(string(u))
		letter := size == len(u) && (unicode.IsLetter(r) || unicode.IsDigit(r))
		if letter && inWord {
			out[len(out)-1] += u
		} else {
			out = append(out, u)
		}
		inWord = letter
	}
	return out
}

// step is a place in an alignment: -1 where one side has nothing.
type step struct{ a, b int }

// align finds a longest common subsequence. Its callers bound the product of the lengths.
func align[T comparable](a, b []T) (out []step) {
	wide := len(b) + 1
	long := make([]int32, (len(a)+1)*wide)
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				long[i*wide+j] = long[(i+1)*wide+j+1] + 1
			} else {
				long[i*wide+j] = max(long[(i+1)*wide+j], long[i*wide+j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			out = append(out, step{i, j})
			i, j = i+1, j+1
		case long[(i+1)*wide+j] >= long[i*wide+j+1]:
			out = append(out, step{i, -1})
			i++
		default:
			out = append(out, step{-1, j})
			j++
		}
	}
	for ; i < len(a); i++ {
		out = append(out, step{i, -1})
	}
	for ; j < len(b); j++ {
		out = append(out, step{-1, j})
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
