package report

import (
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/preservecheck/preservecheck/record"
)

// shown is a value as it stands in a report: its characters, and what is said behind it.
type shown struct {
	units []safe
	after safe
}

func absent() shown { return shown{units: []safe{"absent"}} }

// valueOf makes a value visible. Text is quoted, so that "429" and 429, or nothing and "", differ on the page, too.
func valueOf(v *record.Value) shown {
	if v == nil {
		return absent()
	}
	var s shown
	switch {
	case v.Kind == "text" || v.Kind == "string":
		s.units = quoted(v.Text)
	case v.Kind == "bytes":
		s.units = bytesShown(v.Text)
	case v.Text == "":
		s.units = append(append([]safe{"("}, units(v.Kind)...), ")")
	default:
		s.units = units(v.Text)
	}
	if v.Cut > 0 {
		s.after = " (+" + count(v.Cut, "byte") + " not kept)"
	}
	return s
}

// bytesShown makes bytes visible that are not UTF-8. A page in another encoding can still be read, with an escape for each
// byte that is no character; of anything else, escapes alone would be longer than base64 and say no more. A value that was
// cut when it was recorded may end within four digits.
func bytesShown(text string) []safe {
	raw, err := base64.StdEncoding.DecodeString(text[:len(text)/4*4])
	plain := 0
	for _, c := range raw {
		if c == '\n' || c == '\r' || c == '\t' || c >= ' ' && c <= '~' {
			plain++
		}
	}
	if err != nil || plain*4 < len(raw)*3 {
		return append(units(text), " (base64)")
	}
	return append(quoted(string(raw)), " (not UTF-8)")
}

func sameValue(a, b *record.Value) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// cut shortens a value in the middle and says how many characters are left out there.
func cut(us []safe, room int) safe {
	if fits(us, room) {
		return join(us)
	}
	mark := markFor(room, len(us))
	room -= width(mark(len(us)))
	head, used := 0, 0
	for head < len(us) && used+width(us[head]) <= room*3/5 {
		used += width(us[head])
		head++
	}
	tail := len(us)
	for tail > head && used+width(us[tail-1]) <= room {
		used += width(us[tail-1])
		tail--
	}
	return join(us[:head]) + mark(tail-head) + join(us[tail:])
}

func left(n int) safe { return "…(" + num(n) + " left out)…" }

// markFor returns the mark for what is left out; a count needs room beside something to read.
func markFor(room, n int) func(int) safe {
	if room < 2*width(left(n)) {
		return func(int) safe { return "…" }
	}
	return left
}

// headOf is the number of columns that cut shows at least of the beginning.
func headOf(room, n int) int { return (room - width(markFor(room, n)(n))) * 3 / 5 }

// cutPair shortens two values so that the place where they part stays in view.
func cutPair(a, b shown, room int) (safe, safe) {
	roomA, roomB := room-width(a.after), room-width(b.after)
	if fits(a.units, roomA) && fits(b.units, roomB) {
		return join(a.units) + a.after, join(b.units) + b.after
	}
	n, same := max(len(a.units), len(b.units)), 0
	for same < min(len(a.units), len(b.units)) && a.units[same] == b.units[same] {
		same++
	}
	from, lead := 0, safe("")
	if least := min(roomA, roomB); width(join(a.units[:same]))+widest > headOf(least, n) {
		context := headOf(least-width(left(n)), n) - widest
		for from = same; from > 0 && width(a.units[from-1]) <= min(context, 12); from-- {
			context -= width(a.units[from-1])
		}
		lead = left(from)
	}
	short := func(s shown, room int) safe { return lead + cut(s.units[from:], room-width(lead)) + s.after }
	return short(a, roomA), short(b, roomB)
}

// widest is the number of columns of the longest escape, \U000e0041.
const widest = 10

func fits(us []safe, room int) bool {
	n := 0
	for _, u := range us {
		if n += width(u); n > room {
			return false
		}
	}
	return true
}

// folded is a whole value over several lines, for those who asked for all of it. Lines end behind a space where there
// is one near the end.
func folded(s shown, room int) []safe {
	var lines []safe
	rest := join(s.units) + s.after
	for width(rest) > room {
		head, _ := split(rest, room)
		if at := strings.LastIndexByte(string(head), ' '); at > len(head)*2/3 {
			head = head[:at+1]
		}
		lines, rest = append(lines, head), rest[len(head):]
	}
	return append(lines, rest)
}

// brief is a text of any length as a part of a sentence.
func brief(s string, room int) safe { return cut(units(s), room) }

func decimal(f float64) safe { return safe(strconv.FormatFloat(f, 'f', 1, 64)) }
