package recipes

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
)

// TestBuiltin loads every recipe, which fills in every variant, and looks for files that nobody uses.
func TestBuiltin(t *testing.T) {
	if len(Names()) < 2 {
		t.Fatalf("recipes: %q", Names())
	}
	for _, name := range Names() {
		r, err := Builtin(name)
		if err != nil {
			t.Error(err)
			continue
		}
		if r.Name != name {
			t.Errorf("the recipe in %s is called %s", name, r.Name)
		}
		if r.Documented {
			continue // recipe.yaml is all there is
		}
		if v := r.Variants[0]; v.Name != Default {
			t.Errorf("%s: the first variant is %s", name, v.Name)
		}
		if !strings.HasPrefix(Readme(name), "# ") {
			t.Errorf("%s has no README.md", name)
		}
		for _, v := range r.Variants {
			if !strings.Contains(Readme(name), "`"+v.Name+"`") {
				t.Errorf("%s/README.md does not tell of the variant %s", name, v.Name)
			}
		}
		used := []string{File, "README.md"}
		for _, f := range r.files {
			used = append(used, f.name)
		}
		for _, f := range r.Packages {
			used = append(used, f.Path)
			if strings.Contains(f.Text, `"resolved"`) {
				t.Errorf("%s/%s names the host of a registry: npm install --omit-lockfile-registry-resolved", name, f.Path)
			}
		}
		_ = fs.WalkDir(builtin, name, func(p string, d fs.DirEntry, _ error) error {
			if !d.IsDir() && !slices.Contains(used, strings.TrimPrefix(p, name+"/")) {
				t.Errorf("%s: nothing uses it", p)
			}
			return nil
		})
	}
	if _, err := Builtin("nosuch"); err == nil {
		t.Error("a recipe that nobody wrote")
	}
}
