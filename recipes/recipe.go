// Package recipes holds what is known about real layers, as data: how each is installed, configured and started, which
// ways lead into it, which of its settings keep the evidence of errors and which lose it, and what to do about that.
//
// A folder is a recipe. The built-in ones stand beside this file, and users write their own in the same form. The package
// reads and fills them in; it starts nothing, looks nothing up and writes no file.
package recipes

import (
	"embed"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/target"
)

// Format is the format that Load reads, as written in the first key of a recipe.yaml.
const Format = "preservecheck.recipe/1"

// File is the name of the file that makes a folder a recipe.
const File = "recipe.yaml"

// Default is the variant that every recipe has: the layer as an honest operator runs it.
const Default = "default"

//go:embed */*
var builtin embed.FS

// Recipe is a layer, how to start it, and what is known about it.
type Recipe struct {
	Name     string
	What     string   // one line
	Homepage string   // of the project
	Versions []string // that it was tried with
	Install  []Install
	Packages []Written // files that name what has to be installed, as they are; none when the layer is a program of the system
	Version  VersionOf
	Command  []string // the program and its arguments, no shell between
	Ready    string   // URL that answers once the layer is up; "" when an open port says so
	Ports    []string // names of ports besides the one of the routes
	Inherit  []string // environment variables that the program gets from the user's own
	Channels []string // ways by which a fixture's name arrives at the stub
	Quirks   []string // what to know before reading a result
	Variants []Variant
	Advice   []Advice

	Documented bool   // nobody ran it here: it has Facts and Config, and nothing to start it by
	Facts      []Fact // what was read about it
	Config     string // how it could be configured

	file   string // path of recipe.yaml, for messages
	files  []template
	env    []pair
	set    map[string]*fixture.Node
	routes *fixture.Node
	check  []Setting
}

// Install is how one system gets the layer. {install} in a line stands for the folder of the recipe's packages.
type Install struct{ System, Line string }

// InstallIn is how the layer is installed when its packages go into a folder, named as a shell is to read it.
func (r *Recipe) InstallIn(folder string) (out []Install) {
	for _, i := range r.Install {
		out = append(out, Install{i.System, strings.ReplaceAll(i.Line, installWord, folder)})
	}
	return out
}

// VersionOf is how the version of an installed layer is found out.
type VersionOf struct {
	Command []string
	Pattern *regexp.Regexp // its first group is the version
}

// Setting is a flag of check that a recipe gives a value, as long as the user gives none.
type Setting struct{ Flag, Value string }

// Variant is one configuration of the layer.
type Variant struct {
	Name string
	Why  string // what it shows, one line
	Good bool   // it is expected to keep the evidence

	Stateful bool // what it shows depends on time and on what was asked before: by kind the same each time, not by count

	set    map[string]*fixture.Node
	env    []pair
	routes *fixture.Node // nil: the recipe's
	check  []Setting
}

// template is a file of the recipe that is filled in and written into the layer's folder.
type template struct {
	name, path, text string
	at               *fixture.Node
}

// pair is a variable of the environment.
type pair struct {
	name  string
	value *fixture.Node
}

// Names lists the built-in recipes, sorted.
func Names() (names []string) {
	entries, err := builtin.ReadDir(".")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Builtin reads a built-in recipe. A name that none has is an error that matches fs.ErrNotExist.
func Builtin(name string) (*Recipe, error) {
	if !slices.Contains(Names(), name) {
		return nil, fmt.Errorf("recipe %q: %w", name, fs.ErrNotExist)
	}
	folder, err := fs.Sub(builtin, name)
	if err != nil {
		return nil, err
	}
	return Load(name, folder)
}

// Readme is the page of a built-in recipe; "" when it has none.
func Readme(name string) string {
	b, err := builtin.ReadFile(name + "/README.md")
	if err != nil {
		return ""
	}
	return string(b)
}

// ByName returns a variant of the recipe; "" is the default one.
func (r *Recipe) ByName(variant string) (*Variant, bool) {
	if variant == "" {
		variant = Default
	}
	for i := range r.Variants {
		if r.Variants[i].Name == variant {
			return &r.Variants[i], true
		}
	}
	return nil, false
}

// VariantNames lists the variants in the order of the file.
func (r *Recipe) VariantNames() (names []string) {
	for _, v := range r.Variants {
		names = append(names, v.Name)
	}
	return names
}

// Settings are the flags of check that a variant gives a value, the variant's own last.
func (r *Recipe) Settings(v *Variant) []Setting { return append(slices.Clone(r.check), v.check...) }

// Target is what a run of a recipe is about.
type Target struct {
	Command []string
	Version []string // the command that says the version
	Env     []string // NAME=value
	Files   []Written
	Ready   string
	Routes  []target.Route
	Keyed   bool // Place.Key is in it; else the layer passes the key of its client on
}

// Written is a file as it is to be written into the layer's folder; Path is relative to it, with slashes.
type Written struct{ Path, Text string }
