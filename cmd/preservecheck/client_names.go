package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/preservecheck/preservecheck/attempts"
	"github.com/preservecheck/preservecheck/clients"
)

// clientsToRun are the clients that attempts takes.
func clientsToRun() []string { return append(clients.Names(), attempts.SdklessName) }

// clientsFor takes the names of --client that a command knows. One that only the other command knows is a mistake on the command line;
// in the environment, which serves both, it is left out. others are the other command's names, why says what is with them.
func clientsFor(cmd *cobra.Command, asked, known, others []string, why func(name string) string, list string) (out []string, err error) {
	from := origin(cmd, "client")
	for _, name := range asked {
		switch {
		case slices.Contains(known, name):
			out = append(out, name)
		case !slices.Contains(others, name):
			return nil, usage(didYouMean(name, known, list), "%s: there is no client %q", from, name)
		case cmd.Flags().Lookup("client").Annotations[viaEnv] == nil:
			return nil, usage(list, "%s: %s", from, why(name))
		}
	}
	return out, nil
}
