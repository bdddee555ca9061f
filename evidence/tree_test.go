package evidence

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// tree is a JSON value that can be written in many ways.
type tree struct {
	kind  Kind
	word  string // of a number, a boolean or null
	units []rune // of a string; a surrogate stands for itself, alone
	kids  []branch
}

type branch struct {
	name []rune
	node *tree
}

// names are member names: plain ones, what looks like our own keys, and anything.
var names = rapid.OneOf(
	rapid.SampledFrom([][]rune{[]rune("error"), []rune("type"), []rune("details"), []rune("Error"), []rune("a/b"), []rune("a#2"), []rune("~0"), {}}),
	rapid.Map(rapid.StringN(0, 6, -1), func(s string) []rune { return []rune(strings.ToValidUTF8(s, "")) }),
)

var units = rapid.Custom(func(t *rapid.T) []rune {
	one := rapid.OneOf(
		rapid.Rune(), rapid.RuneFrom([]rune("\"\\/\b\f\n\r\t <>&\u2028\x00\x7fé中😀\ufffd")), rapid.Int32Range(0xd800, 0xdfff),
	)
	var out []rune
	for _, r := range rapid.SliceOfN(one, 0, 8).Draw(t, "units") {
		if n := len(out); n > 0 && utf16.DecodeRune(out[n-1], r) != utf8.RuneError {
			continue // two halves that would be a whole
		}
		out = append(out, r)
	}
	return out
})

var literals = rapid.StringMatching(`-?(0|[1-9][0-9]{0,18})(\.[0-9]{1,3})?([eE][+-]?[0-9]{1,2})?`)

// trees draws a value of no more than some levels.
func trees(depth int) *rapid.Generator[*tree] {
	return rapid.Custom(func(t *rapid.T) *tree {
		kinds := []Kind{String, Number, Bool, Null}
		if depth > 0 {
			kinds = append(kinds, Object, Object, Array)
		}
		return drawn(t, rapid.SampledFrom(kinds).Draw(t, "kind"), depth)
	})
}

func drawn(t *rapid.T, k Kind, depth int) *tree {
	n := &tree{kind: k}
	switch k {
	case String:
		n.units = units.Draw(t, "string")
	case Number:
		n.word = literals.Draw(t, "number")
	case Bool:
		n.word = rapid.SampledFrom([]string{"true", "false"}).Draw(t, "bool")
	case Null:
		n.word = "null"
	case Object, Array:
		for range rapid.IntRange(0, 4).Draw(t, "members") {
			n.kids = append(n.kids, branch{names.Draw(t, "name"), trees(depth-1).Draw(t, "value")})
		}
	}
	return n
}

func objects(depth int) *rapid.Generator[*tree] {
	return rapid.Custom(func(t *rapid.T) *tree { return drawn(t, Object, depth) })
}

// write writes a value in one of the many ways that mean the same.
func (n *tree) write(t *rapid.T, out []byte) []byte {
	switch n.kind {
	case String:
		return quoted(t, out, n.units)
	case Object:
		return n.list(t, out, '{', '}', shuffled(t, n.kids))
	case Array:
		return n.list(t, out, '[', ']', n.kids)
	}
	return append(out, n.word...)
}

func (n *tree) list(t *rapid.T, out []byte, open, shut byte, kids []branch) []byte {
	out = append(append(out, open), space(t)...)
	for i, k := range kids {
		if i > 0 {
			out = append(append(append(out, space(t)...), ','), space(t)...)
		}
		if n.kind == Object {
			out = append(append(quoted(t, out, k.name), space(t)...), ':')
			out = append(out, space(t)...)
		}
		out = k.node.write(t, out)
	}
	return append(append(out, space(t)...), shut)
}

func space(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "", " ", "\t", "\n", "  "}).Draw(t, "space")
}

// shuffled changes the order of members, but not of those that share a name: which one counts is up to the reader.
func shuffled(t *rapid.T, kids []branch) []branch {
	if len(kids) < 2 {
		return kids
	}
	queues := map[string][]branch{}
	for _, k := range kids {
		queues[string(k.name)] = append(queues[string(k.name)], k)
	}
	var out []branch
	for _, k := range rapid.Permutation(kids).Draw(t, "order") {
		q := queues[string(k.name)]
		out, queues[string(k.name)] = append(out, q[0]), q[1:]
	}
	return out
}

// quoted writes each character as it is, by its short escape or by its number.
func quoted(t *rapid.T, out []byte, s []rune) []byte {
	format := rapid.SampledFrom([]string{`\u%04x`, `\u%04X`}).Draw(t, "hex")
	numbers := rapid.IntRange(0, 2).Draw(t, "escapes") // none that need not be, some, all
	out = append(out, '"')
	for i, r := range s {
		short := strings.IndexRune("\"\\/\b\f\n\r\t", r)
		switch must := r < 0x20 || r == '"' || r == '\\' || utf16.IsSurrogate(r); {
		case numbers == 2 || utf16.IsSurrogate(r) || must && short < 0 || numbers == 1 && i%2 == 0:
			if hi, lo := utf16.EncodeRune(r); hi != utf8.RuneError {
				out = fmt.Appendf(out, format+format, hi, lo)
			} else {
				out = fmt.Appendf(out, format, r)
			}
		case must || short >= 0 && numbers == 1:
			out = append(out, '\\', `"\/bfnrt`[short])
		default:
			out = utf8.AppendRune(out, r)
		}
	}
	return append(out, '"')
}

// place is a value that can be changed, and the key under which that shows.
type place struct {
	node *tree
	key  string
}

// leaves lists what can be changed below a key. Arrays are compared whole, so all in them shows under their own key.
func (n *tree) leaves(key string, errorAt string) (out []place) {
	switch n.kind {
	case Array:
		for _, k := range n.kids {
			for _, l := range k.node.leaves(key, "") {
				out = append(out, place{l.node, key})
			}
		}
	case Object:
		seen := map[string]int{}
		for _, k := range n.kids {
			name := string(k.name)
			seen[name]++
			below := numbered(key+"/"+escape(name), seen[name])
			if errorAt != "" && name == errorAt {
				below = numbered("error", seen[name])
			}
			out = append(out, k.node.leaves(below, "")...)
		}
	default:
		out = append(out, place{n, key})
	}
	return out
}

// edit changes a leaf into another one.
func (n *tree) edit(t *rapid.T) {
	kind := rapid.SampledFrom([]Kind{n.kind, String, Number, Bool, Null}).Draw(t, "new kind")
	for _, other := range []*tree{drawn(t, kind, 0), {kind: Bool, word: "true"}, {kind: Bool, word: "false"}} {
		if other.kind != n.kind || other.word != n.word || !slices.Equal(other.units, n.units) {
			*n = *other
			return
		}
	}
}
