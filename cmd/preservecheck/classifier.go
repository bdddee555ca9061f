package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/classifier"
	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/record"
)

// classifierEnv are the variables that the user's own classifier gets: enough to find itself and a temporary folder,
// and none that may hold a key. SYSTEMROOT is what programs on Windows can't start without.
var classifierEnv = []string{"PATH", "HOME", "LANG", "TMPDIR", "SYSTEMROOT"}

// ownClassifier is the program of --classifier.
type ownClassifier struct {
	options classifier.Options
	asked   []check.Decided
	late    error // says that the run's deadline passed
}

// parseClassifier reads --classifier; nil without it. A program that is not there is an error before anything runs.
func parseClassifier(command, from string, env environ, timeout time.Duration) (*ownClassifier, error) {
	if command == "" {
		return nil, nil
	}
	const hint = "write it like --classifier 'python3 my_classify.py'; see docs/classifier.md"
	words, err := classifier.Split(command)
	if err != nil {
		return nil, usage(hint, "%s: %s", from, err)
	}
	program, err := exec.LookPath(words[0])
	if err != nil {
		return nil, usage(hint, "%s: the program %q is not there, or can't be run", from, words[0])
	}
	c := &ownClassifier{options: classifier.Options{Words: append([]string{program}, words[1:]...), Timeout: timeout}}
	for _, name := range classifierEnv {
		if value, ok := env[name]; ok {
			c.options.Env = append(c.options.Env, name+"="+value)
		}
	}
	return c, nil
}

// note collects what is to be asked; the program itself runs after the check, so that it can't slow a layer down.
func (c *ownClassifier) note(d check.Decided) { c.asked = append(c.asked, d) }

// add asks the program about every row, until the run's deadline, and settles the result of the run anew.
func (c *ownClassifier) add(ctx context.Context, deadline time.Time, d *record.Document, hide func(string) string) {
	asking, cancel := context.WithDeadlineCause(ctx, deadline, c.late)
	defer cancel()
	out := &record.Classifier{Command: hide(filepath.Base(c.options.Words[0])), Rows: []record.OwnClass{}}
	d.Classifier = out
	if len(c.asked) > 0 {
		if err := c.ask(asking, out, hide); err != nil {
			// What it said before goes, too: a program that writes a line too many answers each question with the last one's.
			out.Failed, out.Rows = hide(err.Error()), []record.OwnClass{}
			d.Incomplete = d.Incomplete || ctx.Err() != nil
		}
	}
	compare.Settle(d)
}

func (c *ownClassifier) ask(ctx context.Context, out *record.Classifier, hide func(string) string) (err error) {
	p, err := classifier.Start(c.options)
	if err != nil {
		return err
	}
	defer func() {
		if unasked := p.Close(); err == nil {
			err = unasked
		}
	}()
	successes := map[string]bool{} // its classes of fixtures that are one
	for _, a := range c.asked {
		f, mode, dialect := a.Row.Fixture, string(a.Row.Mode), dialects.ByName(a.Row.Fixture.Dialect)
		row := record.OwnClass{Row: f.Name, Mode: mode, Route: a.Row.Route, Builtin: string(f.Class)}
		class, err := p.Classify(ctx, classifier.Of(a.Fixture, dialect, mode, fixture.NoID))
		if err != nil {
			return fmt.Errorf("asked about fixture %s (%s): %w", f.Name, mode, err)
		}
		row.Fixture, row.Differs = hide(class), class != string(f.Class)
		if classify.Success(f.Class) {
			successes[row.Fixture] = true
		}
		if a.Layer != nil && a.Layer.Status > 0 {
			through, err := p.Classify(ctx, classifier.Of(a.Layer, dialect, mode, fixture.NoID, a.IDs...))
			if err != nil {
				return fmt.Errorf("asked about %s (%s) through the layer: %w", f.Name, mode, err)
			}
			row.Layer, row.Changes = hide(through), through != class
		}
		out.Rows = append(out.Rows, row)
	}
	// Any failure will do where one is expected, such as a gateway's own 502 for a connection that was reset.
	for i, a := range c.asked {
		if row := &out.Rows[i]; a.Row.Fixture.ExpectFailure {
			row.Changes = row.Changes && successes[row.Layer]
		}
	}
	return nil
}
