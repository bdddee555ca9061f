package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/record"
)

// next is the command to type after a run, "" when there is none.
func (p *plan) next(d *record.Document) string {
	switch {
	case len(d.Proof.Missed) > 0:
		return "preservecheck controls"
	case d.Result.Exit == exitFail && worst(d.Rows) != "":
		return strings.Join(append(p.again, "--fixture", worst(d.Rows), "-v"), " ")
	case d.Result.Exit == exitPass && p.control != "":
		return "preservecheck check --layer http://127.0.0.1:8080"
	}
	return ""
}

// worst names the row with the worst verdict, the first of several.
func worst(rows []record.Row) string {
	name, verdict := "", compare.Preserved
	for i := range rows {
		if v := compare.Verdict(rows[i].Verdict); compare.Worse(v, verdict) {
			name, verdict = rows[i].Row, v
		}
	}
	return name
}

// sayAgain repeats a command as it was given, but for what chooses rows and output. Settings from the environment
// stay there (Visit knows only the flags that were parsed), and so do values that --header takes from it.
func sayAgain(cmd *cobra.Command) []string {
	words := []string{"preservecheck", "check"}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "fixture", "exclude", "output", "format", "verbose", "color":
			return
		}
		values := []string{f.Value.String()}
		if many, ok := f.Value.(pflag.SliceValue); ok {
			values = many.GetSlice()
		}
		for _, v := range values {
			words = append(words, "--"+f.Name, quote(v))
		}
	})
	return words
}

// quote writes a word so that a shell reads it as one.
func quote(s string) string {
	plain := s != "" && strings.IndexFunc(s, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@=,+", r)
	}) < 0
	if plain {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
