package dialects

import "encoding/json"

// stringMember returns a top-level string member of a JSON object, "" when there is none.
func stringMember(body []byte, name string) string {
	v := member(body, name)
	if len(v) < 2 || v[0] != '"' {
		return ""
	}
	if inner := v[1 : len(v)-1]; plainText(inner) {
		return string(inner)
	}
	var s string
	if json.Unmarshal(v, &s) != nil {
		return ""
	}
	return s
}

// plainText reports whether a quoted text stands for itself: no escape, no control character, only ASCII.
func plainText(b []byte) bool {
	for _, c := range b {
		if c == '\\' || c < 0x20 || c > 0x7e {
			return false
		}
	}
	return true
}

// member returns the bytes of a top-level member's value, nil when there is none. It reads no further than it must and
// allocates nothing, because a server asks it for every request; so it doesn't notice that the rest is no JSON.
func member(body []byte, name string) []byte {
	s := scan{b: body}
	s.space()
	if !s.take('{') {
		return nil
	}
	for {
		s.space()
		key := s.value()
		s.space()
		if len(key) < 2 || key[0] != '"' || !s.take(':') {
			return nil
		}
		s.space()
		v := s.value()
		if len(v) == 0 {
			return nil
		}
		if isName(key, name) {
			return v
		}
		s.space()
		if !s.take(',') {
			return nil
		}
	}
}

// isName compares a quoted key with a name; a key may be written with escapes.
func isName(quoted []byte, name string) bool {
	inner := quoted[1 : len(quoted)-1]
	if string(inner) == name {
		return true
	}
	for _, c := range inner {
		if c == '\\' {
			var s string
			return json.Unmarshal(quoted, &s) == nil && s == name
		}
	}
	return false
}

type scan struct {
	b []byte
	i int
}

func (s *scan) space() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\t', '\n', '\r':
			s.i++
		default:
			return
		}
	}
}

func (s *scan) take(c byte) bool {
	if s.i < len(s.b) && s.b[s.i] == c {
		s.i++
		return true
	}
	return false
}

// value steps over one value, whole with all its parts, and returns its bytes; nil when it does not end.
func (s *scan) value() []byte {
	from, depth := s.i, 0
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case '"':
			if !s.quoted() {
				return nil
			}
			if depth == 0 {
				return s.b[from:s.i]
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return s.b[from:s.i]
			}
			if depth--; depth == 0 {
				s.i++
				return s.b[from:s.i]
			}
		case ',', ':', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return s.b[from:s.i]
			}
		}
		s.i++
	}
	return nil
}

// quoted steps over a string, reporting whether it ends.
func (s *scan) quoted() bool {
	for s.i++; s.i < len(s.b); s.i++ {
		switch s.b[s.i] {
		case '\\':
			s.i++
		case '"':
			s.i++
			return true
		}
	}
	return false
}
