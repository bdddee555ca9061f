package explain

import (
	"encoding/json"
	"strings"
	"testing"
)

var pythonCases = []struct{ why, in, want string }{
	{"an empty dict", `{}`, `{}`},
	{"words", `{'a': None, 'b': True, 'c': False}`, `{"a":null,"b":true,"c":false}`},
	{"numbers", `{'a': 1, 'b': -1.5e+3}`, `{"a":1,"b":-1.5e+3}`},
	{"lists and tuples", `{'a': [1, 'x'], 'b': (1, 2), 'c': (1,)}`, `{"a":[1,"x"],"b":[1,2],"c":[1]}`},
	{"an apostrophe makes Python use the other quotes", `{'a': "it's"}`, `{"a":"it's"}`},
	{"both quotes make it escape", `{'a': 'it\'s "x"'}`, `{"a":"it's \"x\""}`},
	{"escapes", `{'a': '\n\t\\\x41\u00e9\U0001f600'}`, `{"a":"\n\t\\Aé😀"}`},
	{"an unknown escape keeps its backslash", `{'a': '\d'}`, `{"a":"\\d"}`},
	{"bytes inside", `{'a': b'\xc3\xa9'}`, `{"a":"é"}`},
	{"text behind it is left", `{'a': 1} and more`, `{"a":1}`},
	{"cut in a string", `{'a': 'b`, ``},
	{"cut in an escape", `{'a': '\x4`, ``},
	{"cut after a key", `{'a':`, ``},
	{"cut in a list", `{'a': [1,`, ``},
	{"no number", `{'a': 1-2}`, ``},
	{"nan has no JSON", `{'a': nan}`, ``},
	{"a set is no dict", `{'a'}`, ``},
	{"too deep", strings.Repeat(`{'a':`, maxPythonDepth+2) + `1` + strings.Repeat(`}`, maxPythonDepth+2), ``},
}

func TestPythonValue(t *testing.T) {
	for _, c := range pythonCases {
		out, n := pythonValue([]byte(c.in))
		if (out == nil) != (c.want == "") {
			t.Errorf("%s: got %q", c.why, out)
			continue
		}
		if out == nil {
			continue
		}
		var got, want any
		if json.Unmarshal(out, &got) != nil || json.Unmarshal([]byte(c.want), &want) != nil {
			t.Errorf("%s: %q is no JSON", c.why, out)
			continue
		}
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(want)
		if string(a) != string(b) {
			t.Errorf("%s: got %s, want %s", c.why, a, b)
		}
		if !strings.HasSuffix(strings.TrimSpace(c.in[:n]), "}") {
			t.Errorf("%s: took %q", c.why, c.in[:n])
		}
	}
}

// What is read is JSON, and reading never runs past the end.
func FuzzPythonValue(f *testing.F) {
	if len(pythonCases) == 0 {
		f.Fatal("no seeds")
	}
	for _, c := range pythonCases {
		f.Add([]byte(c.in))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		out, n := pythonValue(in)
		if n > len(in) || out != nil && !json.Valid(out) {
			t.Errorf("took %d of %d bytes and gave %q", n, len(in), out)
		}
	})
}
