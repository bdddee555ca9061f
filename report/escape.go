package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Plain makes text that came off the wire fit for a terminal and for the log of a CI job: one line, nothing
// invisible, nothing obeyed.
//
// Control characters, marks that turn the direction of writing, zero-width and other invisible characters, spaces
// other than the plain one, unassigned code points and bytes that are not UTF-8 are shown as \n, \x1b, \u202e, \xff.
// Of many combining marks in a row only the first few stay. "##" and a word that starts with "::" are broken, so
// that no workflow command can be read out of a line. Ordinary text in any script is left alone, so the result does
// not tell a backslash that was sent from one that stands for something; quoted values do.
//
// Source: actions/runner, src/Runner.Common/ActionCommand.cs at 258d6c8, read 2026-11-30: commands are "::name …::"
// after leading spaces and "##[name …]" anywhere in a line; other CI systems read ##vso[ and ##teamcity[.
func Plain(s string) string {
	return string(plain(s))
}

// safe is text that may be printed as it is. The layout takes nothing else, so that a string of the record can't be
// printed without passing plain or quoted.
type safe string

func plain(s string) safe { return join(units(s)) }

// quoted is plain between double quotes, with backslashes and quotes escaped: two different values never look alike.
func quoted(s string) []safe {
	us := []safe{`"`}
	for _, u := range units(s) {
		if u == `\` || u == `"` {
			u = `\` + u
		}
		us = append(us, u)
	}
	return append(us, `"`)
}

// maxMarks is how many combining marks may follow each other; written languages need no more.
const maxMarks = 3

// units splits text into what is shown for each character, so that a cut never goes through an escape.
func units(s string) []safe {
	us := make([]safe, 0, len(s))
	last, marks := ' ', maxMarks // a mark without a letter before it would sit on our own text
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if marks++; r < utf8.RuneSelf || !unicode.Is(unicode.M, r) {
			marks = 0
		}
		switch {
		case r == utf8.RuneError && size == 1:
			us = append(us, safe(fmt.Sprintf(`\x%02x`, s[i])))
		case hidden(r) || marks > maxMarks:
			us = append(us, escaped(r))
		case r == '#' && last == '#':
			us, r = append(us, `\x23`), 0
		case r == ':' && last == ' ' && strings.HasPrefix(s[i:], "::"):
			us = append(us, `\x3a`)
		default:
			us = append(us, safe(s[i:i+size]))
		}
		last = r
		i += size
	}
	return us
}

// hidden reports whether a reader would not see the character for what it is.
func hidden(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' || r == 0x7f
	}
	return !unicode.IsPrint(r) || unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

func escaped(r rune) safe {
	switch {
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r < utf8.RuneSelf:
		return safe(fmt.Sprintf(`\x%02x`, r))
	case r < 0x10000:
		return safe(fmt.Sprintf(`\u%04x`, r))
	}
	return safe(fmt.Sprintf(`\U%08x`, r))
}

func join(us []safe) safe {
	var b strings.Builder
	for _, u := range us {
		b.WriteString(string(u))
	}
	return safe(b.String())
}

// wide holds the characters that take two columns of a terminal: the blocks that are mostly of East Asian width W or
// F, and the emoji.
// Source: Unicode Standard Annex 11, table of blocks, version 15.
var wide = []struct{ from, to rune }{
	{0x1100, 0x115f}, {0x2e80, 0x303e}, {0x3041, 0x33ff}, {0x3400, 0x4dbf}, {0x4e00, 0x9fff}, {0xa000, 0xa4cf},
	{0xa960, 0xa97f}, {0xac00, 0xd7a3}, {0xf900, 0xfaff}, {0xfe30, 0xfe6f}, {0xff00, 0xff60}, {0xffe0, 0xffe6},
	{0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
}

// width is the number of terminal columns that a text takes.
func width(s safe) int {
	n := 0
	for _, r := range string(s) {
		n += columns(r)
	}
	return n
}

func columns(r rune) int {
	if r < 0x300 { // neither marks nor wide characters before these
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return 0
	}
	for _, w := range wide {
		if r >= w.from && r <= w.to {
			return 2
		}
	}
	return 1
}
