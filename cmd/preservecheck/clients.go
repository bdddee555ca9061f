package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/preservecheck/preservecheck/clients"
)

const (
	clientDirFlag = "client-dir"
	clientDirUse  = "`FOLDER` with the installed clients, in a folder of the client's name (default $XDG_CACHE_HOME/preservecheck/clients)"
)

func newClients(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "clients",
		Short: "List and install real SDKs for attempts",
		Long: `A client is a real SDK with a small driver, for attempts to count what it sends. Its packages are pinned; they are fetched by
clients install alone.`,
		Example: "  preservecheck clients list\n  preservecheck clients install anthropic-go",
		Args:    cobra.ArbitraryArgs,
		RunE:    group,
	}
	cmd.AddCommand(newClientsList(a), newClientsInstall(a))
	return cmd
}

func newClientsList(a *app) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the clients, their versions, and which are installed",
		Example: "  preservecheck clients list",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var b bytes.Buffer
			w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
			for _, name := range clients.Names() {
				c, err := clients.Builtin(name)
				if err != nil {
					return err
				}
				folder, err := clientFolder(c, dir, origin(cmd, clientDirFlag), a.env)
				if err != nil {
					return err
				}
				state := "installed"
				if notInstalledClient(c, folder) != "" {
					state = "not installed"
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", c.Name, c.Title, c.Dialect, c.Versions(), state)
			}
			if err := w.Flush(); err != nil {
				return err
			}
			_, err := a.out.Write(b.Bytes())
			return unwritten(err)
		},
	}
	cmd.Flags().StringVar(&dir, clientDirFlag, "", clientDirUse)
	return cmd
}

// clientFolder is where a client is installed.
func clientFolder(c *clients.Client, given, from string, env environ) (string, error) {
	all := given
	if all == "" {
		all = cacheFolder(env, "clients")
	}
	if all == "" {
		return "", usage("give --"+clientDirFlag+" FOLDER", "there is neither XDG_CACHE_HOME nor HOME to find clients in")
	}
	all, err := filepath.Abs(all)
	if err != nil {
		return "", usage("give a path from the root", "%s: %s", from, err)
	}
	return filepath.Join(all, c.Name), nil
}

// notInstalledClient says why a client can't be used, "" when it can. One of another release is no better than none: a result
// would be told of versions that were never run.
func notInstalledClient(c *clients.Client, folder string) string {
	stamp, err := os.ReadFile(filepath.Join(folder, clients.Stamp))
	switch {
	case err != nil:
		return "it is not installed in " + folder
	case string(stamp) != c.Digest():
		return "what is installed in " + folder + " is of another release"
	}
	return ""
}

// clientByName finds a built-in client.
func clientByName(name, from string) (*clients.Client, error) {
	c, err := clients.Builtin(name)
	if err != nil {
		return nil, usage(didYouMean(name, clients.Names(), "preservecheck clients list shows them"), "%s: there is no client %q", from, name)
	}
	return c, nil
}
