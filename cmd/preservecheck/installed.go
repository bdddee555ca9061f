package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/preservecheck/preservecheck/recipes"
)

const (
	recipeDirFlag = "recipe-dir"
	recipeDirUse  = "`FOLDER` with the installed packages of recipes, in a folder of the recipe's name (default $XDG_CACHE_HOME/preservecheck/recipes)"
)

// installFolder is where the packages of a recipe are, "" for a recipe without any.
func installFolder(r *recipes.Recipe, given, from string, env environ) (string, error) {
	if len(r.Packages) == 0 {
		return "", nil
	}
	all := given
	if all == "" {
		all = recipeCache(env)
	}
	if all == "" {
		return "", usage("give --"+recipeDirFlag+" FOLDER", "there is neither XDG_CACHE_HOME nor HOME to find the packages of recipes in")
	}
	all, err := filepath.Abs(all)
	if err != nil {
		return "", usage("give a path from the root", "%s: %s", from, err)
	}
	return filepath.Join(all, r.Name), nil
}

// recipeCache is where packages of recipes are if nobody says otherwise; "" without a home.
func recipeCache(env environ) string { return cacheFolder(env, "recipes") }

// cacheFolder is a folder of ours for what was installed, by the XDG Base Directory Specification 0.8; "" without a home.
func cacheFolder(env environ, of string) string {
	cache := env["XDG_CACHE_HOME"]
	if !filepath.IsAbs(cache) { // relative ones are to be ignored
		if !filepath.IsAbs(env["HOME"]) {
			return ""
		}
		cache = filepath.Join(env["HOME"], ".cache")
	}
	return filepath.Join(cache, "preservecheck", of)
}

// notInstalled says what is missing of a recipe's packages, "" for nothing. Packages of another lock file are no better than
// none: a result would be told of versions that were never run.
func notInstalled(r *recipes.Recipe, filled *recipes.Target, folder string) string {
	for _, f := range r.Packages {
		got, err := os.ReadFile(filepath.Join(folder, f.Path))
		switch {
		case err != nil:
			return "its packages are not installed in " + folder
		case string(got) != f.Text:
			return f.Path + " in " + folder + " is not the recipe's; remove the folder, then"
		}
	}
	for _, word := range append(append([]string{}, filled.Command...), filled.Version...) {
		if !strings.HasPrefix(word, folder+string(filepath.Separator)) || folder == "" {
			continue
		}
		if _, err := os.Stat(word); err != nil {
			return "its packages are not all installed: there is no " + word
		}
	}
	return ""
}

// installLines says how to get a layer.
func installLines(asked string, r *recipes.Recipe, given string, env environ) string {
	var all []string
	for _, i := range installs(asked, r, given, env) {
		all = append(all, i.System+": "+i.Line)
	}
	return "install it (" + strings.Join(all, "; ") + ")"
}

// installs is how a recipe is installed into the folder where check looks for it.
func installs(asked string, r *recipes.Recipe, given string, env environ) []recipes.Install {
	folder, err := installFolder(r, given, "--"+recipeDirFlag, env)
	if err != nil {
		folder = "DIR"
	}
	out := r.InstallIn(quote(folder))
	for i, line := range out {
		if line.Line != r.Install[i].Line { // a line for the folder of packages, whose lock file has to be there first
			out[i].Line = "preservecheck recipes write " + quote(asked) + " " + quote(folder) + " && " + line.Line
		}
	}
	return out
}
