package controls

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/preservecheck/preservecheck/compare"
)

// mutated proves all mutants of the whole matrix under a profile.
func mutated(t *testing.T, profile string, choose pick) *prover {
	t.Helper()
	in := input(t, profile, bothModes...)
	in.Rows = every(t, in)
	p := newProver(in, mutantKinds())
	p.mutate(t.Context(), choose)
	return p
}

func TestEveryMutantIsCaughtExactly(t *testing.T) {
	computes(t)
	for _, profile := range compare.Profiles() {
		p := mutated(t, profile.Name, middle)
		for i, m := range p.missed {
			if i < 20 {
				t.Error(profile.Name, m)
			}
		}
		if p.pairs < 10_000 || p.exact != p.pairs {
			t.Errorf("%s: %d of %d pairs", profile.Name, p.exact, p.pairs)
		}
	}
}

// TestAnyMutantIsCaughtExactly takes any row and alters any character of its places.
func TestAnyMutantIsCaughtExactly(t *testing.T) {
	in := input(t, "full", bothModes...)
	in.Rows = every(t, in)
	p := newProver(in, mutantKinds())
	rapid.Check(t, func(t *rapid.T) {
		s := &p.rows[rapid.IntRange(0, len(p.rows)-1).Draw(t, "row")]
		all, _ := mutants(s, func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "character") })
		p.missed = nil
		for _, m := range all {
			if p.mutant(s, m); len(p.missed) > 0 {
				t.Fatal(p.missed[0])
			}
		}
	})
}

// TestWhatOthersRestOnIsNoticed: a change that moves several keys at once can't be exact, and is seen all the same.
func TestWhatOthersRestOnIsNoticed(t *testing.T) {
	in := input(t, "full", bothModes...)
	in.Rows = every(t, in)
	p, n := newProver(in, mutantKinds()), 0
	for i := range p.rows {
		s := &p.rows[i]
		_, entangled := mutants(s, middle)
		for _, m := range entangled {
			n++
			a := p.copy(s.expected)
			m.edit(a)
			if j := p.judged(s, a); len(j.Differences) == 0 {
				t.Errorf("%s (%s): %s %s: %s", s.row.Fixture.Name, s.row.Mode, m.kind.Name, m.place, j.Verdict)
			}
		}
	}
	if n < 100 {
		t.Errorf("only %d", n)
	}
	t.Logf("%d changes", n)
}

// noMutant are keys that no change of one place alters alone, with the reason.
var noMutant = map[string]string{
	"request/**":       "of the request, whose faults are controls of their own",
	"stream/data":      "holds the data of events: it comes and goes with the only one",
	"stream/keepalive": "holds the data of keepalives, as above",
	"stream/pace":      "stands in no byte: it is when they came, which control buffer-stream changes",
}

// TestEveryKeyHasAMutant: a place that is left out because other keys rest on it must not leave its key without any.
func TestEveryKeyHasAMutant(t *testing.T) {
	computes(t)
	in := input(t, "full", bothModes...)
	in.Rows = every(t, in)
	used := map[string]bool{}
	for _, s := range newProver(in, nil).rows {
		have := map[string]bool{}
		single, entangled := mutants(&s, middle)
		for _, m := range append(single, entangled...) {
			for _, w := range m.want {
				have[w.Key] = true
			}
		}
		for _, e := range s.seen.Evidence {
			if !have[e.Key] && !excused(e.Key, used) {
				t.Errorf("%s (%s): no mutant of %s", s.row.Fixture.Name, s.row.Mode, e.Key)
			}
		}
	}
	for pattern := range noMutant {
		if !used[pattern] {
			t.Errorf("%s is excused and needs not be", pattern)
		}
	}
}

func excused(key string, used map[string]bool) bool {
	for pattern := range noMutant {
		root, below := strings.CutSuffix(pattern, "/**")
		if key == pattern || below && strings.HasPrefix(key, root+"/") {
			used[pattern] = true
			return true
		}
	}
	return false
}

// TestMutantsOfADialect holds that no protocol and no kind is left out.
func TestMutantsOfADialect(t *testing.T) {
	computes(t)
	in := input(t, "core", bothModes...)
	in.Rows = every(t, in)
	count := map[string]int{}
	for _, s := range newProver(in, nil).rows {
		single, _ := mutants(&s, middle)
		for _, m := range single {
			count[s.row.Dialect.Name+" "+string(s.row.Mode)+" "+m.kind.Name]++
		}
	}
	if len(count) != 3*2*4 {
		t.Errorf("mutants of %d of 24 kinds: %v", len(count), count)
	}
	for k, n := range count {
		if n < 100 {
			t.Errorf("only %d of %s", n, k)
		}
	}
}

func TestAlteredStrings(t *testing.T) {
	for _, c := range []struct{ why, raw, want string }{
		{"the middle of a word", "abcde", "abqde"},
		{"what is already the other letter becomes a third", "aqb", "ajb"},
		{"an escape is one character", `a\nb`, `aqb`},
		{"an escaped q is a q", `a\u0071b`, `ajb`},
		{"a surrogate pair is one character", `a\ud83d\ude00b`, `aqb`},
		{"half a pair as well", `a\ud83db`, `aqb`},
		{"two halves in the wrong order are two", `\ude00\ud83d`, `\ude00q`},
		{"a text of none gets one", "", "q"},
		{"the first and the first half of a pair", `\ud800\udc00`, "q"},
		{"the last and the last", `\udbff\udfff`, "q"},
		{"what is past the first halves", `\udc00\udc00`, `\udc00q`},
		{"what is before the first halves", `\ud7ff\udc00`, `\ud7ffq`},
		{"what is past the second halves", `\ud800\ue000`, `\ud800q`},
		{"what is before the second halves", `\ud800\udbff`, `\ud800q`},
	} {
		if got := alteredString(c.raw, middle); got != c.want {
			t.Errorf("%s: %s becomes %s, want %s", c.why, c.raw, got, c.want)
		}
	}
	for _, c := range []struct{ raw, want string }{{"429", "421"}, {"1", "2"}, {"-1.5e3", "-1.1e3"}, {"0", "1"}} {
		if got := alteredNumber(c.raw); got != c.want {
			t.Errorf("%s becomes %s, want %s", c.raw, got, c.want)
		}
	}
}

func TestReadDocSaysWhereThingsStand(t *testing.T) {
	const text = ` {"a" : [1, {"b":null}] ,"a":"x" } `
	doc, ok := readDoc(text)
	if !ok {
		t.Fatal("not read")
	}
	var parts []string
	for _, m := range doc.members {
		parts = append(parts, text[m.from:m.node.to])
	}
	if want := []string{`"a" : [1, {"b":null}]`, `"a":"x"`}; !slices.Equal(parts, want) {
		t.Errorf("%q", parts)
	}
	for _, bad := range []string{"", "{", "{} x", "\"\xff\"", "nul"} {
		if _, ok := readDoc(bad); ok {
			t.Errorf("%q was read as JSON", bad)
		}
	}
}
