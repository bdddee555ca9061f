package report

import (
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/record"
)

func TestOwnClassifier(t *testing.T) {
	rows := []record.OwnClass{
		{Row: "tier_cap", Mode: "plain", Fixture: "cap", Layer: "wait", Builtin: "tier_spend_cap", Differs: true, Changes: true},
		{Row: "tier_cap", Mode: "stream", Fixture: "cap", Layer: "wait", Builtin: "tier_spend_cap", Differs: true, Changes: true},
		{Row: "rate_limit", Mode: "plain", Fixture: "rate_limit", Layer: "rate_limit", Builtin: "rate_limit"},
	}
	for _, c := range []struct {
		why          string
		c            *record.Classifier
		want, absent []string
	}{
		{"none was given", nil, nil, []string{"classifier"}},
		{"changes fail, and stand first", &record.Classifier{Command: "python3", Rows: rows},
			[]string{"reclassified  your own classifier (python3) gives 2 rows another class", "    tier_cap (plain, stream)  cap -> wait\n", "    tier_cap (plain, stream)  cap (built-in: tier_spend_cap)\n"},
			[]string{"rate_limit (plain)"}},
		{"routes are told apart", &record.Classifier{Command: "python3", Rows: []record.OwnClass{
			{Row: "tier_cap", Mode: "plain", Route: "edge", Fixture: "cap", Layer: "wait", Builtin: "cap", Changes: true},
			{Row: "tier_cap", Mode: "plain", Route: "gw", Fixture: "cap", Layer: "wait", Builtin: "cap", Changes: true}}},
			[]string{"tier_cap (plain; route edge)  cap -> wait\n", "tier_cap (plain; route gw)    cap -> wait\n"}, nil},
		{"nothing to tell", &record.Classifier{Command: "python3", Rows: rows[2:]}, []string{"your own classifier (python3) keeps its class in 1 row\n"}, []string{"built-in:"}},
		{"another failure where any will do is a note", &record.Classifier{Command: "python3", Rows: append(rows[2:3:3], record.OwnClass{Row: "reset", Mode: "plain", Fixture: "cut", Layer: "gateway", Builtin: "cut"})},
			[]string{"keeps its class in 1 row\n", "any failure will do", "    reset (plain)  cut -> gateway\n"}, []string{"reclassified", "built-in:"}},
		{"a failure is no silence", &record.Classifier{Command: "python3", Failed: "it ended"}, []string{"CLASSIFIER FAILED  your own classifier (python3)", "it ended"}, []string{"keeps"}},
	} {
		doc := green()
		doc.Classifier = c.c
		var b strings.Builder
		if err := Text(&b, doc, TextOptions{}); err != nil {
			t.Fatal(err)
		}
		for _, w := range c.want {
			if !strings.Contains(b.String(), w) {
				t.Errorf("%s: no %q in\n%s", c.why, w, b.String())
			}
		}
		for _, a := range c.absent {
			if strings.Contains(b.String(), a) {
				t.Errorf("%s: %q in\n%s", c.why, a, b.String())
			}
		}
	}
	// What the program says is as untrusted as what a layer says.
	doc := green()
	doc.Classifier = &record.Classifier{Command: nasty, Failed: nasty, Rows: []record.OwnClass{{Row: nasty, Mode: nasty, Fixture: nasty, Layer: nasty, Builtin: nasty, Differs: true, Changes: true}}}
	for _, width := range []int{minWidth, maxWidth} {
		var b strings.Builder
		if err := Text(&b, doc, TextOptions{Width: width}); err != nil {
			t.Fatal(err)
		}
		for l := range strings.Lines(b.String()) {
			mustBePlain(t, strings.TrimSuffix(l, "\n"))
		}
	}
}
