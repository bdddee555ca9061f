package evidence

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDiffOfPartsOfOneList: lists that share their memory are the same only when they are equally long.
func TestDiffOfPartsOfOneList(t *testing.T) {
	e := Evidence{{"a", Value{Text, "1"}}, {"b", Value{Text, "2"}}}
	for _, c := range []struct {
		why       string
		want, got Evidence
		dirs      []Direction
	}{
		{"the same list", e, e, nil},
		{"none and none", nil, nil, nil},
		{"none was expected", nil, e, []Direction{Invented, Invented}},
		{"none came", e, nil, []Direction{Lost, Lost}},
		{"the beginning came", e, e[:1], []Direction{Lost}},
		{"more came than its beginning", e[:1], e, []Direction{Invented}},
	} {
		var dirs []Direction
		for _, d := range Diff(c.want, c.got) {
			dirs = append(dirs, d.Dir)
		}
		if diff := cmp.Diff(c.dirs, dirs); diff != "" {
			t.Errorf("%s (- want, + have):\n%s", c.why, diff)
		}
	}
}

// TestSecondTextOfADelta: clients read the last member of a name, so that one is the text; the other was sent by nobody.
func TestSecondTextOfADelta(t *testing.T) {
	stream := func(choice string) Evidence {
		return Of(answer(200, `data: {"type":"delta","choices":[{`+choice+`}]}`+"\n\n", "content-type", "text/event-stream"), layout, mask)
	}
	once, twice := stream(`"i":0,"text":"a"`), stream(`"text":"b","i":0,"text":"a"`)
	if text := twice.Get("stream/text").Text; text != "a" {
		t.Errorf("the text is %q", text)
	}
	if d := Diff(once, twice); len(d) != 1 || d[0].Key != "stream/data/-delta/choices" || d[0].Dir != Changed {
		t.Errorf("%+v", d)
	}
}
