//go:build real && linux

package real_test

import (
	"cmp"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/recipes"
	"github.com/preservecheck/preservecheck/record"
)

// installed are the recipes whose programs .ci/run installs.
const installed = "nginx,haproxy"

var chosen = flag.String("recipes", installed, "recipes to run, with commas between; all: each that can be run")

// chosenRecipes reads -recipes. What was named is run or fails, and is never left out.
func chosenRecipes() (out []*recipes.Recipe, err error) {
	names := strings.Split(*chosen, ",")
	if *chosen == "all" {
		names = recipes.Names()
	}
	for _, name := range names {
		r, err := recipes.Builtin(name)
		if err != nil {
			return nil, err
		}
		switch {
		case !r.Documented:
			out = append(out, r)
		case *chosen != "all":
			return nil, fmt.Errorf("recipe %s can only be documented", name)
		}
	}
	return out, nil
}

// TestResults runs recipes as users do and compares what they show with docs/results. With -update it writes that anew.
func TestResults(t *testing.T) {
	list, err := chosenRecipes()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range list {
		t.Run(r.Name, func(t *testing.T) {
			now := measure(t, r)
			if t.Failed() {
				return // half a result is none
			}
			if *update {
				if err := now.write(); err != nil {
					t.Fatal(err)
				}
				return
			}
			committed, err := readResults()
			if err != nil {
				t.Fatal(err)
			}
			if why := now.against(committed); why != "" {
				t.Error(why)
			}
		})
	}
	if *update && !t.Failed() {
		if err := writePage(); err != nil {
			t.Fatal(err)
		}
	}
}

// measure runs all variants of a recipe.
func measure(t *testing.T, r *recipes.Recipe) *results {
	t.Helper()
	out := &results{Format: resultsFormat, Recipe: r.Name, Date: time.Now().UTC().Format(time.DateOnly), Variants: make([]variantResult, len(r.Variants))}
	versions := make([][3]string, len(r.Variants))
	t.Run("variants", func(t *testing.T) {
		for i, v := range r.Variants {
			t.Run(v.Name, func(t *testing.T) {
				t.Parallel()
				name := r.Name + "/" + v.Name
				doc, exit := checkWithPorts(t, name)
				got := summarise(doc, v.Name, v.Stateful)
				got.Command = "preservecheck check --recipe " + name
				if exit != got.Exit || (exit == 0) != v.Good || exit > 1 {
					t.Errorf("exit %d, in the record %d, and the recipe says good: %v: %s %s", exit, got.Exit, v.Good, doc.Result.Why, doc.NotReady)
				}
				if doc.Target.Version == "" {
					t.Errorf("%s does not tell its version: look at version in its recipe", name)
				}
				out.Variants[i], versions[i] = got, [3]string{doc.Target.Version, doc.Matrix.Version, doc.Tool.Version}
			})
		}
	})
	for _, v := range versions {
		if v != versions[0] {
			t.Errorf("versions differ between variants: %q", versions)
		}
	}
	out.Version, out.Matrix, out.Tool = versions[0][0], versions[0][1], versions[0][2]
	return out
}

// checkWithPorts checks a recipe, and again when this machine ran out of ports for our own connections: that tells nothing of
// the layer. Systems that count every closed connection for a minute, whatever its peer, run out when several tests run.
func checkWithPorts(t *testing.T, recipe string) (doc record.Document, exit int) {
	t.Helper()
	for range 5 {
		doc, exit = check(t, freeAddress(t), "--recipe", recipe)
		if !ranOut(doc) {
			return doc, exit
		}
		t.Log("no ports were left for our own connections; again in a while")
		time.Sleep(20 * time.Second)
	}
	t.Fatal("no ports were left for our own connections, five times")
	return doc, exit
}

func ranOut(doc record.Document) bool {
	const words = "no free local port is left" // wire's, for what the system said
	return doc.Result.Exit == 3 && (strings.Contains(doc.Result.Why, words) || strings.Contains(doc.NotReady, words) ||
		slices.ContainsFunc(doc.Rows, func(r record.Row) bool { return strings.Contains(r.Reason, words) }))
}

// against compares a measurement with the committed ones; "" when it is what they say.
func (r *results) against(committed []*results) string {
	again := fmt.Sprintf("measure anew: go test -tags real ./real -run Results -recipes=%s -update", r.Recipe)
	var have []string
	for _, c := range committed {
		if c.Recipe != r.Recipe {
			continue
		}
		if c.Version != r.Version || c.Matrix != r.Matrix {
			have = append(have, fmt.Sprintf("%s with matrix %s", c.Version, c.Matrix))
			continue
		}
		return r.changes(c, again)
	}
	return fmt.Sprintf("%s\n%s %s with matrix %s is here, and docs/results has %s", again, r.Recipe, r.Version, r.Matrix, cmp.Or(strings.Join(have, ", "), "nothing of it"))
}

func (r *results) changes(committed *results, again string) string {
	var out []string
	for _, now := range r.Variants {
		i := slices.IndexFunc(committed.Variants, func(v variantResult) bool { return v.Variant == now.Variant })
		if i < 0 {
			out = append(out, fmt.Sprintf("%s/%s is new; %s", r.Recipe, now.Variant, again))
		} else if d := differ(committed.Variants[i], now); d != "" {
			out = append(out, fmt.Sprintf("%s/%s shows something else (-committed +now)\n%s\nif the matrix or the recipe has changed, %s", r.Recipe, now.Variant, d, again))
		}
	}
	for _, v := range committed.Variants {
		if !slices.ContainsFunc(r.Variants, func(now variantResult) bool { return now.Variant == v.Variant }) {
			out = append(out, fmt.Sprintf("%s/%s is no more; %s", r.Recipe, v.Variant, again))
		}
	}
	return strings.Join(out, "\n")
}

// TestResultsCanFail: a measurement that is not the committed one is told of, and how.
func TestResultsCanFail(t *testing.T) {
	one := func(version, matrix string, preserved int) *results {
		return &results{Recipe: "x", Version: version, Matrix: matrix, Variants: []variantResult{{Variant: "default", Routes: []routeResult{{Route: "r", Verdicts: map[string]int{"preserved": preserved}}}}}}
	}
	for _, c := range []struct {
		why  string
		now  *results
		want string
	}{
		{"the same", one("1", "m", 3), ""},
		{"another version of the layer", one("2", "m", 3), "measure anew: go test -tags real ./real -run Results -recipes=x -update\nx 2 with matrix m is here, and docs/results has 1 with matrix m"},
		{"another matrix", one("1", "n", 3), "measure anew"},
		{"other counts", one("1", "m", 2), "x/default shows something else"},
		{"a variant fewer", &results{Recipe: "x", Version: "1", Matrix: "m"}, "x/default is no more"},
		{"nothing measured", &results{Recipe: "y", Version: "1", Matrix: "m"}, "measure anew"},
	} {
		got := c.now.against([]*results{one("1", "m", 3)})
		if (c.want == "") != (got == "") || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q", c.why, got)
		}
	}
}
