//go:build real && linux

package real_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/preservecheck/preservecheck/record"
)

const attemptsFile = "../docs/attempts.md"

// articleTable is the source article's: class, calls by its worker, hits at no retries and at two.
var articleTable = map[string][4]string{
	"tier_cap":           {"tier_spend_cap", "1", "1", "3"},
	"rate_limit":         {"rate_limit", "3", "3", "9"},
	"ramp_limit":         {"ramp_limit", "3", "3", "9"},
	"headerless_429":     {"unknown_429", "3", "3", "9"},
	"unknown_code_429":   {"unknown_429", "3", "3", "9"},
	"proxy_429":          {"unknown_429", "3", "3", "9"},
	"stripped_cap_429":   {"rate_limit", "3", "3", "9"},
	"claude_code_ws_429": {"rate_limit", "3", "3", "9"},
	"user_limit_400":     {"user_spend_limit", "1", "1", "1"},
	"validation_400":     {"invalid_request", "1", "1", "1"},
}

// asInTheArticle are the clients that it speaks of: Anthropic's SDKs. Others retry by rules of their own.
var asInTheArticle = []string{"anthropic-go", "anthropic-ts", "anthropic-py"}

// attemptsCases are the layers; times is how often each sends a 429 that it gets.
var attemptsCases = []struct {
	title string
	args  []string
	times int
}{
	{"No layer", nil, 1},
	{"nginx", []string{"--recipe", "nginx"}, 1},
	{"nginx, two upstreams, `proxy_next_upstream http_429`, `max_fails=0`", []string{"--recipe", "nginx/next-upstream-always"}, 2},
	{"Portkey, `retry.attempts: 2`", []string{"--recipe", "portkey/retry"}, 3},
}

// attemptsClients are those whose counts are committed. Each has to be installed: a missing one fails the test.
var attemptsClients = []string{"anthropic-go", "anthropic-ts", "anthropic-py", "ai-sdk", "langchain-js", "sdkless"}

// TestAttempts lets the article's worker do its jobs with real SDKs, directly and through real layers, and holds what that
// comes to against the article's table times what the layer does. -update writes docs/attempts.md.
func TestAttempts(t *testing.T) {
	if err := watchSources(); err != nil {
		t.Fatal(err)
	}
	measured := make([]record.Attempts, len(attemptsCases))
	t.Run("layers", func(t *testing.T) { // side by side: clients wait most of the time
		for i, c := range attemptsCases {
			t.Run(c.title, func(t *testing.T) {
				t.Parallel()
				measured[i] = attempts(t, append(c.args, "--client", strings.Join(attemptsClients, ","), "--max-wait", "3m")...)
				asTheArticle(t, &measured[i], c.times)
			})
		}
	})
	var page strings.Builder
	page.WriteString(measuredClients(&measured[0]))
	for i, c := range attemptsCases {
		page.WriteString(measuredTable(c.title, &measured[i]))
	}
	if t.Failed() {
		return
	}
	generated(t, page.String())
}

// attempts runs the program.
func attempts(t *testing.T, args ...string) (d record.Attempts) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), recipeWithin)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, append([]string{"attempts", "--format", "json"}, args...)...)
	var out, errors bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &errors, 5*time.Second
	if err := cmd.Run(); err != nil && out.Len() == 0 {
		t.Fatalf("%v\n%s", err, errors.String())
	}
	if err := json.Unmarshal(out.Bytes(), &d); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if d.Exit != 0 || cmd.ProcessState.ExitCode() != 0 {
		t.Errorf("exit %d: %s", d.Exit, d.Why)
	}
	return d
}

// asTheArticle holds the jobs of the SDKs that the article speaks of to its table: directly as it stands there, through the layer
// times what the layer does with a 429. The layer leaves the 400s alone, and the evidence of all ten.
func asTheArticle(t *testing.T, d *record.Attempts, times int) {
	t.Helper()
	seen := 0
	for _, j := range d.Jobs {
		if !slices.Contains(asInTheArticle, j.Client) {
			continue
		}
		seen++
		row := articleTable[j.Fixture]
		class, worker, sdk := row[0], row[1], row[2]
		if j.MaxRetries == 2 {
			sdk = row[3]
		}
		layer := 1
		if j.Way == "through" && !strings.HasSuffix(j.Fixture, "_400") {
			layer = times
		}
		have := [3]string{j.Class, fmt.Sprint(j.Worker), fmt.Sprint(value(j.SDK))}
		if want := [3]string{class, worker, sdk}; have != want {
			t.Errorf("%s, %s, at %d, %s: class, worker and SDK are %q, want %q", j.Client, j.Fixture, j.MaxRetries, j.Way, have, want)
		}
		if want := layer * value(j.SDK); j.Hits != want {
			t.Errorf("%s, %s, at %d, %s: %d hits, want %d (%s)", j.Client, j.Fixture, j.MaxRetries, j.Way, j.Hits, want, j.Costs)
		}
	}
	ways := 1
	if d.Target != nil {
		ways = 2
	}
	if want := len(asInTheArticle) * len(articleTable) * 2 * ways; seen != want {
		t.Errorf("%d jobs, want %d", seen, want)
	}
}

func value(n *int) int {
	if n == nil {
		return -1
	}
	return *n
}

// measuredClients says which versions were measured.
func measuredClients(d *record.Attempts) string {
	var b strings.Builder
	b.WriteString("| client | packages | own retries | waits |\n|---|---|---:|---|\n")
	for _, c := range d.Clients {
		var all []string
		for _, name := range slices.Sorted(maps.Keys(c.Packages)) {
			all = append(all, name+" "+c.Packages[name])
		}
		waits := "in full"
		if c.Skipped {
			waits = "noted"
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %s |\n", c.Name, strings.Join(all, ", "), value(c.Retries), waits)
	}
	return b.String() + "\n"
}

// measuredTable is one layer's part of the page: a line for each fixture, and for each client the requests of one job at no
// retries and at two.
func measuredTable(title string, d *record.Attempts) string {
	way := "direct"
	about := "What clients do by themselves."
	if d.Target != nil {
		way = "through"
		about = fmt.Sprintf("%s %s.", d.Target.Name, d.Target.Version)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\n%s\n\n| fixture | class | worker |", title, about)
	for _, c := range attemptsClients {
		fmt.Fprintf(&b, " %s |", c)
	}
	b.WriteString("\n|---|---|---:|" + strings.Repeat("---|", len(attemptsClients)) + "\n")
	for _, j := range d.Jobs {
		if j.Client != "anthropic-go" || j.MaxRetries != 0 || j.Way != way {
			continue
		}
		fmt.Fprintf(&b, "| %s | %s | %d |", j.Fixture, j.Class, j.Worker)
		for _, c := range attemptsClients {
			fmt.Fprintf(&b, " %s |", measuredCell(d, way, c, &j))
		}
		b.WriteString("\n")
	}
	if j := dearest(d, way, "anthropic-go"); j != nil {
		fmt.Fprintf(&b, "\n%s with %s at %d: %s.\n", j.Fixture, j.Client, j.MaxRetries, j.Costs)
	}
	return b.String() + "\n"
}

// measuredCell is "3 / 9", with the class or the worker's calls where they are others than those of the line.
func measuredCell(d *record.Attempts, way, client string, line *record.AttemptsJob) string {
	var parts []string
	odd := ""
	for _, j := range d.Jobs {
		if j.Client != client || j.Way != way || j.Fixture != line.Fixture {
			continue
		}
		parts = append(parts, fmt.Sprint(j.Hits))
		if j.Class != line.Class {
			odd = " (" + j.Class + ")"
		}
	}
	return strings.Join(parts, " / ") + odd
}

func dearest(d *record.Attempts, way, client string) (out *record.AttemptsJob) {
	for i := range d.Jobs {
		if j := &d.Jobs[i]; j.Client == client && j.Way == way && (out == nil || j.Hits > out.Hits) {
			out = j
		}
	}
	return out
}

// generated holds the middle of the page to what was measured, or writes it anew.
func generated(t *testing.T, text string) {
	t.Helper()
	const begin, end = "<!-- measured: go test -tags real ./real -run Attempts -update -->\n", "<!-- end of what was measured -->"
	b, err := os.ReadFile(attemptsFile)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(b), begin)
	old, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for what was measured", attemptsFile)
	}
	text = "\n" + text
	if *update {
		if err := os.WriteFile(attemptsFile, []byte(head+begin+text+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := gocmp.Diff(text, old); diff != "" {
		t.Errorf("docs/attempts.md is stale: -update writes it (-measured +page)\n%s", diff)
	}
}
