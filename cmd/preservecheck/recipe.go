package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/preservecheck/preservecheck/gateway"
	"github.com/preservecheck/preservecheck/recipes"
	"github.com/preservecheck/preservecheck/target"
)

const recipeHint = "preservecheck recipes list shows them; docs/recipes.md says how to write one"

// saidByRecipe are the flags whose place a recipe takes.
var saidByRecipe = []string{"layer", "target", "start", "ready", "dialect", "model", "header", "channel", "stub-url"}

// readRecipe reads the recipe of --recipe and prepares to start it.
func (p *plan) readRecipe(a *app, cmd *cobra.Command) error {
	f, from := p.flags, origin(cmd, "recipe")
	for _, flag := range saidByRecipe {
		if cmd.Flags().Changed(flag) {
			return usage("leave one of them out", "%s and %s exclude each other", from, origin(cmd, flag))
		}
	}
	if !gateway.Supported() {
		return usage(startIt, "%s: %s", from, gateway.ErrUnsupported)
	}
	r, v, err := runnable(f.recipe, from)
	if err != nil {
		return err
	}
	for _, s := range r.Settings(v) {
		flag := cmd.Flags().Lookup(s.Flag)
		if flag.Changed {
			continue
		}
		if err := flag.Value.Set(s.Value); err != nil {
			return usage(recipeHint, "%s: check: %s: %s", from, s.Flag, err)
		}
	}
	if err := f.validate(cmd); err != nil {
		return err
	}
	place, err := f.place(cmd, r, a.env)
	if err != nil {
		return err
	}
	program, err := lookProgram(installed(r, place.Install), a.env)
	if err != nil {
		return usage(installLines(f.recipe, r, f.recipeDir, a.env), "%s: the program %q is not there", from, installed(r, place.Install))
	}
	l := &launch{recipe: r, variant: v, program: program, from: from, place: place}
	filled, err := r.In(v, l.place)
	if err != nil {
		return usage(recipeHint, "%s: %s", from, strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	if what := notInstalled(r, filled, l.place.Install); what != "" {
		return usage(installLines(f.recipe, r, f.recipeDir, a.env), "%s: %s", from, what)
	}
	p.launch = l
	return p.useTarget(cmd, &target.Target{Name: l.name(), Routes: filled.Routes})
}

// place is where the layer of a recipe is to run, as far as that is known before the stub listens and a folder is made.
func (f *checkFlags) place(cmd *cobra.Command, r *recipes.Recipe, env environ) (at recipes.Place, err error) {
	at = recipes.Place{Stub: "127.0.0.1:1", Dir: "/", Ports: map[string]string{}}
	if at.Install, err = installFolder(r, f.recipeDir, origin(cmd, "recipe-dir"), env); err != nil {
		return at, err
	}
	if at.Port, err = freePort(); err != nil {
		return at, err
	}
	for _, name := range r.Ports {
		if at.Ports[name], err = freePort(); err != nil {
			return at, err
		}
	}
	return at, nil
}

// installed is the program of a recipe, which may be one of its packages.
func installed(r *recipes.Recipe, folder string) string {
	if len(r.Packages) == 0 {
		return r.Command[0]
	}
	return strings.ReplaceAll(r.Command[0], "{install}", folder)
}

// runnable finds a recipe that has something to start.
func runnable(text, from string) (*recipes.Recipe, *recipes.Variant, error) {
	r, variant, err := openRecipe(text, from)
	if err != nil {
		return nil, nil, err
	}
	if r.Documented {
		return nil, nil, usage("preservecheck recipes show "+quote(text)+" tells how to check it yourself",
			"%s: %s can only be documented, and was not run: nothing here starts it", from, r.Name)
	}
	return variantOf(r, variant, from)
}

// recipeByName finds NAME, NAME/VARIANT, ./folder or ./folder/variant.
func recipeByName(text, from string) (*recipes.Recipe, *recipes.Variant, error) {
	r, variant, err := openRecipe(text, from)
	if err != nil {
		return nil, nil, err
	}
	if r.Documented && variant == "" {
		return r, nil, nil
	}
	return variantOf(r, variant, from)
}

func variantOf(r *recipes.Recipe, variant, from string) (*recipes.Recipe, *recipes.Variant, error) {
	v, ok := r.ByName(variant)
	if !ok {
		return nil, nil, usage(didYouMean(variant, r.VariantNames(), recipeHint), "%s: the recipe %s has no variant %q", from, r.Name, variant)
	}
	return r, v, nil
}

func openRecipe(text, from string) (r *recipes.Recipe, variant string, err error) {
	if isFolder(text) {
		dir, variant := recipeFolder(text)
		r, err = recipes.Load(dir, os.DirFS(dir))
		if err != nil {
			return nil, "", usage(recipeHint, "%s: %s", from, strings.ReplaceAll(err.Error(), "\n", "; "))
		}
		return r, variant, nil
	}
	name, variant, _ := strings.Cut(text, "/")
	r, err = recipes.Builtin(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, "", usage(didYouMean(name, recipes.Names(), recipeHint), "%s: there is no recipe %q; a folder is written like ./%s", from, name, name)
	case err != nil:
		return nil, "", err
	}
	return r, variant, nil
}

// recipeFolder splits ./folder/variant; without a recipe.yaml above it, all of it is the folder.
func recipeFolder(text string) (dir, variant string) {
	dir = filepath.Clean(text)
	if _, err := os.Stat(filepath.Join(dir, recipes.File)); err == nil {
		return dir, ""
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(dir), recipes.File)); err == nil {
		return filepath.Dir(dir), filepath.Base(dir)
	}
	return dir, ""
}

// isFolder tells a folder of the user's own from the name of a recipe.
func isFolder(text string) bool {
	return filepath.IsAbs(text) || text == "." || text == ".." ||
		strings.HasPrefix(text, "."+string(filepath.Separator)) || strings.HasPrefix(text, ".."+string(filepath.Separator))
}
