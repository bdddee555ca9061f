package main

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// minSecret is the length, in bytes, below which a value can't be redacted: it would match by chance everywhere.
const minSecret = 8

// secrets are the values that must never be written, each with the name that is written instead.
type secrets struct {
	names map[string]string // value → name
	short []string          // names of values that are too short
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

// redactor returns the function that replaces every form of every secret, nil when there is none.
func (s *secrets) redactor() func(string) string {
	if len(s.names) == 0 {
		return nil
	}
	type pair struct{ form, name string }
	var pairs []pair
	for value, name := range s.names {
		for _, f := range forms(value) {
			pairs = append(pairs, pair{f, name})
		}
	}
	// The replacer prefers the form that stands first, so the longest has to.
	slices.SortFunc(pairs, func(a, b pair) int {
		return cmp.Or(len(b.form)-len(a.form), strings.Compare(a.form, b.form), strings.Compare(a.name, b.name))
	})
	var args []string
	for _, p := range pairs {
		args = append(args, p.form, "[secret "+p.name+"]")
	}
	return strings.NewReplacer(args...).Replace
}

// forms lists how a value may appear in text: as it is, escaped in JSON (with and without HTML escapes),
// percent-encoded (path and query, either case of hex digits), in base64.
func forms(value string) []string {
	all := append([]string{value}, jsonForms(value)...)
	for _, esc := range []string{url.QueryEscape(value), url.PathEscape(value), percentAll(value)} {
		all = append(all, esc, lowerHex(esc))
	}
	all = append(all, base64Forms(value)...)
	slices.Sort(all)
	return slices.Compact(all)
}

func jsonForms(value string) []string {
	html, _ := json.Marshal(value)
	var plain strings.Builder
	enc := json.NewEncoder(&plain)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(value)
	bare := strings.Trim(strings.TrimSpace(plain.String()), `"`)
	return []string{strings.Trim(string(html), `"`), bare, strings.ReplaceAll(bare, "/", `\/`)}
}

// percentAll encodes everything but letters and digits.
func percentAll(value string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(value) {
		c := value[i]
		if c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			b.WriteByte(c)
			continue
		}
		b.Write([]byte{'%', hex[c>>4], hex[c&15]})
	}
	return b.String()
}

// lowerHex writes the digits after each percent sign in lower case.
func lowerHex(escaped string) string {
	b := []byte(escaped)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], strings.ToLower(string(b[i+1:i+3])))
		}
	}
	return string(b)
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
		all = append(all, raw.EncodeToString([]byte(value)))
	}
	return all
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

// addHeader notes the value of a header that carries a credential: whole, without its scheme, and each cookie.
func (s *secrets) addHeader(name, value string) {
	s.add(name, value)
	if _, rest, ok := strings.Cut(value, " "); ok && strings.HasSuffix(strings.ToLower(name), "authorization") {
		s.add(name, strings.TrimSpace(rest))
		s.addBasic(name, strings.TrimSpace(rest))
	}
	if strings.EqualFold(name, "cookie") {
		for _, c := range strings.Split(value, ";") {
			if _, v, ok := strings.Cut(c, "="); ok && len(v) >= minSecret {
				s.add(name, v)
			}
		}
	}
}

// addBasic notes what stands inside the base64 of the Basic scheme.
func (s *secrets) addBasic(name, encoded string) {
	pair, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return
	}
	if _, password, ok := strings.Cut(string(pair), ":"); ok {
		s.add(name, string(pair))
		s.add(name, password)
	}
}
