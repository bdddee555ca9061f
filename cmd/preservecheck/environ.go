package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// envPrefix starts the name of every variable of ours.
const envPrefix = "PRESERVECHECK_"

// environ is the environment as it was given to run.
type environ map[string]string

func newEnviron(env []string) environ {
	e := environ{}
	for _, kv := range env {
		if name, value, ok := strings.Cut(kv, "="); ok {
			e[name] = value
		}
	}
	return e
}

func (e environ) get(name string) string { return e[name] }

// variable is the name of the variable that stands for a flag.
func variable(flag string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// fill sets the flags of a command from the environment. A flag on the command line wins; a variable of a flag that
// only another command has is left alone, so that one environment serves all commands.
func (e environ) fill(cmd *cobra.Command) error {
	known := variables(cmd.Root())
	for _, name := range e.ours() {
		if !slices.Contains(known, name) {
			return usage(didYouMean(name, known, "see preservecheck check --help for the flags"),
				"the environment variable %s is not known", name)
		}
	}
	var err error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		value, ok := e[variable(f.Name)]
		if err != nil || !ok || hiddenFlag(f) {
			return
		}
		err = fillFlag(f, value)
	})
	return err
}

// ours lists the variables that start like ours, sorted, so that the first error is always the same.
func (e environ) ours() []string {
	var names []string
	for name := range e {
		if strings.HasPrefix(name, envPrefix) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// viaEnv is put on a flag that the environment has set.
const viaEnv = "preservecheck-env"

func fillFlag(f *pflag.Flag, value string) error {
	name := variable(f.Name)
	if strings.TrimSpace(value) == "" {
		hint := "unset it, or give it a value"
		if f.Name == "layer" {
			hint += "; preservecheck demo needs no layer"
		}
		return usage(hint, "the environment variable %s is set but empty", name)
	}
	if f.Changed {
		return nil
	}
	for _, v := range envValues(f, value) {
		if err := f.Value.Set(v); err != nil {
			return usage("it stands for the flag --"+f.Name, "the environment variable %s has a bad value: %s", name, err)
		}
	}
	f.Changed = true
	f.Annotations = map[string][]string{viaEnv: {name}}
	return nil
}

// envValues splits the variable of a repeatable flag: a value a line.
func envValues(f *pflag.Flag, value string) []string {
	if f.Value.Type() != "stringArray" {
		return []string{strings.TrimSpace(value)}
	}
	var values []string
	for _, line := range strings.Split(value, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			values = append(values, line)
		}
	}
	return values
}

// origin names what set a flag, for messages and records: --layer or PRESERVECHECK_LAYER.
func origin(cmd *cobra.Command, flag string) string {
	if f := cmd.Flags().Lookup(flag); f != nil && f.Annotations[viaEnv] != nil {
		return f.Annotations[viaEnv][0]
	}
	return "--" + flag
}

// variables lists the variables of all flags of all commands, sorted.
func variables(root *cobra.Command) []string {
	var names []string
	for _, cmd := range append(descendants(root), root) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !hiddenFlag(f) {
				names = append(names, variable(f.Name))
			}
		})
	}
	names = append(names, secretVariable, tokenVariable)
	slices.Sort(names)
	return slices.Compact(names)
}

func descendants(cmd *cobra.Command) []*cobra.Command {
	var all []*cobra.Command
	for _, c := range cmd.Commands() {
		all = append(all, c)
		all = append(all, descendants(c)...)
	}
	return all
}

// hiddenFlag reports flags that are not settings.
func hiddenFlag(f *pflag.Flag) bool {
	return f.Hidden || f.Name == "help" || f.Name == "version" || f.Name == "no-descriptions"
}
