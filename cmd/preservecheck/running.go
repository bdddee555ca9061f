package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/preservecheck/preservecheck/gateway"
	"github.com/preservecheck/preservecheck/recipes"
	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/wire"
)

// Bounds of a layer that we start.
const (
	stopGrace  = 3 * time.Second
	logLimit   = 1 << 20 // bytes of each of two files
	tailLines  = 20
	versionFor = 10 * time.Second
)

// running is a layer that was started.
type running struct {
	*launch
	root, log string
	env       []string
	gateway   *gateway.Gateway
	ready     string
	ask       []string // the command that says the version
	version   string
	notReady  string // why it can't be asked
}

// start starts the layer of a plan. An error means that nothing runs and nothing is left.
func (a *app) start(ctx context.Context, p *plan, stub string) (r *running, err error) {
	root, err := os.MkdirTemp("", "preservecheck-")
	if err != nil {
		return nil, usage("make room, or set TMPDIR", "no folder for the layer: %s", cause(err))
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(root)
		}
	}()
	r = &running{launch: p.launch, root: root, log: filepath.Join(root, "log"), ready: p.launch.ready}
	dir := filepath.Join(root, "work")
	for _, d := range []string{dir, filepath.Join(root, "home"), filepath.Join(root, "tmp")} {
		if err := os.Mkdir(d, 0o700); err != nil {
			return nil, err
		}
	}
	words, own, err := r.prepare(p, stub, dir)
	if err != nil {
		return nil, err
	}
	r.env = r.environment(a.env, own)
	if r.recipe != nil {
		r.version = r.findVersion(ctx, a.env)
	} else if dir, err = os.Getwd(); err != nil {
		return nil, err
	}
	words[0] = strings.ReplaceAll(r.program, "{dir}", dir)
	if r.gateway, err = r.supervised(words, dir, r.log); err != nil {
		hint := "see docs/recipes.md"
		if r.recipe != nil {
			hint = installLines(p.flags.recipe, r.recipe, p.flags.recipeDir, a.env)
		}
		return nil, usage(hint, "%s: the layer was not started: %s", r.from, err)
	}
	return r, nil
}

// prepare fills in what is to be started, and writes the files of a recipe.
func (r *running) prepare(p *plan, stub, dir string) (words, env []string, err error) {
	if r.recipe == nil {
		words, err = fillWords(r.words, p.stubWords(stub, dir))
		return words, nil, err
	}
	r.place.Stub, r.place.Dir = stub, dir
	t, err := r.recipe.In(r.variant, r.place)
	if err != nil {
		return nil, nil, err
	}
	r.ready, r.ask = t.Ready, t.Version
	return t.Command, t.Env, writeFiles(dir, t.Files)
}

func writeFiles(dir string, files []recipes.Written) error {
	for _, f := range files {
		to := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		w, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		_, err = io.WriteString(w, f.Text)
		if closed := w.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// environment is all that a layer gets: how to find programs and write text, folders of its own, and what its recipe names.
// Keys and proxies of the user's are not in it: a gateway that found a key could ask a real provider.
func (r *running) environment(env environ, own []string) (out []string) {
	all := map[string]string{"PATH": layerPath(env), "HOME": filepath.Join(r.root, "home"), "TMPDIR": filepath.Join(r.root, "tmp")}
	for name, value := range env {
		if name == "LANG" || strings.HasPrefix(name, "LC_") || r.recipe != nil && slices.Contains(r.recipe.Inherit, name) {
			all[name] = value
		}
	}
	for _, kv := range own {
		name, value, _ := strings.Cut(kv, "=")
		all[name] = value
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		out = append(out, name+"="+all[name])
	}
	return out
}

// supervised starts a program with what the layer gets.
func (r *running) supervised(words []string, dir, log string) (*gateway.Gateway, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return gateway.Start(gateway.Options{
		Supervisor: []string{self, superviseCommand}, Command: words, Env: r.env, Dir: dir, Log: log, LogLimit: logLimit, Grace: stopGrace,
		Scrap: r.root,
	})
}

// findVersion asks the program; "" when it does not say.
func (r *running) findVersion(ctx context.Context, env environ) string {
	words := slices.Clone(r.ask)
	program, err := lookProgram(words[0], env)
	if err != nil {
		return ""
	}
	words[0] = program
	log := filepath.Join(r.root, "version")
	g, err := r.supervised(words, filepath.Join(r.root, "work"), log)
	if err != nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, versionFor)
	defer cancel()
	select {
	case <-g.Ended():
	case <-ctx.Done():
	}
	if g.Stop() != nil {
		return ""
	}
	found := r.recipe.Version.Pattern.FindStringSubmatch(strings.Join(gateway.Tail(log, 100), "\n"))
	if found == nil {
		return ""
	}
	return found[1]
}

// wait waits until the layer can be asked, and notes why it can't.
func (r *running) wait(run context.Context, p *plan) {
	ctx, cancel := context.WithTimeout(run, p.flags.readyTimeout)
	defer cancel()
	ask, where := p.portsOpen, "no connection"
	if r.ready != "" {
		base, err := wire.ParseBase(r.ready)
		if err != nil {
			r.notReady = "ready: " + err.Error()
			return
		}
		ask, where = func(ctx context.Context) error { return answers(ctx, wire.Client{Base: base, TLS: p.tls}) }, "no answer from "+base.String()
	}
	if err := r.gateway.Ready(ctx, ask); err != nil && r.gateway.How() == "" && run.Err() == nil {
		r.notReady = fmt.Sprintf("the layer was started, and there is %s after %s: %s", where, p.flags.readyTimeout, err)
	}
}

// gone says why the layer can't be asked any more, "" while it can.
func (r *running) gone() string {
	if how := r.gateway.How(); how != "" {
		return "the layer that was started ended by itself: " + how
	}
	return r.notReady
}

// hosts are where the layer listens.
func (p *plan) hosts() []string {
	if p.target == nil {
		return []string{p.layer.Host}
	}
	var hosts []string
	for _, r := range p.routes {
		hosts = append(hosts, r.base.Host)
	}
	return hosts
}

// placeTaken refuses to start a layer where another program listens: what that one answers would be told of the layer, such as
// of an older one that is still up, and also while the new one waits for the port or shares it.
func (p *plan) placeTaken(ctx context.Context) error {
	for _, host := range p.hosts() {
		c, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", host)
		if err != nil {
			continue
		}
		c.Close()
		return usage("end it, or let the layer listen elsewhere", "%s: something else listens on %s already, and would be asked in place of the layer", p.launch.from, host)
	}
	return nil
}

// portsOpen tries to connect to every route.
func (p *plan) portsOpen(ctx context.Context) error {
	for _, host := range p.hosts() {
		c, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", host)
		if err != nil {
			return err
		}
		c.Close()
	}
	return nil
}

// answers asks for a page. Any HTTP answer will do: whether the way is open is what the canary is for.
func answers(ctx context.Context, client wire.Client) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	page := client.Base.Path
	if page == "" {
		page = "/"
	}
	got := client.Do(ctx, wire.Request{Method: "GET", Target: page})
	if got.Status == 0 {
		return fmt.Errorf("no HTTP answer (%s)", got.End)
	}
	return nil
}

// finish ends the layer, says what became of it, and removes its folder unless its log is of use.
func (a *app) finish(r *running, d *record.Document) {
	how := r.gateway.How()
	if err := r.gateway.Stop(); err != nil {
		a.note("warning: %s", err)
		if d != nil {
			d.Notes = append(d.Notes, err.Error())
		}
	}
	if how == "" && (d == nil || d.NotReady == "" || d.Incomplete) {
		if err := os.RemoveAll(r.root); err != nil {
			a.note("warning: the layer's folder is left: %s", cause(err))
		}
		return
	}
	tail := gateway.Tail(r.log, tailLines)
	if len(tail) == 0 {
		a.note("the layer printed nothing; its folder is kept: %s", r.root)
		return
	}
	a.note("the last lines that the layer printed (all in %s):", r.log)
	for _, line := range tail {
		a.note("  | %s", line)
	}
}

// launched starts the layer of a plan, if it has to be started, and tells the run of it.
func (a *app) launched(ctx context.Context, p *plan, s *station) (*running, error) {
	if p.launch == nil {
		return nil, nil
	}
	if err := p.placeTaken(ctx); err != nil {
		return nil, err
	}
	r, err := a.start(ctx, p, s.addr.String())
	if err != nil {
		return nil, err
	}
	r.wait(ctx, p)
	if r.gone() == "" {
		a.note("layer: started %s, process %d", r.described(p), r.gateway.PID())
	}
	return r, nil
}

func (r *running) described(p *plan) string {
	if r.recipe == nil {
		return filepath.Base(r.words[0])
	}
	return strings.Join(strings.Fields(r.full()+" "+r.version), " ") + " at " + p.routes[0].base.String()
}
