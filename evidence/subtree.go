package evidence

import "strings"

// Subtree writes what stands at and below a key as JSON, for a reader: an Object's own value is empty, since its
// members are keys of their own.
func (e Evidence) Subtree(key string) string {
	v := e.Get(key)
	switch v.Kind {
	case Object:
	case String:
		return string(appendQuoted(nil, v.Text))
	default:
		return v.Text
	}
	out := []byte{'{'}
	for _, x := range e {
		if Parent(x.Key) != key {
			continue
		}
		if len(out) > 1 {
			out = append(out, ", "...)
		}
		out = appendQuoted(out, unescape(leaf(x.Key)))
		out = append(out, ": "...)
		out = append(out, e.Subtree(x.Key)...)
	}
	return string(append(out, '}'))
}

// unescape is the reverse of escape; a number behind "#" goes, since JSON says the same name twice.
func unescape(name string) string {
	name, _, _ = strings.Cut(name, "#")
	return unescaper.Replace(name)
}

var unescaper = strings.NewReplacer("~2", "#", "~1", "/", "~0", "~")
