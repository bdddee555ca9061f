package recipes

import (
	"cmp"
	"fmt"
	"maps"
	"net"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/target"
)

// Place is where a layer is to run.
type Place struct {
	Stub    string            // host:port of its upstream
	Key     string            // of its upstream; "" is any, since a stub of this machine takes all
	Dir     string            // its folder, an absolute path
	Install string            // folder of its packages, an absolute path; used only when it has some
	Port    string            // that its routes lead to
	Ports   map[string]string // the others, by name
}

// installWord is where the packages of a recipe are.
const installWord = "{install}"

// words are the placeholders that a place gives a value.
func (p Place) words() map[string]string {
	host, port, _ := net.SplitHostPort(p.Stub)
	w := map[string]string{
		"key":  cmp.Or(p.Key, "no-key"),
		"stub": p.Stub, "stub_url": "http://" + p.Stub, "stub_host": host, "stub_port": port, "port": p.Port, "dir": p.Dir,
	}
	for name, port := range p.Ports {
		w["port_"+name] = port
	}
	return w
}

// placeholder is a word in braces. One behind $, % or another brace is of the layer's own language: a shell's ${x}, a
// template's {{x}}.
var placeholder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`([$%{]?)\{([a-z][a-z0-9_]*)\}`) })

// filler fills texts in and gathers what is wrong.
type filler struct {
	*loader
	values map[string]string
	used   map[string]bool
}

// fill puts values in place of placeholders. keep is one more word that stays as it is. A text of several lines takes on
// the indentation of the line that it is put into, and a line on which nothing else stood goes when the text is empty.
func (f *filler) fill(text, keep string, unknown func(offset int, word string)) string {
	var b strings.Builder
	last := 0
	for _, m := range placeholder().FindAllStringSubmatchIndex(text, -1) {
		word := text[m[4]:m[5]]
		if m[2] != m[3] || word == keep {
			continue
		}
		value, ok := f.values[word]
		if !ok {
			unknown(m[0], word)
			continue
		}
		f.used[word] = true
		start, end := m[0], m[1]
		line := strings.LastIndexByte(text[:start], '\n') + 1
		indent := text[line:start]
		if blank := strings.Trim(indent, " \t") == ""; blank && line >= last {
			if value == "" && strings.HasPrefix(text[end:], "\n") {
				start, end = line, end+1
			}
			value = strings.ReplaceAll(strings.TrimRight(value, "\n"), "\n", "\n"+indent)
		}
		b.WriteString(text[last:start])
		b.WriteString(value)
		last = end
	}
	b.WriteString(text[last:])
	return b.String()
}

// node fills in a text of recipe.yaml itself.
func (f *filler) node(n *fixture.Node, keep string) string {
	return f.fill(n.Value, keep, func(_ int, word string) { f.unknown(n, word) })
}

func (f *filler) unknown(n *fixture.Node, word string) {
	f.Bad(n, fmt.Sprintf("nothing gives the placeholder {%s} a value", word), "write one of {"+strings.Join(slices.Sorted(maps.Keys(f.values)), "}, {")+"}, or add it to set")
}

// line fills in one-line texts whose place is that of a list.
func (f *filler) lines(list *fixture.Node, texts []string) (out []string) {
	for i, s := range texts {
		at := list
		if list != nil && i < len(list.Content) {
			at = list.Content[i]
		}
		out = append(out, f.fill(s, "", func(_ int, word string) { f.unknown(at, word) }))
	}
	return out
}

// file fills in a template, with problems at their place in it.
func (f *filler) file(dir string, t template) string {
	return f.fill(t.text, "", func(offset int, word string) {
		line := 1 + strings.Count(t.text[:offset], "\n")
		column := offset - strings.LastIndexByte(t.text[:offset], '\n')
		f.Note(&fixture.Problem{File: path.Join(dir, t.name), Line: line, Column: column,
			What: fmt.Sprintf("nothing gives the placeholder {%s} a value", word), Remedy: "add it to set, or write { " + word + " } if the layer reads it itself"})
	})
}

// In fills a variant in for a place. What it returns was tried when the recipe was loaded; an error is one of the place.
func (r *Recipe) In(v *Variant, at Place) (*Target, error) {
	l := &loader{fixture.Reader{File: r.file}}
	t, _ := l.filled(path.Dir(r.file), r, v, at, nil)
	if err := l.Err(); err != nil {
		return nil, err
	}
	return t, nil
}

// filled fills a variant in, and tells which placeholders were used.
func (l *loader) filled(dir string, r *Recipe, v *Variant, at Place, raw *rawRecipe) (*Target, map[string]bool) {
	if raw == nil {
		raw = &rawRecipe{}
	}
	f := &filler{loader: l, values: at.words(), used: map[string]bool{}}
	if len(r.Packages) > 0 {
		f.values["install"] = at.Install
	}
	set := maps.Clone(r.set)
	maps.Copy(set, v.set)
	texts := map[string]string{}
	for _, word := range slices.Sorted(maps.Keys(set)) {
		if f.values[word] != "" {
			l.Bad(set[word], fmt.Sprintf("the placeholder {%s} has a value of its own", word), "choose another name")
		}
		texts[word] = f.node(set[word], "")
	}
	maps.Copy(f.values, texts)
	t := &Target{Command: f.lines(&raw.Command, r.Command), Ready: f.fill(r.Ready, "", func(_ int, word string) { f.unknown(&raw.Ready, word) })}
	t.Version = l.version(f, r, &raw.Version)
	for _, file := range r.files {
		t.Files = append(t.Files, Written{file.path, f.file(dir, file)})
	}
	for _, p := range append(slices.Clone(r.env), v.env...) {
		t.Env = append(t.Env, p.name+"="+f.node(p.value, ""))
	}
	routes := r.routes
	if v.routes != nil {
		routes = v.routes
	}
	var err error
	if t.Routes, err = target.LoadRoutes(l.File, f.copy(routes)); err != nil {
		l.Note(err)
	}
	t.Keyed = f.used["key"]
	l.ownOnly(t, routes, &raw.Ready, at)
	return t, f.used
}

// ownOnly refuses what leads elsewhere than to the layer that is started, which might be a real provider.
func (l *loader) ownOnly(t *Target, routes, ready *fixture.Node, at Place) {
	own := func(host string) bool {
		name, port, err := net.SplitHostPort(host)
		return err == nil && (name == "127.0.0.1" || name == "localhost" || name == "::1") &&
			(port == at.Port || slices.Contains(slices.Collect(maps.Values(at.Ports)), port))
	}
	const hint = "write http://127.0.0.1:{port}, and a path if it has one"
	for i, r := range t.Routes {
		if !own(r.Base.Host) {
			l.Bad(routes.Content[i], "the route leads elsewhere than to the layer that is started", hint)
		}
	}
	if t.Ready == "" {
		return
	}
	if u, err := url.Parse(t.Ready); err != nil || u.Scheme != "http" && u.Scheme != "https" || !own(u.Host) {
		l.Bad(ready, "ready is no URL of the layer that is started", hint)
	}
}

// version fills in the command that says the version.
func (l *loader) version(f *filler, r *Recipe, n *fixture.Node) []string {
	var raw rawVersion
	if fixture.Present(n) {
		_ = l.Decode(n, &raw) // was read before
	}
	return f.lines(&raw.Command, r.Version.Command)
}

// copy is a node with its texts filled in. {fixture} stays for the run: a model's name may hold it.
func (f *filler) copy(n *fixture.Node) *fixture.Node {
	c := *n
	if c.Kind == fixture.ScalarNode && strings.Contains(c.Value, "{") {
		c.Value = f.node(n, strings.Trim(ledger.Placeholder, "{}"))
	}
	c.Content = nil
	for _, child := range n.Content {
		c.Content = append(c.Content, f.copy(child))
	}
	return &c
}

// tryAll fills every variant in, so that a recipe that loads is one that can be filled in, and refuses placeholders that
// nothing uses.
func (l *loader) tryAll(dir string, r *Recipe, raw *rawRecipe) {
	at := Place{Stub: "127.0.0.1:1", Dir: "/dir", Install: "/install", Port: "2", Ports: map[string]string{}}
	for _, p := range r.Ports {
		at.Ports[p] = "3"
	}
	used := map[string]bool{}
	for i := range r.Variants {
		_, words := l.filled(dir, r, &r.Variants[i], at, raw)
		maps.Copy(used, words)
		if l.Err() != nil {
			return // the other variants would say the same again
		}
	}
	for _, word := range slices.Sorted(maps.Keys(r.set)) {
		if !used[word] {
			l.Bad(r.set[word], fmt.Sprintf("nothing uses the placeholder {%s}", word), "write it into a file, the command, env or a route, or remove it")
		}
	}
	for i, name := range r.Ports {
		if !used["port_"+name] {
			l.Bad(raw.Ports.Content[i], fmt.Sprintf("nothing uses the port {port_%s}", name), "write it into a file, the command or a route, or remove it")
		}
	}
	if len(r.Packages) > 0 && !used["install"] {
		l.Bad(&raw.Packages, "nothing uses {install}", "name the packages where they are started: {install}/node_modules/...")
	}
	if !used["port"] {
		l.Bad(&raw.Routes, "nothing uses {port}", "the layer listens on 127.0.0.1:{port}, and routes lead there")
	}
	if !used["stub"] && !used["stub_url"] && !used["stub_port"] {
		l.Bad(nil, "nothing uses {stub}", "name the layer's upstream: {stub}, {stub_url}, or {stub_host} and {stub_port}")
	}
}
