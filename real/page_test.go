package real_test

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/preservecheck/preservecheck/recipes"
)

const pageFile = "../docs/gateways.md"

// TestPageIsTheResults holds docs/gateways.md to docs/results and the recipes. -update writes it.
func TestPageIsTheResults(t *testing.T) {
	if *update {
		if err := writePage(); err != nil {
			t.Fatal(err)
		}
	}
	want, err := makePage()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.FromSlash(pageFile))
	if err != nil {
		t.Fatal(err)
	}
	if d := gocmp.Diff(want, string(got)); d != "" {
		t.Errorf("docs/gateways.md is stale: go test ./real -run Page -update (-wanted +found)\n%s", d)
	}
}

func writePage() error {
	text, err := makePage()
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.FromSlash(pageFile), []byte(text), 0o644)
}

// gatewaysPage is written from top to bottom.
type gatewaysPage struct{ strings.Builder }

func (p *gatewaysPage) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

func makePage() (string, error) {
	all, err := readResults()
	if err != nil {
		return "", err
	}
	known := map[string]*recipes.Recipe{}
	for _, name := range recipes.Names() {
		if known[name], err = recipes.Builtin(name); err != nil {
			return "", err
		}
	}
	p := &gatewaysPage{}
	p.line("<!-- Generated from docs/results and recipes by go test ./real -run Page -update. Not for editing by hand. -->")
	p.line("# What gateways do to errors\n")
	p.line("Each layer below was started from its [recipe](recipes.md) between a client and a stub, asked for every provider answer of the")
	p.line("matrix plainly and as a stream, and compared with what the stub sent. These are facts about one version in one")
	p.line("configuration on one day, in the order of the alphabet and not of merit. Layers that [nobody could run here](#not-run) are")
	p.line("listed apart, with what is said about them.\n")
	p.line("## In a sentence each\n")
	p.line("The first line of each is the layer as an honest operator runs it; those below are settings that people use. A row is one answer")
	p.line("of a provider, asked for plainly or as a stream; what is told of classes is what [a worker that reads answers well](classifier.md) would make of them.\n")
	for _, r := range all {
		first, below := sentences(r)
		p.line("- %s", first)
		for _, b := range below {
			p.line("  - %s", b)
		}
	}
	p.line("\n## Overview\n")
	p.overview(all)
	p.line("\n## Measured\n")
	for _, r := range all {
		p.measured(r, known[r.Recipe])
	}
	p.again()
	p.notRun(known)
	return p.String(), nil
}

func (p *gatewaysPage) overview(all []*results) {
	p.line("| gateway | version | route | variant | what it does | preserved |")
	p.line("|---|---|---|---|---|---|")
	for _, r := range all {
		for _, v := range r.Variants {
			for _, route := range v.Routes {
				p.line("| %s | %s | %s | %s | %s | %d of %d |", cell(r.Recipe), cell(r.Version), cell(route.Route), cell(v.Variant), cell(inWords(v, route)), route.Verdicts["preserved"], route.Rows)
			}
			if len(v.Routes) == 0 {
				p.line("| %s | %s | | %s | no row was run | 0 of 0 |", cell(r.Recipe), cell(r.Version), cell(v.Variant))
			}
		}
	}
}

func (p *gatewaysPage) measured(r *results, recipe *recipes.Recipe) {
	p.line("### %s %s\n", plain(r.Recipe), plain(r.Version))
	if recipe != nil {
		p.line("%s, %s.", capital(plain(recipe.What)), recipe.Homepage)
	}
	p.line("Measured on %s with matrix %s, preservecheck %s. The whole data: [%s](results/%s).", r.Date, r.Matrix, plain(r.Tool), filepath.Base(r.path()), filepath.Base(r.path()))
	for _, v := range r.Variants {
		p.line("\n#### %s, %s\n", plain(r.Recipe), plain(v.Variant))
		if recipe != nil {
			if known, ok := recipe.ByName(v.Variant); ok {
				p.line("%s.", capital(plain(known.Why), r.Recipe))
			}
		}
		p.line("Again with `%s`; exit %d; %s; %s not asked for.", v.Command, v.Exit, plain(v.Covers), rowCount(v.Excluded))
		if v.NotReady != "" {
			p.line("No row was asked for: %s.", plain(v.NotReady))
		}
		if v.Stateful {
			p.line("What it shows depends on time and on what was asked before: the counts are those of one run.")
		}
		p.line("")
		for _, route := range v.Routes {
			p.route(route)
		}
		p.line("- findings: %s", cmp.Or(counted(v.Findings), "none"))
	}
	for _, name := range slices.Sorted(maps.Keys(unmeasured)) {
		if why := unmeasured[name]; strings.HasPrefix(name, r.Recipe+"/") {
			p.line("\nNot measured is `%s`: %s.", name, plain(why))
		}
	}
	p.line("")
}

const shownItems = 12

func (p *gatewaysPage) route(r routeResult) {
	p.line("- **%s** (asked in %s, served in %s): %s", plain(r.Route), r.Asked, r.Served, counted(r.Verdicts))
	for _, dir := range []string{"lost", "changed", "invented"} {
		var items []string
		for _, d := range r.Differences {
			if d.Dir == dir {
				items = append(items, d.text())
			}
		}
		p.items(dir, items)
	}
	var classes []string
	for _, c := range r.Classes {
		classes = append(classes, fmt.Sprintf("%s -> %s in %s", c.From, c.To, rowCount(c.Rows)))
	}
	p.items("class", classes)
	p.line("  - requests for one of the client's: %s", span(r.HitsMin, r.HitsMax))
	var streams []string
	for _, s := range r.Streams {
		streams = append(streams, fmt.Sprintf("%s in %s", s.What, rowCount(s.Rows)))
	}
	p.items("only in streams", streams)
	if r.Waits > 0 {
		p.line("  - the client waits: no answer, or no end of it, by the row's deadline in %s", rowCount(r.Waits))
	}
}

func (p *gatewaysPage) items(title string, items []string) {
	if len(items) == 0 {
		return
	}
	more := ""
	if n := len(items) - shownItems; n > 0 {
		items, more = items[:shownItems], fmt.Sprintf("; and %d more", n)
	}
	p.line("  - %s: %s%s", title, strings.Join(items, "; "), more)
}

func (d difference) text() string {
	s := "`" + strings.ReplaceAll(d.Key, "`", "'") + "`"
	if len(d.Carries) > 0 {
		s += " (with " + strings.Join(d.Carries, ", ") + ")"
	}
	if len(d.Nuances) > 0 {
		s += " (" + strings.Join(d.Nuances, ", ") + ")"
	}
	return s + " in " + rowCount(d.Rows)
}

func (p *gatewaysPage) again() {
	p.line("## Run it again\n")
	p.line("Every line above comes from the command beside it; install what the recipe names (`preservecheck recipes show NAME`) and run it.")
	p.line("Whoever makes one of these layers can do the same with a new version, or with a configuration that we did not think of: put")
	p.line("it into a [recipe](recipes.md) and run `check --recipe ./FOLDER`. In this repository")
	p.line("`go test -tags real ./real -run Results -recipes=NAME -update` measures anew and writes this page. A result that is not true")
	p.line("any more, or a recipe that does not do a layer justice, is a bug: tell us the version and the command.\n")
}

func (p *gatewaysPage) notRun(known map[string]*recipes.Recipe) {
	p.line("## Not run\n")
	p.line("These can't be installed from the package lists that we test with, or are hosted. None of what follows was measured by this")
	p.line("program, and each line says what it rests on: its source, an early stub of ours that saw it once, or nothing but what one expects.")
	p.line("`preservecheck recipes show NAME` tells the same with a configuration. Without a word about something, it is not known.")
	basis := map[string]string{"read": "read in [the source](%s)", "seen": "seen once with an early stub at [the project](%s)", "expected": "expected, not looked up; [see](%s)"}
	titles := map[string]string{"upstream": "reach the stub", "fixture": "let the fixture through", "obstacle": "mind", "expect": "to expect"}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		r := known[name]
		if !r.Documented {
			continue
		}
		p.line("\n### %s (not run)\n", name)
		about := ""
		if len(r.Versions) > 0 {
			about = " About " + strings.Join(r.Versions, ", ") + "."
		}
		p.line("%s, %s.%s\n", capital(plain(r.What)), r.Homepage, plain(about))
		for _, a := range recipes.Abouts() {
			for _, f := range r.Facts {
				if f.About == a {
					p.line("- **%s**: %s (%s, %s)", cmp.Or(titles[a], a), plain(f.Say), fmt.Sprintf(basis[f.Basis], f.Source), f.Date)
				}
			}
		}
	}
}

// plain is text of a recipe or of a layer without what Markdown would take for markup. An underscore inside a word is none, nor
// are brackets without a link behind them.
func plain(s string) string {
	s = strings.NewReplacer("&", "&amp;", "<", "&lt;", "*", "\\*", "`", "\\`", "~", "\\~", "](", "]\\(", "][", "]\\[", "\n", " ").Replace(s)
	return looseUnderscore.ReplaceAllString(s, "$1\\_$2")
}

var looseUnderscore = regexp.MustCompile(`(^|[^\pL\pN_])_|_($|[^\pL\pN_])`)

// cell is plain text in a table.
func cell(s string) string { return strings.ReplaceAll(plain(s), "|", "\\|") }

// capital begins a sentence. A word that is a name, of the layer or of one of its settings, stays as it is written.
func capital(s string, names ...string) string {
	first, _, _ := strings.Cut(s, " ")
	if !word.MatchString(first) || slices.Contains(names, strings.TrimSuffix(first, ",")) {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

var word = regexp.MustCompile(`^[a-z]+,?$`)

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		"proxy_pass of [DONE]": "proxy_pass of [DONE]", "_x_ and a_": "\\_x\\_ and a\\_", "[a](b) <i> *x*": "[a]\\(b) &lt;i> \\*x\\*", "a & b `c`": "a &amp; b \\`c\\`",
	} {
		if got := plain(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"an error page": "An error page", "proxy_pass alone": "proxy_pass alone", "nginx limits": "nginx limits", "retryDelay sends": "retryDelay sends",
		"proxy() without": "proxy() without", "errors, of nginx": "Errors, of nginx", "": "",
	} {
		if got := capital(in, "nginx"); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func rowCount(n int) string {
	if n == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", n)
}

func span(low, high int) string {
	if low == high {
		return fmt.Sprint(low)
	}
	return fmt.Sprintf("%d to %d", low, high)
}

func sortedKeys(all map[string]int) []string { return slices.Sorted(maps.Keys(all)) }

// counted lists names with how often they came, the most frequent first.
func counted(all map[string]int) string {
	keys := slices.Sorted(maps.Keys(all))
	slices.SortStableFunc(keys, func(a, b string) int { return all[b] - all[a] })
	var out []string
	for _, k := range keys {
		out = append(out, fmt.Sprintf("%d %s", all[k], k))
	}
	return strings.Join(out, ", ")
}
