package evidence

import "strings"

// Direction is how a key differs.
type Direction string

// The directions. Lost and invented are said of a key, changed of its value.
const (
	Lost     Direction = "lost"
	Changed  Direction = "changed"
	Invented Direction = "invented"
)

// Nuance is a finer word for a direction, where it helps a reader.
type Nuance string

// The nuances.
const (
	Moved    Nuance = "moved"    // lost here, the same value stands under Other
	Embedded Nuance = "embedded" // the expected text stands inside a longer one
	Retyped  Nuance = "retyped"  // the same text as another kind: 429 became "429"
)

// Difference is one key whose expected and actual values are not the same. A lost or invented subtree is one difference, at its root.
type Difference struct {
	Key       string
	Dir       Direction
	Nuance    Nuance
	Other     string
	Want, Got Value
}

// Diff compares what was expected with what came, in the order of the keys: first those of want, then the invented.
func Diff(want, got Evidence) []Difference {
	if len(want) == len(got) && (len(want) == 0 || &want[0] == &got[0]) {
		return nil // the same list
	}
	w, g := index(want), index(got)
	var out []Difference
	for _, e := range want {
		v := g.get(e.Key)
		switch {
		case v == e.Value:
		case v.Kind == Absent && underGone(g, w, e.Key):
		case v.Kind == Absent:
			out = append(out, Difference{Key: e.Key, Dir: Lost, Want: e.Value})
		default:
			out = append(out, Difference{Key: e.Key, Dir: Changed, Nuance: nuance(e.Value, v), Want: e.Value, Got: v})
		}
	}
	lost := len(out)
	for _, e := range got {
		if w.get(e.Key).Kind == Absent && !underGone(w, g, e.Key) {
			out = append(out, Difference{Key: e.Key, Dir: Invented, Got: e.Value})
		}
	}
	moved(out[:lost], out[lost:])
	return out
}

// underGone reports whether a key is missing in m only because its parent is no object there: the difference is
// then the parent's. other is the side where the key exists.
func underGone(m, other indexed, key string) bool {
	p := Parent(key)
	return p != "" && other.get(p).Kind == Object && m.get(p).Kind != Object
}

func nuance(want, got Value) Nuance {
	switch {
	case want.Kind != got.Kind && want.Text == got.Text && want.Text != "":
		return Retyped
	case len(want.Text) > 3 && len(got.Text) > len(want.Text) && strings.Contains(got.Text, want.Text):
		return Embedded
	}
	return ""
}

// moved marks lost keys whose value an invented key of a like name holds, such as llm_provider-retry-after.
func moved(lost, invented []Difference) {
	for i := range lost {
		l := &lost[i]
		if l.Dir != Lost || l.Want.Text == "" {
			continue
		}
		for _, v := range invented {
			if v.Got == l.Want && alike(leaf(l.Key), leaf(v.Key)) {
				l.Nuance, l.Other = Moved, v.Key
				break
			}
		}
	}
}

func leaf(key string) string { return key[strings.LastIndexByte(key, '/')+1:] }

func alike(a, b string) bool { return strings.HasSuffix(a, b) || strings.HasSuffix(b, a) }

// indexed finds values by key. Most lists are so short that looking through them is faster than a map.
type indexed struct {
	list Evidence
	m    map[string]Value
}

func index(e Evidence) indexed {
	x := indexed{list: e}
	if len(e) > 40 {
		x.m = make(map[string]Value, len(e))
		for _, f := range e {
			x.m[f.Key] = f.Value
		}
	}
	return x
}

func (x indexed) get(key string) Value {
	if x.m != nil {
		return x.m[key]
	}
	return x.list.Get(key)
}
