//go:build real && linux

package real_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/clients"
	"github.com/preservecheck/preservecheck/clients/reactions"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/record"
)

// moreClients are those that take too long to install for every change.
var moreClients = flag.String("clients", "", "hold these `clients` to their model, too, with commas")

// predictLongest is the longest that a call may wait to be made: a longer one would tell no more than a short one of the same kind.
const predictLongest = 6500 * time.Millisecond

// predicted is what the model says of one client and one row.
type predicted struct {
	fixture string
	mode    string
	retries int
	says    reactions.Reaction
}

// TestModelIsMeasured lets every client that is installed ask for all rows that it waits no longer for than seconds, and holds the model
// of clients/reactions to what reached the stub: the number of requests, and the waits between them. The model is of the versions
// that are installed.
func TestModelIsMeasured(t *testing.T) {
	if err := watchSources(); err != nil {
		t.Fatal(err)
	}
	all, err := reactions.All()
	if err != nil {
		t.Fatal(err)
	}
	names := append(slices.Sorted(maps.Keys(driverShows)), "anthropic-go")
	if *moreClients != "" {
		names = append(names, strings.Split(*moreClients, ",")...)
	}
	for _, name := range names {
		modelIsMeasured(t, all, name)
	}
}

func modelIsMeasured(t *testing.T, all []*reactions.Client, name string) {
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		client, err := clients.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(all, func(c *reactions.Client) bool { return c.Name == name })
		if i < 0 {
			t.Fatal("no model has its name")
		}
		for _, p := range client.Packages {
			if !strings.Contains(all[i].Versions, strings.TrimPrefix(p.Version, "v")) {
				t.Errorf("the model is of %q, the client has %s %s", all[i].Versions, p.Name, p.Version)
			}
		}
		file, m := withOrders(t, client.Dialect)
		rows := predict(t, m, all[i], client)
		d := attempts(t, "--matrix", file, "--client", name, "--dialect", client.Dialect, "--stream", "both", "--fixture", strings.Join(named(rows), ","), "--max-retries", "0,2", "--deadline", "5m")
		held := 0
		for _, j := range d.Jobs {
			at := slices.IndexFunc(rows, func(p predicted) bool { return p.fixture == j.Fixture && p.mode == j.Mode && p.retries == j.MaxRetries })
			if at >= 0 {
				held++
				asPredicted(t, &j, rows[at].says, client.Skips)
			}
		}
		if t.Logf("%d jobs of %d rows", held, len(named(rows))); held < 100 {
			t.Errorf("only %d jobs were held to the model", held)
		}
	})
}

// orders are headers by which clients differ, in a 429; the built-in rows have them all in one dialect alone.
var orders = map[string]string{
	"zero": "retry-after: 0", "negative": "retry-after: -1", "fraction": "retry-after: 1.5", "over_60": "retry-after: 61", "over_120": "retry-after: 130",
	"junk": "retry-after: soon", "past": "retry-after: 'Sun, 06 Nov 1994 08:49:37 GMT'", "far": "retry-after: 'Fri, 31 Dec 2055 23:59:59 GMT'",
	"ms_zero": "retry-after-ms: 0, retry-after: 2", "ms": "retry-after-ms: 300, retry-after: 5", "ms_only": "retry-after-ms: 1700", "ms_negative": "retry-after-ms: -5",
	"twice": "retry-after: 3, retry-after: 41", "never": "x-should-retry: 'false'", "capital": "x-should-retry: 'False'", "long_order": "x-should-retry: 'true', retry-after: 130",
}

// withOrders writes rows of our own in a dialect, and gives the matrix with them.
func withOrders(t *testing.T, dialect string) (file string, m *fixture.Matrix) {
	t.Helper()
	class, body := "tier_spend_cap", `{"type":"error","error":{"type":"rate_limit_error","message":"fixture: slow down","details":{"error_code":"enforced_spend_limit_reached"}},"request_id":"req_{{id}}"}`
	if dialect != "anthropic" {
		class, body = "rate_limit", `{"error":{"message":"fixture: slow down (ref {{id}})","type":"requests","param":null,"code":"rate_limit_exceeded"}}`
	}
	var b strings.Builder
	b.WriteString("format: preservecheck.fixtures/1\nrows:\n")
	for _, name := range slices.Sorted(maps.Keys(orders)) {
		headers := "- content-type: application/json\n        - x-request-id: req_{{id}}"
		for _, h := range strings.Split(strings.ReplaceAll(orders[name], ", r", "\nr"), "\n") {
			headers += "\n        - " + h
		}
		fmt.Fprintf(&b, `  - name: order_%s
    dialect: %s
    class: %s
    hazard: limit
    stream: never
    why: Clients differ by it.
    source: {kind: synthetic, from: this test, read: 2026-11-30}
    answer:
      status: 429
      header:
        %s
      json: '%s'
`, name, dialect, class, headers, body)
	}
	file = filepath.Join(t.TempDir(), "orders.yaml")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	own, err := fixture.LoadFile(file, []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	builtin, err := fixture.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	if m, err = builtin.With(own); err != nil {
		t.Fatal(err)
	}
	return file, m
}

// predict asks the model for every row that the client can be asked for.
func predict(t *testing.T, m *fixture.Matrix, model *reactions.Client, client *clients.Client) (out []predicted) {
	t.Helper()
	for _, f := range m.Rows {
		if f.Dialect != client.Dialect {
			continue
		}
		v := reactions.See(f.Expected(fixture.NoID, false), dialects.ByName(f.Dialect), fixture.NoID).At(time.Now())
		for _, retries := range []int{0, 2} {
			says, known := reactions.With(model, v, retries)
			if !known || says.Wait() > predictLongest && !client.Skips {
				continue
			}
			for _, mode := range []fixture.Mode{fixture.Plain, fixture.Stream} {
				if f.In(mode) {
					out = append(out, predicted{f.Name, string(mode), retries, says})
				}
			}
		}
	}
	return out
}

// named are the rows that are asked for: those that are short with every number of retries.
func named(rows []predicted) (names []string) {
	for _, p := range rows {
		if p.retries == 2 && !slices.Contains(names, p.fixture) {
			names = append(names, p.fixture)
		}
	}
	return names
}

func asPredicted(t *testing.T, j *record.AttemptsJob, says reactions.Reaction, skips bool) {
	t.Helper()
	if j.Failed != "" {
		t.Errorf("%s (%s) at %d: %s", j.Fixture, j.Mode, j.MaxRetries, j.Failed)
		return
	}
	for _, c := range j.Calls {
		if c.Hits != says.Requests {
			t.Errorf("%s (%s) at %d: %d requests, the model says %d (shown: %s %s)", j.Fixture, j.Mode, j.MaxRetries, c.Hits, says.Requests, or(c.Exception), or(c.Status))
			return
		}
		if !skips && !likeWaits(c.GapsMS, says.Waits) {
			t.Errorf("%s (%s) at %d: waits %v ms, the model says %v", j.Fixture, j.Mode, j.MaxRetries, c.GapsMS, says.Waits)
			return
		}
		if done := c.Exception == nil; done != says.Done {
			t.Errorf("%s (%s) at %d: the model says that it is taken for a success: %t; shown: %s %s", j.Fixture, j.Mode, j.MaxRetries, says.Done, or(c.Exception), or(c.Status))
			return
		}
	}
}

// likeWaits allows for the jitter of clients (a quarter less, and up to a third more or less) and for a slow machine.
func likeWaits(gaps []float64, says []time.Duration) bool {
	if len(gaps) != len(says) {
		return false
	}
	for i, gap := range gaps {
		want := float64(says[i].Milliseconds())
		if gap < 0.66*want-20 || gap > 1.4*want+2000 {
			return false
		}
	}
	return true
}
