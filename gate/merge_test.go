package gate

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/record"
)

// saved makes parts of records, each of a run that started at another time and is saved under a letter.
func saved(docs ...*record.Document) (out []Saved) {
	for i, d := range docs {
		d.Started = time.Date(2026, 11, 30, 12, i, 0, 0, time.UTC)
		out = append(out, Saved{File: "runs/" + string(rune('a'+i)) + ".json", Doc: d})
	}
	return out
}

func named(name string, change func(*record.Document)) *record.Document {
	return whole(all(func(d *record.Document) { d.Target.Name = name }, func(d *record.Document) {
		if change != nil {
			change(d)
		}
	}))
}

func onlyRow(row int) func(*record.Document) {
	return func(d *record.Document) { d.Rows = d.Rows[row : row+1] }
}

func edited(d *record.Document) *record.Document {
	d.Result.Exit, d.Result.Word = 0, "pass"
	return d
}

func TestMerge(t *testing.T) {
	green := func(name string) *record.Document { return named(name, nil) }
	red := func(name string) *record.Document { return named(name, loses(0, "error/details")) }
	unclear := func(name string) *record.Document { return named(name, verdict(1, "inconclusive")) }
	unready := func(name string) *record.Document {
		return named(name, func(d *record.Document) { d.NotReady, d.Rows = "connection refused", nil })
	}
	twice := green("eu")
	for _, c := range []struct {
		why    string
		parts  []Saved
		expect Expect
		exit   int
		says   string // in the reason, a part or a note
	}{
		{"all green", saved(green("eu"), green("us")), Expect{}, 0, "all of 2 runs pass"},
		{"one alone", saved(green("eu")), Expect{Count: 1}, 0, "all of 1 run pass"},
		{"as green as the worst", saved(green("eu"), red("us")), Expect{}, 1, "1 of 2 runs failed: 1 of 4 rows"},
		{"what could not be told is not green", saved(green("eu"), unclear("us")), Expect{}, 3, "1 of 2 runs can't be told: b.json"},
		{"a failure stands, whatever became of the others", saved(unclear("eu"), red("us")), Expect{}, 1, "1 of 2 runs failed"},
		{"a layer that was not there", saved(green("eu"), unready("us")), Expect{}, 3, "connection refused"},
		{"its proof is missing, and that is its own fault alone", saved(red("eu"), named("us", func(d *record.Document) { d.NotReady, d.Rows, d.Proof = "x", nil, record.Proof{} })), Expect{}, 1, "1 of 2 runs failed"},
		{"a control was missed in one", saved(green("eu"), named("us", func(d *record.Document) { d.Proof.Missed = []string{"x"} })), Expect{}, 3, "missed 1 control"},
		{"a key decided in one part and not in the other", saved(green("eu"), named("us", func(d *record.Document) { d.Proof.Deciding-- })), Expect{}, 3, "us"},
		{"all that were expected", saved(green("eu"), green("us")), Expect{Count: 2, Layers: []string{"us", "eu"}}, 0, "all of 2"},
		{"one too few", saved(green("eu")), Expect{Count: 2}, 3, "of 2 that were expected, 1 were given"},
		{"one too many is a mistake as well", saved(green("eu"), green("us")), Expect{Count: 1}, 3, "of 1 that were expected, 2 were given"},
		{"a name that is not there", saved(green("eu"), green("us")), Expect{Layers: []string{"asia"}}, 3, "asia is missing"},
		{"a name that is expected twice and there once: versions of one layer, of which one did not run", saved(named("gw", onlyRow(0))), Expect{Layers: []string{"gw", "gw"}}, 3, "gw is missing"},
		{"and that is there twice", saved(named("gw", onlyRow(0)), named("gw", onlyRow(1))), Expect{Layers: []string{"gw", "gw"}}, 0, "all of 2"},
		{"a failure beside one that is missing stays one", saved(red("eu")), Expect{Count: 2}, 1, "of 2 that were expected"},
		{"a run given twice hides that one is missing", []Saved{{"a.json", twice}, {"b.json", twice}}, Expect{Count: 2}, 3, "b.json is the same run as a.json"},
		{"a finding fails", saved(green("eu"), named("us", finds("slept", true, "a (plain)"))), Expect{}, 1, "1 finding"},
		{"a part that was edited", saved(green("eu"), edited(red("us"))), Expect{}, 3, "b.json disagrees with itself"},
		{"a part that was interrupted", saved(green("eu"), named("us", func(d *record.Document) { d.Incomplete = true })), Expect{}, 3, "is incomplete"},
		{"interrupted after a failure", saved(green("eu"), named("us", all(loses(0, "k"), func(d *record.Document) { d.Incomplete = true }))), Expect{}, 1, "is incomplete"},
		{"a matrix of jobs: one layer, other rows", saved(named("gw", onlyRow(0)), named("gw", onlyRow(1))), Expect{}, 0, "all of 2"},
		{"one layer, the same rows: regions, or a second try", saved(green("gw"), red("gw")), Expect{}, 1, "b.json repeats rows of a.json (2); both count"},
		{"mixed profiles are named", saved(green("eu"), named("us", func(d *record.Document) { d.Profile.Name = "full" })), Expect{}, 0, "mixed profile: core (a.json); full (b.json)"},
		{"mixed matrices as well", saved(green("eu"), named("us", func(d *record.Document) { d.Matrix.Version = "2027-01" })), Expect{}, 0, "mixed matrix: 2026-11 (a.json); 2027-01 (b.json)"},
		{"and tools", saved(green("eu"), named("us", func(d *record.Document) { d.Tool.Version = "2" })), Expect{}, 0, "mixed version of the tool: 2 (b.json); none (a.json)"},
		{"under the stricter rule nothing passes that one lets pass", saved(green("eu"), named("us", all(loses(0, "k"), func(d *record.Document) { d.Settings.FailOn = "reclassified" }))), Expect{}, 1, "mixed --fail-on"},
		{"whichever comes first", saved(named("us", all(verdict(0, "changed"), func(d *record.Document) { d.Settings.FailOn = "reclassified" })), green("eu")), Expect{}, 1, "mixed --fail-on"},
		{"entries of a known file", saved(green("eu"), named("us", func(d *record.Document) { d.Known = &record.Known{Problems: []string{"stale"}} })), Expect{}, 1, "us: stale"},
		{"another class for the user's own classifier", saved(green("eu"), named("us", func(d *record.Document) {
			d.Classifier = &record.Classifier{Rows: []record.OwnClass{{Row: "a", Mode: "plain", Fixture: "x", Layer: "y", Changes: true}}}
		})), Expect{}, 1, "own classifier"},
		{"one that failed", saved(green("eu"), named("us", func(d *record.Document) { d.Classifier = &record.Classifier{Failed: "no"} })), Expect{}, 3, "own classifier failed"},
	} {
		before := asJSON(t, c.parts)
		d := Merge(c.parts, c.expect)
		if d.Result.Exit != c.exit || !strings.Contains(string(asJSON(t, d)), c.says) {
			t.Errorf("%s: exit %d, %s\n%+v\n%q", c.why, d.Result.Exit, d.Result.Why, d.Parts, d.Notes)
		}
		if !bytes.Equal(before, asJSON(t, c.parts)) {
			t.Errorf("%s: a part was changed", c.why)
		}
		again := d
		if err := Recompute(&again); err != nil || again.Result.Exit != c.exit {
			t.Errorf("%s: judged again it is %d, %v", c.why, again.Result.Exit, err)
		}
		if _, err := record.Read(bytes.NewReader(asJSON(t, d))); err != nil {
			t.Errorf("%s: can't be read back: %v", c.why, err)
		}
	}
}

func asJSON(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.ReplaceAll(b, []byte(`\u003c`), []byte("<"))
}

// TestMergedRecordCantBeMadeGreen: whoever edits what the parts came to has the rows against him, and the reverse.
func TestMergedRecordCantBeMadeGreen(t *testing.T) {
	red := func() record.Document { return Merge(saved(named("eu", nil), named("us", loses(0, "k"))), Expect{}) }
	for _, c := range []struct {
		why  string
		edit func(*record.Document)
	}{
		{"the result alone", func(d *record.Document) { d.Result.Exit = 0 }},
		{"the parts", func(d *record.Document) { d.Result.Exit, d.Parts[1].Result.Exit = 0, 0 }},
		{"no parts at all", func(d *record.Document) { d.Result.Exit, d.Parts = 0, nil }},
		{"the rows", func(d *record.Document) { d.Result.Exit, d.Rows[2].Verdict = 0, "preserved" }},
	} {
		d := red()
		c.edit(&d)
		if err := Recompute(&d); err == nil || d.Result.Exit != compare.ExitCouldNotTell {
			t.Errorf("%s: %d, %v", c.why, d.Result.Exit, err)
		}
	}
}

func TestMergeNamesWhereRowsAreFrom(t *testing.T) {
	d := Merge(saved(named("eu", all(loses(0, "k"), finds("slept", true, "a (plain)"), finds("cached", true, "a (plain; route x)"))), named("us", func(d *record.Document) {
		d.Target.Routes = []record.Route{{Name: "x"}, {Name: "y"}}
		d.Rows[0].Route, d.Rows[1].Route = "x", "y"
	})), Expect{})
	var routes, of []string
	for _, r := range d.Target.Routes {
		routes = append(routes, r.Name)
	}
	for _, r := range d.Rows {
		of = append(of, r.Route)
	}
	if !slices.Equal(routes, []string{"eu", "us/x", "us/y"}) || !slices.Equal(of, []string{"eu", "eu", "us/x", "us/y"}) {
		t.Errorf("routes %v, rows %v", routes, of)
	}
	if d.Findings[0].Rows[0] != "a (plain; route eu)" || d.Findings[1].Rows[0] != "a (plain; route eu/x)" || d.Findings[0].Text != "eu: slept" {
		t.Errorf("findings %+v", d.Findings)
	}
	if d.Target.Name != "eu, us" || d.Proof.Pairs != 4 || d.Command != "check" {
		t.Errorf("%+v %+v", d.Target, d.Proof)
	}
}

func TestMergeable(t *testing.T) {
	for _, c := range []struct {
		why    string
		change func(*record.Document)
		want   string
	}{
		{"a run", nil, ""},
		{"a demo is green and red on purpose", func(d *record.Document) { d.Command = "demo" }, `of the command "demo"`},
		{"news alone was judged", func(d *record.Document) { d.News = &record.News{} }, "against a baseline"},
		{"the whole is no part", func(d *record.Document) { d.Parts = []record.Part{{}} }, "made by merge"},
	} {
		d := whole(c.change)
		err := Mergeable(d)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", c.why, err)
		}
	}
}

// TestMergedKeysAreThoseOfTheProfile: each part proves the same keys, so their number is not a sum.
func TestMergedKeysAreThoseOfTheProfile(t *testing.T) {
	one := named("us", nil)
	d := Merge(saved(named("eu", nil), one), Expect{})
	if d.Proof.Keys != one.Proof.Keys || d.Proof.Deciding != one.Proof.Deciding || one.Proof.Keys == 0 {
		t.Errorf("%d of %d keys, want %d of %d", d.Proof.Deciding, d.Proof.Keys, one.Proof.Deciding, one.Proof.Keys)
	}
}
