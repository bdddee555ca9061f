package controls

import (
	"testing"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/fixture"
)

// TestEveryFaultIsExactOnEveryRow: in every dialect and mode, since a run's own rows are part of its proof.
func TestEveryFaultIsExactOnEveryRow(t *testing.T) {
	computes(t)
	in := input(t, "full", fixture.Plain, fixture.Stream)
	seen := map[string]int{}
	for _, f := range in.Matrix.Rows {
		for _, m := range in.Modes {
			if f.In(m) {
				in.Rows = append(in.Rows, check.Row{Fixture: f, Mode: m, Dialect: dialects.ByName(f.Dialect)})
				seen[f.Dialect]++
			}
		}
	}
	for _, d := range dialects.All() {
		if seen[d.Name] < 20 {
			t.Errorf("only %d rows of %s", seen[d.Name], d.Name)
		}
	}
	p := Prove(t.Context(), in)
	if p.Pairs == 0 || p.Exact != p.Pairs {
		t.Errorf("%d of %d pairs", p.Exact, p.Pairs)
	}
	for i, m := range p.Missed {
		if i == 10 {
			t.Fatalf("and %d more", len(p.Missed)-i)
		}
		t.Error(m)
	}
}
