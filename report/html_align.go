package report

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// mostPairs bounds the work of one comparison: words of one side times words of the other. mostUnits are the characters
// of both from which on words are not even looked for.
const (
	mostPairs = 60_000
	mostUnits = 8_000
)

// between marks what differs in two texts whose ends are the same already: line by line where a value has lines, then
// word by word.
func between(a, b []safe) (was, is []htmlSegment) {
	if len(a)+len(b) > mostUnits {
		return grow(nil, segGone, join(a)), grow(nil, segCame, join(b))
	}
	la, inA := lines(a)
	lb, inB := lines(b)
	if len(la)*len(lb) <= 1 || len(la)*len(lb) > mostPairs {
		return byWords(a, b)
	}
	var restA, restB []safe
	flush := func() {
		x, y := byWords(restA, restB)
		for _, s := range x {
			was = grow(was, s.Kind, s.Text)
		}
		for _, s := range y {
			is = grow(is, s.Kind, s.Text)
		}
		restA, restB = nil, nil
	}
	for _, s := range align(la, lb, func(l safe) int { return len(l) }) {
		switch {
		case s.a >= 0 && s.b >= 0:
			flush()
			was, is = grow(was, segSame, la[s.a]), grow(is, segSame, lb[s.b])
		case s.a >= 0:
			restA = append(restA, inA[s.a]...)
		default:
			restB = append(restB, inB[s.b]...)
		}
	}
	flush()
	return was, is
}

// byWords marks what differs in two texts, word by word. A sign that is the same between two words that are not is no
// help to a reader and is marked with them.
func byWords(a, b []safe) (was, is []htmlSegment) {
	wa, wb := words(a), words(b)
	switch {
	case len(wa) == 0 && len(wb) == 0:
		return nil, nil
	case len(wa) == 0:
		return nil, []htmlSegment{{segCame, join(b)}}
	case len(wb) == 0:
		return []htmlSegment{{segGone, join(a)}}, nil
	case len(wa)*len(wb) > mostPairs:
		return []htmlSegment{{segGone, join(a)}}, []htmlSegment{{segCame, join(b)}}
	}
	for _, s := range align(wa, wb, func(w safe) int {
		if isWord(w) {
			return 4 * len(w)
		}
		return 1
	}) {
		switch {
		case s.a >= 0 && s.b >= 0:
			was, is = grow(was, segSame, wa[s.a]), grow(is, segSame, wb[s.b])
		case s.a >= 0:
			was = grow(was, segGone, wa[s.a])
		default:
			is = grow(is, segCame, wb[s.b])
		}
	}
	return calm(was), calm(is)
}

// calm gives the mark to one or two signs that stand between marked pieces.
func calm(segments []htmlSegment) (out []htmlSegment) {
	for i, s := range segments {
		if s.Kind == segSame && i > 0 && i < len(segments)-1 && len(s.Text) <= 2 && !strings.ContainsFunc(string(s.Text), letter) {
			s.Kind = segments[i-1].Kind
		}
		out = grow(out, s.Kind, s.Text)
	}
	return out
}

// lines cuts a value in front of every line of ours but the first, and gives each as a text and as its characters.
func lines(us []safe) (texts []safe, parts [][]safe) {
	from := 0
	for i := 1; i <= len(us); i++ {
		if i == len(us) || us[i] == "\n" {
			texts, parts = append(texts, join(us[from:i])), append(parts, us[from:i])
			from = i
		}
	}
	return texts, parts
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
		now := isWord(u)
		if now && inWord {
			out[len(out)-1] += u
		} else {
			out = append(out, u)
		}
		inWord = now
	}
	return out
}

// isWord reports whether a piece is of letters and digits; an escape, such as \x1b, is not.
func isWord(u safe) bool {
	r, _ := utf8.DecodeRuneInString(string(u))
	return letter(r)
}

func letter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// step is a place in an alignment: -1 where one side has nothing.
type step struct{ a, b int }

// align finds the common subsequence that weighs most. Its callers bound the product of the lengths.
func align[T comparable](a, b []T, weight func(T) int) (out []step) {
	wide := len(b) + 1
	long := make([]int32, (len(a)+1)*wide)
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			long[i*wide+j] = max(long[(i+1)*wide+j], long[i*wide+j+1])
			if a[i] == b[j] {
				long[i*wide+j] = max(long[i*wide+j], long[(i+1)*wide+j+1]+int32(weight(a[i])))
			}
		}
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j] && long[i*wide+j] == long[(i+1)*wide+j+1]+int32(weight(a[i])):
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
