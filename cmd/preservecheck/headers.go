package main

import (
	"strings"

	"github.com/preservecheck/preservecheck/wire"
)

// headerHint says how --header is written.
const headerHint = "write --header 'Name: value'; a word $NAME in the value is read from the environment"

// parseHeaders reads --header. No message shows a value, which may be a credential.
func parseHeaders(specs []string, from string, env environ, s *secrets) ([]wire.Field, error) {
	var fields []wire.Field
	for i, spec := range specs {
		name, value, ok := strings.Cut(spec, ":")
		switch {
		case !ok:
			return nil, usage(headerHint, "%s: number %d has no colon", from, i+1)
		case !isToken(name):
			return nil, usage(headerHint, "%s: number %d has a name that is no HTTP token", from, i+1)
		}
		value, err := expand(strings.TrimSpace(value), name, from, env, s)
		if err != nil {
			return nil, err
		}
		if strings.ContainsAny(value, "\r\n\x00") {
			return nil, usage("such a value would let it write headers of its own",
				"%s: the value of %s holds a line break or NUL", from, name)
		}
		if reserved[strings.ToLower(name)] {
			return nil, usage("leave it out", "%s: %s is set by preservecheck itself", from, name)
		}
		if credential(name) {
			s.addHeader(name, value)
		}
		fields = append(fields, wire.Field{Name: name, Value: value})
	}
	return fields, nil
}

// reserved headers delimit the request; another value would make it a different request for each reader.
var reserved = map[string]bool{"content-length": true, "transfer-encoding": true, "connection": true}

// expand replaces each word $NAME by the value of the variable, which is secret from then on.
func expand(value, header, from string, env environ, s *secrets) (string, error) {
	words := strings.Split(value, " ")
	for i, w := range words {
		name, ok := variableName(w)
		if !ok {
			continue
		}
		v, set := env[name]
		if !set || v == "" {
			return "", usage("set it, or write the value itself",
				"%s: %s wants the environment variable %s, which is not set or empty", from, header, name)
		}
		s.add(name, v)
		words[i] = v
	}
	return strings.Join(words, " "), nil
}

// variableName reads $NAME or ${NAME}.
func variableName(word string) (string, bool) {
	name, ok := strings.CutPrefix(word, "$")
	if strings.HasPrefix(name, "{") && strings.HasSuffix(name, "}") {
		name = name[1 : len(name)-1]
	}
	if !ok || name == "" || name[0] >= '0' && name[0] <= '9' {
		return "", false
	}
	for _, c := range name {
		if c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return "", false
		}
	}
	return name, true
}

// isToken reports whether a header's name is one by RFC 9110, section 5.6.2.
func isToken(name string) bool {
	for i := range len(name) {
		c := name[i]
		letter := c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return name != ""
}
