package main

import (
	"strings"

	"github.com/preservecheck/preservecheck/wire"
)

// headerHint says how --header is written.
const headerHint = "write --header 'Name: value'; $NAME or ${NAME} in the value is read from the environment"

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
		field, err := headerField(name, value, from, env, s)
		if err != nil {
			return nil, err
		}
		fields = append(fields, field)
	}
	return fields, nil
}

// headerField makes a header of a name and a value as it was written.
func headerField(name, value, from string, env environ, s *secrets) (wire.Field, error) {
	value, err := expand(strings.TrimSpace(value), name, from, env, s)
	if err != nil {
		return wire.Field{}, err
	}
	if strings.ContainsAny(value, "\r\n\x00") {
		return wire.Field{}, usage("such a value would let it write headers of its own",
			"%s: the value of %s holds a line break or NUL", from, name)
	}
	if reserved[strings.ToLower(name)] {
		return wire.Field{}, usage("leave it out", "%s: %s is set by preservecheck itself", from, name)
	}
	if credential(name) {
		s.addHeader(name, value)
	}
	return wire.Field{Name: name, Value: value}, nil
}

// reserved headers delimit the request; another value would make it a different request for each reader.
var reserved = map[string]bool{"content-length": true, "transfer-encoding": true, "connection": true}

// expand replaces each $NAME and ${NAME} by the value of the variable, which is secret from then on and is not looked
// through again. A dollar sign that begins no name is text.
func expand(value, header, from string, env environ, s *secrets) (string, error) {
	words := strings.Split(value, " ")
	for i, word := range words {
		parts := strings.Split(word, "$")
		for j, part := range parts[1:] {
			name, rest, ok := variableName(part)
			switch {
			case !ok:
				return "", usage(headerHint, "%s: the value of %s has a ${ that is not followed by a name and a }", from, header)
			case name == "":
				parts[j+1] = "$" + part
				continue
			case env[name] == "" && len(parts) == 2 && parts[0]+rest == "":
				return "", usage("set it, or write the value itself",
					"%s: %s wants the environment variable %s, which is not set or empty", from, header, name)
			case env[name] == "": // what looks like a name may be part of a password
				return "", usage("set it; a value with a dollar sign of its own can be put into a variable",
					"%s: the value of %s wants an environment variable inside a word, which is not set or empty", from, header)
			}
			s.add(name, env[name])
			parts[j+1] = env[name] + rest
		}
		words[i] = strings.Join(parts, "")
	}
	return strings.Join(words, " "), nil
}

// variableName reads what stands behind a dollar sign: NAME or {NAME}, and the rest. No name is text; a brace without
// one is not ok.
func variableName(text string) (name, rest string, ok bool) {
	text, braced := strings.CutPrefix(text, "{")
	n := 0
	for n < len(text) && (letter(text[n]) || text[n] == '_' || n > 0 && digit(text[n])) {
		n++
	}
	name, rest = text[:n], text[n:]
	if braced {
		rest, ok = strings.CutPrefix(rest, "}")
		return name, rest, ok && name != ""
	}
	return name, rest, true
}

func digit(c byte) bool  { return c >= '0' && c <= '9' }
func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// isToken reports whether a header's name is one by RFC 9110, section 5.6.2.
func isToken(name string) bool {
	for i := range len(name) {
		c := name[i]
		if !letter(c) && !digit(c) && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return name != ""
}
