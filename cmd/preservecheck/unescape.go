package main

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// unescape appends what the escape at the start of b stands for, and tells its length; 0 when there is none. It knows
// the escapes of JSON and Go (\n \u0053 \x53), of URLs (%53), of HTML (&amp; &#83;) and of evidence keys (~1), in
// either case, since whoever lower-cases a text lower-cases its escapes.
func unescape(dst, b []byte) ([]byte, int) {
	switch b[0] {
	case '%':
		if c, ok := number(b, 1, 3, 16); ok {
			return append(dst, byte(c)), 3
		}
	case '~':
		if len(b) > 1 && b[1] >= '0' && b[1] <= '2' { // evidence.escape
			return append(dst, "~/#"[b[1]-'0']), 2
		}
	case '&':
		return entity(dst, b)
	case '\\':
		return backslash(dst, b)
	}
	return dst, 0
}

func backslash(dst, b []byte) ([]byte, int) {
	if len(b) < 2 {
		return dst, 0
	}
	switch c := b[1] | 0x20; c { // in lower case
	case 'u':
		if r, ok := number(b, 2, 10, 16); b[1] == 'U' && ok && r <= utf8.MaxRune {
			return utf8.AppendRune(dst, rune(r)), 10
		}
		return utf16Escape(dst, b)
	case 'x':
		if r, ok := number(b, 2, 4, 16); ok {
			return append(dst, byte(r)), 4
		}
		return dst, 0
	}
	if i := strings.IndexByte("abtnvfr", b[1]|0x20); i >= 0 { // in the order of their codes, from 7
		return append(dst, byte(7+i)), 2
	}
	if strings.IndexByte(`"'/\`, b[1]) >= 0 {
		return append(dst, b[1]), 2
	}
	return dst, 0
}

// utf16Escape reads \uXXXX, and two of them when they are one character.
func utf16Escape(dst, b []byte) ([]byte, int) {
	first, ok := number(b, 2, 6, 16)
	if !ok {
		return dst, 0
	}
	if utf16.IsSurrogate(rune(first)) && len(b) >= 12 && b[6] == '\\' && b[7]|0x20 == 'u' {
		if second, ok := number(b, 8, 12, 16); ok {
			if r := utf16.DecodeRune(rune(first), rune(second)); r != utf8.RuneError {
				return utf8.AppendRune(dst, r), 12
			}
		}
	}
	return utf8.AppendRune(dst, rune(first)), 6
}

// entities are the named characters of HTML that every escaping function writes.
var entities = []struct {
	name []byte
	char byte
}{{[]byte("amp"), '&'}, {[]byte("lt"), '<'}, {[]byte("gt"), '>'}, {[]byte("quot"), '"'}, {[]byte("apos"), '\''}}

// entity reads &amp; &#83; and &#x53;. As in browsers the semicolon may be missing, which a cut may have taken.
func entity(dst, b []byte) ([]byte, int) {
	for _, e := range entities {
		if n := 1 + len(e.name); len(b) >= n && bytes.EqualFold(b[1:n], e.name) {
			return append(dst, e.char), n + semicolon(b[n:])
		}
	}
	if len(b) < 3 || b[1] != '#' {
		return dst, 0
	}
	from, base, is := 2, 10, digit
	if b[2]|0x20 == 'x' {
		from, base, is = 3, 16, func(c byte) bool { return digit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }
	}
	to := from
	for to < len(b) && to < from+7 && is(b[to]) { // seven digits are enough for any character
		to++
	}
	if r, ok := number(b, from, to, base); ok && r <= utf8.MaxRune {
		return utf8.AppendRune(dst, rune(r)), to + semicolon(b[to:])
	}
	return dst, 0
}

func semicolon(b []byte) int {
	if len(b) > 0 && b[0] == ';' {
		return 1
	}
	return 0
}

// number reads b[from:to], at most eight digits and nothing else.
func number(b []byte, from, to, base int) (n int, ok bool) {
	if from >= to || to > len(b) {
		return 0, false
	}
	for _, c := range b[from:to] {
		d := 99
		switch {
		case digit(c):
			d = int(c - '0')
		case letter(c):
			d = int(c|0x20-'a') + 10
		}
		if d >= base {
			return 0, false
		}
		n = n*base + d
	}
	return n, true
}
