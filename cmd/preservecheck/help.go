package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/preservecheck/preservecheck/report"
)

// helpWidth is for help that no terminal shows; a report has the same.
const helpWidth = 100

// help writes what a command does, how it is called and its flags, broken at the width of the terminal. Cobra's own
// leaves that to the terminal, which breaks within words.
func (a *app) help(cmd *cobra.Command, _ []string) {
	width := a.columns()
	if width == 0 {
		width = helpWidth
	}
	var b bytes.Buffer
	about := cmd.Long
	if about == "" {
		about = cmd.Short
	}
	_ = report.Prose(&b, strings.ReplaceAll(about, "#### ", ""), width) // the marks that cobra puts before headings
	fmt.Fprintf(&b, "\nUsage:\n  %s\n", usageLine(cmd))
	if cmd.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", cmd.Example)
	}
	helpCommands(&b, cmd, width)
	if cmd.HasAvailableLocalFlags() {
		const yesNo = "[=true|false]" // nobody has to know that a switch can be given a value
		flags := strings.ReplaceAll(cmd.LocalFlags().FlagUsagesWrapped(width), yesNo, strings.Repeat(" ", len(yesNo)))
		fmt.Fprintf(&b, "\nFlags:\n%s", flags)
	}
	_, _ = b.WriteTo(a.out)
}

func usageLine(cmd *cobra.Command) string {
	if cmd.HasAvailableSubCommands() {
		return cmd.CommandPath() + " COMMAND"
	}
	return cmd.UseLine()
}

// helpCommands lists the commands below one.
func helpCommands(b *bytes.Buffer, cmd *cobra.Command, width int) {
	if !cmd.HasAvailableSubCommands() {
		return
	}
	b.WriteString("\nCommands:\n")
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			_ = report.Hanging(b, fmt.Sprintf("  %-*s  ", cmd.NamePadding(), c.Name()), c.Short, width)
		}
	}
	_ = report.Prose(b, fmt.Sprintf("\n%s COMMAND --help says more about one.", cmd.CommandPath()), width)
}
