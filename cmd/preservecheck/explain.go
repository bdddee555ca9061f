package main

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/explain"
	"github.com/preservecheck/preservecheck/report"
)

// saved reads FILE, or standard input for "-" and for no name.
func (a *app) saved(name string) ([]byte, error) {
	const hint = "give the output of curl -i, a JSON body with --status, or the text of an exception"
	in := a.in
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, usage(hint, "%s can't be read: %s", name, cause(err))
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil && info.IsDir() {
			return nil, usage(hint, "%s is a directory", name)
		}
		in = f
	}
	b, err := io.ReadAll(io.LimitReader(in, explain.MaxInput+1))
	switch {
	case err != nil:
		return nil, usage(hint, "%s can't be read: %s", shown(name), cause(err))
	case len(bytes.TrimSpace(b)) == 0:
		return nil, usage(hint, "%s is empty", shown(name))
	case len(b) > explain.MaxInput:
		return nil, usage("save one answer, not a log", "%s is larger than %d MiB", shown(name), explain.MaxInput>>20)
	}
	return b, nil
}

func shown(name string) string {
	if name == "-" {
		return "standard input"
	}
	return name
}

// explainFlags are the flags of explain.
type explainFlags struct {
	status  int
	dialect string
}

func newExplain(a *app) *cobra.Command {
	f := &explainFlags{}
	cmd := &cobra.Command{
		Use:   "explain [FILE|-]",
		Short: "Say what one saved error means to a worker",
		Long: `explain reads one saved answer (the output of curl -i, a JSON body, the text of an SDK's exception, an upstream body
inside a message) and says its class, what a worker should do, why, what is missing to be sure, and what looks as if a
layer had touched it. It exits with 0 when the answer has a class and with 3 when it is unknown.`,
		Example: "  curl -si https://gateway.example/v1/messages -d @request.json |\n" +
			"    preservecheck explain\n" +
			"  preservecheck explain --status 429 body.json",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("give one file, or - for standard input", "explain reads one answer, but there are %d names", len(args))
			}
			name := "-"
			if len(args) == 1 {
				name = args[0]
			}
			if f, ok := a.in.(*os.File); ok && name == "-" && isTerminal(f) {
				a.note("reading one answer from standard input; paste it, then Ctrl-D")
			}
			return a.explain(cmd, f, name)
		},
	}
	cmd.Flags().IntVar(&f.status, "status", 0, "HTTP `STATUS` of a bare body")
	cmd.Flags().StringVar(&f.dialect, "dialect", defaultDialect, "provider protocol of the answer")
	return cmd
}

func (a *app) explain(cmd *cobra.Command, f *explainFlags, name string) error {
	if cmd.Flags().Changed("status") && (f.status < 100 || f.status > 599) {
		return usage("give the three digits of an HTTP status", "%s: %d is not a status", origin(cmd, "status"), f.status)
	}
	d, err := dialectByName(f.dialect, origin(cmd, "dialect"))
	if err != nil {
		return err
	}
	in, err := a.saved(name)
	if err != nil {
		return err
	}
	r := explain.Explain(in, explain.Options{Status: f.status, Dialect: d})
	if !r.Classified() {
		a.exit = exitUnknown
	}
	return unwritten(printExplained(a.out, r, a.columns()))
}

// printExplained writes what is known of one answer. All of it may come from a file, so all of it is made plain.
func printExplained(w io.Writer, r explain.Result, width int) error {
	var b bytes.Buffer
	line := func(name, text string) {
		if text != "" {
			_ = report.Hanging(&b, fmt.Sprintf("%-12s ", name), text, width)
		}
	}
	lines := func(name string, texts []string) {
		for _, t := range texts {
			line(name, t)
			name = ""
		}
	}
	line("class", string(r.Class)+" ("+classify.Noun(r.Class)+")")
	line("action", r.Worker)
	line("", fmt.Sprintf("retry %s, alert %s, reaches %s", r.Action.Retry, r.Action.Alert, r.Action.Scope))
	lines("why", r.Why)
	line("source", r.Source)
	lines("missing", r.Missing)
	lines("suspicious", r.Suspicions)
	line("read as", r.Form)
	for _, f := range r.Evidence {
		line("", f.Key+" = "+f.Text)
	}
	_, err := b.WriteTo(w)
	return err
}
