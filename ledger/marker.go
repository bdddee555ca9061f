package ledger

import (
	"bytes"
	"strings"
)

// markerWord is what a marker is found by: letters only, so no serialiser has a reason to escape it.
const markerWord = "preservecheck"

// markerSpan bounds what follows the word up to the closing brackets, in bytes as they stand in the body; it leaves
// room for every sign being escaped twice over.
const markerSpan = 1024

func marker(t Tag) string {
	return "[[" + markerWord + " fixture=" + t.Fixture + " id=" + t.id() + "]]"
}

// readMarker finds markers anywhere in a body, whatever the dialect, also inside JSON strings whose signs were
// escaped (some serialisers write = as \u003d). Gateways repeat prompts (as system text, in a summary), so equal
// markers are one.
func readMarker(body []byte, names *Names) said {
	s := said{channel: Marker}
	for rest := body; ; {
		i := bytes.Index(rest, []byte(markerWord))
		if i < 0 {
			return s
		}
		opened := opens(rest[:i])
		rest = rest[i+len(markerWord):]
		if !opened {
			continue
		}
		t, ok := parseMarker(rest[:min(len(rest), markerSpan)], names)
		switch {
		case !ok:
		case s.tag.Fixture == "":
			s.tag = t
		case s.tag != t:
			return said{channel: Marker, trouble: "the prompt holds different markers"}
		}
		if s.trouble = ""; s.tag.Fixture != "" && s.tag.Nonce == "" {
			s.trouble = "the marker arrived without a usable id"
		}
	}
}

// opens reports whether the bytes before the word end in two opening brackets.
func opens(before []byte) bool {
	if bytes.HasSuffix(before, []byte("[[")) {
		return true
	}
	const escaped = `u005b`
	if n := len(before) - len(escaped); n > 0 && bytes.EqualFold(before[n:], []byte(escaped)) {
		before = bytes.TrimRight(before[:n], `\`)
		n = len(before) - len(escaped)
		return n > 0 && bytes.EqualFold(before[n:], []byte(escaped))
	}
	return false
}

// parseMarker reads what follows the word: fields up to the closing brackets.
func parseMarker(span []byte, names *Names) (t Tag, ok bool) {
	span, ok = untilClosed(span)
	if !ok || len(span) == 0 || !blank(span[0]) {
		return Tag{}, false
	}
	for len(span) > 0 {
		var field []byte
		if field, span = nextField(span); len(field) == 0 {
			break
		}
		key, value, _ := bytes.Cut(field, []byte("="))
		switch string(key) {
		case "fixture":
			if t.Fixture != "" || len(value) > maxName || !validName(string(value)) {
				return Tag{}, false
			}
			if known, found := names.known[string(value)]; found {
				t.Fixture = known
			} else {
				t.Fixture = string(value)
			}
		case "id":
			if t.Run, t.Nonce, ok = splitID(string(value)); !ok {
				t.Run, t.Nonce = "", ""
			}
		}
	}
	return t, t.Fixture != ""
}

// untilClosed cuts at the closing brackets and undoes escapes if there are any.
func untilClosed(span []byte) ([]byte, bool) {
	closed := []byte("]]")
	i := bytes.Index(span, closed)
	if i >= 0 && bytes.IndexByte(span[:i], '\\') < 0 {
		return span[:i], true
	}
	if bytes.IndexByte(span, '\\') < 0 {
		return nil, false
	}
	span = unescape(span)
	if i = bytes.Index(span, closed); i < 0 {
		return nil, false
	}
	return span[:i], true
}

// unescape undoes JSON escapes of ASCII signs, however often the text was put into a string of a string.
func unescape(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' {
			out = append(out, b[i])
			continue
		}
		for i < len(b) && b[i] == '\\' {
			i++
		}
		if i == len(b) {
			break
		}
		switch b[i] {
		case 'n', 'r', 't':
			out = append(out, ' ')
		case 'u':
			if i+4 < len(b) && b[i+1] == '0' && b[i+2] == '0' && isHex(b[i+3]) && isHex(b[i+4]) {
				out = append(out, unhex(b[i+3])<<4|unhex(b[i+4]))
				i += 4
			}
		default:
			out = append(out, b[i])
		}
	}
	return out
}

func nextField(b []byte) (field, rest []byte) {
	for len(b) > 0 && blank(b[0]) {
		b = b[1:]
	}
	n := 0
	for n < len(b) && !blank(b[n]) {
		n++
	}
	return b[:n], b[n:]
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// The id of a tag as it is sent: run, a dot, nonce.
const (
	RunLen   = 8  // hex digits of a run
	NonceLen = 16 // hex digits of a nonce and of a hit id
)

func (t Tag) id() string { return t.Run + "." + t.Nonce }

// String is the tag in words for notes: the fixture, and the id when there is one.
func (t Tag) String() string {
	if t.Nonce == "" {
		return t.Fixture
	}
	return t.Fixture + " " + t.id()
}

// splitID takes the parts of an id; both alias s.
func splitID(s string) (run, nonce string, ok bool) {
	if len(s) != RunLen+1+NonceLen || s[RunLen] != '.' {
		return "", "", false
	}
	run, nonce = s[:RunLen], s[RunLen+1:]
	return run, nonce, strings.IndexFunc(run+nonce, notHex) < 0
}

func notHex(r rune) bool { return r > 0x7f || !isHex(byte(r)) }

func isHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c&^0x20 - 'A' + 10
}
