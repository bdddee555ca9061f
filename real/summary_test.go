package real_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/recipes"
	"github.com/preservecheck/preservecheck/record"
)

var update = flag.Bool("update", false, "write docs/results (with -tags real: measured anew) and docs/gateways.md")

// unmeasured are variants that only who names them runs, and why. The page tells it.
var unmeasured = map[string]string{
	"litellm/retries": "it sends so much again and waits so long in between that a whole run takes over a quarter of an hour, and which rows have an answer in time differs from run to run",
}

// resultsFormat is the form of a file in docs/results.
const resultsFormat = "preservecheck.results/1"

const resultsFolder = "../docs/results"

// results is what one version of one layer showed in all variants of its recipe.
type results struct {
	Format   string          `json:"format"`
	Recipe   string          `json:"recipe"`
	Version  string          `json:"version"` // of the layer
	Matrix   string          `json:"matrix"`  // version of the rows, the profile's keys and the class rules
	Tool     string          `json:"tool"`
	Date     string          `json:"date"`
	Variants []variantResult `json:"variants"`
}

// variantResult is one run.
type variantResult struct {
	Variant  string         `json:"variant"`
	Stateful bool           `json:"stateful,omitempty"` // only kinds are the same each time, counts are those of one run
	Command  string         `json:"command"`            // to do it again
	Covers   string         `json:"covers"`             // profile, modes and hazards
	Exit     int            `json:"exit"`
	NotReady string         `json:"not_ready,omitempty"`
	Excluded int            `json:"excluded"`
	Routes   []routeResult  `json:"routes"`
	Findings map[string]int `json:"findings,omitempty"` // by kind
}

// routeResult is what one way into the layer showed.
type routeResult struct {
	Route       string         `json:"route"`
	Path        string         `json:"path"` // where clients post
	Asked       string         `json:"asked"`
	Served      string         `json:"served"`
	Rows        int            `json:"rows"`
	Verdicts    map[string]int `json:"verdicts"`
	Differences []difference   `json:"differences,omitempty"`
	Classes     []classChange  `json:"classes,omitempty"`
	HitsMin     int            `json:"hits_min"`
	HitsMax     int            `json:"hits_max"`
	Streams     []streamFault  `json:"stream_faults,omitempty"`
	Waits       int            `json:"waits,omitempty"` // rows whose client has no answer, or no end of it, by its deadline
}

// difference is a key that decides, in the rows in which it differs.
type difference struct {
	Key     string   `json:"key"`
	Dir     string   `json:"dir"`
	Nuances []string `json:"nuances,omitempty"`
	Carries []string `json:"carries,omitempty"` // roles that went with a lost subtree
	Rows    int      `json:"rows"`
}

// classChange is a class that became another on the way.
type classChange struct {
	From        string `json:"from"`
	To          string `json:"to"`
	Rows        int    `json:"rows"`
	Consequence string `json:"consequence,omitempty"`
}

// streamFault is something that only a stream can suffer.
type streamFault struct {
	What string `json:"what"`
	Rows int    `json:"rows"`
}

// summarise turns the record of a run into its result.
func summarise(doc record.Document, variant string, stateful bool) variantResult {
	v := variantResult{
		Variant: variant, Stateful: stateful, Exit: doc.Result.Exit, NotReady: doc.NotReady, Excluded: len(doc.Excluded),
		Covers: fmt.Sprintf("profile %s, %s, hazards %s", doc.Profile.Name, strings.Join(doc.Settings.Modes, " and "), strings.Join(doc.Settings.Hazards, ", ")),
	}
	byRoute := map[string][]*record.Row{}
	var names []string
	for i := range doc.Rows {
		r := &doc.Rows[i]
		if byRoute[r.Route] == nil {
			names = append(names, r.Route)
		}
		byRoute[r.Route] = append(byRoute[r.Route], r)
	}
	for _, name := range names {
		route := summariseRoute(name, byRoute[name])
		route.Path = pathOf(doc.Target, route)
		v.Routes = append(v.Routes, route)
	}
	for _, f := range doc.Findings {
		if v.Findings == nil {
			v.Findings = map[string]int{}
		}
		v.Findings[f.Kind]++
	}
	return v
}

// pathOf is where clients post to reach a route: the path of its URL and that of its dialect.
func pathOf(target record.Target, route routeResult) string {
	d := dialects.ByName(route.Asked)
	if d == nil {
		return ""
	}
	for _, r := range target.Routes {
		if u, err := url.Parse(r.URL); err == nil && r.Name == route.Route {
			return strings.TrimSuffix(u.Path, "/") + d.Path
		}
	}
	return d.Path
}

// summariseRoute counts what the rows of a route show. Differences are those of rows that fail: one that could not be judged is no
// fact about the layer, and where any failure will do it matters not which one comes.
func summariseRoute(name string, rows []*record.Row) routeResult {
	out := routeResult{Route: name, Asked: rows[0].Asked, Served: rows[0].Served, Rows: len(rows), Verdicts: map[string]int{}, HitsMin: rows[0].HitsMin}
	differences, classes, streams := map[string]difference{}, map[string]classChange{}, map[string]int{}
	for _, r := range rows {
		out.Verdicts[r.Verdict]++
		out.HitsMin, out.HitsMax = min(out.HitsMin, r.HitsMin), max(out.HitsMax, r.HitsMax)
		if slices.ContainsFunc(r.Behaviour, func(b string) bool { return strings.HasPrefix(b, "the client waits") }) {
			out.Waits++
		}
		if slices.Contains([]string{"preserved", "declared", "inconclusive", "untestable"}, r.Verdict) {
			continue
		}
		for _, f := range r.Fields {
			if f.Dir != "" && f.Decides {
				add(differences, f)
			}
		}
		if c := r.Class; r.Verdict != "preserved" && c.Layer != "" && c.Layer != c.Fixture {
			e := classes[c.Fixture+" "+c.Layer]
			e.From, e.To, e.Rows = c.Fixture, c.Layer, e.Rows+1
			if e.Consequence == "" {
				e.Consequence = r.Consequence
			}
			classes[c.Fixture+" "+c.Layer] = e
		}
		for _, what := range streamFaults(r) {
			streams[what]++
		}
	}
	out.Differences = sorted(differences, func(d difference) int { return d.Rows })
	out.Classes = sorted(classes, func(c classChange) int { return c.Rows })
	for _, what := range slices.Sorted(maps.Keys(streams)) {
		out.Streams = append(out.Streams, streamFault{what, streams[what]})
	}
	return out
}

func add(all map[string]difference, f record.Field) {
	id := f.Key + " " + f.Dir
	d := all[id]
	d.Key, d.Dir, d.Rows = f.Key, f.Dir, d.Rows+1
	d.Carries = union(d.Carries, f.Covers...)
	if f.Nuance != "" {
		d.Nuances = union(d.Nuances, f.Nuance)
	}
	if f.Key == "end" && f.Layer != nil {
		d.Nuances = union(d.Nuances, "arrives "+f.Layer.Text)
	}
	all[id] = d
}

func union(all []string, more ...string) []string {
	all = append(all, more...)
	slices.Sort(all)
	return slices.Compact(all)
}

// sorted lists the values of a map, those of most rows first, then by key.
func sorted[T any](all map[string]T, rows func(T) int) (out []T) {
	keys := slices.Sorted(maps.Keys(all))
	slices.SortStableFunc(keys, func(a, b string) int { return rows(all[b]) - rows(all[a]) })
	for _, k := range keys {
		out = append(out, all[k])
	}
	return out
}

// streamFaults are the faults of a row that only a stream has.
func streamFaults(r *record.Row) (out []string) {
	if r.Mode != "stream" || r.Verdict == "preserved" {
		return nil
	}
	if r.InventedSuccess {
		out = append(out, "an end that clients take for success, which nobody sent")
	}
	for _, f := range r.Fields {
		if f.Dir == "" || !f.Decides {
			continue
		}
		switch part, _, _ := strings.Cut(strings.TrimPrefix(f.Key, "stream/"), "/"); {
		case f.Key == "end":
			out = append(out, "it ends otherwise than it was sent")
		case strings.HasPrefix(f.Key, "stream/"):
			out = append(out, fmt.Sprintf("%s %s", streamWords[part], f.Dir))
		}
	}
	if r.Verdict == "broken" {
		out = append(out, "no usable answer")
	}
	return union(nil, out...)
}

var streamWords = map[string]string{
	"events": "the order or the names of events", "terminal": "the event that says that all is done", "text": "the text",
	"data": "the data of events", "keepalive": "keepalives", "error": "what stands around an error in an event",
}

// kinds is what a stateful layer shows each time.
func (v variantResult) kinds() any {
	type kinds struct {
		Exit     int
		Routes   map[string][]string
		Findings []string
	}
	k := kinds{v.Exit, map[string][]string{}, slices.Sorted(maps.Keys(v.Findings))}
	for _, r := range v.Routes {
		seen := map[string]bool{}
		for v := range r.Verdicts {
			// Which of the two a row is that the layer answered by itself hangs on whether the next valid request came through.
			if v == "layer-made" || v == "inconclusive" {
				v = "answered by the layer, or not to be told"
			}
			seen[v] = true
		}
		k.Routes[r.Route] = slices.Sorted(maps.Keys(seen))
	}
	return k
}

// differ says how a run differs from a committed one; "" when it does not.
func differ(committed, now variantResult) string {
	if committed.Stateful && now.Stateful {
		return cmp.Diff(committed.kinds(), now.kinds())
	}
	return cmp.Diff(committed, now)
}

var unsafeInNames = regexp.MustCompile(`[^A-Za-z0-9._+-]`)

func (r *results) path() string {
	return filepath.Join(filepath.FromSlash(resultsFolder), unsafeInNames.ReplaceAllString(r.Recipe+"-"+r.Version, "_")+".json")
}

func (r *results) write() error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.FromSlash(resultsFolder), 0o755); err != nil {
		return err
	}
	return os.WriteFile(r.path(), append(b, '\n'), 0o644)
}

// readResults reads all committed results, in the order of their files.
func readResults() (all []*results, err error) {
	files, err := filepath.Glob(filepath.Join(filepath.FromSlash(resultsFolder), "*.json"))
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		r := &results{}
		d := json.NewDecoder(bytes.NewReader(b))
		d.DisallowUnknownFields()
		if err := d.Decode(r); err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		if r.Format != resultsFormat || r.path() != f {
			return nil, fmt.Errorf("%s: format %q, recipe %q, version %q", f, r.Format, r.Recipe, r.Version)
		}
		all = append(all, r)
	}
	return all, nil
}

// TestResultsCoverRecipes: each recipe that can be run has results of all its variants, and nothing else has.
func TestResultsCoverRecipes(t *testing.T) {
	all, err := readResults()
	if err != nil {
		t.Fatal(err)
	}
	measured := map[string]bool{}
	for _, r := range all {
		recipe, err := recipes.Builtin(r.Recipe)
		if err != nil || recipe.Documented {
			t.Errorf("%s: there is no such recipe that can be run: %v", r.path(), err)
			continue
		}
		var names []string
		for _, v := range r.Variants {
			names = append(names, v.Variant)
			if known, ok := recipe.ByName(v.Variant); ok && (known.Good != (v.Exit == 0) || known.Stateful != v.Stateful) {
				t.Errorf("%s: %s: exit %d, stateful %v, and the recipe says good: %v, stateful: %v", r.path(), v.Variant, v.Exit, v.Stateful, known.Good, known.Stateful)
			}
		}
		want := slices.DeleteFunc(recipe.VariantNames(), func(v string) bool { return unmeasured[r.Recipe+"/"+v] != "" })
		if d := cmp.Diff(want, names); d != "" {
			t.Errorf("%s: variants (-recipe +measured)\n%s", r.path(), d)
		}
		measured[r.Recipe] = true
	}
	for _, name := range recipes.Names() {
		if r, err := recipes.Builtin(name); err == nil && !r.Documented && !measured[name] {
			t.Errorf("%s was never measured: go test -tags real ./real -run Results -recipes=%s -update", name, name)
		}
	}
}

func TestSummarise(t *testing.T) {
	row := func(mode, verdict, from, to string, fields ...record.Field) record.Row {
		return record.Row{Route: "r", Mode: mode, Verdict: verdict, Class: record.Classes{Fixture: from, Layer: to}, HitsMin: 1, HitsMax: 1, Consequence: from + " became " + to, Fields: fields}
	}
	lost := record.Field{Key: "error", Dir: "lost", Decides: true, Covers: []string{"type", "code"}}
	doc := record.Document{
		Rows: []record.Row{
			row("plain", "reclassified", "a", "b", lost),
			row("stream", "reclassified", "a", "b", lost, record.Field{Key: "stream/events", Dir: "changed", Decides: true}, record.Field{Key: "end", Dir: "changed", Decides: true}),
			row("plain", "preserved", "a", "a", record.Field{Key: "header/server", Dir: "invented"}),
			row("plain", "preserved", "truncated", "other", lost), // any failure will do
			row("plain", "inconclusive", "a", "c", lost),          // no fact
		},
		Findings: []record.Finding{{Kind: "layer-state"}, {Kind: "layer-state"}},
	}
	doc.Rows[1].HitsMax = 3
	doc.Rows[1].InventedSuccess = true
	doc.Rows[3].Behaviour = []string{"the client waits: no answer by the row's deadline, after 10 s"}
	got := summarise(doc, "v", false)
	want := variantResult{Variant: "v", Covers: "profile , , hazards ", Findings: map[string]int{"layer-state": 2}, Routes: []routeResult{{
		Route: "r", Rows: 5, Verdicts: map[string]int{"preserved": 2, "reclassified": 2, "inconclusive": 1}, HitsMin: 1, HitsMax: 3,
		Differences: []difference{{Key: "error", Dir: "lost", Carries: []string{"code", "type"}, Rows: 2}, {Key: "end", Dir: "changed", Rows: 1}, {Key: "stream/events", Dir: "changed", Rows: 1}},
		Classes:     []classChange{{"a", "b", 2, "a became b"}}, Waits: 1,
		Streams: []streamFault{{"an end that clients take for success, which nobody sent", 1}, {"it ends otherwise than it was sent", 1},
			{"the order or the names of events changed", 1}},
	}}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	more := summarise(doc, "v", false)
	more.Routes[0].Verdicts = map[string]int{"preserved": 1, "reclassified": 3, "inconclusive": 1}
	if differ(got, more) == "" {
		t.Error("other counts of a stateless layer are no difference")
	}
	got.Stateful, more.Stateful = true, true
	if d := differ(got, more); d != "" {
		t.Errorf("counts of a stateful layer are a difference: %s", d)
	}
	delete(more.Routes[0].Verdicts, "inconclusive")
	more.Routes[0].Verdicts["layer-made"] = 1
	if d := differ(got, more); d != "" {
		t.Errorf("what a stateful layer answered itself is a difference by what the next request got: %s", d)
	}
	more.Routes[0].Verdicts["broken"] = 1
	if differ(got, more) == "" {
		t.Error("another kind of verdict is no difference")
	}
}
