package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newRoot builds the tree of commands. Each command stands in a file of its own and does nothing until it runs.
func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "preservecheck",
		Short: "Shows whether a proxy or LLM gateway keeps the evidence of provider errors",
		Long: `preservecheck serves synthetic provider errors from a stub, fetches each directly and through the layer under
test, and compares what a client would see: status, error type, code, message, retry-after and more. It proves with
layers of known faults that it could tell.` + "\n\n" + exitHelp(),
		Example:       "  preservecheck demo\n  preservecheck check --layer http://127.0.0.1:8080",
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			return a.env.fill(cmd)
		},
		Args: cobra.ArbitraryArgs,
	}
	// Cobra's own --version would take -v, which is something else below, and link text/template: a quarter of the binary.
	asked := root.Flags().Bool("version", false, "print the version")
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if *asked && len(args) == 0 {
			_, err := io.WriteString(a.out, versionLine())
			return unwritten(err)
		}
		return group(cmd, args)
	}
	root.SetHelpFunc(a.help)
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(newDemo(a), newCheck(a), newServe(a), newControls(a), newFixtures(a), newExplain(a), newDiff(a), newReport(a), newMerge(a), newRecipes(a), newClients(a), newAttempts(a), newVersion(a), newSupervise(a))
	root.SetHelpCommand(newHelp())
	root.InitDefaultCompletionCmd()
	if c, _, err := root.Find([]string{"completion"}); err == nil {
		c.Args, c.RunE = cobra.ArbitraryArgs, group
	}
	return root
}

// newHelp is help as a command. Cobra's own exits with 0 for a command that does not exist.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return group(cmd.Root(), args)
			}
			return found.Help()
		},
	}
}

// group is what a command does that only holds others: nothing, which must not look like success.
func group(cmd *cobra.Command, args []string) error {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	if len(args) == 0 {
		return usage("commands are "+strings.Join(names, ", ")+"; start with preservecheck demo",
			"%s needs a command", cmd.CommandPath())
	}
	return usage(didYouMean(args[0], names, "see "+cmd.CommandPath()+" --help"),
		"%q is not a command of %s", args[0], cmd.CommandPath())
}

// noArgs refuses arguments without printing them: a URL with a password may have slipped out of its flag.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "see " + cmd.CommandPath() + " --help"
	if cmd.Flags().Lookup("layer") != nil {
		hint = "the layer is given as --layer URL"
	}
	return usage(hint, "%s takes no arguments, but there are %d", cmd.CommandPath(), len(args))
}

// flagError words what the parser of flags says, without the value of a flag that is not known.
func flagError(cmd *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) {
		return usage("see "+cmd.CommandPath()+" --help", "%s", err)
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, "--"+f.Name)
		}
	})
	name := "--" + missing.GetSpecifiedName()
	if s := missing.GetSpecifiedShortnames(); s != "" {
		name = "-" + missing.GetSpecifiedName()
	}
	return usage(didYouMean(name, names, "see "+cmd.CommandPath()+" --help"), "%s has no flag %s", cmd.CommandPath(), name)
}

// exitHelp is the table of exit codes for help.
func exitHelp() string {
	var b strings.Builder
	b.WriteString("Exit codes:\n")
	for _, e := range exitTable {
		fmt.Fprintf(&b, "  %d  %s\n", e.code, e.meaning)
	}
	return strings.TrimRight(b.String(), "\n")
}
