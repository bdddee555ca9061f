package recipes

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/preservecheck/preservecheck/fixture"
)

// loader reads one recipe and gathers what is wrong with it. Its texts may be empty or have several lines, which those of
// other files may not, so it has readers of its own beside the shared ones.
type loader struct {
	fixture.Reader
}

// Bounds of texts, in bytes.
const (
	maxLine  = 400
	maxText  = 64 << 10
	maxItems = 64
)

// line is one line of text that must be there; parent says where it is missing.
func (l *loader) line(parent, n *fixture.Node, key string) string {
	if !fixture.Present(n) {
		l.Bad(parent, key+" is missing", "add "+key)
		return ""
	}
	return l.item(n, key)
}

// optional is one line of text that need not be there.
func (l *loader) optional(n *fixture.Node, key string) string {
	if !fixture.Present(n) {
		return ""
	}
	return l.item(n, key)
}

// item is one line of text.
func (l *loader) item(n *fixture.Node, key string) string {
	switch s := strings.TrimSpace(n.Value); {
	case n.Kind != fixture.ScalarNode:
		l.Bad(n, key+" is not text", "write one value, in quotes if it has special characters")
	case s == "" || n.ShortTag() == "!!null":
		l.Bad(n, key+" is empty", "write a value, or remove the key")
	case len(n.Value) > maxLine:
		l.Bad(n, fmt.Sprintf("%s has %d bytes, more than %d", key, len(n.Value), maxLine), "shorten it")
	case strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }):
		l.Bad(n, key+" has a line end or a control character", "write one line of text")
	default:
		return s
	}
	return ""
}

// text is any text, also none or several lines.
func (l *loader) text(n *fixture.Node, key string) bool {
	switch {
	case n.Kind != fixture.ScalarNode || n.ShortTag() == "!!null":
		l.Bad(n, key+" is not text", `write a text; "" for none`)
	case len(n.Value) > maxText:
		l.Bad(n, fmt.Sprintf("%s has %d bytes, more than %d", key, len(n.Value), maxText), "shorten it")
	case strings.ContainsRune(n.Value, 0):
		l.Bad(n, key+" has a NUL", "remove it")
	default:
		return true
	}
	return false
}

// list returns the items of a list; required says that there must be one, with an item.
func (l *loader) list(parent, n *fixture.Node, key string, required bool) []*fixture.Node {
	switch {
	case !fixture.Present(n) && required:
		l.Bad(parent, key+" is missing", "add "+key)
	case !fixture.Present(n):
	case n.Kind != fixture.SequenceNode:
		l.Bad(n, key+" is not a list", "write each item behind a dash")
	case required && len(n.Content) == 0:
		l.Bad(n, key+" is empty", "write an item")
	case len(n.Content) > maxItems:
		l.Bad(n, fmt.Sprintf("%s has %d items, more than %d", key, len(n.Content), maxItems), "write fewer")
	default:
		return n.Content
	}
	return nil
}

// lines is a list of one-line texts.
func (l *loader) lines(parent, n *fixture.Node, key string, required bool) (out []string) {
	for _, item := range l.list(parent, n, key, required) {
		out = append(out, l.item(item, "an item of "+key))
	}
	return out
}

// mapping calls a function for each key of a mapping, in the order of the file.
func (l *loader) mapping(n *fixture.Node, key string, required bool, each func(name, value *fixture.Node)) {
	switch {
	case !fixture.Present(n) && required:
		l.Bad(nil, key+" is missing", "add "+key)
	case !fixture.Present(n):
	case n.Kind != fixture.MappingNode:
		l.Bad(n, key+" is not a mapping", "write each entry as name: value")
	case required && len(n.Content) == 0:
		l.Bad(n, key+" is empty", "write an entry")
	case len(n.Content) > 2*maxItems:
		l.Bad(n, fmt.Sprintf("%s has %d entries, more than %d", key, len(n.Content)/2, maxItems), "write fewer")
	default:
		for i := 0; i < len(n.Content); i += 2 {
			each(n.Content[i], n.Content[i+1])
		}
	}
}

// truth is true or false, and must be there.
func (l *loader) truth(parent, n *fixture.Node, key string) bool {
	switch {
	case !fixture.Present(n):
		l.Bad(parent, key+" is missing", "add "+key+": true or false")
	case n.Kind != fixture.ScalarNode || n.ShortTag() != "!!bool":
		l.Bad(n, key+" is neither true nor false", "write "+key+": true or false")
	}
	return strings.EqualFold(n.Value, "true")
}

var (
	goodName     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`) })
	goodWord     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`) })
	goodVariable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,79}$`) })
)

// named checks a name against a shape.
func (l *loader) named(n *fixture.Node, what string, shape *regexp.Regexp, remedy string) string {
	if n.Kind != fixture.ScalarNode || !shape.MatchString(n.Value) {
		l.Bad(n, fmt.Sprintf("bad name of %s %q", what, n.Value), remedy)
		return ""
	}
	return n.Value
}
