package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/record"
)

// withConsequences is a run in which the first failing row has n lines of the model, of which the last holds hostile text.
func withConsequences(n int) record.Document {
	doc := red()
	r := rowOf(&doc, "tier_cap", "plain")
	for i := range n {
		c := record.Consequence{Who: "client " + string(rune('a'+i)), Text: "1 request → 3 (x-should-retry added)", Clients: []string{"x"}}
		c.Minor = i == 1
		if i == n-1 {
			c.Text = "evil \x1b[31m]]> <script> | `x`\nnext"
		}
		r.Consequences = append(r.Consequences, c)
	}
	return doc
}

// TestConsequences shows what each format makes of the model's lines.
func TestConsequences(t *testing.T) {
	short := render(t, withConsequences(7), TextOptions{})
	for _, want := range []string{"(model)", "client a: 1 request → 3 (x-should-retry added) [1 of 2 rows]", "client f", "and 2 more with -v", "docs/reactions.md"} {
		if !strings.Contains(short, want) {
			t.Errorf("text has no %q:\n%s", want, short)
		}
	}
	if strings.Contains(short, "client b:") || strings.Contains(short, "client g:") {
		t.Errorf("text has more than %d lines, or one that only -v shows:\n%s", mostLines, short)
	}
	all := render(t, withConsequences(7), TextOptions{Verbose: true})
	if !strings.Contains(all, "client b:") || !strings.Contains(all, "client g:") || strings.Contains(all, "with -v") || strings.Contains(all, "\x1b") {
		t.Errorf("verbose text:\n%q", all)
	}
	if none := render(t, red(), TextOptions{}); strings.Contains(none, "(model)") {
		t.Errorf("a run without them speaks of the model:\n%s", none)
	}
	for _, format := range []string{"markdown", "junit", "html", "json"} {
		f, err := ByName(format)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := f.Write(&b, withConsequences(3)); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "client a") || strings.Contains(b.String(), "<script> |") && format == "html" || strings.Contains(b.String(), "\x1b") {
			t.Errorf("%s:\n%s", format, b.String())
		}
	}
}
