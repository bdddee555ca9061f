package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/preservecheck/preservecheck/public"
	"github.com/preservecheck/preservecheck/recipes"
	"github.com/preservecheck/preservecheck/report"
	"github.com/preservecheck/preservecheck/target"
)

func newRecipes(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "recipes",
		Short: "List, show and write configurations of real layers",
		Long: `A recipe says how a real layer is configured and started, and what is known about it. check --recipe NAME starts it,
checks it and ends it; recipes write NAME DIR leaves a configuration for you to start.`,
		Example: "  preservecheck recipes list\n  preservecheck recipes show nginx\n  preservecheck check --recipe nginx/intercept",
		Args:    cobra.ArbitraryArgs,
		RunE:    group,
	}
	cmd.AddCommand(newRecipesList(a), newRecipesShow(a), newRecipesWrite(a))
	return cmd
}

func newRecipesList(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the built-in recipes and their variants",
		Example: "  preservecheck recipes list",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			var b bytes.Buffer
			w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
			for _, name := range recipes.Names() {
				r, err := recipes.Builtin(name)
				if err != nil {
					return err
				}
				variants := strings.Join(r.VariantNames(), ", ")
				if r.Documented {
					variants = "(not run, documented only)"
				}
				fmt.Fprintf(w, "%s\t%s\t%s\n", r.Name, r.What, variants)
			}
			if err := w.Flush(); err != nil {
				return err
			}
			_, err := a.out.Write(b.Bytes())
			return unwritten(err)
		},
	}
}

// oneRecipe takes the name of a recipe as an argument, and what else a command wants.
func oneRecipe(want string, n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usage("see "+cmd.CommandPath()+" --help", "%s needs %s", cmd.CommandPath(), want)
		}
		return nil
	}
}

func completeRecipes(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return recipes.Names(), cobra.ShellCompDirectiveNoFileComp
}

func newRecipesShow(a *app) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:               "show NAME",
		Short:             "Show what a recipe knows: variants, how to install it, quirks, advice",
		Example:           "  preservecheck recipes show nginx\n  preservecheck recipes show ./mine",
		Args:              oneRecipe("the name of a recipe", 1),
		ValidArgsFunction: completeRecipes,
		RunE: func(_ *cobra.Command, args []string) error {
			r, _, err := recipeByName(args[0], "recipes show")
			if err != nil {
				return err
			}
			return unwritten(showRecipe(a.out, r, args[0], installs(args[0], r, dir, a.env)))
		},
	}
	cmd.Flags().StringVar(&dir, recipeDirFlag, "", recipeDirUse)
	return cmd
}

// showRecipe prints a recipe. A folder of the user's may be somebody else's, so its texts are made plain.
func showRecipe(w io.Writer, r *recipes.Recipe, asked string, install []recipes.Install) error {
	var b strings.Builder
	line := func(format string, args ...any) {
		b.WriteString(report.Plain(fmt.Sprintf(format, args...)) + "\n")
	}
	list := func(title string, n int) {
		if n > 0 {
			b.WriteString("\n" + title + "\n")
		}
	}
	line("%s: %s (%s)", r.Name, r.What, r.Homepage)
	if r.Documented {
		showDocumented(r, line, list)
		_, err := io.WriteString(w, b.String())
		return err
	}
	line("tried with %s; channels that arrive: %s", strings.Join(r.Versions, ", "), strings.Join(r.Channels, ", "))
	list("install", len(install))
	for _, i := range install {
		line("  %s: %s", i.System, i.Line)
	}
	list("variants", len(r.Variants))
	for _, v := range r.Variants {
		line("  %s (%s): %s", v.Name, map[bool]string{true: "keeps the evidence", false: "loses evidence"}[v.Good], v.Why)
	}
	list("quirks", len(r.Quirks))
	for _, q := range r.Quirks {
		line("  %s", q)
	}
	list("advice", len(r.Advice))
	for _, advice := range r.Advice {
		line("  %s", strings.Join(strings.Fields(advice.Finding+" "+advice.Key+" "+advice.Direction+" "+advice.Verdict), " "))
		line("    cause: %s", advice.Cause)
		line("    remedy: %s", advice.Remedy)
		line("    source: %s (%s)", advice.Source, advice.Date)
	}
	b.WriteString("\n")
	line("next: preservecheck check --recipe %s", quote(asked))
	_, err := io.WriteString(w, b.String())
	return err
}

// showDocumented prints what was read about a layer that nobody ran.
func showDocumented(r *recipes.Recipe, line func(string, ...any), list func(string, int)) {
	line("not run: nothing here can start it; each line says what it rests on")
	if len(r.Versions) > 0 {
		line("it is about %s", strings.Join(r.Versions, ", "))
	}
	if len(r.Channels) > 0 {
		line("channels that should arrive: %s", strings.Join(r.Channels, ", "))
	}
	for _, about := range recipes.Abouts() {
		list(about, 1)
		known := false
		for _, f := range r.Facts {
			if f.About == about {
				known = true
				line("  %s", f.Say)
				line("    %s: %s (%s)", map[string]string{"read": "source", "seen": "seen once with an early stub of ours", "expected": "not looked up; see"}[f.Basis], f.Source, f.Date)
			}
		}
		if !known {
			line("  not known")
		}
	}
	list("quirks", len(r.Quirks))
	for _, q := range r.Quirks {
		line("  %s", q)
	}
	if r.Config != "" {
		list("configuration, for example", 1)
		for _, l := range strings.Split(strings.TrimRight(r.Config, "\n"), "\n") {
			line("  %s", l)
		}
	}
	list("next: preservecheck check --layer URL, with the layer's upstream set to the stub; see docs/check.md", 1)
}

func newRecipesWrite(a *app) *cobra.Command {
	var stub string
	var port int
	cmd := &cobra.Command{
		Use:   "write NAME DIR",
		Short: "Write a recipe's configuration for you to start, and say how to check it",
		Long: `write fills a recipe's files in and puts them into a folder, with a target.yaml beside them. Nothing is started and no
file is replaced. Where others than this machine reach the stub, it asks for a secret: that is made as well, and the configuration has it as
the upstream's API key.`,
		Example:           "  preservecheck recipes write nginx ./nginx\n  preservecheck recipes write nginx/intercept ./nginx --listen-port 9090",
		Args:              oneRecipe("the name of a recipe and a folder", 2),
		ValidArgsFunction: completeRecipes,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.writeRecipe(cmd, args[0], args[1], stub, port)
		},
	}
	cmd.Flags().StringVar(&stub, "stub-url", "http://"+defaultListen, "`URL` under which the layer reaches the stub")
	cmd.Flags().IntVar(&port, "listen-port", 8080, "port of the layer; others that it needs follow it")
	return cmd
}

// writeRecipe fills a recipe in for a folder that stays.
func (a *app) writeRecipe(cmd *cobra.Command, name, folder, stub string, port int) error {
	r, v, err := runnable(name, "recipes write")
	if err != nil {
		return err
	}
	at, err := placeOf(cmd, r, folder, stub, port)
	if err != nil {
		return err
	}
	secret := public.NewSecret()
	if guards(at.Stub) {
		at.Key = secret.Path()
	}
	t, err := r.In(v, at)
	if err != nil {
		return usage("choose another port or folder", "%s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	files := append(append(t.Files, r.Packages...), withSecret(t, at.Key, secret)...)
	files = append(files, recipes.Written{Path: "target.yaml", Text: targetYAML(r.Name, t.Routes)})
	for _, f := range files {
		if _, err := os.Lstat(filepath.Join(at.Dir, filepath.FromSlash(f.Path))); !errors.Is(err, fs.ErrNotExist) {
			return usage("give another folder, or remove it yourself", "%s is there already", filepath.Join(folder, f.Path))
		}
	}
	if err := os.MkdirAll(at.Dir, 0o755); err != nil {
		return usage("give a folder that can be written", "%s can't be made: %s", folder, cause(err))
	}
	if err := writeFiles(at.Dir, files); err != nil {
		return usage("give a folder that can be written", "%s", err)
	}
	var b strings.Builder
	for _, f := range files {
		b.WriteString("wrote " + report.Plain(filepath.Join(folder, filepath.FromSlash(f.Path))) + "\n")
	}
	words := []string{}
	for _, kv := range t.Env {
		key, value, _ := strings.Cut(kv, "=")
		words = append(words, key+"="+quote(value))
	}
	for _, w := range t.Command {
		words = append(words, quote(w))
	}
	check := []string{"preservecheck", "check", "--target", quote(filepath.Join(folder, "target.yaml"))}
	if at.Stub != defaultListen {
		check = append(check, stubFlags(at.Stub, stub)...)
	}
	if at.Key != "" {
		check = append(check, "--secret-file", quote(filepath.Join(folder, secretFileName)))
	}
	for i, line := range r.InstallIn(quote(at.Dir)) {
		if line.Line != r.Install[i].Line {
			b.WriteString("install: " + report.Plain(line.Line) + "\n")
		}
	}
	b.WriteString("start: " + report.Plain(strings.Join(words, " ")) + "\ncheck: " + report.Plain(strings.Join(check, " ")) + "\n")
	_, err = io.WriteString(a.out, b.String())
	return unwritten(err)
}

// secretFileName is the file with the secret of a stub that others reach, in the folder that is written. The configuration has it as the key of
// the layer's upstream.
const secretFileName = "stub.secret"

// withSecret gives the routes of a layer that passes its client's key on that key, and returns the file with the secret; none without a key.
func withSecret(t *recipes.Target, key string, secret public.Secret) []recipes.Written {
	if key == "" {
		return nil
	}
	for i := range t.Routes {
		if !t.Keyed {
			t.Routes[i].Headers = append(t.Routes[i].Headers, target.Header{Name: "x-api-key", Value: target.Text{Value: key}})
		}
	}
	return []recipes.Written{{Path: secretFileName, Text: secret.Path() + "\n" + secret.Token() + "\n"}}
}

// guards reports whether a stub at an address asks for a secret, since others reach it.
func guards(hostPort string) bool {
	host, _, _ := net.SplitHostPort(hostPort)
	ip := net.ParseIP(host)
	return host != "localhost" && (ip == nil || !ip.IsLoopback())
}

// stubFlags let a check's stub listen where the written configuration looks for it: --stub-url alone would only tell of it. A
// name may stand for any address of this machine, so that is where the stub listens for one.
func stubFlags(hostPort, url string) []string {
	host, port, _ := net.SplitHostPort(hostPort)
	ip := net.ParseIP(host)
	switch {
	case host == "localhost":
		return []string{"--stub-listen", net.JoinHostPort("127.0.0.1", port)}
	case ip == nil:
		return []string{"--listen-any", "--stub-listen", net.JoinHostPort("0.0.0.0", port), "--stub-url", quote(url)}
	case ip.IsLoopback():
		return []string{"--stub-listen", quote(hostPort)}
	}
	return []string{"--listen-any", "--stub-listen", quote(hostPort)}
}

// placeOf says where a configuration is for.
func placeOf(cmd *cobra.Command, r *recipes.Recipe, folder, stub string, port int) (recipes.Place, error) {
	var none secrets
	base, err := parseBase(stub, origin(cmd, "stub-url"), &none)
	if err != nil {
		return recipes.Place{}, err
	}
	if base.Scheme != "http" || base.Path != "" || base.User != "" {
		return recipes.Place{}, usage("write it like http://127.0.0.1:8787", "%s: recipes know a stub by host and port alone", origin(cmd, "stub-url"))
	}
	if port < 1 || port+len(r.Ports) > 65535 {
		return recipes.Place{}, usage("give 1 to 65535", "%s: %d is no port", origin(cmd, "listen-port"), port)
	}
	dir, err := filepath.Abs(folder)
	if err != nil {
		return recipes.Place{}, err
	}
	at := recipes.Place{Stub: base.Host, Dir: dir, Install: dir, Port: strconv.Itoa(port), Ports: map[string]string{}}
	for i, name := range r.Ports {
		at.Ports[name] = strconv.Itoa(port + 1 + i)
	}
	if _, _, err := net.SplitHostPort(at.Stub); err != nil {
		return at, usage("write it like http://127.0.0.1:8787", "%s: %s", origin(cmd, "stub-url"), err)
	}
	return at, nil
}

// targetYAML writes routes as a target's file. Quoted as Go does it, a plain text reads the same in YAML.
func targetYAML(name string, routes []target.Route) string {
	var b strings.Builder
	fmt.Fprintf(&b, "format: %s\nname: %q\nroutes:\n", target.Format, name)
	for _, r := range routes {
		fmt.Fprintf(&b, "  - name: %q\n    url: %q\n    dialect: %q\n", r.Name, r.URL.Value, r.Dialect.Name)
		for _, kv := range [][2]string{{"model", r.Model}, {"channel", r.Channel.Value}} {
			if kv[1] != "" && kv[1] != "auto" {
				fmt.Fprintf(&b, "    %s: %q\n", kv[0], kv[1])
			}
		}
		if len(r.Headers) > 0 {
			b.WriteString("    headers:\n")
		}
		for _, h := range r.Headers {
			fmt.Fprintf(&b, "      - %q: %q\n", h.Name, h.Value.Value)
		}
	}
	return b.String()
}
