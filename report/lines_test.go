package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/record"
)

func TestLines(t *testing.T) {
	const long = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
	for _, c := range []struct {
		why   string
		write func(*bytes.Buffer) error
		want  string
	}{
		{"further lines stand below the first", func(b *bytes.Buffer) error { return Hanging(b, "note: ", long, 60) },
			"note: one two three four five six seven eight nine ten\n      eleven twelve thirteen fourteen\n"},
		{"paragraphs are broken anew, indented lines stay lines", func(b *bytes.Buffer) error {
			return Prose(b, "one\ntwo\n\nCodes:\n  0  "+long+"\n  1  one", 60)
		}, "one two\n\nCodes:\n  0  one two three four five six seven eight nine ten eleven\n     twelve thirteen fourteen\n  1  one\n"},
		{"the last column is broken", func(b *bytes.Buffer) error { return Table(b, [][]string{{"N", "WHY"}, {"a", long}}, 60) },
			"N  WHY\na  one two three four five six seven eight nine ten eleven\n   twelve thirteen fourteen\n"},
		{"and stands below where there is no room", func(b *bytes.Buffer) error {
			return Table(b, [][]string{{"N", "WHY"}, {strings.Repeat("n", 40), long}}, 60)
		}, "N\n" + strings.Repeat("n", 40) + "\n    one two three four five six seven eight nine ten eleven\n    twelve thirteen fourteen\n"},
		{"all columns but the first do where it is wider than the page", func(b *bytes.Buffer) error {
			return Table(b, [][]string{{"N", "A", "WHY"}, {strings.Repeat("n", 40), strings.Repeat("a", 30), "why"}}, 60)
		}, "N\n    A\n" + strings.Repeat("n", 40) + "\n    " + strings.Repeat("a", 30) + "\n    why\n"},
		{"a text below a label that leaves no room", func(b *bytes.Buffer) error { return Hanging(b, strings.Repeat("l", 50), "one two three", 60) },
			strings.Repeat("l", 50) + "\n        one two three\n"},
		{"a URL is not broken where it has room below", func(b *bytes.Buffer) error {
			return Hanging(b, "source       ", "https://example.com/"+strings.Repeat("x", 30)+", read", 60)
		}, "source\n        https://example.com/" + strings.Repeat("x", 30) + ",\n        read\n"},
		{"an empty line at the top stays", func(b *bytes.Buffer) error { return Prose(b, "\none\n", 60) }, "\none\n"},
		{"and one at the end", func(b *bytes.Buffer) error { return Prose(b, "one\n\n", 60) }, "one\n\n"},
	} {
		var b bytes.Buffer
		if err := c.write(&b); err != nil || b.String() != c.want {
			t.Errorf("%s: %v\n%q, want\n%q", c.why, err, b.String(), c.want)
		}
	}
	for _, write := range []func(*bytes.Buffer) error{
		func(b *bytes.Buffer) error { return Hanging(b, "x: ", nasty, 60) },
		func(b *bytes.Buffer) error { return Prose(b, strings.ReplaceAll(nasty, "\n", " "), 60) },
		func(b *bytes.Buffer) error { return Table(b, [][]string{{nasty, nasty}}, 100) },
		func(b *bytes.Buffer) error { return Heading(b, true, nasty, TextOptions{}) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Error(err)
		}
		mustBeSafe(t, b.String(), 1000)
	}
	if got := Short("a\x1b"+strings.Repeat("x", 100), 30); width(safe(got)) > 30 || strings.Contains(got, "\x1b") {
		t.Errorf("%q is longer than 30 columns, or not plain", got)
	}
}

// TestCommonCause: a cause is named where most rows share it, and only then.
func TestCommonCause(t *testing.T) {
	lost := func(key string) record.Row {
		return record.Row{Verdict: "changed", Fields: []record.Field{{Key: key, Dir: "lost", Decides: true}}}
	}
	made := record.Row{Verdict: "layer-made", Fields: lost("error").Fields}
	for _, c := range []struct {
		why  string
		rows []record.Row
		want string
	}{
		{"every row", []record.Row{lost("a"), lost("a"), lost("a")}, "the layer drops a in each of the 3 rows that differ"},
		{"most rows", []record.Row{lost("a"), lost("b"), lost("a"), lost("a")}, "the layer drops a in 3 of the 4 rows that differ"},
		{"half is not most", []record.Row{lost("a"), lost("a"), lost("a"), lost("b"), lost("b"), lost("b")}, ""},
		{"two rows are too few to speak of", []record.Row{lost("a"), lost("a")}, ""},
		{"what the layer wrote itself has no key in common", []record.Row{made, made, made}, ""},
		{"two keys at once", []record.Row{
			{Verdict: "changed", Fields: []record.Field{{Key: "a", Dir: "lost", Decides: true}, {Key: "b", Dir: "invented", Decides: true}, {Key: "c", Dir: "lost"}}},
			{Verdict: "changed", Fields: []record.Field{{Key: "a", Dir: "lost", Decides: true}, {Key: "b", Dir: "invented", Decides: true}}},
			{Verdict: "retried", Fields: []record.Field{{Key: "a", Dir: "lost", Decides: true}, {Key: "b", Dir: "invented", Decides: true}}},
		}, "the layer drops a in each of the 3, adds b in each of the 3 rows that differ"},
	} {
		if got := commonCause(&record.Document{Rows: c.rows}); string(got) != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

func TestWhatIsLeftOut(t *testing.T) {
	notReady := base()
	notReady.NotReady, notReady.Rows, notReady.Excluded = "no canary came through: no connection", nil, nil
	notReady.Result.Word, notReady.Result.Why = "could not tell", notReady.NotReady
	stopped := base()
	stopped.Incomplete, stopped.Result.Word, stopped.Result.Why = true, "could not tell", "the run was interrupted before a row failed"
	for i := range stopped.Rows {
		if r := &stopped.Rows[i]; i > 3 {
			r.Verdict, r.Reason, r.Observations, r.Fields = "inconclusive", "not run: the run was interrupted", nil, nil
		}
	}
	unended := base()
	unended.Incomplete, unended.DurationMS, unended.Rows = true, 0, nil
	envelope := base()
	setBoth(&envelope, "tier_cap", func(r *record.Row) {
		r.Verdict = "changed"
		r.Fields = []record.Field{{Key: "error", Dir: "lost", Decides: true, Covers: []string{"type", "message", "details"}, Fixture: object(`{"type":"cut in the middle"}`)}}
	})
	made, many := base(), base()
	for _, name := range []string{"tier_cap", "rate_limit"} {
		setBoth(&made, name, func(r *record.Row) {
			r.Verdict, r.HitsMin, r.HitsMax, r.Reason, r.Class = "layer-made", 0, 0, "the layer wrote it", record.Classes{}
			r.Fields = []record.Field{{Key: "status", Dir: "changed", Decides: true, Fixture: number("429"), Layer: number("503")},
				{Key: "header/retry-after", Dir: "lost", Decides: true, Fixture: text("1")}, {Key: "error", Dir: "lost", Decides: true, Fixture: object("{}")}}
		})
	}
	for _, r := range many.Rows {
		many.Findings = []record.Finding{{Kind: "layer-state", Fails: true, Text: "20 rows were answered", Rows: append(rowsOf(many.Findings), r.Row+" ("+r.Mode+")")}}
	}
	missed := base()
	missed.Proof.Exact--
	missed.Proof.Controls[0].Missed = 1
	for _, c := range []struct {
		why  string
		doc  record.Document
		o    TextOptions
		want []string
		not  []string
	}{
		{"what the proof covered helps nobody whose layer could not be reached", notReady, TextOptions{}, []string{"A canary is a valid request", "next: "}, []string{"preserved", "controls", "pairs"}},
		{"an interrupted run has one banner and one line of rows", stopped, TextOptions{},
			[]string{"INCOMPLETE  could not tell: the run was interrupted", "\nnot run  16 rows: ramp_limit"}, []string{"COULD NOT TELL", "inconclusive  "}},
		{"a record that stands there before there is a result", unended, TextOptions{}, []string{"INCOMPLETE  this run has not ended yet"}, []string{"preserved"}},
		{"a lost envelope names what went with it", envelope, TextOptions{}, []string{"error  lost, with type, message, details"}, []string{"cut in the middle"}},
		{"the whole value with -v", envelope, TextOptions{Verbose: true}, []string{"cut in the middle"}, nil},
		{"controls that were caught are not told again", base(), TextOptions{Verbose: true}, []string{"controls 225 of 225 pairs"}, []string{"proof:", "removes error.details"}},
		{"a missed one is, with -v", missed, TextOptions{Verbose: true}, []string{"proof: controls 224", "drop-details  3 of 3 exact, missed 1"}, []string{"passes everything on"}},
		{"a part of another output has no end of its own", base(), TextOptions{Part: true}, []string{"preserved 20 of 20"}, []string{"next:", "exit 0"}},
		{"what the layer wrote itself has lost nothing", made, TextOptions{}, []string{"layer-made  4 rows in the same way: tier_cap, rate_limit (plain, stream)\n" +
			"    the layer wrote it\n    status  changed  expected  429\n                     got       503\n\n"}, []string{"header/retry-after", "error  "}},
		{"rows of a finding: modes once, and not all", many, TextOptions{},
			[]string{"[tier_cap, rate_limit, ramp_limit, headerless_429,\n                 unknown_code_429, proxy_429 (plain, stream) and 8 rows more]"}, nil},
		{"all of them with -v", many, TextOptions{Verbose: true}, []string{"\n                 validation_400 (plain, stream)]"}, []string{"rows more"}},
		{"advice stands at the top, once", red(), TextOptions{}, []string{"9 preserved\n    advice: the layer limits us; try --rate 2\n"}, []string{"  advice: the layer limits us; try --rate 2\n    crosstalk"}},
	} {
		got := render(t, c.doc, c.o)
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in\n%s", c.why, want, got)
			}
		}
		for _, not := range c.not {
			if strings.Contains(got, not) {
				t.Errorf("%s: %q in\n%s", c.why, not, got)
			}
		}
	}
}

// TestHeaderKeepsItsColumns: when the header is broken, what stands on one line is still told apart.
func TestHeaderKeepsItsColumns(t *testing.T) {
	for columns := minWidth; columns <= maxWidth; columns++ {
		got := render(t, base(), TextOptions{Width: columns})
		for _, part := range []string{"layer http", "matrix ", "profile core", "channel "} {
			at := strings.Index(got, part)
			if before := got[:at]; !strings.HasSuffix(before, "   ") && !strings.HasSuffix(before, "\n    ") {
				t.Errorf("%d columns: %q is not set apart in\n%.200s", columns, part, got)
			}
		}
	}
}

func rowsOf(fs []record.Finding) []string {
	if len(fs) == 0 {
		return nil
	}
	return fs[0].Rows
}

func TestNoClassOfWhatCannotBeTold(t *testing.T) {
	for verdict, want := range map[string]string{"inconclusive": "", "broken": "rate_limit, and no answer to classify"} {
		r := &record.Row{Verdict: verdict, Class: record.Classes{Fixture: "rate_limit"}}
		if got := string(classFact(group{{r}}).remark); got != want {
			t.Errorf("%s: %q, want %q", verdict, got, want)
		}
	}
}
