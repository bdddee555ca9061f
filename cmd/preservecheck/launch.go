package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/preservecheck/preservecheck/classifier"
	"github.com/preservecheck/preservecheck/gateway"
	"github.com/preservecheck/preservecheck/recipes"
)

// superviseCommand is the hidden command of a supervisor.
const superviseCommand = "__supervise"

func newSupervise(a *app) *cobra.Command {
	return &cobra.Command{
		Use: superviseCommand, Hidden: true, Short: "Start a layer and end it; used by check itself", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			a.exit = gateway.Supervise(a.in, a.out)
			return nil
		},
	}
}

// launch is a layer that is to be started: by a recipe, or by the words of --start.
type launch struct {
	recipe  *recipes.Recipe // nil: by words
	variant *recipes.Variant
	place   recipes.Place
	words   []string
	program string // path of the program
	ready   string // URL, "" when open ports say that it is up
	from    string // the flag, for messages
}

// name is how reports call a layer that a recipe starts.
func (l *launch) name() string {
	if l.variant.Name == recipes.Default {
		return l.recipe.Name
	}
	return l.full()
}

// full is the recipe with its variant, "" without one.
func (l *launch) full() string {
	if l == nil || l.recipe == nil {
		return ""
	}
	return l.recipe.Name + "/" + l.variant.Name
}

const startIt = "start the layer yourself, and give --layer URL"

const startHint = "write it like --start 'my-gateway --port 8080 --upstream {stub_url}'; see docs/recipes.md"

// readStart reads --start and --ready.
func (p *plan) readStart(a *app, cmd *cobra.Command) error {
	f, from := p.flags, origin(cmd, "start")
	if !cmd.Flags().Changed("start") {
		if cmd.Flags().Changed("ready") {
			return usage(startHint, "%s waits for what --start has started, and there is no --start", origin(cmd, "ready"))
		}
		return nil
	}
	if !gateway.Supported() {
		return usage(startIt, "%s: %s", from, gateway.ErrUnsupported)
	}
	if p.control != "" {
		return usage("leave one of them out", "%s: an embedded layer is started by itself", from)
	}
	words, err := classifier.Split(f.start)
	if err != nil {
		return usage(startHint, "%s: %s", from, err)
	}
	if _, err := fillWords(words, p.stubWords("127.0.0.1:1", "/")); err != nil {
		return usage(startHint, "%s: %s", from, err)
	}
	l := &launch{words: words, ready: f.ready, from: from}
	if l.program, err = lookProgram(words[0], a.env); err != nil {
		return usage("install it, or give its path", "%s: the program %q is not there, or can't be run", from, words[0])
	}
	if f.ready != "" {
		if _, err := parseBase(f.ready, origin(cmd, "ready"), &p.secrets); err != nil {
			return err
		}
	}
	p.launch = l
	return nil
}

// stubWords are the placeholders of --start.
func (p *plan) stubWords(stub, dir string) map[string]string {
	host, port, _ := net.SplitHostPort(stub)
	url := "http://" + stub
	if p.open != nil && p.open.url != nil {
		url = p.open.below(*p.open.url).String()
	}
	return map[string]string{"stub": stub, "stub_url": url, "stub_host": host, "stub_port": port, "dir": dir}
}

// fillWords puts values in place of {word}. Other braces stay; a word in braces that is nearly one is refused.
func fillWords(words []string, values map[string]string) (out []string, err error) {
	for _, w := range words {
		for name, value := range values {
			w = strings.ReplaceAll(w, "{"+name+"}", value)
		}
		if strings.Contains(w, "{stub") || strings.Contains(w, "{port}") {
			return nil, fmt.Errorf("%q has a placeholder that is none: known are {%s}", w, strings.Join(slices.Sorted(maps.Keys(values)), "}, {"))
		}
		out = append(out, w)
	}
	return out, nil
}

// adminPaths are where systems keep programs that a user's PATH may leave out.
var adminPaths = []string{"/usr/local/sbin", "/usr/sbin", "/sbin"}

func layerPath(env environ) string {
	return strings.Join(append(filepath.SplitList(env["PATH"]), adminPaths...), string(os.PathListSeparator))
}

// lookProgram finds a program as its supervisor will: a relative folder of PATH counts for nothing.
func lookProgram(name string, env environ) (string, error) {
	if strings.ContainsRune(name, filepath.Separator) {
		if strings.HasPrefix(name, "{dir}") {
			return name, nil // it is only written when the layer starts
		}
		full, err := filepath.Abs(name)
		if err == nil && !executable(full) {
			err = os.ErrNotExist
		}
		return full, err
	}
	for _, dir := range filepath.SplitList(layerPath(env)) {
		if full := filepath.Join(dir, name); filepath.IsAbs(dir) && executable(full) {
			return full, nil
		}
	}
	return "", os.ErrNotExist
}

func executable(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// freePort picks a port below those that systems give to outgoing connections, so that none of the many connections of a run
// takes it before the layer does.
func freePort() (string, error) {
	for range 100 {
		port := strconv.Itoa(20000 + rand.IntN(10000))
		if l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", port)); err == nil {
			l.Close()
			return port, nil
		}
	}
	return "", fmt.Errorf("no free port on 127.0.0.1 in 100 tries")
}
