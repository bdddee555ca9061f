package controls

import (
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/preservecheck/preservecheck/evidence"
)

// docNode is a JSON value with the place of its bytes. It is read with encoding/json and not with package evidence, so that no
// bug can hide in both.
type docNode struct {
	kind     byte // '{', '[', '"', '0', 't' for true and false, 'n' for null
	from, to int  // bytes of the value
	members  []docMember
}

// docMember is a member of an object, or an element of an array, which has no name.
type docMember struct {
	name string
	from int // of the name
	node *docNode
}

// readDoc reads exactly one JSON text in UTF-8.
func readDoc(text string) (*docNode, bool) {
	if !utf8.ValidString(text) || !json.Valid([]byte(text)) {
		return nil, false
	}
	r := docReader{text: text, dec: json.NewDecoder(strings.NewReader(text))}
	r.dec.UseNumber()
	n, err := r.value()
	if err != nil {
		return nil, false
	}
	_, err = r.dec.Token()
	return n, errors.Is(err, io.EOF)
}

type docReader struct {
	text string
	dec  *json.Decoder
}

// begin is where the next token begins.
func (r *docReader) begin() int {
	i := int(r.dec.InputOffset())
	for i < len(r.text) && strings.IndexByte(" \t\r\n,:", r.text[i]) >= 0 {
		i++
	}
	return i
}

func (r *docReader) value() (*docNode, error) {
	n := &docNode{from: r.begin()}
	t, err := r.dec.Token()
	if err != nil {
		return nil, err
	}
	switch v := t.(type) {
	case json.Delim:
		n.kind = byte(v)
		err = r.members(n)
	case string:
		n.kind = '"'
	case json.Number:
		n.kind = '0'
	case bool:
		n.kind = 't'
	default:
		n.kind = 'n'
	}
	n.to = int(r.dec.InputOffset())
	return n, err
}

func (r *docReader) members(n *docNode) error {
	for r.dec.More() {
		m := docMember{from: r.begin()}
		if n.kind == '{' {
			name, err := r.dec.Token()
			if err != nil {
				return err
			}
			m.name, _ = name.(string)
		}
		v, err := r.value()
		if err != nil {
			return err
		}
		m.node = v
		n.members = append(n.members, m)
	}
	_, err := r.dec.Token()
	return err
}

// count is how many members of a name there are.
func (n *docNode) count(name string) (c int) {
	for _, m := range n.members {
		if n.kind == '{' && m.name == name {
			c++
		}
	}
	return c
}

// samePlaces fills in where the places of one value stand in another of the same form; false when their forms differ.
func samePlaces(a, b *docNode, places map[int]int) bool {
	if a.kind != b.kind || len(a.members) != len(b.members) {
		return false
	}
	places[a.from], places[a.to], places[a.to-1] = b.from, b.to, b.to-1
	for i := range a.members {
		x, y := a.members[i], b.members[i]
		if x.name != y.name || !samePlaces(x.node, y.node, places) {
			return false
		}
		places[x.from] = y.from
	}
	places[a.from], places[a.to] = b.from, b.to
	return true
}

// edit puts text where the bytes from and to stand.
type edit struct {
	from, to int
	text     string
}

// apply makes edits, which stand in the order of their places.
func apply(s string, edits []edit) string {
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(s[at:e.from] + e.text)
		at = e.to
	}
	return b.String() + s[at:]
}

// walk goes through a JSON value and emits a mutant for each place. An array is one key, whatever changes inside.
type walk struct {
	key  func(path []string) string
	emit func(kind *Fault, place string, edits []edit, want Sight, at []string)
	pick pick
	text string
}

// value emits what can happen to a value itself, and to all below. path is in terms of keys; at is where it really stands.
func (w *walk) value(n *docNode, path []string, inArray bool, at ...string) {
	switch n.kind {
	case '{':
		w.object(n, path, inArray, at)
		if len(n.members) > 0 {
			return // its characters are its members'
		}
	case '[':
		for i := range n.members {
			w.value(n.members[i].node, path, true, append(at[:len(at):len(at)], strconv.Itoa(i))...)
		}
		if len(n.members) > 0 {
			return
		}
	}
	place := strings.Join(at, "/")
	w.emit(mutantAltered, place, []edit{{n.from, n.to, w.altered(n)}}, Sight{w.key(path), evidence.Changed}, at)
}

func (w *walk) object(n *docNode, path []string, inArray bool, at []string) {
	seen := map[string]int{}
	for i, m := range n.members {
		seen[m.name]++
		below, here := path, append(at[:len(at):len(at)], m.name)
		if !inArray {
			below = append(path[:len(path):len(path)], numberedKey(escaped(m.name), seen[m.name]))
		}
		w.member(n, i, path, inArray, seen[m.name], here)
		w.value(m.node, below, inArray, here...)
	}
	if len(n.members) == 0 {
		w.emit(mutantInvented, "in "+strings.Join(at, "/"), []edit{{n.to - 1, n.to - 1, `"preservecheck":"preservecheck"`}}, w.sight(path, inArray, "preservecheck", evidence.Invented), at)
	}
}

// sight is of a member below path; inside an array the array is what changes.
func (w *walk) sight(path []string, inArray bool, part string, dir evidence.Direction) Sight {
	if inArray {
		return Sight{w.key(path), evidence.Changed}
	}
	return Sight{w.key(append(path[:len(path):len(path)], part)), dir}
}

// member emits what can happen to the nth member of a name as a whole.
func (w *walk) member(n *docNode, i int, path []string, inArray bool, nth int, at []string) {
	m := n.members[i]
	place, name, all := strings.Join(at, "/"), escaped(m.name), n.count(m.name)
	if nth == all { // the last of its name, or the others would move
		w.emit(mutantLost, place, []edit{n.without(i)}, w.sight(path, inArray, numberedKey(name, nth), evidence.Lost), at)
		w.emit(mutantDuplicated, place, []edit{{m.from, m.from, w.text[m.from:m.node.to] + ","}},
			w.sight(path, inArray, numberedKey(name, all+1), evidence.Invented), at)
	}
	quoted, _ := json.Marshal(m.name + "_preservecheck")
	w.emit(mutantInvented, "beside "+place, []edit{{m.node.to, m.node.to, "," + string(quoted) + `:"preservecheck"`}},
		w.sight(path, inArray, name+"_preservecheck", evidence.Invented), append(at[:len(at)-1:len(at)-1], m.name+"_preservecheck"))
}

// without takes out a member with one comma.
func (n *docNode) without(i int) edit {
	m := n.members[i]
	switch {
	case i > 0:
		return edit{n.members[i-1].node.to, m.node.to, ""}
	case len(n.members) > 1:
		return edit{m.from, n.members[1].from, ""}
	}
	return edit{m.from, m.node.to, ""}
}

// altered is a value that differs from n by one character, or by the least where its kind has no such value.
func (w *walk) altered(n *docNode) string {
	raw := w.text[n.from:n.to]
	switch n.kind {
	case '"':
		return `"` + alteredString(raw[1:len(raw)-1], w.pick) + `"`
	case '0':
		return alteredNumber(raw)
	case 't':
		if raw == "true" {
			return "false"
		}
		return "true"
	case 'n':
		return "false"
	}
	return "null" // an empty object or array
}

// alteredNumber changes the last digit of the number proper.
func alteredNumber(raw string) string {
	i := len(raw) - 1
	if e := strings.IndexAny(raw, "eE"); e > 0 {
		i = e - 1
	}
	digit := byte('1')
	if raw[i] == '1' {
		digit = '2'
	}
	return raw[:i] + string(digit) + raw[i+1:]
}

// alteredString changes one character of the inside of a JSON string, which may stand there as an escape.
func alteredString(raw string, p pick) string {
	if raw == "" {
		return "q"
	}
	units := stringUnits(raw)
	i := p(len(units))
	var was string
	_ = json.Unmarshal([]byte(`"`+units[i]+`"`), &was) // a unit is a whole character
	r, _ := utf8.DecodeRuneInString(was)
	units[i] = string(another(r))
	return strings.Join(units, "")
}

// stringUnits parts the inside of a JSON string into characters; the two escapes of a surrogate pair are one.
func stringUnits(raw string) (units []string) {
	for raw != "" {
		var n int // bytes of the next one
		switch {
		case strings.HasPrefix(raw, `\u`):
			n = 6
			if strings.HasPrefix(raw[n:], `\u`) && surrogates(raw[:6], raw[6:12]) {
				n = 12
			}
		case raw[0] == '\\':
			n = 2
		default:
			_, n = utf8.DecodeRuneInString(raw)
		}
		units, raw = append(units, raw[:n]), raw[n:]
	}
	return units
}

// surrogates reports whether two escapes are halves of one character.
func surrogates(high, low string) bool {
	h, _ := strconv.ParseUint(high[2:], 16, 32)
	l, _ := strconv.ParseUint(low[2:], 16, 32)
	return h >= 0xd800 && h < 0xdc00 && l >= 0xdc00 && l < 0xe000
}
