package check_test

import (
	"context"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/wire"
)

// point is a layer that notes the tags of what went through it.
type point struct {
	name string
	l    layer
	mu   sync.Mutex
	tags map[string]bool
}

var tagText = regexp.MustCompile(`id=[0-9a-f]+\.([0-9a-f]+)`)

func (p *point) layer(ctx context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
	p.mu.Lock()
	for _, m := range tagText.FindAllSubmatch(r.Body, -1) {
		p.tags[string(m[1])] = true
	}
	p.mu.Unlock()
	return p.l(ctx, r, ask)
}

// routes makes points the routes of a run, each asked for the rows that the run has.
func routes(ps ...*point) option {
	return func(c *check.Config) {
		up := c.Direct.(*wire.Client)
		rows := c.Rows
		c.Rows, c.Layer = nil, nil
		for _, p := range ps {
			p.tags = map[string]bool{}
			c.Routes = append(c.Routes, check.Route{Name: p.name, Layer: layer(p.layer).through(up), Model: "m-{fixture}", Channel: "auto"})
			for _, r := range rows {
				r.Route = p.name
				c.Rows = append(c.Rows, r)
			}
		}
	}
}

func dropDetails(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
	return replaceBody(ask(r), `"details"`, `"detials"`)
}

// over puts one layer in front of another one.
func (l layer) over(next layer) layer {
	return func(ctx context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
		return l(ctx, r, func(r wire.Request) *wire.Answer { return next(ctx, r, ask) })
	}
}

func byRoute(d record.Document) map[string][]record.Row {
	all := map[string][]record.Row{}
	for _, r := range d.Rows {
		all[r.Route] = append(all[r.Route], r)
	}
	return all
}

// TestRoutes asks an honest and a faulty way at the same time: each has its own verdicts, and its own hits.
func TestRoutes(t *testing.T) {
	good, bad := &point{name: "good", l: honest}, &point{name: "bad", l: dropDetails}
	d := run(t, nil, both, routes(good, bad), func(c *check.Config) { c.Concurrency = 16 })
	if d.Result.Exit != compare.ExitFail || len(d.Findings) > 0 || len(d.Notes) > 0 {
		t.Fatalf("exit %d (%s), findings %v, notes %v", d.Result.Exit, d.Result.Why, d.Findings, d.Notes)
	}
	rows := byRoute(d)
	if len(rows["good"]) != 20 || len(rows["bad"]) != 20 {
		t.Fatalf("%d and %d rows", len(rows["good"]), len(rows["bad"]))
	}
	touched := map[string]bool{"tier_cap": true, "ramp_limit": true, "unknown_code_429": true}
	for _, p := range []*point{good, bad} {
		for _, r := range rows[p.name] {
			want := string(compare.Preserved)
			if p == bad && touched[r.Row] {
				want = string(compare.Reclassified)
			}
			if r.Verdict != want {
				t.Errorf("route %s: %s (%s) is %s: %s, want %s", p.name, r.Row, r.Mode, r.Verdict, r.Reason, want)
			}
			if len(r.Hits) != 1 || r.Provenance != string(compare.OwnHit) {
				t.Errorf("route %s: %s has %d hits, %s", p.name, r.Row, len(r.Hits), r.Provenance)
			}
			for _, h := range r.Hits {
				if !p.tags[h.Nonce] {
					t.Errorf("route %s: a hit of %s came by another route", p.name, r.Row)
				}
			}
		}
	}
	for tag := range good.tags {
		if bad.tags[tag] {
			t.Errorf("the tag %s went by both routes", tag)
		}
	}
}

// TestRowOnlyChannelOnTwoRoutes: where a channel carries only the row, two routes must not ask for the same one at once.
func TestRowOnlyChannelOnTwoRoutes(t *testing.T) {
	noPrompt := func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
		r.Body = regexp.MustCompile(`\[\[preservecheck[^\]]*\]\]`).ReplaceAll(r.Body, nil)
		r.Header = slices.DeleteFunc(slices.Clone(r.Header), func(f wire.Field) bool { return strings.HasPrefix(strings.ToLower(f.Name), "x-fixture") })
		time.Sleep(time.Millisecond)
		return ask(r)
	}
	good, bad := &point{name: "good", l: noPrompt}, &point{name: "bad", l: layer(dropDetails).over(noPrompt)}
	d := run(t, nil, routes(good, bad))
	// The canaries that looked for a channel are unexplained, and fail nothing.
	if d.Channel != "model" || slices.ContainsFunc(d.Findings, func(f record.Finding) bool { return f.Fails }) {
		t.Errorf("channel %s, findings %v", d.Channel, d.Findings)
	}
	for _, r := range d.Rows {
		want := 1
		if r.HitsMin != want || r.HitsMax != want {
			t.Errorf("%s on %s: %d to %d hits", r.Row, r.Route, r.HitsMin, r.HitsMax)
		}
		if r.Route == "good" && r.Verdict != string(compare.Preserved) {
			t.Errorf("%s on %s: %s: %s", r.Row, r.Route, r.Verdict, r.Reason)
		}
	}
	if n := d.Result.Counts[string(compare.Reclassified)]; n != 3 {
		t.Errorf("%d rows reclassified, want the three with details: %s", n, verdicts(d))
	}
}

// TestRouteWithoutCanary: one way is shut. Its rows say so, the other's are judged.
func TestRouteWithoutCanary(t *testing.T) {
	shut := func(context.Context, wire.Request, func(wire.Request) *wire.Answer) *wire.Answer {
		return own(http.StatusUnauthorized, `{"error":"no key"}`)
	}
	d := run(t, nil, routes(&point{name: "open", l: honest}, &point{name: "shut", l: shut}), func(c *check.Config) { c.ReadyTimeout = 300 * time.Millisecond })
	if d.Result.Exit != compare.ExitCouldNotTell || d.NotReady != "" {
		t.Errorf("exit %d: %s", d.Result.Exit, d.Result.Why)
	}
	for _, r := range d.Rows {
		want := map[string]compare.Verdict{"open": compare.Preserved, "shut": compare.Inconclusive}[r.Route]
		if r.Verdict != string(want) {
			t.Errorf("%s on %s: %s, want %s", r.Row, r.Route, r.Verdict, want)
		}
		if r.Route == "shut" && !strings.Contains(r.Reason, "on route shut") {
			t.Errorf("the reason does not name the route: %s", r.Reason)
		}
	}
	if len(d.Notes) != 1 || !strings.Contains(d.Notes[0], "route shut, anthropic plain: ") || !strings.Contains(d.Notes[0], "headers: [authorization") {
		t.Errorf("notes %q", d.Notes)
	}
	none := run(t, nil, routes(&point{name: "a", l: shut}, &point{name: "b", l: shut}), func(c *check.Config) { c.ReadyTimeout = 200 * time.Millisecond })
	if !strings.Contains(none.NotReady, "route a: ") || !strings.Contains(none.NotReady, "route b: ") {
		t.Errorf("nothing came through: %q", none.NotReady)
	}
}

// TestRouteState: what one route forgets is found by the looks of that route, and by its name.
func TestRouteState(t *testing.T) {
	var mu sync.Mutex
	closed := false
	breaker := func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
		mu.Lock()
		defer mu.Unlock()
		if closed {
			return own(http.StatusServiceUnavailable, `{"error":"open"}`)
		}
		closed = wants(r, "tier_cap")
		return ask(r)
	}
	d := run(t, nil, routes(&point{name: "steady", l: honest}, &point{name: "breaker", l: breaker}))
	f := finding(d, "layer-state")
	if f == nil || d.Result.Exit != compare.ExitFail {
		t.Fatalf("exit %d, findings %v", d.Result.Exit, d.Findings)
	}
	for _, f := range d.Findings {
		for _, name := range f.Rows {
			if !strings.HasSuffix(name, "; route breaker)") {
				t.Errorf("finding %s blames %s", f.Kind, name)
			}
		}
	}
	for _, r := range byRoute(d)["steady"] {
		if r.Verdict != string(compare.Preserved) {
			t.Errorf("%s on the steady route: %s: %s", r.Row, r.Verdict, r.Reason)
		}
	}
}

// TestHops puts a layer that loses retry-after in front of one that drops details: each point names what it does.
func TestHops(t *testing.T) {
	noWait := func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
		a := ask(r)
		a.Header = slices.DeleteFunc(a.Header, func(f wire.Field) bool { return strings.EqualFold(f.Name, "retry-after") })
		return a
	}
	chained := func(c *check.Config) { c.Hops = true }
	d := run(t, nil, routes(&point{name: "edge", l: layer(noWait).over(dropDetails)}, &point{name: "gateway", l: dropDetails}), chained)
	at := map[string]string{}
	for _, h := range d.Hops {
		at[h.Key+" "+h.Dir] = h.At + " > " + h.Next
		if len(h.Rows) == 0 {
			t.Errorf("%s names no rows", h.Key)
		}
	}
	want := map[string]string{"error/details lost": "gateway > ", "header/retry-after lost": "edge > gateway"}
	for key, where := range want {
		if at[key] != where {
			t.Errorf("%s: %q, want %q (of %v)", key, at[key], where, slices.Sorted(maps.Keys(at)))
		}
	}
	if same := run(t, nil, routes(&point{name: "edge", l: honest}, &point{name: "gateway", l: honest}), chained); len(same.Hops) > 0 || same.Result.Exit != compare.ExitPass {
		t.Errorf("an honest chain: exit %d, %v", same.Result.Exit, same.Hops)
	}
	if alone := run(t, nil, routes(&point{name: "edge", l: dropDetails}, &point{name: "gateway", l: honest})); len(alone.Hops) > 0 {
		t.Errorf("routes that are no chain have hops: %v", alone.Hops)
	}
}

// TestRouteIsTheStub is refused by the route's name.
func TestRouteIsTheStub(t *testing.T) {
	d := run(t, nil, routes(&point{name: "good", l: honest}), func(c *check.Config) {
		c.Routes = append(c.Routes, check.Route{Name: "self", Layer: c.Direct, Model: "m", Channel: "auto"})
		c.Rows = append(c.Rows, check.Row{Route: "self", Fixture: c.Rows[0].Fixture, Mode: fixture.Plain, Dialect: c.Rows[0].Dialect})
	})
	if d.Result.Exit != compare.ExitUsage || !strings.Contains(d.Refused, "route self is the stub itself") {
		t.Errorf("exit %d, refused %q", d.Result.Exit, d.Refused)
	}
}
