//go:build real && linux

// Package real_test puts a real nginx and a real HAProxy between the built program and its stub, and compares what
// it reports with what was measured of the same configurations by other means.
//
// The proxies have to be installed; a missing one fails the tests.
package real_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/preservecheck/preservecheck/record"
)

// Bounds of one run of the program: the slowest proxy makes it wait for some seconds, a gateway in Python whose retries are
// obeyed for minutes. A recipe's own deadline ends its run before.
const (
	runWithin    = 2 * time.Minute
	recipeWithin = 20 * time.Minute
)

// binary is the built program.
var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "preservecheck-real-")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "preservecheck")
	code := 1
	if err := build(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	} else {
		code = m.Run()
	}
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

func build() error {
	out, err := exec.Command("go", "build", "-o", binary, "../cmd/preservecheck").CombinedOutput()
	if err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}

// watchSources looks at every folder of the module. The test cache knows only what this process itself looked at while
// tests ran (not before, in TestMain); it does not see what `go build` reads, and would go on saying "ok (cached)" after
// the program had changed.
var watchSources = sync.OnceValue(func() error {
	return filepath.WalkDir("..", func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != ".." {
			return fs.SkipDir
		}
		return err
	})
})

func TestStatelessLayers(t *testing.T) {
	for _, c := range statelessCases {
		t.Run(c.program.name+"-"+c.config, func(t *testing.T) {
			t.Parallel()
			doc, exit := checkThrough(t, c.program, c.program.config(t, c.config), "--stream", "off")
			if exit != c.exit || doc.Result.Exit != c.exit {
				t.Errorf("%s: exit %d, in the record %d, want %d: %s", c.why, exit, doc.Result.Exit, c.exit, doc.Result.Why)
			}
			sameRows(t, c.rows, doc)
			if n := equalInSix(doc); n != c.same {
				t.Errorf("%s: %d rows are equal in the six fields, another program measured %d", c.why, n, c.same)
			}
			for _, f := range doc.Findings {
				t.Errorf("%s: finding %s: %s", c.why, f.Kind, f.Text)
			}
		})
	}
}

// TestLayerToTry runs the configuration that docs/check.md tells people to try, and then with the line that it tells
// them to add.
func TestLayerToTry(t *testing.T) {
	page, err := os.ReadFile("../docs/check.md")
	if err != nil {
		t.Fatal(err)
	}
	_, config, found := strings.Cut(string(page), "cat > nginx.conf <<'CONF'\n")
	config, _, ended := strings.Cut(config, "\nCONF\n")
	if !found || !ended {
		t.Fatal("docs/check.md has no nginx.conf")
	}
	config = strings.NewReplacer("127.0.0.1:8080", "@LISTEN@", "127.0.0.1:8787", "@STUB@").Replace(config)
	const added = "proxy_hide_header Retry-After;"
	if !strings.Contains(string(page), "`"+added+"`") {
		t.Fatalf("docs/check.md does not say to add %s", added)
	}
	asInPage := program{"nginx", func(dir, conf string) []string {
		return []string{"-e", "stderr", "-p", dir, "-c", conf}
	}}
	for _, c := range []struct {
		why, config string
		exit        int
		rows        map[string]want
	}{
		{"as it stands", config, 0, nil},
		{"with the line added", strings.Replace(config, "location / {", "location / { "+added, 1), 1, noRetryAfter},
	} {
		t.Run(c.why, func(t *testing.T) {
			t.Parallel()
			doc, exit := checkThrough(t, asInPage, c.config, "--stream", "off")
			if exit != c.exit {
				t.Errorf("exit %d, want %d: %s", exit, c.exit, doc.Result.Why)
			}
			sameRows(t, c.rows, doc)
		})
	}
}

// TestStreams asks for streams as well: the defaults have to keep those, too.
func TestStreams(t *testing.T) {
	for _, p := range []program{nginx, haproxy} {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			doc, exit := checkThrough(t, p, p.config(t, "default"), "--stream", "both")
			if exit != 0 {
				t.Errorf("exit %d: %s", exit, doc.Result.Why)
			}
			modes := map[string]int{}
			for _, r := range doc.Rows {
				modes[r.Mode]++
				if r.Verdict != "preserved" {
					t.Errorf("%s, %s: %s: %s", r.Row, r.Mode, r.Verdict, r.Reason)
				}
			}
			if modes["plain"] < len(classes) || modes["stream"] < len(classes) {
				t.Errorf("rows per mode: %v, want at least %d each", modes, len(classes))
			}
		})
	}
}

// TestStatefulLayers asks for no exact rows, since the state decides. It asks that the state be named, and that no
// answer of the layer's own be taken for the provider's.
func TestStatefulLayers(t *testing.T) {
	for _, c := range statefulCases {
		t.Run(c.program.name+"-"+c.config, func(t *testing.T) {
			t.Parallel()
			doc, exit := checkThrough(t, c.program, c.program.config(t, c.config), "--stream", "off")
			if exit != 1 {
				t.Errorf("%s: exit %d, want 1: %s", c.why, exit, doc.Result.Why)
			}
			if !slices.ContainsFunc(doc.Rows, func(r record.Row) bool { return r.Verdict == "layer-made" }) &&
				!slices.ContainsFunc(doc.Findings, func(f record.Finding) bool { return f.Kind == "layer-state" }) {
				t.Errorf("%s: neither a layer-made row nor the finding layer-state", c.why)
			}
			if !advises(doc, "--rate") {
				t.Errorf("%s: nobody advises to try --rate", c.why)
			}
			if len(doc.Rows) == 0 {
				t.Error("no rows")
			}
			for _, r := range doc.Rows {
				if why := unfounded(r); why != "" {
					t.Errorf("%s: %s: %s", c.why, r.Row, why)
				}
			}
		})
	}
}

// TestEveryRowThroughHonestLayers: whatever the matrix has, connections that break off included, comes through a proxy
// that passes everything on.
func TestEveryRowThroughHonestLayers(t *testing.T) {
	for _, c := range []struct {
		program program
		config  string
		old     bool // HTTP/1.0 to the upstream, which the report says
	}{{nginx, "keepalive", false}, {nginx, "default", true}, {haproxy, "default", false}} {
		t.Run(c.program.name+"-"+c.config, func(t *testing.T) {
			t.Parallel()
			doc, exit := checkThrough(t, c.program, c.program.config(t, c.config), "--hazard", "none,limit,account,cut,outage")
			if exit != 0 || len(doc.Rows) < 300 || len(doc.Excluded) > 0 || doc.Result.Counts["preserved"] != len(doc.Rows) {
				t.Errorf("exit %d, %s: %s", exit, doc.Result.Why, doc.Result.Covers)
			}
			if got := strings.Contains(strings.Join(doc.Notes, "\n"), "asked its upstream in HTTP/1.0"); got != c.old {
				t.Errorf("HTTP/1.0 is told of: %v, want %v; %q", got, c.old, doc.Notes)
			}
		})
	}
}

// sameRows compares the article's rows with what they must show; those that wanted does not name are preserved.
func sameRows(t *testing.T, wanted map[string]want, doc record.Document) {
	t.Helper()
	all := map[string]string{}
	for name, class := range classes {
		all[name] = wanted[name].line(class)
	}
	if diff := cmp.Diff(all, lines(doc)); diff != "" {
		t.Errorf("rows (- want, + have):\n%s", diff)
	}
}

// config reads testdata/PROGRAM-NAME.conf.
func (p program) config(t *testing.T, name string) string {
	t.Helper()
	return template(t, p.name+"-"+name+".conf")
}

// checkThrough starts the proxy, runs the program against it and reads its record.
func checkThrough(t *testing.T, p program, config string, args ...string) (record.Document, int) {
	t.Helper()
	stub := freeAddress(t)
	layer := p.start(t, config, stub)
	return check(t, stub, append([]string{"--layer", layer}, args...)...)
}

// check runs the program, with its stub at an address, and reads its record.
func check(t *testing.T, stub string, args ...string) (record.Document, int) {
	t.Helper()
	if err := watchSources(); err != nil {
		t.Fatal(err)
	}
	args = append([]string{"check", "--stub-listen", stub, "--format", "json"}, args...)
	within := runWithin
	if slices.Contains(args, "--recipe") {
		within = recipeWithin
	}
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "PRESERVECHECK_") && !strings.HasPrefix(v, "PRESERVECHECK_RECIPE_DIR=") // where npm put gateways
	})
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		t.Fatalf("preservecheck %s: %v, %v\n%s", strings.Join(args, " "), err, ctx.Err(), stderr.String())
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("preservecheck %s\n%s\n%s", strings.Join(args, " "), stderr.String(), stdout.String())
		}
	})
	var doc record.Document
	if err := json.Unmarshal(stdout.Bytes(), &doc); err != nil {
		t.Fatalf("the record can't be read: %v", err)
	}
	if doc.Format != record.Format {
		t.Fatalf("format %q, want %q", doc.Format, record.Format)
	}
	return doc, cmd.ProcessState.ExitCode()
}

// line is a row in one line, so that a difference between two tables can be read.
func (w want) line(class string) string {
	if w.verdict == "" {
		w.verdict = "preserved"
	}
	if w.class == "" {
		w.class = class
	}
	return fmt.Sprintf("%s as %s, hits %d, %q", w.verdict, w.class, max(w.hits, 1), w.differs)
}

// lines turns the rows of the article into lines; rows that the matrix has besides are not this test's business.
func lines(doc record.Document) map[string]string {
	out := map[string]string{}
	for _, r := range doc.Rows {
		if classes[r.Row] == "" {
			continue
		}
		hits := r.HitsMax
		if r.HitsMin != r.HitsMax {
			hits = -1 // a stateless layer does the same each time
		}
		out[r.Row] = fmt.Sprintf("%s as %s, hits %d, %q", r.Verdict, r.Class.Layer, hits, strings.Join(differs(r), ","))
	}
	return out
}

// differs names the keys that decide, each with its direction, by role where it has one. A lost subtree is said by
// the roles that went with it.
func differs(r record.Row) []string {
	seen := map[string]bool{}
	for _, f := range r.Fields {
		if f.Dir == "" || !f.Decides {
			continue
		}
		for _, role := range f.Covers {
			seen[role+" "+f.Dir] = true
		}
		switch {
		case f.Role != "":
			seen[f.Role+" "+f.Dir] = true
		case len(f.Covers) == 0:
			seen[f.Key+" "+f.Dir] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// equalInSix counts the rows whose six fields are the same, by the record's values alone.
func equalInSix(doc record.Document) (n int) {
	six := []string{"status ", "type ", "details ", "message ", "retry-after ", "error "}
	for _, r := range doc.Rows {
		if classes[r.Row] == "" || r.Class.Layer != r.Class.Fixture {
			continue
		}
		if !slices.ContainsFunc(differs(r), func(d string) bool {
			return slices.ContainsFunc(six, func(p string) bool { return strings.HasPrefix(d, p) })
		}) {
			n++
		}
	}
	return n
}

// unfounded says why a row's verdict can't stand: one that speaks of evidence needs a hit of the stub.
func unfounded(r record.Row) string {
	if !slices.Contains([]string{"preserved", "declared", "changed", "reclassified", "retried"}, r.Verdict) {
		return ""
	}
	decided := false
	for _, o := range r.Observations {
		if !o.Decided {
			continue
		}
		decided = true
		if o.Hits == 0 {
			return r.Verdict + " by an observation without a hit"
		}
	}
	if !decided {
		return r.Verdict + " without an observation that decided"
	}
	return ""
}

func advises(doc record.Document, what string) bool {
	texts := append(slices.Clone(doc.Notes), doc.Result.Why, doc.Result.Next)
	for _, f := range doc.Findings {
		texts = append(texts, f.Advice)
	}
	return slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, what) })
}
