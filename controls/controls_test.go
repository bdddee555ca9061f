package controls

import (
	"testing"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/fixture"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var bothModes = []fixture.Mode{fixture.Plain, fixture.Stream}

func input(t testing.TB, profile string, modes ...fixture.Mode) Input {
	t.Helper()
	m, err := fixture.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return Input{Matrix: m, Rules: compare.Rules{Profile: compare.ProfileByName(profile), MaxLayerRetries: -1}, Modes: modes}
}

func TestProveEveryProfile(t *testing.T) {
	for _, profile := range compare.Profiles() {
		for _, modes := range [][]fixture.Mode{bothModes, {fixture.Plain}, {fixture.Stream}} {
			p := Prove(t.Context(), input(t, profile.Name, modes...))
			for _, m := range p.Missed {
				t.Error(profile.Name, m)
			}
			if p.Pairs == 0 || p.Pairs != p.Exact || p.Keys != len(profile.Keys) || p.Deciding != p.Keys {
				t.Errorf("%s %v: %d of %d pairs, %d of %d keys (the profile has %d)", profile.Name, modes, p.Exact, p.Pairs, p.Deciding, p.Keys, len(profile.Keys))
			}
		}
	}
}

// every gives all rows of the matrix in both modes, as a run that selects everything has them.
func every(t testing.TB, in Input) (rows []check.Row) {
	t.Helper()
	for _, m := range bothModes {
		for _, f := range in.Matrix.Rows {
			if f.In(m) {
				rows = append(rows, check.Row{Fixture: f, Mode: m, Dialect: dialects.ByName(f.Dialect)})
			}
		}
	}
	if len(rows) < 100 {
		t.Fatalf("only %d rows", len(rows))
	}
	return rows
}

// The declarations of the faults must hold for every row that a run can have, not only for those that are always proven.
func TestProveTheWholeMatrix(t *testing.T) {
	computes(t)
	for _, profile := range compare.Profiles() {
		in := input(t, profile.Name, bothModes...)
		in.Rows = every(t, in)
		p := Prove(t.Context(), in)
		for _, m := range p.Missed {
			t.Error(profile.Name, m)
		}
		if p.Pairs == 0 || p.Pairs != p.Exact || p.Deciding != p.Keys {
			t.Errorf("%s: %d of %d pairs, %d of %d keys", profile.Name, p.Exact, p.Pairs, p.Deciding, p.Keys)
		}
		t.Logf("%s: %d rows, %d pairs", profile.Name, len(in.Rows), p.Pairs)
	}
}

// TestProveOnRoutes: what a fault does to a row does not depend on the route, so several are no reason to prove it again.
func TestProveOnRoutes(t *testing.T) {
	in := input(t, "core", bothModes...)
	one := Prove(t.Context(), in)
	for _, route := range []string{"edge", "gateway"} {
		for _, r := range rowsOf(in, bothModes) {
			r.Route = route
			in.Rows = append(in.Rows, r)
		}
	}
	if two := Prove(t.Context(), in); two.Pairs != one.Pairs || two.Exact != one.Exact {
		t.Errorf("%d of %d pairs on two routes, %d of %d on one", two.Exact, two.Pairs, one.Exact, one.Pairs)
	}
}

func BenchmarkProveTheWholeMatrix(b *testing.B) {
	in := input(b, "core", bothModes...)
	in.Rows = every(b, in)
	b.ReportAllocs()
	for b.Loop() {
		Prove(b.Context(), in)
	}
}

func TestProveAll(t *testing.T) {
	for _, profile := range []string{"core", "claude-code"} { // with and without the request side
		p := ProveAll(t.Context(), input(t, profile, bothModes...))
		for _, m := range p.Missed {
			t.Error(profile, m)
		}
		for _, c := range p.Controls {
			if f := ByName(c.Name); f != nil && f.Finding != "" && c.Exact == 0 {
				t.Errorf("%s: %s was proven nowhere", profile, c.Name)
			}
		}
		t.Logf("%s: %d of %d pairs", profile, p.Exact, p.Pairs)
	}
}

func BenchmarkProve(b *testing.B) {
	in := input(b, "core", fixture.Plain)
	b.ReportAllocs()
	for b.Loop() {
		Prove(b.Context(), in)
	}
}
