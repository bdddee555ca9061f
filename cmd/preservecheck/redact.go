package main

import (
	"encoding/base64"
	"slices"
	"strings"
)

// minSecret is the length, in bytes, below which a value can't be redacted: it would match by chance everywhere.
const minSecret = 8

// secrets are the values that must never be written, each with the name that is written instead.
type secrets struct {
	names map[string]string // value → name
	short []string          // names of values that are too short
	words []string          // parts of the values that are no secret: names of cookies
}

// add notes a secret. Empty values are none.
func (s *secrets) add(name, value string) {
	switch {
	case value == "":
		return
	case len(value) < minSecret:
		if !slices.Contains(s.short, name) {
			s.short = append(s.short, name)
		}
		return
	case s.names == nil:
		s.names = map[string]string{}
	}
	if _, known := s.names[value]; !known {
		s.names[value] = name
	}
}

// credential reports whether a header of this name usually carries one.
func credential(header string) bool {
	for _, word := range strings.FieldsFunc(strings.ToLower(header), func(r rune) bool { return r == '-' || r == '_' || r == '.' }) {
		if slices.Contains(credentialWords, word) {
			return true
		}
	}
	return false
}

// credentialWords are whole words of header names: x-portkey-provider carries no key.
var credentialWords = []string{
	"authorization", "auth", "cookie", "credential", "credentials", "key", "apikey", "keys", "passwd", "password", "secret", "session", "token", "tokens",
}

// schemes stand before credentials in headers of any name, and are words that answers use as well.
var schemes = []string{"apikey", "basic", "bearer", "digest", "negotiate", "token"}

// addHeader notes the value of a header that carries a credential: whole but for its scheme, and each part of it that
// others may take out, without the quotes around it.
func (s *secrets) addHeader(name, value string) {
	if scheme, rest, ok := strings.Cut(value, " "); ok &&
		(strings.HasSuffix(strings.ToLower(name), "authorization") || slices.Contains(schemes, strings.ToLower(scheme))) {
		if value = strings.TrimSpace(rest); strings.EqualFold(scheme, "basic") {
			s.addBasic(name, value)
		}
	}
	s.add(name, value)
	if !strings.EqualFold(name, "cookie") {
		s.addParts(name, value)
		return
	}
	for _, c := range strings.Split(value, ";") {
		if cookie, v, ok := strings.Cut(c, "="); ok {
			s.words = append(s.words, strings.TrimSpace(cookie)+"=")
			s.addParts(name, v)
		}
	}
}

// addParts notes what stands between the signs that structure values of headers.
func (s *secrets) addParts(name, value string) {
	for _, part := range strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune("=;,\"'", r) }) {
		if part = strings.TrimSpace(part); len(part) >= minSecret {
			s.add(name, part)
		}
	}
}

// addBasic notes what stands inside the base64 of the Basic scheme.
func (s *secrets) addBasic(name, encoded string) {
	pair, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(encoded, "="))
	if err != nil {
		return
	}
	if _, password, ok := strings.Cut(string(pair), ":"); ok {
		s.add(name, string(pair))
		s.add(name, password)
	}
}
