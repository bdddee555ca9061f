package recipes

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/preservecheck/preservecheck/fixture"
)

// Fact is something that is said about a layer that this program never ran against.
type Fact struct {
	About  string // one of Abouts
	Basis  string // one of Bases
	Say    string
	Source string // URL
	Date   string // when the source was read
}

// Abouts are what facts can be about, in the order of the page. The first two and the last every documented recipe must have;
// what is not known of the others shows as not known.
func Abouts() []string {
	return []string{"upstream", "fixture", "retries", "cooldown", "cache", "obstacle", "expect"}
}

// Bases are what facts can rest on: it stands in the source; it was seen once with an early stub of ours, at the project that the
// source names; or nobody looked it up, and it is what one expects of such a layer.
func Bases() []string { return []string{"read", "seen", "expected"} }

type rawFact struct{ About, Basis, Say, Source, Date fixture.Node }

// only lets a recipe have the keys of its kind alone: one that is run needs no hearsay, and one that is not run nothing to
// run it by.
func (l *loader) only(r *Recipe, raw *rawRecipe) {
	run := []*fixture.Node{&raw.Install, &raw.Packages, &raw.Version, &raw.Command, &raw.Files, &raw.Env, &raw.Inherit, &raw.Ports, &raw.Ready, &raw.Routes, &raw.Check, &raw.Set, &raw.Variants, &raw.Advice}
	read := []*fixture.Node{&raw.Config, &raw.Facts}
	others, remedy := read, "remove it, or write documented: true"
	if r.Documented {
		others, remedy = run, "remove it: a documented recipe can't be run"
	}
	for _, n := range others {
		if fixture.Present(n) {
			l.Bad(n, "this belongs to another kind of recipe", remedy)
		}
	}
}

// documented reads a recipe of a layer that nobody ran.
func (l *loader) documented(r *Recipe, raw *rawRecipe) {
	if fixture.Present(&raw.Config) && l.text(&raw.Config, "config") {
		r.Config = raw.Config.Value
	}
	for _, item := range l.list(nil, &raw.Facts, "facts", true) {
		var raw rawFact
		if !l.Decode(item, &raw) {
			continue
		}
		f := Fact{About: l.line(item, &raw.About, "about"), Say: l.line(item, &raw.Say, "say")}
		if f.About != "" && !slices.Contains(Abouts(), f.About) {
			l.Bad(&raw.About, fmt.Sprintf("unknown about %q", f.About), "write "+strings.Join(Abouts(), ", "))
		}
		if f.Basis = l.choice(&raw.Basis, "basis", Bases()); f.Basis == "" {
			f.Basis = Bases()[0]
		}
		f.Source, f.Date = l.source(item, &raw.Source), l.date(item, &raw.Date)
		r.Facts = append(r.Facts, f)
	}
	for _, must := range []string{"upstream", "fixture", "expect"} {
		if !slices.ContainsFunc(r.Facts, func(f Fact) bool { return f.About == must }) && l.Err() == nil {
			l.Bad(&raw.Facts, "no fact about "+must, "add one, with its source and date")
		}
	}
}

func (l *loader) source(parent, n *fixture.Node) string {
	s := l.line(parent, n, "source")
	if s != "" && !isURL(s) {
		l.Bad(n, "source is no URL", "write it like https://example.org/page")
	}
	return s
}

func (l *loader) date(parent, n *fixture.Node) string {
	s := l.line(parent, n, "date")
	if _, err := time.Parse("2006-01-02", s); s != "" && err != nil {
		l.Bad(n, fmt.Sprintf("%q is no date", s), "write it like 2026-11-30")
	}
	return s
}
