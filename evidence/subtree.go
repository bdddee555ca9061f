package evidence

import "strings"

// Subtree writes what stands at and below a key as JSON, for a reader: an Object's own value is empty, since its
// members are keys of their own.
func (e Evidence) Subtree(key string) string {
	for i := range e {
		if e[i].Key == key {
			out, _ := e.subtree(nil, i)
			return string(out)
		}
	}
	return ""
}

// subtree writes the entry at i and what stands below it, and returns the index behind that: a list keeps a subtree
// together.
func (e Evidence) subtree(out []byte, i int) ([]byte, int) {
	top := e[i]
	i++
	switch top.Value.Kind {
	case Object:
	case String:
		return appendQuoted(out, top.Value.Text), i
	default:
		return append(out, top.Value.Text...), i
	}
	out = append(out, '{')
	for first := true; i < len(e) && below(top.Key, e[i].Key); first = false {
		if !first {
			out = append(out, ", "...)
		}
		out = append(appendQuoted(out, unescape(leaf(e[i].Key))), ": "...)
		out, i = e.subtree(out, i)
	}
	return append(out, '}'), i
}

func below(root, key string) bool {
	return len(key) > len(root) && key[len(root)] == '/' && strings.HasPrefix(key, root)
}

// unescape is the reverse of escape; a number behind "#" goes, since JSON says the same name twice.
func unescape(name string) string {
	name, _, _ = strings.Cut(name, "#")
	return unescaper.Replace(name)
}

var unescaper = strings.NewReplacer("~2", "#", "~1", "/", "~0", "~")
