package main

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// redactor finds secrets in text that was cut and rewritten before it got here. It knows every window of minSecret
// bytes of every form of a secret; a run of windows that follow each other in a text is replaced as a whole, so what
// is found goes as far as it can. Letters have no case, and escapes are undone first, level by level.
//
// Windows that are also in texts of our own (see publicTexts) are not enough: a key "preservecheck-7hG2" must not
// take the word preservecheck out of every report. They only extend a run that has another window in it.
//
// A match by chance does no harm: comparison is on raw values, so it only hides a piece of what is shown.
type redactor struct {
	values  []string // the shortest first
	marks   []string // what is written instead of each
	windows map[uint64]window
	filter  []uint64 // bits for the windows' hashes: nearly every place of a text is told from them alone
	shift   uint
}

// window is who has it: one or more secrets, by number, and perhaps our own texts.
type window struct {
	secrets []int
	public  bool
}

// redactor returns the function that replaces every form of every secret, nil when there is none, and the names of
// those of which nothing is left to look for, because our own texts hold all of it.
func (s *secrets) redactor(public []string) (redact func(string) string, known []string) {
	if len(s.names) == 0 {
		return nil, nil
	}
	r := &redactor{windows: map[uint64]window{}}
	for value := range s.names {
		r.values = append(r.values, value)
	}
	slices.SortFunc(r.values, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
	for i, value := range r.values {
		r.marks = append(r.marks, "[secret "+s.names[value]+"]")
		for _, f := range forms(value) {
			r.learn(f, i)
		}
	}
	r.index()
	for _, text := range append(slices.Clone(public), s.words...) {
		r.publish(text)
	}
	for _, value := range r.values {
		if name := s.names[value]; r.isPublic(value) && !slices.Contains(known, name) {
			known = append(known, name)
		}
	}
	return r.redact, known
}

// folded is each byte as it is compared: letters in lower case, and one sign for those that stand for each other
// (white space and the plus of forms; the underscore that header names lose on their way).
var folded = func() (t [256]byte) {
	for i := range t {
		t[i] = byte(i)
		if i >= 'A' && i <= 'Z' {
			t[i] |= 0x20
		}
	}
	for _, c := range "+\t\r\n" {
		t[c] = ' '
	}
	t['_'] = '-'
	return t
}()

// learn notes the windows of one form of a secret.
func (r *redactor) learn(form string, secret int) {
	var w uint64
	for i := range len(form) {
		if w = w<<8 | uint64(folded[form[i]]); i < minSecret-1 {
			continue
		}
		if has := r.windows[w]; !slices.Contains(has.secrets, secret) {
			has.secrets = append(has.secrets, secret)
			r.windows[w] = has
		}
	}
}

// index builds the filter, with 16 bits or more for each window.
func (r *redactor) index() {
	size := max(12, bits.Len(uint(16*len(r.windows))))
	r.filter, r.shift = make([]uint64, 1<<(size-6)), uint(64-size)
	for w := range r.windows {
		h := r.hash(w)
		r.filter[h>>6] |= 1 << (h & 63)
	}
}

// hash multiplies by 2^64 divided by the golden ratio, which spreads what differs in any byte over the upper bits.
func (r *redactor) hash(w uint64) uint64 { return w * 0x9e3779b97f4a7c15 >> r.shift }

// each calls f for every window of a text that a secret has: where it begins, and what it is.
func each[T string | []byte](r *redactor, text T, f func(i int, key uint64, w window)) {
	var w uint64
	for i := range len(text) {
		w = w<<8 | uint64(folded[text[i]])
		h := r.hash(w)
		if r.filter[h>>6]&(1<<(h&63)) == 0 || i < minSecret-1 {
			continue
		}
		if has, ok := r.windows[w]; ok {
			f(i-minSecret+1, w, has)
		}
	}
}

// publish marks the windows of a text of ours.
func (r *redactor) publish(text string) {
	mark := func(_ int, key uint64, w window) {
		w.public = true
		r.windows[key] = w
	}
	each(r, text, mark)
	levels(text, func(v *view) { each(r, v.text, mark) })
}

// isPublic reports whether our own texts hold all windows of a value.
func (r *redactor) isPublic(value string) bool {
	public := true
	each(r, value, func(_ int, _ uint64, w window) { public = public && w.public })
	return public
}

// found is a part of a text that is to be replaced.
type found struct{ from, to, secret int }

// whole takes in the rest of the characters at both ends, so that no half of one is left.
func (f found) whole(text string) found {
	for n := 1; n < utf8.UTFMax && f.from > 0 && !utf8.RuneStart(text[f.from]); n++ {
		f.from--
	}
	for n := 1; n < utf8.UTFMax && f.to < len(text) && !utf8.RuneStart(text[f.to]); n++ {
		f.to++
	}
	return f
}

// redact replaces what it finds.
func (r *redactor) redact(text string) string {
	if len(text) < minSecret {
		return text
	}
	var all []found
	runs(r, text, func(f found) { all = append(all, f.whole(text)) })
	levels(text, func(v *view) {
		runs(r, v.text, func(f found) {
			f.from, f.to = v.span(f.from, f.to)
			all = append(all, f.whole(text))
		})
	})
	if len(all) == 0 {
		return text
	}
	return r.replace(text, all)
}

// replace writes the marks. Parts that overlap were found in different views; the longer one gives its name.
func (r *redactor) replace(text string, all []found) string {
	slices.SortFunc(all, func(a, b found) int { return cmp.Or(a.from-b.from, b.to-a.to) })
	var b strings.Builder
	done := 0
	for i := 0; i < len(all); {
		f := all[i]
		long := f.to - f.from
		for i++; i < len(all) && all[i].from < f.to; i++ {
			if n := all[i].to - all[i].from; n > long {
				f.secret, long = all[i].secret, n
			}
			f.to = max(f.to, all[i].to)
		}
		b.WriteString(text[done:f.from])
		b.WriteString(r.marks[f.secret])
		done = f.to
	}
	b.WriteString(text[done:])
	return b.String()
}

// runs calls f for each run of windows in which one is not public.
func runs[T string | []byte](r *redactor, text T, f func(found)) {
	var counts []int // windows of the run by secret
	first, last, secret := -1, -2, false
	end := func() {
		if secret {
			f(found{first, last + minSecret, most(counts)})
		}
		clear(counts)
		secret = false
	}
	each(r, text, func(i int, _ uint64, w window) {
		if counts == nil {
			counts = make([]int, len(r.values))
		}
		if i != last+1 {
			end()
			first = i
		}
		last, secret = i, secret || !w.public
		for _, s := range w.secrets {
			counts[s]++
		}
	})
	end()
}

// most is the number of the largest count. The first of several is the shortest secret, which is all there.
func most(counts []int) int { return slices.Index(counts, slices.Max(counts)) }

// views are reused: a record has thousands of strings.
var views = sync.Pool{New: func() any { return new([2]view) }}

// A text is viewed in blocks, so that one of many megabytes needs no views of that size. Each block takes up the end
// of the one before: more than a window with all its escapes.
const (
	viewBlock   = 16 << 10
	viewOverlap = 256
)

// levels calls f with the text's views, one more level of escapes undone in each, until there are none: escapes of all
// kinds, and then of each kind alone, since a secret may have signs in it that look like an escape of another kind.
func levels(text string, f func(*view)) {
	if !strings.ContainsAny(text, escapeSigns) {
		return
	}
	v := views.Get().(*[2]view)
	defer views.Put(v)
	for at := 0; ; at += viewBlock {
		end := min(len(text), at+viewBlock+viewOverlap)
		block, kinds := text[at:end], 0
		for k := range escapeSigns {
			if strings.IndexByte(block, escapeSigns[k]) >= 0 {
				kinds++
			}
		}
		blockLevels(v, block, at, escapeSigns, f)
		for k := 0; kinds > 1 && k < len(escapeSigns); k++ {
			blockLevels(v, block, at, escapeSigns[k:k+1], f)
		}
		if end == len(text) {
			return
		}
	}
}

func blockLevels(v *[2]view, block string, at int, signs string, f func(*view)) {
	if !strings.ContainsAny(block, signs) {
		return
	}
	v[0].set(block, at)
	for n := range maxLevels {
		if !v[(n+1)&1].undo(&v[n&1], signs) {
			return
		}
		f(&v[(n+1)&1])
	}
}
