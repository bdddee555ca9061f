package recipes

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
)

// The shapes of a file. Leaves are nodes, which keep what was written and where.
type (
	rawRecipe struct {
		Format, Name, What, Homepage, Versions, Install, Packages, Version, Command, Files, Env, Inherit fixture.Node
		Ports, Ready, Routes, Channels, Quirks, Check, Set, Variants, Advice                             fixture.Node
		Documented, Config, Facts                                                                        fixture.Node
	}
	rawVersion struct{ Command, Pattern fixture.Node }
	rawVariant struct{ Why, Good, Stateful, Set, Env, Routes, Check fixture.Node }
)

// Load reads a recipe out of its folder. dir is what the user calls the folder, for messages. Every problem that it can see
// is in the error, with file, line and column; also in what only one variant uses.
func Load(dir string, folder fs.FS) (*Recipe, error) {
	l := &loader{fixture.Reader{File: path.Join(dir, File)}}
	b, err := readFile(folder, File)
	if err != nil {
		return nil, &fixture.Problem{File: l.File, What: err.Error(), Remedy: "give the folder of a recipe; docs/recipes.md says what is in it"}
	}
	var raw rawRecipe
	if err := fixture.Strict(l.File, b, &raw); err != nil {
		return nil, err
	}
	r := &Recipe{file: l.File}
	r.Documented = fixture.Present(&raw.Documented) && l.truth(nil, &raw.Documented, "documented")
	l.head(r, &raw)
	l.knowledge(r, &raw)
	if l.only(r, &raw); r.Documented {
		l.documented(r, &raw)
	} else {
		l.packages(r, &raw, folder)
		l.start(r, &raw, folder)
		r.Variants = l.variants(r, &raw.Variants)
		l.advice(r, &raw.Advice)
		if l.Err() == nil {
			l.tryAll(dir, r, &raw)
		}
	}
	if err := l.Err(); err != nil {
		return nil, err
	}
	return r, nil
}

// maxFile bounds a template, in bytes.
const maxFile = 1 << 20

// readFile reads a small regular file.
func readFile(folder fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(folder, name)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s can't be read", name)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file", name)
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%s has %d bytes, more than %d", name, info.Size(), maxFile)
	}
	return fs.ReadFile(folder, name)
}

// head reads what a recipe says about the layer.
func (l *loader) head(r *Recipe, raw *rawRecipe) {
	if got := l.line(nil, &raw.Format, "format"); got != "" && got != Format {
		l.Bad(&raw.Format, fmt.Sprintf("format %q is not %q", got, Format), "write format: "+Format)
	}
	if r.Name = l.line(nil, &raw.Name, "name"); r.Name != "" {
		l.named(&raw.Name, "the recipe", goodName(), "use small letters, digits and -")
	}
	r.What = l.line(nil, &raw.What, "what")
	if r.Homepage = l.line(nil, &raw.Homepage, "homepage"); r.Homepage != "" && !isURL(r.Homepage) {
		l.Bad(&raw.Homepage, "homepage is no URL", "write it like https://example.org/")
	}
	r.Versions = l.lines(nil, &raw.Versions, "versions", !r.Documented)
	l.mapping(&raw.Install, "install", !r.Documented, func(name, value *fixture.Node) {
		r.Install = append(r.Install, Install{l.named(name, "a system", goodName(), "write debian, npm, pip or the like"), l.item(value, "the line")})
	})
}

func isURL(s string) bool {
	return strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "http://")
}

// packages reads the files that name what has to be installed. They are a lock file and what belongs to it, so they are taken
// as they are: a byte that we changed would make them another set of packages.
func (l *loader) packages(r *Recipe, raw *rawRecipe, folder fs.FS) {
	for _, n := range l.list(nil, &raw.Packages, "packages", fixture.Present(&raw.Packages)) {
		if n.Value == File || !fs.ValidPath(n.Value) || strings.Contains(n.Value, "/") {
			l.Bad(n, fmt.Sprintf("%q is no file beside %s", n.Value, File), "write the name of a lock file in the recipe's folder")
			continue
		}
		b, err := readFile(folder, n.Value)
		if err != nil {
			l.Bad(n, err.Error(), "put the file into the recipe's folder")
			continue
		}
		r.Packages = append(r.Packages, Written{n.Value, string(b)})
	}
	for i, line := range r.Install {
		if strings.Contains(line.Line, installWord) && !fixture.Present(&raw.Packages) {
			l.Bad(raw.Install.Content[2*i+1], "{install} is the folder of packages, and the recipe has none", "add packages")
		}
	}
}

// start reads how the layer is started. What is filled in later is only looked at by tryAll.
func (l *loader) start(r *Recipe, raw *rawRecipe, folder fs.FS) {
	var version rawVersion
	if !fixture.Present(&raw.Version) {
		l.Bad(nil, "version is missing", "add version with a command and a pattern")
	} else if l.Decode(&raw.Version, &version) {
		r.Version.Command = l.lines(&raw.Version, &version.Command, "command", true)
		r.Version.Pattern = l.pattern(&raw.Version, &version.Pattern)
	}
	r.Command = l.lines(nil, &raw.Command, "command", true)
	l.mapping(&raw.Files, "files", false, func(name, value *fixture.Node) {
		if t := l.template(name, value, folder); t != nil {
			r.files = append(r.files, *t)
		}
	})
	r.env = l.env(&raw.Env)
	for _, n := range l.list(nil, &raw.Inherit, "inherit", false) {
		r.Inherit = append(r.Inherit, l.inherited(n))
	}
	for _, n := range l.list(nil, &raw.Ports, "ports", false) {
		r.Ports = append(r.Ports, l.named(n, "a port", goodWord(), "use small letters, digits and _"))
	}
	r.Ready = l.optional(&raw.Ready, "ready")
	r.routes = &raw.Routes
	l.list(nil, &raw.Routes, "routes", true)
	r.set = l.set(&raw.Set)
	r.check = l.settings(&raw.Check)
}

// pattern is a regular expression whose first group is a version.
func (l *loader) pattern(parent, n *fixture.Node) *regexp.Regexp {
	s := l.line(parent, n, "pattern")
	if s == "" {
		return nil
	}
	p, err := regexp.Compile(s)
	if err != nil || p.NumSubexp() != 1 {
		l.Bad(n, "pattern is no regular expression with one group", `write it like 'name/([0-9.]+)'`)
		return nil
	}
	return p
}

// template reads a file of the folder.
func (l *loader) template(name, value *fixture.Node, folder fs.FS) *template {
	to := l.item(value, "the path of a file")
	if to != "" && (!fs.ValidPath(to) || to == ".") {
		l.Bad(value, fmt.Sprintf("%q does not stay in the folder of the layer", to), "write a path without .. and without a slash in front")
		return nil
	}
	if name.Value == File || !fs.ValidPath(name.Value) || strings.Contains(name.Value, "/") {
		l.Bad(name, fmt.Sprintf("%q is no file beside %s", name.Value, File), "write the name of a template in the recipe's folder")
		return nil
	}
	b, err := readFile(folder, name.Value)
	if err != nil {
		l.Bad(name, err.Error(), "put the template into the recipe's folder")
		return nil
	}
	return &template{name: name.Value, path: to, text: string(b), at: name}
}

func (l *loader) env(n *fixture.Node) (out []pair) {
	l.mapping(n, "env", false, func(name, value *fixture.Node) {
		if l.text(value, "the value of a variable") {
			out = append(out, pair{l.named(name, "a variable", goodVariable(), "use letters, digits and _"), value})
		}
	})
	return out
}

// closed are words of variables that no layer gets from the user: with his key or through his proxy it would reach a real
// provider.
var closed = []string{"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "AUTH", "PROXY", "COOKIE"}

func (l *loader) inherited(n *fixture.Node) string {
	name := l.named(n, "a variable", goodVariable(), "use letters, digits and _")
	for _, word := range closed {
		if strings.Contains(strings.ToUpper(name), word) {
			l.Bad(n, fmt.Sprintf("%s may hold a key or name a proxy", name), "remove it: a layer under test must not reach a provider")
		}
	}
	return name
}

// set reads the texts that stand for placeholders.
func (l *loader) set(n *fixture.Node) map[string]*fixture.Node {
	out := map[string]*fixture.Node{}
	l.mapping(n, "set", false, func(name, value *fixture.Node) {
		word := l.named(name, "a placeholder", goodWord(), "use small letters, digits and _")
		if l.text(value, "the text of a placeholder") && word != "" {
			out[word] = value
		}
	})
	return out
}

// checkable are the flags of check that a recipe may give a value, with the shape of it. None of them decides a verdict.
var checkable = map[string]func(string) error{
	"rate": number, "settle": duration, "timeout": duration, "ready-timeout": duration, "deadline": duration,
	"concurrency": func(s string) error { _, err := strconv.ParseUint(s, 10, 8); return err },
}

func number(s string) error   { _, err := strconv.ParseFloat(s, 64); return err }
func duration(s string) error { _, err := time.ParseDuration(s); return err }

func (l *loader) settings(n *fixture.Node) (out []Setting) {
	l.mapping(n, "check", false, func(name, value *fixture.Node) {
		shape, ok := checkable[name.Value]
		switch text := l.item(value, name.Value); {
		case !ok:
			l.Bad(name, fmt.Sprintf("check has no setting %q", name.Value), "write rate, concurrency, settle, timeout, ready-timeout or deadline")
		case text == "":
		case shape(text) != nil:
			l.Bad(value, fmt.Sprintf("%q is no value of %s", text, name.Value), "write a number, or a duration like 10s")
		default:
			out = append(out, Setting{name.Value, text})
		}
	})
	return out
}

// knowledge reads what does not take part in starting.
func (l *loader) knowledge(r *Recipe, raw *rawRecipe) {
	known := []string{string(ledger.Marker), string(ledger.Model), string(ledger.Header), string(ledger.Path), string(ledger.Armed)}
	r.Channels = l.lines(nil, &raw.Channels, "channels", !r.Documented)
	for i, c := range r.Channels {
		if c != "" && !slices.Contains(known, c) {
			l.Bad(raw.Channels.Content[i], fmt.Sprintf("unknown channel %q", c), "write "+strings.Join(known, ", "))
		}
	}
	r.Quirks = l.lines(nil, &raw.Quirks, "quirks", false)
}

func (l *loader) variants(r *Recipe, n *fixture.Node) (out []Variant) {
	l.mapping(n, "variants", true, func(name, value *fixture.Node) {
		var raw rawVariant
		v := Variant{Name: l.named(name, "a variant", goodName(), "use small letters, digits and -")}
		if !l.Decode(value, &raw) {
			return
		}
		v.Why = l.line(value, &raw.Why, "why")
		v.Good = l.truth(value, &raw.Good, "good")
		v.Stateful = fixture.Present(&raw.Stateful) && l.truth(value, &raw.Stateful, "stateful")
		v.set, v.env, v.check = l.set(&raw.Set), l.env(&raw.Env), l.settings(&raw.Check)
		for word, text := range v.set {
			if r.set[word] == nil {
				l.Bad(text, fmt.Sprintf("the recipe's set has no placeholder %q", word), "add it there, with the text of the other variants")
			}
		}
		if fixture.Present(&raw.Routes) {
			l.list(value, &raw.Routes, "routes", true)
			v.routes = &raw.Routes
		}
		out = append(out, v)
	})
	if fixture.Present(n) && n.Kind == fixture.MappingNode && !slices.ContainsFunc(out, func(v Variant) bool { return v.Name == Default }) {
		l.Bad(n, "there is no variant "+Default, "add it: the layer as an honest operator runs it")
	}
	return out
}
