//go:build real && linux

package real_test

import (
	"cmp"
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/recipes"
	"github.com/preservecheck/preservecheck/record"
)

// often is what every change is measured with: each layer as it comes, and the settings that show each kind of fault. All is
// measured weekly.
const often = "nginx/default,nginx/intercept,nginx/hide-retry-after,nginx/next-upstream,nginx/next-upstream-always,nginx/limit-req," +
	"haproxy/default,haproxy/set-status,haproxy/del-header,haproxy/rate-limit,apache/default,apache/override,apache/failonstatus," +
	"caddy/default,caddy/handle-response,caddy/passive-health,portkey/default,claude-code-router"

var (
	chosen = flag.String("recipes", often, "recipes to run, or variants of them, with commas between; all: each that can be run")
	exact  = flag.Bool("exact", false, "fail also where another version of a layer shows what the committed one does")
	times  = flag.Int("times", 1, "how often TestResults runs each variant; it has to show the same each time")
)

// choice is a recipe and which of its variants are meant.
type choice struct {
	*recipes.Recipe
	whole    bool
	variants []string // when it is not the whole
}

func (c choice) has(variant string) bool { return c.whole || slices.Contains(c.variants, variant) }

// chosenRecipes reads -recipes. What was named is run or fails, and is never left out.
func chosenRecipes() (out []choice, err error) {
	names := strings.Split(*chosen, ",")
	if *chosen == "all" {
		names = recipes.Names()
	}
	for _, name := range names {
		name, variant, part := strings.Cut(name, "/")
		r, err := recipes.Builtin(name)
		if err != nil {
			return nil, err
		}
		if r.Documented {
			if *chosen != "all" {
				return nil, fmt.Errorf("recipe %s can only be documented", name)
			}
			continue
		}
		if _, ok := r.ByName(variant); part && !ok {
			return nil, fmt.Errorf("recipe %s has no variant %s", name, variant)
		}
		i := slices.IndexFunc(out, func(c choice) bool { return c.Name == name })
		if i < 0 {
			i, out = len(out), append(out, choice{Recipe: r})
		}
		if out[i].whole = out[i].whole || !part; part {
			out[i].variants = append(out[i].variants, variant)
		}
	}
	return out, nil
}

// TestResults runs recipes as users do and compares what they show with docs/results. With -update it writes that anew.
func TestResults(t *testing.T) {
	if err := watchSources(); err != nil {
		t.Fatal(err)
	}
	list, err := chosenRecipes()
	if err != nil {
		t.Fatal(err)
	}
	committed, err := readResults()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		t.Run(c.Name, func(t *testing.T) {
			now := measure(t, c)
			if t.Failed() {
				return // half a result is none
			}
			if *update {
				if err := now.into(committed, c.whole).write(); err != nil {
					t.Fatal(err)
				}
				return
			}
			switch why, same := now.against(committed, c.whole); {
			case why != "" && same && !*exact:
				t.Log(why) // a security update of a distribution is no reason to hold a change back
			case why != "":
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

// into puts variants that were measured alone into the committed results of the same versions.
func (r *results) into(committed []*results, whole bool) *results {
	for _, c := range committed {
		if whole || c.Recipe != r.Recipe || c.Version != r.Version || c.Matrix != r.Matrix {
			continue
		}
		for _, now := range r.Variants {
			if i := slices.IndexFunc(c.Variants, func(v variantResult) bool { return v.Variant == now.Variant }); i >= 0 {
				c.Variants[i] = now
			} else {
				c.Variants = append(c.Variants, now)
			}
		}
		return c
	}
	return r
}

// measure runs the variants of a recipe that are meant, one after the other: what one shows must not hang on another's load.
func measure(t *testing.T, c choice) *results {
	t.Helper()
	out := &results{Format: resultsFormat, Recipe: c.Name, Date: time.Now().UTC().Format(time.DateOnly)}
	var versions [][3]string
	for _, v := range c.Variants {
		if named := slices.Contains(c.variants, v.Name); !c.has(v.Name) || unmeasured[c.Name+"/"+v.Name] != "" && !named {
			continue
		}
		t.Run(v.Name, func(t *testing.T) {
			got, version := measureVariant(t, c.Name, v)
			out.Variants, versions = append(out.Variants, got), append(versions, version)
			for i := 1; i < *times && !t.Failed(); i++ {
				again, _ := measureVariant(t, c.Name, v)
				if d := differ(got, again); d != "" {
					t.Errorf("run %d shows something else than the first (-first +now)\n%s", i, d)
				}
			}
		})
	}
	for _, v := range versions {
		if v != versions[0] {
			t.Errorf("versions differ between variants: %q", versions)
		}
	}
	if len(versions) > 0 {
		out.Version, out.Matrix, out.Tool = versions[0][0], versions[0][1], versions[0][2]
	}
	return out
}

// measureVariant runs one variant once, and gives the versions of the layer, of the matrix and of this program with it.
func measureVariant(t *testing.T, recipe string, v recipes.Variant) (variantResult, [3]string) {
	t.Helper()
	name := recipe + "/" + v.Name
	doc, exit := steady(t, name)
	got := summarise(doc, v.Name, v.Stateful)
	got.Command = "preservecheck check --recipe " + name
	if exit != got.Exit || (exit == 0) != v.Good || exit != 0 && exit != 1 && got.NotReady == "" {
		t.Errorf("exit %d, in the record %d, and the recipe says good: %v: %s %s", exit, got.Exit, v.Good, doc.Result.Why, doc.NotReady)
	}
	if doc.Incomplete {
		t.Errorf("the run of %s did not come to its end: %s", name, doc.Result.Why)
	}
	if doc.Target.Version == "" {
		t.Errorf("%s does not tell its version: look at version in its recipe", name)
	}
	for _, what := range unadvised(doc) {
		t.Errorf("the recipe has no advice for %s", what)
	}
	return got, [3]string{doc.Target.Version, doc.Matrix.Version, doc.Tool.Version}
}

// steady checks a recipe, and twice more while a row comes out in more than one way: the run itself says then that it proves
// little. Portkey did so in one of fourteen runs on a machine under load. What comes three times in a row stays.
func steady(t *testing.T, recipe string) (doc record.Document, exit int) {
	t.Helper()
	for range 3 {
		waitForPorts(t)
		doc, exit = checkWithPorts(t, recipe)
		i := slices.IndexFunc(doc.Findings, func(f record.Finding) bool { return f.Kind == "intermittent" && f.Fails })
		if i < 0 {
			break
		}
		t.Logf("%s: %s %q; again", recipe, doc.Findings[i].Text, doc.Findings[i].Rows)
	}
	return doc, exit
}

// unadvised names the rows and findings that fail and that no advice of the recipe explains.
func unadvised(doc record.Document) (out []string) {
	rows, findings := map[record.RowName]bool{}, map[string]bool{}
	for _, a := range doc.Advice {
		findings[a.Finding] = true
		for _, r := range a.Rows {
			rows[r] = true
		}
	}
	for _, r := range doc.Rows {
		passes := slices.Contains([]string{"preserved", "declared", "inconclusive", "untestable"}, r.Verdict)
		if !passes && !rows[record.RowName{Row: r.Row, Mode: r.Mode, Route: r.Route}] {
			out = append(out, fmt.Sprintf("%s %s on %s (%s)", r.Row, r.Mode, r.Route, r.Verdict))
		}
	}
	for _, f := range doc.Findings {
		if f.Fails && !findings[f.Kind] {
			out = append(out, "the finding "+f.Kind)
		}
	}
	return out
}

// checkWithPorts checks a recipe, and again when this machine ran out of ports for our own connections: that tells nothing of
// the layer.
func checkWithPorts(t *testing.T, recipe string, more ...string) (doc record.Document, exit int) {
	t.Helper()
	for range 5 {
		doc, exit = check(t, freeAddress(t), append([]string{"--recipe", recipe}, more...)...)
		if !ranOut(doc) {
			return doc, exit
		}
		t.Log("no ports were left for our own connections; again in a while")
		time.Sleep(20 * time.Second)
	}
	t.Fatal("no ports were left for our own connections, five times")
	return doc, exit
}

var waiting = regexp.MustCompile(`(?m)^TCP:.* tw ([0-9]+)`)

// waitForPorts waits until closed connections hold less than half of the ports that this system gives to outgoing ones. A whole
// check makes over a thousand connections, each of which is kept for a minute by its side that closed first (RFC 9293, 3.6.1),
// so runs in a row would fail for want of ports. Where others take them all the time, it goes on after that minute.
func waitForPorts(t *testing.T) {
	t.Helper()
	most := 14000
	if fields := strings.Fields(read("/proc/sys/net/ipv4/ip_local_port_range")); len(fields) == 2 {
		low, _ := strconv.Atoi(fields[0])
		if high, _ := strconv.Atoi(fields[1]); high > low {
			most = (high - low) / 2
		}
	}
	for range 70 {
		m := waiting.FindStringSubmatch(read("/proc/net/sockstat"))
		if m == nil {
			return
		}
		if n, _ := strconv.Atoi(m[1]); n < most {
			return
		}
		time.Sleep(time.Second)
	}
}

func ranOut(doc record.Document) bool {
	const words = "no free local port is left" // wire's, for what the system said
	return doc.Result.Exit == 3 && (strings.Contains(doc.Result.Why, words) || strings.Contains(doc.NotReady, words) ||
		slices.ContainsFunc(doc.Rows, func(r record.Row) bool { return strings.Contains(r.Reason, words) }))
}

// against compares a measurement with the committed ones: why is "" when it is what they say. Another version of the layer that
// shows the same as the committed one does is told of as such.
func (r *results) against(committed []*results, whole bool) (why string, same bool) {
	again := fmt.Sprintf("measure anew: go test -tags real ./real -run Results -recipes=%s -update", r.Recipe)
	var have []string
	same = true
	for _, c := range committed {
		if c.Recipe != r.Recipe {
			continue
		}
		d := r.changes(c, whole, again)
		if c.Version == r.Version && c.Matrix == r.Matrix {
			return d, d == ""
		}
		same = same && d == "" && c.Matrix == r.Matrix
		have = append(have, strings.TrimSpace(fmt.Sprintf("%s with matrix %s\n%s", c.Version, c.Matrix, d)))
	}
	return fmt.Sprintf("%s\n%s %s with matrix %s is here, and docs/results has %s", again, r.Recipe, r.Version, r.Matrix, cmp.Or(strings.Join(have, ", "), "nothing of it")), same && have != nil
}

func (r *results) changes(committed *results, whole bool, again string) string {
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
		if whole && !slices.ContainsFunc(r.Variants, func(now variantResult) bool { return now.Variant == v.Variant }) {
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
		part bool
		want string
		same bool
	}{
		{"the same", one("1", "m", 3), false, "", true},
		{"another version of the layer", one("2", "m", 3), false, "measure anew: go test -tags real ./real -run Results -recipes=x -update\nx 2 with matrix m is here, and docs/results has 1 with matrix m", true},
		{"another version that shows something else", one("2", "m", 2), false, "measure anew", false},
		{"another matrix", one("1", "n", 3), false, "measure anew", false},
		{"other counts", one("1", "m", 2), false, "x/default shows something else", false},
		{"a variant fewer", &results{Recipe: "x", Version: "1", Matrix: "m"}, false, "x/default is no more", false},
		{"a variant that was not asked for", &results{Recipe: "x", Version: "1", Matrix: "m"}, true, "", true},
		{"nothing measured", &results{Recipe: "y", Version: "1", Matrix: "m"}, false, "measure anew", false},
	} {
		got, same := c.now.against([]*results{one("1", "m", 3)}, !c.part)
		if (c.want == "") != (got == "") || !strings.HasPrefix(got, c.want) || same != c.same {
			t.Errorf("%s: %q, the same: %v", c.why, got, same)
		}
	}
}

// TestUnadvised: what fails without advice is told of, by row and by finding.
func TestUnadvised(t *testing.T) {
	doc := record.Document{
		Rows: []record.Row{{Row: "a", Mode: "plain", Route: "r", Verdict: "changed"}, {Row: "b", Mode: "plain", Route: "r", Verdict: "broken"},
			{Row: "c", Mode: "plain", Route: "r", Verdict: "preserved"}, {Row: "a", Mode: "stream", Route: "r", Verdict: "changed"}},
		Findings: []record.Finding{{Kind: "layer-state", Fails: true}, {Kind: "cached", Fails: true}, {Kind: "intermittent"}},
		Advice:   []record.Advice{{Rows: []record.RowName{{Row: "a", Mode: "plain", Route: "r"}}}, {Finding: "cached"}},
	}
	want := []string{"b plain on r (broken)", "a stream on r (changed)", "the finding layer-state"}
	if got := unadvised(doc); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
