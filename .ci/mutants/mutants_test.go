package main

import (
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const code = `package p

type set struct{ names []string }

func (s *set) kind(n int, known bool) string {
	switch {
	case n == 0 && !known:
		return "none"
	case n > 2:
		return "many"
	case s.has("x"):
		return "x"
	}
	if n < 2 {
		return "few"
	}
	return "two"
}

func (s *set) has(name string) bool { return len(s.names) > 0 && s.names[0] == name }

func unseen(n int) bool { return n != 1 }
`

const tests = `package p

import "testing"

func TestKind(t *testing.T) {
	s := &set{}
	for _, c := range []struct {
		n     int
		known bool
		want  string
	}{{0, false, "none"}, {0, true, "few"}, {1, false, "few"}, {9, false, "many"}} {
		if got := s.kind(c.n, c.known); got != c.want {
			t.Errorf("%d: %s", c.n, got)
		}
	}
	if s := (&set{[]string{"x"}}); s.kind(1, false) != "x" {
		t.Error("no x")
	}
}
`

// inModule works in a module of its own that has the code above.
func inModule(t *testing.T, list string) options {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module m\n\ngo 1.26\n", "p/p.go": code, "p/p_test.go": tests, "list": list} {
		to := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	any := regexp.MustCompile(".")
	return options{in: "all", list: "list", dir: "p", only: any, place: any, patience: 30, workers: 2}
}

func entry(parts ...string) string { return strings.Join(append(parts, "a reason"), "\t") + "\n" }

// The tests above notice all but these three: nobody asks for exactly two, nor for what is unseen.
var (
	many   = entry("p/p.go", "set.kind", boundary, "n > 2")
	few    = entry("p/p.go", "set.kind", boundary, "n < 2")
	unseen = entry("p/p.go", "unseen", negation, "n != 1")
)

func TestRun(t *testing.T) {
	for _, c := range []struct {
		why, in, list string
		green         bool
		says          []string
	}{
		{
			"survivors that no list explains are red", "all", "", false,
			[]string{"lived: p/p.go:9 set.kind, CONDITIONALS_BOUNDARY of case: n > 2\n", "lived: p/p.go:14 set.kind, CONDITIONALS_BOUNDARY of if: n < 2\n", "no test comes by: p/p.go:22 unseen, CONDITIONALS_NEGATION of value: n != 1\n"},
		},
		{"with all of them listed it is green", "all", many + few + unseen, true, []string{"11 changes, 8 noticed, 0 timed out, 2 lived, 1 not reached, 3 of the survivors listed"}},
		{"an entry for one explains no other", "all", many + many + unseen, false, []string{"lived: p/p.go:14"}},
		{"an entry for another kind explains nothing", "all", many + unseen + strings.Replace(few, boundary, negation, 1), false, []string{"lived: p/p.go:14"}},
		{"nor does one for another function", "all", many + unseen + strings.Replace(few, "set.kind", "kind", 1), false, []string{"lived: p/p.go:14"}},
		{"conditions of cases alone", "case", "", false, []string{"lived: p/p.go:9", "5 changes, 4 noticed"}},
		{"and they are green without the others", "case", many, true, nil},
	} {
		o := inModule(t, c.list)
		o.in = c.in
		expect(t, c.why, o, c.green, c.says...)
	}
	o := inModule(t, "")
	o.verbose, o.place = true, regexp.MustCompile("NEGATION of if")
	expect(t, "and the test that noticed is named", o, true, "noticed: p/p.go:14 set.kind, CONDITIONALS_NEGATION of if: n < 2 (TestKind)\n")
}

func expect(t *testing.T, why string, o options, want bool, says ...string) {
	t.Helper()
	var out strings.Builder
	green, err := run(&out, o)
	if err != nil || green != want {
		t.Errorf("%s: green %v, %v\n%s", why, green, err, &out)
	}
	for _, s := range says {
		if !strings.Contains(out.String(), s) {
			t.Errorf("%s: no %q in\n%s", why, s, &out)
		}
	}
}

// TestGremlins: what gremlins found is held against the same list, by what stands where it points.
func TestGremlins(t *testing.T) {
	result := func(status string) string {
		return `{"files":[{"file_name":"p.go","mutations":[` +
			`{"type":"CONDITIONALS_NEGATION","status":"NOT COVERED","line":7,"column":9},` + // in a case: its blind spot
			`{"type":"CONDITIONALS_BOUNDARY","status":"` + status + `","line":14,"column":7}]}]}`
	}
	stale := entry("p/p.go", "set.kind", boundary, "n < 3")
	for _, c := range []struct {
		why, result, list string
		green             bool
		says              string
	}{
		{"noticed", result("KILLED"), "", true, "p: gremlins: 1 changes, 1 noticed"},
		{"lived", result("LIVED"), "", false, "lived: p/p.go:14 set.kind, CONDITIONALS_BOUNDARY of code: n < 2"},
		{"lived and listed", result("LIVED"), few, true, "1 of the survivors listed"},
		{"not covered, and no case", result("NOT COVERED"), "", false, "no test comes by: p/p.go:14"},
		{"an entry for what is not there any more", result("KILLED"), stale, false, "listed, but no such code is there: p/p.go\tset.kind\tCONDITIONALS_BOUNDARY\tn < 3"},
		{"an entry for another package", result("KILLED"), strings.Replace(stale, "p/p.go", "q/q.go", 1), true, ""},
	} {
		o := inModule(t, c.list)
		o.in, o.gremlins = "none", "result.json"
		if err := os.WriteFile(o.gremlins, []byte(c.result), 0o600); err != nil {
			t.Fatal(err)
		}
		expect(t, c.why, o, c.green, c.says)
	}
}

// TestNothingRanIsNoPass: what can't be measured is an error, never green.
func TestNothingRanIsNoPass(t *testing.T) {
	for _, c := range []struct {
		why   string
		spoil func(*options)
		want  string
	}{
		{"no such package", func(o *options) { o.dir = "q" }, "no Go files"},
		{"no test", func(o *options) { o.only = regexp.MustCompile("^Nothing") }, "no tests"},
		{"no such place", func(o *options) { o.place = regexp.MustCompile("^nothing") }, "nothing to change"},
		{"a list without reasons", func(o *options) { os.WriteFile(o.list, []byte("p/p.go\tf\tk\te\t\n"), 0o600) }, "reason"},
		{"tests that fail untouched", func(*options) {
			os.WriteFile("p/q_test.go", []byte("package p\n\nimport \"testing\"\n\nfunc TestQ(t *testing.T) { t.Error() }\n"), 0o600)
		}, "TestQ fails untouched"},
		{"code that can't be built", func(*options) { os.WriteFile("p/q.go", []byte("package p\n\nvar x y\n"), 0o600) }, "undefined: y"},
		{"gremlins found nothing", func(o *options) { o.gremlins = "g"; os.WriteFile("g", []byte("{}"), 0o600) }, "no changes in it"},
		{"gremlins ran on other code", func(o *options) {
			o.gremlins = "g"
			os.WriteFile("g", []byte(`{"files":[{"file_name":"p.go","mutations":[{"type":"X","status":"LIVED","line":1,"column":1}]}]}`), 0o600)
		}, "is it older than the code"},
		{"a status that nobody knows", func(o *options) {
			o.gremlins = "g"
			os.WriteFile("g", []byte(`{"files":[{"file_name":"p.go","mutations":[{"type":"X","status":"ESCAPED","line":14,"column":7}]}]}`), 0o600)
		}, "ESCAPED"},
	} {
		o := inModule(t, many+few+unseen)
		c.spoil(&o)
		if green, err := run(&strings.Builder{}, o); green || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: green %v, %v", c.why, green, err)
		}
	}
}

// TestNested: a comparison inside another condition is changed by itself.
func TestNested(t *testing.T) {
	s, err := readSource(token.NewFileSet(), "p.go", []byte("package p\n\nfunc f(a, b int, g func(bool) bool) bool {\n\tif g(a < b) && (a == b) != g(true) {\n\t\treturn true\n\t}\n\treturn false\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	s.gather()
	var have []string
	for _, p := range s.places {
		have = append(have, p.Kind+" "+p.Text)
	}
	want := []string{
		"OPPOSITE g(a < b)", "CONDITIONALS_NEGATION (a == b) != g(true)",
		"CONDITIONALS_NEGATION a < b", "CONDITIONALS_BOUNDARY a < b", "CONDITIONALS_NEGATION a == b",
	}
	if strings.Join(have, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q", have)
	}
	const line = "if (mutatedAt(7) != (g((mutatedAt(9) != (func() bool { if mutatedAt(10) { return a <= b }; return a < b }()))))) && (mutatedAt(8) != (((mutatedAt(11) != (a == b))) != g(true))) {"
	if got := s.rewrite(7); !strings.Contains(got, line) {
		t.Error(got)
	}
}
