package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

const sums = `package p

import "time"

type money float64

const least = -1 // has to stay a constant

var table = [2 + 1]int{0 + 1: 4 - 1, 2: -6}

func bill(n int, each money, name string) (money, string) {
	total := each * money(n-1)
	for i := 0; i < n; i++ {
		total += each
	}
	return -total, name + "!" + name
}

func wait(n int) time.Duration { return time.Duration(n) * 2 * time.Second / 4 }

func odd(seen map[string]int, name string) int {
	seen[name]++
	seen["all"] -= 2
	return seen[name] % 2
}

func asked(n int) int { return n + 1 }
`

const sumTests = `package p

import (
	"testing"
	"time"
)

func TestBill(t *testing.T) {
	if total, text := bill(3, 2, "a"); total != -10 || text != "a!a" {
		t.Error(total, text)
	}
}

func TestTable(t *testing.T) {
	if table != [3]int{0, 3, -6} || wait(2) != time.Second {
		t.Error(table, wait(2))
	}
}

func TestOdd(t *testing.T) {
	seen := map[string]int{"x": 2, "all": 3}
	if odd(seen, "x") != 1 || seen["x"] != 3 || seen["all"] != 1 {
		t.Error(seen)
	}
	asked(1)
}
`

// inSums works in the module of inModule with the code above instead of its own.
func inSums(t *testing.T, in string) options {
	t.Helper()
	o := inModule(t, "")
	o.in = in
	for name, text := range map[string]string{"p/p.go": sums, "p/p_test.go": sumTests} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

// TestSums: each operator between numbers is changed, whatever their type, and nothing else.
func TestSums(t *testing.T) {
	o := inSums(t, "sum")
	sources, err := readPackage("p")
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, p := range sources[0].places {
		if p.In == inSum {
			have = append(have, p.Func+" "+p.Kind+" "+p.Text)
		}
	}
	want := []string{
		"var ARITHMETIC_BASE 4 - 1", "var INVERT_NEGATIVES -6", // neither the length of an array nor a place in it
		"bill ARITHMETIC_BASE each * money(n-1)", "bill ARITHMETIC_BASE n-1", "bill INCREMENT_DECREMENT i++",
		"bill INVERT_ASSIGNMENTS total += each", "bill INVERT_NEGATIVES -total", // and no text
		"wait ARITHMETIC_BASE time.Duration(n) * 2 * time.Second / 4", "wait ARITHMETIC_BASE time.Duration(n) * 2 * time.Second", "wait ARITHMETIC_BASE time.Duration(n) * 2",
		"odd INCREMENT_DECREMENT seen[name]++", `odd INVERT_ASSIGNMENTS seen["all"] -= 2`, "odd ARITHMETIC_BASE seen[name] % 2",
		"asked ARITHMETIC_BASE n + 1",
	}
	if strings.Join(have, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s", strings.Join(have, "\n"))
	}
	// Only what the test asks for without looking at it lives. The loop that counts down never ends within any patience that is
	// worth waiting for here, so it is left out.
	o.place = regexp.MustCompile(`: (?:[^i]|i[^+])*$`)
	expect(t, "each but one is noticed", o, false,
		"lived: p/p.go:27 asked, ARITHMETIC_BASE of sum: n + 1\n", "sum: 13 changes, 12 noticed, 0 timed out, 1 lived, 0 not reached")
}

// TestSumsAndConditions: each kind is asked for by itself, and all together.
func TestSumsAndConditions(t *testing.T) {
	o := inSums(t, "condition")
	expect(t, "conditions alone", o, true, "condition: 2 changes, 2 noticed")
	o.in, o.place = "all", regexp.MustCompile(`bill, .*(i < n|n-1)$`)
	expect(t, "both", o, true, "all: 3 changes, 3 noticed")
}

// TestSumsInsideOthers: a sum inside a comparison or another sum is changed by itself, and a statement stands wherever it did.
func TestSumsInsideOthers(t *testing.T) {
	const text = "package p\n\nfunc f(a, b int) int {\n\tfor i := 0; a-i > -b; i++ {\n\t\ta += b * (a - 1)\n\t}\n\treturn a\n}\n"
	inModule(t, "")
	if err := os.WriteFile("p/p.go", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	sources, err := readPackage("p")
	if err != nil {
		t.Fatal(err)
	}
	const want = "\tfor i := 0; (mutatedAt(5) != (func() bool { if mutatedAt(6) { return mutatedSub[int](7, a, i) >= mutatedNeg[int](8, b) }; " +
		"return mutatedSub[int](7, a, i) > mutatedNeg[int](8, b) }())); func() { if mutatedAt(9) { i-- } else { i++ } }() {\n" +
		"\t\tfunc() { if mutatedAt(10) { a -= mutatedMul[int](11, b, (mutatedSub[int](12, a, 1))) } else { a += mutatedMul[int](11, b, (mutatedSub[int](12, a, 1))) } }()\n"
	if got := sources[0].rewrite(5); !strings.Contains(got, want) {
		t.Error(got)
	}
}

// TestStaleSums: gremlins calls a minus between two numbers a sign as well, so an entry of it is not out of date.
func TestStaleSums(t *testing.T) {
	for _, c := range []struct {
		why, entry string
		stale      bool
	}{
		{"gremlins' second name of a minus", entry("p/p.go", "bill", sign, "n-1"), false},
		{"a sum that is there", entry("p/p.go", "asked", arithmetic, "n + 1"), false},
		{"a sum that is gone", entry("p/p.go", "asked", arithmetic, "n + 2"), true},
		{"a plus is no sign", entry("p/p.go", "asked", sign, "n + 1"), true},
	} {
		inSums(t, "all")
		sources, err := readPackage("p")
		if err != nil {
			t.Fatal(err)
		}
		known := survivors{strings.TrimSuffix(c.entry, "\ta reason\n"): 1}
		if stale := known.stale("p", sources[0].places); (len(stale) > 0) != c.stale {
			t.Errorf("%s: out of date %q", c.why, stale)
		}
	}
}
