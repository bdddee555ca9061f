package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/report"
)

func newFixturesValidate(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "validate FILE...",
		Short: "Check files with rows of your own, and say line and column of every problem",
		Long: `validate reads files as --matrix does (- is standard input), together: it checks their form, that no name can be taken
for another one's, and that each row has the class that the classifier gives its answer. Problems go to stderr, a line
each. Exit codes: 0 all is well, 2 there is a problem.`,
		Example: "  preservecheck fixtures validate mine.yaml\n  preservecheck fixtures validate rows/*.yaml",
		Args:    cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("name the files, as in preservecheck fixtures validate mine.yaml", "fixtures validate needs a file")
			}
			return a.validate(args)
		},
	}
}

func (a *app) validate(names []string) error {
	m, err := fixture.Builtin()
	if err != nil {
		return err
	}
	var good []*fixture.File
	var problems []error
	for _, name := range names {
		f, err := loadOwn(name, a.in)
		if err != nil {
			problems = append(problems, lines(err)...)
			continue
		}
		good = append(good, f)
	}
	if _, err := m.With(good...); err != nil {
		problems = append(problems, lines(err)...)
	}
	if len(problems) > 0 {
		for _, p := range problems {
			a.note("%s", p)
		}
		return usage("correct them and try again", "%s", counted(len(problems), "problem", "problems"))
	}
	for _, f := range good {
		if _, err := fmt.Fprintln(a.out, report.Plain(summary(f))); err != nil {
			return unwritten(err)
		}
	}
	return nil
}

// summary says what a good file holds.
func summary(f *fixture.File) string {
	var classes []classify.Class
	for _, row := range f.Rows {
		if !slices.Contains(classes, row.Class) {
			classes = append(classes, row.Class)
		}
	}
	slices.Sort(classes)
	text := fmt.Sprintf("%s: %s, %s (%s)", f.Name, counted(len(f.Rows), "row", "rows"), counted(len(classes), "class", "classes"),
		strings.Join(texts(classes), ", "))
	if f.Only {
		text += ", instead of the built-in rows"
	}
	return text
}

// lines takes joined errors apart.
func lines(err error) []error {
	var many interface{ Unwrap() []error }
	if errors.As(err, &many) {
		return many.Unwrap()
	}
	return []error{err}
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
