package compare

import (
	"slices"
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/fixture"
)

// entries declares keys by name; a value "a -> b" names a change of class, too.
func entries(m map[string]string) Known {
	return func(_ *Observed, d *Difference) []Declaration {
		class, ok := m[d.Difference.Key]
		if !ok {
			return nil
		}
		from, to, _ := strings.Cut(class, " -> ")
		return []Declaration{{Entry: "entry " + d.Difference.Key, From: classify.Class(from), To: classify.Class(to)}}
	}
}

func TestDeclare(t *testing.T) {
	decides, note := &Key{Pattern: "x"}, (*Key)(nil)
	of := func(key string, k *Key) Difference {
		return Difference{Difference: evidence.Difference{Key: key, Dir: evidence.Lost}, Key: k}
	}
	one := []Difference{of("a", decides), of("n", note)}
	two := []Difference{of("a", decides), of("b", decides)}
	for _, c := range []struct {
		why     string
		known   map[string]string
		j       Judged
		hits    int
		failure bool
		want    Verdict
		reason  string
	}{
		{"as it says", map[string]string{"a": ""}, Judged{Verdict: Different, Class: "c", Differences: one}, 1, false, Declared, ""},
		{"nothing is declared", map[string]string{}, Judged{Verdict: Different, Class: "c", Differences: one}, 1, false, Different, ""},
		{"one undeclared difference decides", map[string]string{"a": ""}, Judged{Verdict: Different, Class: "c", Differences: two}, 1, false, Different, ""},
		{"both are declared", map[string]string{"a": "", "b": ""}, Judged{Verdict: Different, Class: "c", Differences: two}, 1, false, Declared, ""},
		{"a note declares nothing", map[string]string{"n": ""}, Judged{Verdict: Different, Class: "c", Differences: one}, 1, false, Different, ""},
		{"the class changes and is not named", map[string]string{"a": ""}, Judged{Verdict: Reclassified, Class: "d", Differences: one}, 1, false, Reclassified, "not that the class becomes d"},
		{"the class changes as it says", map[string]string{"a": "c -> d"}, Judged{Verdict: Reclassified, Class: "d", Differences: one}, 1, false, Declared, ""},
		{"the class becomes another one", map[string]string{"a": "c -> e"}, Judged{Verdict: Reclassified, Class: "d", Differences: one}, 1, false, Reclassified, "not that"},
		{"the class was another one", map[string]string{"a": "e -> d"}, Judged{Verdict: Reclassified, Class: "d", Differences: one}, 1, false, Reclassified, "not that"},
		{"an entry for a note names the class", map[string]string{"a": "", "n": "c -> d"}, Judged{Verdict: Reclassified, Class: "d", Differences: one}, 1, false, Reclassified, "not that"},
		{"an invented success", map[string]string{"a": "c -> d"}, Judged{Verdict: Reclassified, Class: "d", Differences: one, InventedSuccess: true}, 1, false, Reclassified, ""},
		{"broken", map[string]string{"a": ""}, Judged{Verdict: Broken, Class: "c", Differences: one}, 1, false, Broken, ""},
		{"layer-made", map[string]string{"a": ""}, Judged{Verdict: LayerMade, Class: "c", Differences: one}, 0, false, LayerMade, ""},
		{"inconclusive", map[string]string{"a": ""}, Judged{Verdict: Inconclusive, Class: "c", Differences: one}, 1, false, Inconclusive, ""},
		{"hits are not declared with it", map[string]string{"a": ""}, Judged{Verdict: Different, Class: "c", Differences: one, Allowed: 1}, 2, false, Retried, ""},
		{"as many hits as are allowed are none of its business", map[string]string{"a": ""}, Judged{Verdict: Different, Class: "c", Differences: one, Allowed: 2}, 2, false, Declared, ""},
		{"retried alone", map[string]string{"a": ""}, Judged{Verdict: Retried, Class: "c", Allowed: 1}, 2, false, Retried, ""},
		{"a row that expects a failure", map[string]string{"a": ""}, Judged{Verdict: Different, Class: "c", Differences: one}, 1, true, Different, ""},
	} {
		j := c.j
		j.Differences = slices.Clone(j.Differences)
		Rules{Known: entries(c.known)}.Declare(&j, &Observed{Fixture: &fixture.Fixture{Class: "c", ExpectFailure: c.failure}, Hits: c.hits})
		if j.Verdict != c.want || !strings.Contains(j.Reason, c.reason) || c.reason == "" && j.Reason != "" {
			t.Errorf("%s: %s, %q, want %s", c.why, j.Verdict, j.Reason, c.want)
		}
		if c.want == Declared && !slices.Equal(j.Differences[0].Declared, []string{"entry a"}) {
			t.Errorf("%s: declared by %v", c.why, j.Differences[0].Declared)
		}
	}
}
