package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/preservecheck/preservecheck/attempts"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/report"
)

// attemptsFlags are the flags of attempts besides those that it shares with check.
type attemptsFlags struct {
	check                *checkFlags
	client               []string
	clientCmd, clientDir string
	maxRetries           []string
	realDelays           bool
	maxWait              time.Duration
	format, color        string
}

// sharedWithCheck are the flags of check that mean the same here.
var sharedWithCheck = []string{
	"layer", "target", "recipe", recipeDirFlag, "start", "ready", "name", "layer-version", "dialect", "model", "header",
	"stub-listen", "listen-any", "stub-url", "secret-file", "url-file", "allow-env", "fixture", "exclude", "matrix", "stream", "hazard", "deadline", "ready-timeout", "settle",
}

func newAttempts(a *app) *cobra.Command {
	f := &attemptsFlags{check: &checkFlags{}}
	cmd := &cobra.Command{
		Use:   "attempts",
		Short: "Count what a job costs: calls by a worker, requests by an SDK, by a layer, hits at the stub",
		Long: `attempts lets a worker do a job for each fixture with each client: three calls at most, one where a retry can't help. It
counts what the worker, the client's SDK and the layer each send, directly and through the layer. Without a layer it shows
what clients do by themselves. Clients are those that are installed (preservecheck clients install), and one without an SDK.

A count is no verdict: exit 0 means that everything was counted, 3 that something could not be told. There is no 1.`,
		Example: `  preservecheck attempts
  preservecheck attempts --recipe nginx/next-upstream-always
  preservecheck attempts --layer http://127.0.0.1:8080 --client anthropic-go --max-retries 0,2,4
  preservecheck attempts --layer http://127.0.0.1:8080 --client-cmd 'python3 my_worker_call.py'`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := newAttemptsPlan(a, cmd, f)
			if err != nil {
				return err
			}
			ctx, stop := interrupt(cmd.Context())
			defer stop()
			return a.attempts(ctx, p)
		},
	}
	f.register(cmd)
	return cmd
}

func (f *attemptsFlags) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.SortFlags = false
	all := &cobra.Command{} // gives the others their defaults
	f.check.register(all)
	for _, name := range sharedWithCheck {
		fl.AddFlag(all.Flags().Lookup(name))
	}
	for _, name := range []string{"rate", "concurrency", "timeout"} { // a recipe may set them, and jobs have no use for them
		flag := all.Flags().Lookup(name)
		flag.Hidden = true
		fl.AddFlag(flag)
	}
	for name, def := range map[string]string{"stream": "off", "fixture": ""} {
		fl.Lookup(name).DefValue = def
	}
	f.check.stream = "off"
	fl.Lookup("fixture").Usage = "`PATTERN`s of the fixtures to ask for, with commas or repeated (default: the article's ten)"
	fl.StringArrayVar(&f.client, "client", nil, "`NAME`s of clients, with commas or repeated; sdkless is the one without an SDK (default: all that are installed, and sdkless)")
	fl.StringVar(&f.clientCmd, "client-cmd", "", "`COMMAND` that makes one call with a client of your own, run without a shell; see docs/clients.md")
	fl.StringVar(&f.clientDir, clientDirFlag, "", clientDirUse)
	fl.StringArrayVar(&f.maxRetries, "max-retries", []string{"0", "2"}, "`NUMBERS` of retries that the clients are allowed, with commas or repeated")
	fl.BoolVar(&f.realDelays, "real-delays", false, "let clients wait in full that could note their waits instead")
	fl.DurationVar(&f.maxWait, "max-wait", time.Minute, "for one call of a client, its waits and retries included")
	fl.StringVar(&f.format, "format", "text", "what to print: text, json, markdown")
	fl.StringVar(&f.color, "color", "auto", "auto, always, never")
	_ = cmd.RegisterFlagCompletionFunc("client", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return clientsToRun(), cobra.ShellCompDirectiveNoFileComp
	})
}

// attemptsPlan is everything about a run that is decided before anything runs.
type attemptsPlan struct {
	*plan
	flags    *attemptsFlags
	noLayer  bool
	fixtures []*fixture.Fixture
	retries  []int
	drivers  []driven
	left     []string // clients that were left out, with the reason
	write    func(io.Writer, record.Attempts) error
}

// newAttemptsPlan reads the flags. Every error is one of usage.
func newAttemptsPlan(a *app, cmd *cobra.Command, f *attemptsFlags) (*attemptsPlan, error) {
	p := &attemptsPlan{flags: f}
	c := f.check
	if p.noLayer = strings.TrimSpace(c.layer) == "" && !cmd.Flags().Changed("target") && !cmd.Flags().Changed("recipe"); p.noLayer {
		c.layer = controlPrefix + honestLayer // it only stands in the plan
	}
	if err := p.readOutput(a, cmd); err != nil {
		return nil, err
	}
	var err error
	if p.retries, err = retriesOf(list(f.maxRetries), origin(cmd, "max-retries")); err != nil {
		return nil, err
	}
	if f.maxWait < 100*time.Millisecond {
		return nil, usage("give 100ms or more, like 60s", "%s: %s is out of range", origin(cmd, "max-wait"), f.maxWait)
	}
	if err := p.readClients(a, cmd); err != nil {
		return nil, err
	}
	if p.plan, err = newPlan(a, cmd, c); err != nil {
		return nil, err
	}
	p.plan.again = sayAgain(cmd)
	return p, p.readFixtures(cmd)
}

func (p *attemptsPlan) readOutput(a *app, cmd *cobra.Command) error {
	o, err := a.textOptions(p.flags.color, origin(cmd, "color"), false)
	if err != nil {
		return err
	}
	switch p.flags.format {
	case "text":
		p.write = func(w io.Writer, d record.Attempts) error { return report.Attempts(w, d, o) }
	case "json":
		p.write = report.AttemptsJSON
	case "markdown":
		p.write = report.AttemptsMarkdown
	default:
		return usage("write text, json or markdown", "%s: there is no format %q", origin(cmd, "format"), p.flags.format)
	}
	return nil
}

// retriesOf reads --max-retries.
func retriesOf(words []string, from string) (out []int, err error) {
	for _, w := range words {
		n, err := strconv.Atoi(w)
		if err != nil || n < 0 || n > 20 {
			return nil, usage("write numbers from 0 to 20, like 0,2", "%s: %q is out of range", from, w)
		}
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	if len(out) == 0 {
		return nil, usage("write numbers from 0 to 20, like 0,2", "%s: names none", from)
	}
	return out, nil
}

// readFixtures takes the fixtures of the selected rows. Without --fixture they are the article's ten in Anthropic's dialect,
// and in others those that stand for the same.
func (p *attemptsPlan) readFixtures(cmd *cobra.Command) error {
	asked := cmd.Flags().Changed("fixture")
	for _, row := range p.chosen.rows {
		f := row.Fixture
		if !asked && f.Family != fixture.ArticleFamily && !slices.Contains(likeArticle, f.Name) {
			continue
		}
		if !slices.Contains(p.fixtures, f) {
			p.fixtures = append(p.fixtures, f)
		}
	}
	var silent []driven
	for i := 0; i < len(p.drivers); i++ {
		d := p.drivers[i]
		if slices.ContainsFunc(p.fixtures, func(f *fixture.Fixture) bool { return f.Dialect == d.dialect.Name }) && slices.Contains(p.dialects, d.dialect) {
			continue
		}
		if d.named {
			return usage("give --dialect "+d.dialect.Name+", or fixtures in it", "the client %s speaks %s, in which nothing is asked for", d.record.Name, d.dialect.Name)
		}
		if d.driver != nil {
			silent = append(silent, d)
		}
		p.drivers = slices.Delete(p.drivers, i, i+1)
		i--
	}
	p.leaveOut(silent)
	distinct(p.drivers)
	if len(p.drivers) == 0 {
		return usage("preservecheck clients list shows those that can be installed", "no client speaks a dialect of the fixtures")
	}
	return nil
}

// leaveOut notes the clients that nothing can be asked with, those of a dialect in one line.
func (p *attemptsPlan) leaveOut(silent []driven) {
	for _, d := range dialects.All() {
		var names []string
		for _, s := range silent {
			if s.dialect == d {
				names = append(names, s.record.Name)
			}
		}
		if len(names) > 0 {
			p.left = append(p.left, fmt.Sprintf("left out, since nothing is asked for in %s: %s (--dialect, or fixtures in it)", d.Name, strings.Join(names, ", ")))
		}
	}
}

// likeArticle are fixtures in other dialects that stand for the same as the article's ten, as far as those have it, and that ask
// for waits of two seconds at most: with every worker's call and every retry a longer one makes a run of minutes.
var likeArticle = []string{
	"oai_wait_ms_429", "oai_no_wait_429", "oai_project_spend_429", "oai_page_429", "oai_new_quota_429", "oai_credit_429", "oai_org_spend_429", "oai_usage_429", "oai_quota_429", "oai_400",
}

// dialectsOfClients are the dialects that clients speak, each once.
func (p *attemptsPlan) dialectsOfClients() (names []string) {
	for _, d := range p.drivers {
		if !slices.Contains(names, d.dialect.Name) {
			names = append(names, d.dialect.Name)
		}
	}
	return names
}

// attempts runs a plan and prints what jobs cost.
func (a *app) attempts(ctx context.Context, p *attemptsPlan) error {
	for _, l := range p.left {
		a.note("note: %s", l)
	}
	d, err := a.runAttempts(ctx, p)
	if err != nil {
		return err
	}
	d.Notes = append(p.left, d.Notes...)
	attempts.Judge(&d)
	d.Next = p.hide(p.next(&d))
	a.exit = d.Exit
	return unwritten(p.write(a.out, d))
}

// next is the command to type next.
func (p *attemptsPlan) next(d *record.Attempts) string {
	switch {
	case d.NotReady != "":
		return "preservecheck check --layer URL --fixture rate_limit   (it says more about a way that is not open)"
	case len(d.Clients) == 1 && d.Clients[0].Name == attempts.SdklessName && len(p.flags.client) == 0:
		return "preservecheck clients install anthropic-go"
	case p.noLayer:
		return "preservecheck attempts --layer URL"
	}
	return fmt.Sprintf("preservecheck check %s", strings.Join(p.targetWords(), " "))
}

// targetWords name the layer on a command line, without headers: they may be secret.
func (p *attemptsPlan) targetWords() []string {
	c := p.flags.check
	switch {
	case c.recipe != "":
		return []string{"--recipe", quote(c.recipe)}
	case c.target != "":
		return []string{"--target", quote(c.target)}
	}
	return []string{"--layer", quote(c.layer)}
}

// dialectOf finds a client's dialect.
func dialectOf(name string) *dialects.Dialect { return dialects.ByName(name) }
