package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/preservecheck/preservecheck/clients"
	"github.com/preservecheck/preservecheck/report"
)

// installFor bounds one step of an installation: a cold build of a large SDK takes minutes.
const installFor = 20 * time.Minute

// toolFor bounds asking a program for its version.
const toolFor = 10 * time.Second

func newClientsInstall(a *app) *cobra.Command {
	var dir string
	var yes bool
	cmd := &cobra.Command{
		Use:   "install NAME...",
		Short: "Fetch and install clients; says from where before it does",
		Long: `install writes a client's driver and lock file into a folder that only you can read, and runs its package manager there. It
first says what will be fetched and which commands run, and asks. No package's own scripts are run.`,
		Example: "  preservecheck clients install anthropic-go\n  preservecheck clients install anthropic-ts anthropic-py --yes",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return clients.Names(), cobra.ShellCompDirectiveNoFileComp
		},
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("preservecheck clients list shows them", "%s needs the name of a client", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := interrupt(cmd.Context())
			defer stop()
			return a.installClients(ctx, cmd, args, dir, yes)
		},
	}
	cmd.Flags().StringVar(&dir, clientDirFlag, "", clientDirUse)
	cmd.Flags().BoolVar(&yes, "yes", false, "don't ask")
	return cmd
}

// installation is a client with its place.
type installation struct {
	client *clients.Client
	folder string
}

func (a *app) installClients(ctx context.Context, cmd *cobra.Command, names []string, dir string, yes bool) error {
	var all []installation
	for _, name := range names {
		c, err := clientByName(name, "clients install")
		if err != nil {
			return err
		}
		folder, err := clientFolder(c, dir, origin(cmd, clientDirFlag), a.env)
		if err != nil {
			return err
		}
		if err := replaceable(folder); err != nil {
			return err
		}
		all = append(all, installation{c, folder})
	}
	for _, i := range all {
		if err := a.haveTools(ctx, i.client); err != nil {
			return err
		}
	}
	if err := a.announceInstall(all); err != nil {
		return err
	}
	if !yes {
		if err := a.confirm(); err != nil {
			return err
		}
	}
	for _, i := range all {
		if err := a.installClient(ctx, i); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(a.out, "installed %s\n", i.client.Name); err != nil {
			return unwritten(err)
		}
	}
	_, err := fmt.Fprintf(a.out, "next: preservecheck attempts --client %s\n", strings.Join(names, " --client "))
	return unwritten(err)
}

// replaceable refuses a folder that holds something else than a client.
func replaceable(folder string) error {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if _, ours := os.Stat(filepath.Join(folder, clients.File)); err != nil || ours != nil {
		return usage("give another folder, or remove it yourself", "%s is there already and holds no client", folder)
	}
	return nil
}

// haveTools looks for what installing needs, before anything is fetched or what is there is taken away.
func (a *app) haveTools(ctx context.Context, c *clients.Client) error {
	for _, t := range c.Tools() {
		if _, err := exec.LookPath(t.Program); err != nil {
			return usage("install it, or leave "+c.Name+" out; nothing was fetched or changed", "%s needs %s, and there is no %s in PATH", c.Name, t, t.Program)
		}
		if t.Version == nil {
			continue
		}
		ctx, cancel := context.WithTimeout(ctx, toolFor)
		cmd := a.installing(ctx, c, t.Version)
		said, _ := cmd.Output() // one that fails says no version, and the manager will say why
		cancel()
		if version, old := t.TooOld(string(said)); old {
			return usage("install it, or leave "+c.Name+" out; nothing was fetched or changed", "%s needs %s; what is in PATH is %s", c.Name, t, version)
		}
	}
	return nil
}

// installing is a command of an installation, with the user's environment: it needs his proxy and registry.
func (a *app) installing(ctx context.Context, c *clients.Client, words []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.WaitDelay = time.Second
	for name, value := range a.env {
		if !strings.HasPrefix(name, envPrefix) {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	cmd.Env = append(cmd.Env, c.InstallEnv()...)
	return cmd
}

// announceInstall says what will be fetched, from where, and how.
func (a *app) announceInstall(all []installation) error {
	var b strings.Builder
	for _, i := range all {
		fmt.Fprintf(&b, "%s (%s)\n  fetches %s\n  into %s\n", i.client.Name, i.client.Title, i.client.Fetches(), report.Plain(i.folder))
		for _, step := range i.client.Steps(i.folder) {
			var words []string
			for _, w := range append(i.client.InstallEnv(), step...) {
				words = append(words, report.Plain(quote(w)))
			}
			fmt.Fprintf(&b, "  runs %s\n", strings.Join(words, " "))
		}
	}
	_, err := io.WriteString(a.out, b.String())
	return unwritten(err)
}

// confirm asks. No answer, as from a script, is no.
func (a *app) confirm() error {
	a.note("fetch and install this? [y/N]")
	line, _ := bufio.NewReader(a.in).ReadString('\n')
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return nil
	}
	return usage("answer y, or give --yes", "nothing was fetched or installed")
}

// installClient installs one. The stamp comes last, so that what was broken off counts as not installed.
func (a *app) installClient(ctx context.Context, i installation) error {
	if err := os.RemoveAll(i.folder); err != nil {
		return usage("remove it yourself", "%s can't be removed: %s", i.folder, cause(err))
	}
	if err := os.MkdirAll(i.folder, 0o700); err != nil {
		return usage("give a folder that can be written", "%s can't be made: %s", i.folder, cause(err))
	}
	for _, f := range i.client.Files {
		if err := os.WriteFile(filepath.Join(i.folder, f.Name), f.Data, 0o600); err != nil {
			return usage("give a folder that can be written", "%s: %s", f.Name, cause(err))
		}
	}
	for _, step := range i.client.Steps(i.folder) {
		if err := a.installStep(ctx, i, step); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(i.folder, clients.Stamp), []byte(i.client.Digest()), 0o600); err != nil {
		return usage("give a folder that can be written", "%s: %s", clients.Stamp, cause(err))
	}
	return nil
}

// installStep runs a package manager.
func (a *app) installStep(ctx context.Context, i installation, words []string) error {
	ctx, cancel := context.WithTimeout(ctx, installFor)
	defer cancel()
	cmd := a.installing(ctx, i.client, words)
	cmd.Dir, cmd.Stdout, cmd.Stderr = i.folder, a.err, a.err
	if err := cmd.Run(); err != nil {
		return &failure{code: exitUnknown, msg: fmt.Sprintf("%s was not installed: %s: %s", i.client.Name, words[0], err),
			hint: "what it printed stands above; " + i.client.Name + " counts as not installed"}
	}
	return nil
}
