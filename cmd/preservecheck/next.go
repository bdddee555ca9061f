package main

import (
	"bytes"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/wire"
)

// next is the command to type after a run, "" when there is none.
func (p *plan) next(d *record.Document) string {
	switch {
	case len(d.Proof.Missed) > 0:
		return "preservecheck controls"
	case d.NotReady != "" && d.Incomplete:
		return strings.Join(p.again, " ")
	case d.NotReady != "":
		return p.nextWay()
	case advisesRate(d.Findings):
		return p.with("rate", slower(p.flags.rate))
	case d.News != nil && firstNew(d.News) == "":
		return ""
	case d.News != nil:
		return strings.Join(append(p.again, "--fixture", firstNew(d.News), "-v"), " ")
	case d.Result.Exit == exitFail && worst(d.Rows) != "" && p.flags.verbose && len(p.flags.fixture) > 0:
		return "preservecheck fixtures show " + worst(d.Rows)
	case d.Result.Exit == exitFail && worst(d.Rows) != "":
		return strings.Join(append(p.again, "--fixture", worst(d.Rows), "-v"), " ")
	case d.Result.Exit == exitFail && !p.flags.verbose: // a finding alone: the passes over the rows tell more
		return strings.Join(append(p.again, "-v"), " ")
	case d.Result.Exit == exitPass && p.control != "":
		return p.ownLayer()
	}
	return ""
}

// ownLayer is the command to type after an embedded layer passed. A known file of its names it, and so says nothing of another.
func (p *plan) ownLayer() string {
	if p.known != nil {
		return "preservecheck check --layer URL -o known=layer.yaml"
	}
	return "preservecheck check --layer http://127.0.0.1:8080"
}

// nextWay is the command to type when nothing came through the layer, by what came back last.
func (p *plan) nextWay() string {
	a := p.watch.answer()
	switch {
	case p.launch != nil: // what a layer that we started has printed tells more than another command
		return ""
	case a == nil:
	case a.End == wire.EndLocal: // nothing to change but the time
		return strings.Join(p.again, " ")
	case a.End == wire.EndRefused:
		return p.with("ready-timeout", (4 * p.flags.readyTimeout).String())
	case p.target != nil: // what a route lacks is written into the file
	case a.Status == http.StatusUnauthorized || a.Status == http.StatusForbidden:
		return strings.Join(append(p.again, "--header", "'authorization: Bearer $KEY'"), " ")
	case a.Status == http.StatusTooManyRequests:
		return p.with("rate", slower(p.flags.rate))
	case a.Status >= 400 && a.Status < 500 && bytes.Contains(bytes.ToLower(a.Body), []byte("model")):
		return p.with("model", "NAME")
	}
	switch {
	case p.open.guarded && a == nil: // the way to the stub is not open, which is not done by a command
		return ""
	case p.open.guarded && p.flags.wait:
		return strings.Join(p.again, " ")
	case p.open.guarded: // another stub would not be the one that the gateway has
		return strings.Join(append(p.again, "--wait-for-gateway"), " ")
	}
	return "preservecheck serve -v --stub-listen " + quote(p.listen)
}

// advisesRate reports whether a finding that fails the run advises to ask more slowly.
func advisesRate(fs []record.Finding) bool {
	return slices.ContainsFunc(fs, func(f record.Finding) bool { return f.Fails && strings.Contains(f.Advice, "--rate") })
}

// slower is the rate to try next, in requests per second.
func slower(rate float64) string {
	const first = 2
	if rate == 0 || rate > 2*first {
		return strconv.Itoa(first)
	}
	return strconv.FormatFloat(rate/2, 'g', 3, 64)
}

// with repeats the command with another value of one flag.
func (p *plan) with(flag, value string) string {
	var words []string
	for i := 0; i < len(p.again); i++ {
		if p.again[i] == "--"+flag {
			i++ // its value, too
			continue
		}
		words = append(words, p.again[i])
	}
	return strings.Join(append(words, "--"+flag, quote(value)), " ")
}

// worst names the row with the worst verdict, the first of several; one that is declared is not asked about again.
func worst(rows []record.Row) string {
	name, verdict := "", compare.Declared
	for i := range rows {
		if v := compare.Verdict(rows[i].Verdict); compare.Worse(v, verdict) {
			name, verdict = rows[i].Row, v
		}
	}
	return name
}

// firstNew names the row of the first new fault, "" when there is none.
func firstNew(n *record.News) string {
	for _, c := range n.Changes {
		if c.Fails && c.Row != "" {
			return c.Row
		}
	}
	return ""
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
		if f.Value.Type() == "bool" {
			words = append(words, "--"+f.Name+map[string]string{"false": "=false"}[f.Value.String()])
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
