package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/record"
)

// recorded is one row of a record with what is needed to judge it again.
type recorded struct {
	row     *record.Row
	keys    map[string]*record.Field
	fixture *fixture.Fixture  // nil: it is none of this release
	dialect *dialects.Dialect // nil: this release does not know it
	profile *compare.Profile  // nil: it is the user's own, of which a record holds only a part
}

// fromEvidence holds a row against the evidence that stands in it. What a verdict rests on has to be there: each key of
// the fixture, with its value there and what came through the layer, and what follows from them. What a record leaves out (of very
// long values, of hundreds of differences, of secrets) can't be judged again and is taken as it is.
func fromEvidence(d *record.Document, row *record.Row) error {
	if !conclusive(row) {
		return nil
	}
	r := recorded{row: row, keys: map[string]*record.Field{}, dialect: dialects.ByName(row.Asked)}
	if b, err := fixture.Builtin(); err == nil && d.Matrix.Version == b.Version {
		r.fixture = b.Get(row.Row)
	}
	if p := compare.ProfileByName(d.Profile.Name); p != nil && slices.Equal(p.Names(), d.Profile.Keys) {
		r.profile = p
	}
	if row.Layer == nil || len(row.Fields) == 0 {
		return fmt.Errorf("it is called %s, and what came through the layer does not stand in it", row.Verdict)
	}
	for i := range row.Fields {
		f := &row.Fields[i]
		if r.keys[f.Key] != nil && !hasSecret(f.Key) {
			return fmt.Errorf("%s stands in it twice", f.Key)
		}
		r.keys[f.Key] = f
		if !inItself(f) {
			return fmt.Errorf("the values of %s are not what makes it %s", f.Key, orSame(f.Dir))
		}
	}
	if r.fixture == nil || r.dialect == nil || row.Omitted > 0 || len(row.Fields) >= manyFields {
		return nil
	}
	return r.again()
}

// manyFields is how many keys of a row a record may leave the others out at.
const manyFields = 200

func orSame(dir string) string {
	if dir == "" {
		return "the same"
	}
	return dir
}

// inItself reports whether the direction of a key follows from its values.
func inItself(f *record.Field) bool {
	switch evidence.Direction(f.Dir) {
	case evidence.Lost:
		return f.Fixture != nil && f.Layer == nil
	case evidence.Invented:
		return f.Fixture == nil && f.Layer != nil
	case evidence.Changed:
		return f.Fixture != nil && f.Layer != nil
	}
	return f.Dir == "" && f.Fixture != nil && f.Layer != nil &&
		(*f.Fixture == *f.Layer || f.Fixture.Kind == f.Layer.Kind && f.Layer.Kind == string(evidence.Object)) // of an object the keys below tell
}

// again judges the row by its fixture.
func (r *recorded) again() error {
	expected := evidence.Of(r.fixture.Expected(fixture.NoID, false), r.dialect.Layout, fixture.NoID)
	if c := string(r.fixture.Class); r.row.Class.Fixture != c {
		return fmt.Errorf("its fixture is called %s in it, and is %s", r.row.Class.Fixture, c)
	}
	for _, e := range expected {
		f := r.keys[e.Key]
		switch {
		case f == nil && !r.gone(e.Key):
			return fmt.Errorf("it is called %s, and %s, which its fixture has, does not stand in it", r.row.Verdict, e.Key)
		case f == nil:
		case f.Fixture == nil || f.Fixture.Kind != string(e.Value.Kind) || e.Value.Kind != evidence.Object && f.Fixture.Cut == 0 && f.Fixture.Text != e.Value.Text:
			return fmt.Errorf("%s of its fixture is another one in it", e.Key)
		}
	}
	if r.profile == nil {
		return nil
	}
	return r.decidesAgain(expected)
}

// gone reports whether a key is missing because one above it differs, which tells of both.
func (r *recorded) gone(key string) bool {
	for p := evidence.Parent(key); p != ""; p = evidence.Parent(p) {
		if f := r.keys[p]; f != nil && f.Dir != "" {
			return true
		}
	}
	return false
}

// decidesAgain asks the profile again which differences decide.
func (r *recorded) decidesAgain(expected evidence.Evidence) error {
	for _, f := range r.row.Fields {
		if f.Dir == "" || hasSecret(f.Key) || !uncut(f.Fixture) || !uncut(f.Layer) {
			continue
		}
		x := evidence.Difference{Key: f.Key, Dir: evidence.Direction(f.Dir), Want: valueOf(f.Fixture), Got: valueOf(f.Layer)}
		if decides := r.profile.Decides(x, expected, r.dialect) != nil; decides != f.Decides {
			return fmt.Errorf("%s %s decides by profile %s: %t, and it says %t", f.Key, f.Dir, r.profile.Name, decides, f.Decides)
		}
	}
	return nil
}

func hasSecret(s string) bool { return strings.Contains(s, "[secret ") }

// uncut reports whether a record holds all of a value.
func uncut(v *record.Value) bool { return v == nil || v.Cut == 0 && !hasSecret(v.Text) }

func valueOf(v *record.Value) evidence.Value {
	if v == nil {
		return evidence.Value{}
	}
	return evidence.Value{Kind: evidence.Kind(v.Kind), Text: v.Text}
}
