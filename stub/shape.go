package stub

import "bytes"

// keyLength is from how many signs on a segment of a path is taken for a key, if it has digits and letters: the shortest keys that
// providers give out, and ids in hexadecimal digits, have 32. Names of models and deployments that have both are shorter.
const keyLength = 32

// hidden stands in a path in place of what may be a key.
const hidden = "[hidden]"

// shape is a path without what may be somebody's key: some APIs and gateways have keys and account ids in it. A fixture's name stays,
// however long.
func (s *Server) shape(path []byte) []byte {
	if !longSegment(path) {
		return path
	}
	var out []byte
	for i, segment := range bytes.Split(path, []byte("/")) {
		if i > 0 {
			out = append(out, '/')
		}
		if mayBeKey(segment) && !s.names.Has(string(segment)) {
			segment = []byte(hidden)
		}
		out = append(out, segment...)
	}
	return out
}

// longSegment reports whether a path has a segment of keyLength or more, which hardly any has.
func longSegment(path []byte) bool {
	n := 0
	for _, b := range path {
		if n++; b == '/' {
			n = 0
		}
		if n >= keyLength {
			return true
		}
	}
	return false
}

func mayBeKey(segment []byte) bool {
	digit, letter := false, false
	for _, b := range segment {
		digit = digit || b >= '0' && b <= '9'
		letter = letter || b|0x20 >= 'a' && b|0x20 <= 'z'
	}
	return len(segment) >= keyLength && digit && letter
}
