package main

import (
	"slices"
	"testing"

	"github.com/spf13/cobra"

	"github.com/preservecheck/preservecheck/record"
)

func TestQuote(t *testing.T) {
	for in, want := range map[string]string{
		"http://127.0.0.1:8080/a": "http://127.0.0.1:8080/a", "": "''", "a b": "'a b'", "it's": `'it'\''s'`,
		"authorization: Bearer $KEY": "'authorization: Bearer $KEY'", "claude-{fixture}": "'claude-{fixture}'",
	} {
		if got := quote(in); got != want {
			t.Errorf("quote(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestSayAgain(t *testing.T) {
	cmd, f := &cobra.Command{Use: "check"}, &checkFlags{}
	f.register(cmd)
	err := cmd.ParseFlags([]string{"--layer", "http://gw", "--header", "a: $B", "--header", "c: d", "--fixture", "x", "-o", "json=y", "-v", "--stream", "off"})
	if err != nil {
		t.Fatal(err)
	}
	if err := newEnviron([]string{"PRESERVECHECK_RATE=5"}).fill(cmd); err != nil {
		t.Fatal(err)
	}
	got, want := sayAgain(cmd), []string{"preservecheck", "check", "--layer", "http://gw", "--header", "'a: $B'", "--header", "'c: d'", "--stream", "off"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestWorstRow(t *testing.T) {
	rows := []record.Row{{Row: "a", Verdict: "preserved"}, {Row: "b", Verdict: "changed"}, {Row: "c", Verdict: "reclassified"}, {Row: "d", Verdict: "reclassified"}}
	if got := worst(rows); got != "c" {
		t.Errorf("the worst is %q, want c", got)
	}
	if got := worst(rows[:1]); got != "" {
		t.Errorf("the worst of preserved rows is %q, want none", got)
	}
}
