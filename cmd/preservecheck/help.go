package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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
	for _, g := range flagGroups(cmd) {
		const yesNo = "[=true|false]" // nobody has to know that a switch can be given a value
		fmt.Fprintf(&b, "\n%s:\n%s", g.title, strings.ReplaceAll(g.flags.FlagUsagesWrapped(width), yesNo, strings.Repeat(" ", len(yesNo))))
	}
	_, _ = b.WriteTo(a.out)
}

// groupKey is the annotation of a flag that names its heading.
const groupKey = "preservecheck-group"

// heading puts the flags that have none yet under a heading in help.
func heading(fl *pflag.FlagSet, title string) {
	fl.VisitAll(func(f *pflag.Flag) {
		if f.Annotations[groupKey] == nil {
			_ = fl.SetAnnotation(f.Name, groupKey, []string{title}) // an error: there is no such flag
		}
	})
}

// flagGroup is a part of a command's flags.
type flagGroup struct {
	title string
	flags *pflag.FlagSet
}

// flagGroups are a command's flags as help shows them, those without a heading last.
func flagGroups(cmd *cobra.Command) (groups []flagGroup) {
	last := flagGroup{"Flags", pflag.NewFlagSet("", pflag.ContinueOnError)}
	last.flags.SortFlags = cmd.Flags().SortFlags
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		title := f.Annotations[groupKey]
		if title == nil {
			last.flags.AddFlag(f)
			return
		}
		i := slices.IndexFunc(groups, func(g flagGroup) bool { return g.title == title[0] })
		if i < 0 {
			i = len(groups)
			groups = append(groups, flagGroup{title[0], pflag.NewFlagSet("", pflag.ContinueOnError)})
			groups[i].flags.SortFlags = false
		}
		groups[i].flags.AddFlag(f)
	})
	if last.flags.HasAvailableFlags() {
		groups = append(groups, last)
	}
	if len(groups) > 1 && groups[len(groups)-1].title == last.title {
		groups[len(groups)-1].title = "Besides"
	}
	return groups
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
