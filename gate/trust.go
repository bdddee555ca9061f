package gate

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/record"
)

// Usable refuses a record that no gate may rest on, as a fault of usage: only check makes such records. A demo's is green
// and red on purpose.
func Usable(d *record.Document) error {
	if d.Command != "check" {
		return fmt.Errorf("it is a record of the command %q; only those of check are compared", d.Command)
	}
	return nil
}

// unusable says why a record says nothing about its layer; nil when it does.
func unusable(which string, d *record.Document) (out []string) {
	say := func(text string) { out = append(out, which+" "+text) }
	switch p := d.Proof; {
	case d.Refused != "":
		say("is of a run that was refused: " + d.Refused)
	case d.NotReady != "":
		say("is of a run in which nothing came through the layer")
	case len(d.Rows) == 0:
		say("has no rows")
	case len(p.Missed) > 0 || p.Pairs == 0 || p.Exact != p.Pairs || p.Keys == 0 || p.Deciding != p.Keys:
		say("is of a run in which not every control was caught")
	}
	for _, part := range d.Parts {
		if part.Problem != "" || part.Result.Exit > compare.ExitFail {
			say(strings.TrimSpace("joins a run that can't be told: " + part.File + " " + part.Problem))
		}
	}
	if err := Consistent(d); err != nil {
		say("disagrees with itself: " + err.Error())
	}
	return out
}

// Consistent recomputes the verdict from the rows. A record that says something else than they do was changed by
// somebody, or written by a version with other rules.
func Consistent(d *record.Document) error {
	again := *d
	again.Result = record.Result{}
	compare.Settle(&again)
	if again.Result.Exit != d.Result.Exit || !maps.Equal(again.Result.Counts, d.Result.Counts) {
		return fmt.Errorf("it says exit %d, and its rows come to %d", d.Result.Exit, again.Result.Exit)
	}
	seen := map[id]bool{}
	for i := range d.Rows {
		r := &d.Rows[i]
		if k := idOf(r); seen[k] {
			return errors.New("the row " + k.String() + " stands in it twice")
		}
		seen[idOf(r)] = true
		if err := agrees(r); err != nil {
			return fmt.Errorf("row %s: %w", idOf(r), err)
		}
		if err := fromEvidence(d, r); err != nil {
			return fmt.Errorf("row %s: %w", idOf(r), err)
		}
	}
	return nil
}

// Recompute judges a saved record anew. Its own word counts for nothing: where it disagrees with its rows, the result is
// that nothing can be told, and the error says why.
func Recompute(d *record.Document) error {
	doubt := Consistent(d)
	next := d.Result.Next
	d.Result = record.Result{}
	compare.Settle(d)
	d.Result.Next = next
	if doubt != nil {
		d.Result.Exit, d.Result.Word, d.Result.Why = compare.ExitCouldNotTell, compare.CouldNotTell, "the record disagrees with itself: "+doubt.Error()
	}
	return doubt
}

// agrees holds the verdict of a row against the observation that gave it, and against its class and keys.
func agrees(r *record.Row) error {
	v := compare.Verdict(r.Verdict)
	if !slices.Contains(compare.Verdicts(), v) {
		return fmt.Errorf("there is no verdict %q", r.Verdict)
	}
	for _, o := range r.Observations {
		if o.Decided && o.Verdict != r.Verdict && v != compare.Inconclusive {
			return fmt.Errorf("it is called %s, and the observation that decided %s", r.Verdict, o.Verdict)
		}
	}
	if v != compare.Preserved && v != compare.Different && v != compare.Declared {
		return nil
	}
	if len(r.Observations) == 0 {
		return fmt.Errorf("it is called %s, and nothing was observed", r.Verdict)
	}
	return fitsItsKeys(r, v)
}

// fitsItsKeys holds a verdict that passes, or says that the class is the same, against class and keys.
func fitsItsKeys(r *record.Row, v compare.Verdict) error {
	failure := r.Layer != nil && (r.Layer.End != evidence.EndOK || r.Layer.Status >= 500) // a row may expect one
	if v != compare.Declared && !failure && r.Class.Layer != "" && r.Class.Layer != r.Class.Fixture {
		return fmt.Errorf("it is called %s, and its class is another one", r.Verdict)
	}
	if v == compare.Declared && r.InventedSuccess {
		return errors.New("it is called declared, and an error became a success")
	}
	for _, f := range r.Fields {
		if v == compare.Preserved && !failure && f.Dir != "" && f.Decides {
			return fmt.Errorf("it is called preserved, and %s %s", f.Key, f.Dir)
		}
		if v == compare.Declared && f.Dir != "" && f.Decides && len(f.Declared) == 0 {
			return fmt.Errorf("it is called declared, and %s %s is not", f.Key, f.Dir)
		}
	}
	return nil
}

// unequal says in what two runs differ so that their rows can't be compared.
func unequal(old, now *record.Document) (out []string) {
	for _, x := range []struct {
		what          string
		before, after []string
	}{
		{"profile", []string{old.Profile.Name}, []string{now.Profile.Name}},
		{"keys of profile " + now.Profile.Name, old.Profile.Keys, now.Profile.Keys},
		{"modes", old.Settings.Modes, now.Settings.Modes},
		{"dialects", old.Settings.Dialects, now.Settings.Dialects},
		{"matrix", []string{old.Matrix.Version}, []string{now.Matrix.Version}},
	} {
		if slices.Equal(slices.Sorted(slices.Values(x.before)), slices.Sorted(slices.Values(x.after))) {
			continue
		}
		if len(x.before)+len(x.after) > 8 {
			out = append(out, "the "+x.what+" are others")
			continue
		}
		out = append(out, fmt.Sprintf("%s %s, then %s", x.what, strings.Join(x.before, ", "), strings.Join(x.after, ", ")))
	}
	return out
}
