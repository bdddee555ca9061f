package main

import (
	"path/filepath"

	"github.com/preservecheck/preservecheck/recipes"
	"github.com/preservecheck/preservecheck/record"
)

// sources are the files that say what to check and what is known, as places for reports that point at files.
func (p *plan) sources() (out []record.Source) {
	add := func(kind string, names ...string) {
		for _, name := range names {
			if name != "" {
				out = append(out, record.Source{Kind: kind, Path: p.hide(sourcePath(name))})
			}
		}
	}
	if p.target != nil {
		add("target", p.flags.target)
	}
	if isFolder(p.flags.recipe) { // a built-in one is no file
		dir, _ := recipeFolder(p.flags.recipe)
		add("recipe", filepath.Join(dir, recipes.File))
	}
	add("known", p.flags.known...)
	add("matrix", p.flags.matrix...)
	return out
}

// sourcePath is a path below the current folder with slashes. Where a file lies on this machine otherwise is not told.
func sourcePath(name string) string {
	if clean := filepath.Clean(name); filepath.IsLocal(clean) {
		return filepath.ToSlash(clean)
	}
	return filepath.Base(name)
}
