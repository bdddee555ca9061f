package compare

import (
	"fmt"
	"strings"

	"github.com/preservecheck/preservecheck/record"
)

// The words of a result.
const (
	Pass         = "pass"
	Fail         = "fail"
	CouldNotTell = "could not tell"
)

// The exit codes of every command that judges.
const (
	ExitPass         = 0
	ExitFail         = 1
	ExitUsage        = 2
	ExitCouldNotTell = 3
)

// Settle writes the result of a run from its rows, findings and proof. It is the only place that decides an exit code, so
// that a saved record can be judged again and no format changes the verdict.
func Settle(d *record.Document) {
	d.Result.Counts = counts(d)
	d.Result.Exit, d.Result.Why = decide(d)
	d.Result.Word = map[int]string{ExitPass: Pass, ExitFail: Fail}[d.Result.Exit]
	if d.Result.Word == "" {
		d.Result.Word = CouldNotTell
	}
	d.Result.Covers = covers(d)
	d.Actions = actions(d)
}

func counts(d *record.Document) map[string]int {
	c := map[string]int{"excluded": len(d.Excluded)}
	for _, v := range order {
		c[string(v)] = 0
	}
	for i := range d.Rows {
		c[d.Rows[i].Verdict]++
		if d.Rows[i].Provenance == string(Attributed) {
			c["attributed"]++
		}
	}
	return c
}

func rulesOf(d *record.Document) Rules {
	return Rules{FailOn: d.Settings.FailOn, AllowUntestable: d.Settings.AllowUntestable}
}

// tally counts rows and findings by what they mean.
type tally struct{ failing, open, judged, hard, soft, own int }

func tallied(d *record.Document) (t tally) {
	rules := rulesOf(d)
	for i := range d.Rows {
		switch rules.outcome(Verdict(d.Rows[i].Verdict)) {
		case fails:
			t.failing++
			t.judged++
		case couldNotTell:
			t.open++
		default:
			if Verdict(d.Rows[i].Verdict) != Untestable { // allowed, and still not judged
				t.judged++
			}
		}
	}
	for _, f := range d.Findings {
		switch {
		case f.Fails && f.Soft:
			t.soft++
		case f.Fails:
			t.hard++
		}
	}
	if d.Classifier != nil && d.Classifier.Failed == "" {
		for _, r := range d.Classifier.Rows {
			if r.Changes {
				t.own++
			}
		}
	}
	return t
}

// own adds the rows whose class changes for the user's own classifier.
func own(n int) string {
	if n == 0 {
		return ""
	}
	return "; your own classifier gives " + count(n, "row") + " another class through the layer"
}

// noted counts the rows whose other class does not fail the run.
func noted(rows []record.OwnClass) (n int) {
	for _, r := range rows {
		if r.Noted() {
			n++
		}
	}
	return n
}

// decide follows DESIGN's order of exit codes.
func decide(d *record.Document) (int, string) {
	t := tallied(d)
	proven, unproven := decideProof(d)
	switch {
	case d.Refused != "":
		return ExitUsage, "nothing was tested: " + d.Refused
	case len(d.Parts) > 0 && d.News == nil:
		return decideParts(d, t)
	case proven != ExitPass:
		return proven, unproven
	case d.NotReady != "":
		return ExitCouldNotTell, d.NotReady
	case d.News != nil:
		return decideNews(d, t)
	}
	return decideRows(d, t)
}

// decideProof says whether the controls were caught.
func decideProof(d *record.Document) (int, string) {
	p := d.Proof
	switch {
	case len(p.Missed) > 0:
		return ExitCouldNotTell, fmt.Sprintf("the check itself missed %s, so its verdicts can't be trusted", count(len(p.Missed), "control"))
	case p.Pairs == 0 || p.Exact != p.Pairs || p.Keys == 0 || p.Deciding != p.Keys:
		return ExitCouldNotTell, "the controls were not all proven"
	}
	return ExitPass, ""
}

// decideRows judges a run that came to rows by all of them.
func decideRows(d *record.Document, t tally) (int, string) {
	switch {
	case d.Incomplete && t.failing+t.own+problems(d) == 0:
		return ExitCouldNotTell, "the run was interrupted before a row failed"
	case t.failing > 0:
		return ExitFail, fmt.Sprintf("%d of %s failed", t.failing, count(len(d.Rows), "row")) + also(t.hard, "finding") + own(t.own) + alsoKnown(d)
	case t.own > 0:
		return ExitFail, "your own classifier gives " + count(t.own, "row") + " another class through the layer" + also(t.hard, "finding")
	case t.hard > 0:
		return ExitFail, count(t.hard, "finding") + " about the run" + alsoKnown(d)
	case problems(d) > 0:
		return ExitFail, knownProblems(d)
	case d.Classifier != nil && d.Classifier.Failed != "":
		return ExitCouldNotTell, "your own classifier failed: " + d.Classifier.Failed
	case t.judged == 0:
		return ExitCouldNotTell, "nothing was judged"
	case t.open > 0:
		return ExitCouldNotTell, fmt.Sprintf("%s of %d could not be judged", count(t.open, "row"), len(d.Rows))
	case t.soft > 0:
		return ExitCouldNotTell, softly(d)
	case d.Incomplete:
		return ExitCouldNotTell, "the run was interrupted"
	}
	if n := d.Result.Counts[string(Untestable)]; n > 0 {
		return ExitPass, "every row was judged and passes, but for " + count(n, "row") + " that --allow-untestable lets through"
	}
	return ExitPass, "every row was judged and passes"
}

// softly says why a finding keeps a run from being told that no row does.
func softly(d *record.Document) string {
	for _, f := range d.Findings {
		if f.Fails && f.Soft && f.Kind == "dirty-way" {
			return "the way to the stub broke down during the run"
		}
	}
	return "the layer refused requests that came side by side; each row passed when it was asked alone"
}

func also(n int, what string) string {
	if n == 0 {
		return ""
	}
	return ", and " + count(n, what)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// covers is the line that says what green covers.
func covers(d *record.Document) string {
	c := d.Result.Counts
	var b strings.Builder
	fmt.Fprintf(&b, "preserved %d of %d rows (%s, %s, profile %s", c[string(Preserved)], max(len(d.Rows), d.Matrix.Selected),
		strings.Join(d.Settings.Modes, " + "), strings.Join(d.Settings.Dialects, " + "), d.Profile.Name)
	if n := len(d.Target.Routes); n > 1 {
		fmt.Fprintf(&b, ", %d routes", n)
	}
	if d.Channel != "" {
		fmt.Fprintf(&b, ", %s channel", d.Channel)
	}
	if d.Settings.Repeat > 1 {
		fmt.Fprintf(&b, ", %d times each", d.Settings.Repeat)
	}
	fmt.Fprintf(&b, ", %s), controls %d of %d pairs, deciding %d of %d keys", d.Settings.ClientProtocol, d.Proof.Exact, d.Proof.Pairs, d.Proof.Deciding, d.Proof.Keys)
	if d.Proof.Shown > 0 {
		fmt.Fprintf(&b, " (%d more only shown, --fail-on %s)", d.Proof.Shown, d.Settings.FailOn)
	}
	b.WriteString(silenced(d))
	sep := "; "
	for _, k := range []string{string(Declared), string(Untestable), "excluded", "attributed"} {
		if c[k] > 0 {
			fmt.Fprintf(&b, "%s%s %d", sep, k, c[k])
			sep = ", "
		}
	}
	if d.Classifier != nil && d.Classifier.Failed == "" {
		fmt.Fprintf(&b, "%syour own classifier changes its class in %d of %d rows", sep, tallied(d).own, len(d.Classifier.Rows))
		if n := noted(d.Classifier.Rows); n > 0 {
			fmt.Fprintf(&b, ", %d more noted", n)
		}
	}
	if d.Matrix.Narrowed != "" {
		fmt.Fprintf(&b, "; %d of %d rows selected by %s", d.Matrix.Selected, d.Matrix.Total, d.Matrix.Narrowed)
	}
	return b.String()
}
