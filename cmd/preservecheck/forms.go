package main

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
)

// forms lists how a value may appear in text once that text's escapes are undone (see view): as it is, changed by
// those who handle text (letters in one case, white space collapsed, bytes that are no UTF-8 replaced or read as
// Latin-1, quoted for a shell), and each of these in base64 and in hexadecimal digits.
func forms(value string) []string {
	plain := []string{
		value, strings.ToLower(value), strings.ToUpper(value), strings.Join(strings.Fields(value), " "),
		strings.ToValidUTF8(value, "\uFFFD"), strings.ToValidUTF8(value, "?"), latin1(value), replacedEach(value),
		strings.ReplaceAll(value, "'", `'\''`),
	}
	slices.Sort(plain)
	plain = slices.Compact(plain)
	all := slices.Clone(plain)
	for _, p := range plain {
		all = append(append(all, base64Forms(p)...), hex.EncodeToString([]byte(p)))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// latin1 reads each byte as a character, as evidence does with header values that are no UTF-8.
func latin1(value string) string {
	var b strings.Builder
	for i := range len(value) {
		b.WriteRune(rune(value[i]))
	}
	return b.String()
}

// replacedEach replaces each byte that is no UTF-8, as encoding/json does; strings.ToValidUTF8 replaces each run.
func replacedEach(value string) string {
	var b strings.Builder
	for _, r := range value {
		b.WriteRune(r) // utf8.RuneError for such a byte
	}
	return b.String()
}

// base64Forms gives the value in base64, and the part of it that stays the same when other bytes stand before and
// after it, as in the credentials of HTTP's Basic scheme.
func base64Forms(value string) []string {
	var all []string
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		all = append(all, enc.EncodeToString([]byte(value)))
		raw := enc.WithPadding(base64.NoPadding)
		for before := range 3 {
			text := raw.EncodeToString(append(make([]byte, before), value...))
			first := (before*8 + 5) / 6           // digits that hold bits of what stands before
			last := (before + len(value)) * 8 / 6 // digits that hold only bits of the value
			all = append(all, text[first:last])
		}
	}
	return all
}

// view is a text with its escapes undone, and where each byte of it stood in the original.
type view struct {
	text []byte
	at   []int // at[i] is the offset in the original of what became text[i]; at[len(text)] is where the view ends
}

// maxLevels is how often escapes are undone: an escape in JSON in a quoted message has two levels.
const maxLevels = 4

// escapeSigns begin an escape that a view undoes.
const escapeSigns = `\%&~`

// set makes v a text itself, which stands at an offset in the original.
func (v *view) set(text string, at int) {
	v.text, v.at = append(v.text[:0], text...), v.at[:0]
	for i := range len(text) + 1 {
		v.at = append(v.at, at+i)
	}
}

// undo makes v the text of another view with one level of escapes undone, those that begin with one of some signs, and
// reports whether there were any.
func (v *view) undo(from *view, signs string) bool {
	v.text, v.at = v.text[:0], v.at[:0]
	changed := false
	for i := 0; i < len(from.text); {
		used := 0
		if strings.IndexByte(signs, from.text[i]) >= 0 {
			v.text, used = unescape(v.text, from.text[i:])
		}
		if used == 0 {
			v.text, used = append(v.text, from.text[i]), 1
		} else {
			changed = true
		}
		for len(v.at) < len(v.text) {
			v.at = append(v.at, from.at[i])
		}
		i += used
	}
	v.at = append(v.at, from.at[len(from.text)])
	return changed
}

// span gives the part of the original that became text[i:j], whole escapes.
func (v *view) span(i, j int) (from, to int) {
	for j < len(v.text) && v.at[j] == v.at[j-1] {
		j++
	}
	return v.at[i], v.at[j]
}
