package check

import (
	"fmt"
	"testing"

	"github.com/preservecheck/preservecheck/authors"
	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/fixture"
)

// TestVaries: what not every observation of a row showed is told with how often it was seen.
func TestVaries(t *testing.T) {
	type o struct {
		key, value string
		class      classify.Class
	}
	for _, c := range []struct {
		why     string
		all     []o
		times   []int // of each sighting; nil: nothing varies
		omitted int
		classes []string
	}{
		{"all the same", []o{{"status", "503", ""}, {"status", "503", ""}}, nil, 0, nil},
		{"one of two", []o{{"status", "503", ""}, {}}, []int{1}, 0, []string{""}},
		{"two of three", []o{{"status", "503", ""}, {}, {"status", "503", ""}}, []int{2}, 0, []string{""}},
		{"another value is another sighting", []o{{"status", "503", ""}, {"status", "502", ""}}, []int{1, 1}, 0, []string{"", ""}},
		{"another class as well, and it is named", []o{{"status", "503", classify.Overloaded}, {"status", "503", ""}}, []int{1, 1}, 0, []string{"overloaded", ""}},
	} {
		r, row := tierCap(t)
		for _, x := range c.all {
			s := r.observation(row, passRepeat, compare.Different, 1)
			if x.key != "" {
				differing(s, x.key)
				s.layer = evidence.Evidence{{Key: x.key, Value: evidence.Value{Kind: evidence.Number, Text: x.value}}}
			}
			if x.class != "" {
				s.judged.Class = x.class
			}
			r.seen[row] = append(r.seen[row], s)
		}
		v := r.varies(row)
		if (v == nil) != (c.times == nil) {
			t.Errorf("%s: %+v", c.why, v)
			continue
		}
		for i, n := range c.times {
			if v.Sightings[i].Times != n || v.Sightings[i].Class != c.classes[i] || v.Observations != len(c.all) {
				t.Errorf("%s: %+v of %d", c.why, v.Sightings[i], v.Observations)
			}
		}
	}
}

// TestSightingsAreBounded: a layer that puts another id into every answer makes no record grow without end.
func TestSightingsAreBounded(t *testing.T) {
	for _, more := range []int{0, 3} {
		r, row := tierCap(t)
		for i := range maxSightings + more {
			s := differing(r.observation(row, passRepeat, compare.Different, 1), "status")
			s.layer = evidence.Evidence{{Key: "status", Value: evidence.Value{Kind: evidence.Number, Text: fmt.Sprint(i)}}}
			r.seen[row] = append(r.seen[row], s)
		}
		if v := r.varies(row); v == nil || len(v.Sightings) != maxSightings || v.Omitted != more {
			t.Errorf("%d more: %+v", more, v)
		}
	}
}

// TestAuthorOfWhatTheFixtureBearsAsWell: a sign that the fixture has itself names nobody, unless no upstream was asked.
func TestAuthorOfWhatTheFixtureBearsAsWell(t *testing.T) {
	m, err := fixture.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, f := range m.Rows {
		if f.Dialect != "anthropic" || f.ExpectFailure {
			continue
		}
		served := f.Expected(fixture.NoID, false)
		row := Row{Fixture: f, Mode: fixture.Plain, Dialect: dialects.Anthropic}
		e := evidence.Of(served, row.Dialect.Layout, fixture.NoID)
		name := ""
		for _, sign := range authors.Of(served, e) {
			if sign.Wrote() && name == "" {
				name = sign.String()
			}
		}
		if name == "" {
			continue
		}
		found++
		r := &runner{expected: map[Row]evidence.Evidence{row: e}}
		s := &seen{row: row, layer: e, probe: &probe{answer: served}}
		for v, want := range map[compare.Verdict]string{compare.Preserved: "", compare.Different: "", compare.LayerMade: name} {
			s.judged.Verdict = v
			if got := r.author(row, s); got != want {
				t.Errorf("%s, %s: %q, want %q", f.Name, v, got, want)
			}
		}
	}
	if found == 0 {
		t.Error("no row bears a sign")
	}
}
