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
	r, v, err := recipeByName(f.recipe, from)
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
	program, err := lookProgram(r.Command[0], a.env)
	if err != nil {
		return usage(installLines(r), "%s: the program %q is not there", from, r.Command[0])
	}
	l := &launch{recipe: r, variant: v, program: program, from: from, place: recipes.Place{Stub: "127.0.0.1:1", Dir: "/", Ports: map[string]string{}}}
	if l.place.Port, err = freePort(); err != nil {
		return err
	}
	for _, name := range r.Ports {
		if l.place.Ports[name], err = freePort(); err != nil {
			return err
		}
	}
	filled, err := r.In(v, l.place)
	if err != nil {
		return usage(recipeHint, "%s: %s", from, strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	p.launch = l
	return p.useTarget(cmd, &target.Target{Name: l.name(), Routes: filled.Routes})
}

// installLines says how to get a layer.
func installLines(r *recipes.Recipe) string {
	var all []string
	for _, i := range r.Install {
		all = append(all, i.System+": "+i.Line)
	}
	return "install it (" + strings.Join(all, "; ") + ")"
}

// recipeByName finds NAME, NAME/VARIANT, ./folder or ./folder/variant.
func recipeByName(text, from string) (*recipes.Recipe, *recipes.Variant, error) {
	r, variant, err := openRecipe(text, from)
	if err != nil {
		return nil, nil, err
	}
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
