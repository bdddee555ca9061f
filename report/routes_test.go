package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/record"
)

// chained is red on two routes: all of it at the edge, and only the first fixture behind it.
func chained() record.Document {
	doc := red()
	doc.Target = record.Target{Name: "stack", Hops: true, Routes: []record.Route{{Name: "edge"}, {Name: "gateway"}}}
	var rows []record.Row
	for _, r := range doc.Rows {
		r.Route = "edge"
		rows = append(rows, r)
	}
	for _, r := range doc.Rows {
		if r.Row == "tier_cap" {
			r.Route = "gateway"
			rows = append(rows, r)
		}
	}
	doc.Rows = rows
	doc.Hops = []record.Hop{
		{Key: "error/details", Dir: "lost", At: "gateway", Rows: []string{"tier_cap (plain)", "tier_cap (stream)"}},
		{Key: "header/x-note", Dir: "invented", At: "edge", Next: "gateway", Rows: []string{"rate_limit (plain)"}},
		{Dir: "layer-made", At: "edge", Next: "gateway", Rows: []string{"proxy_429 (stream)"}},
		{Dir: "retried", At: "edge", Next: "gateway", Rows: []string{"proxy_429 (stream)"}},
		{Dir: "broken", At: "edge", Next: "gateway", Rows: []string{"ramp_limit (stream)"}},
	}
	doc.Findings = append(doc.Findings, record.Finding{Kind: "layer-state", Text: "so it is", Fails: true,
		Rows: []string{"aa (plain; route edge)", "aa (stream; route edge)", "aa (plain; route gateway)"}})
	return doc
}

func TestRoutes(t *testing.T) {
	both := func() record.Document {
		doc := chained()
		doc.Hops, doc.Target.Hops = nil, false
		return doc
	}
	for _, c := range []struct {
		why       string
		doc       record.Document
		want, not []string
	}{
		{"a chain is named from the client on", chained(), []string{"hops client > edge > gateway > stub"}, []string{"   routes edge"}},
		{"other routes are listed", both(), []string{"routes edge, gateway"}, []string{"where in the chain", "client >"}},
		{"what is the same on all routes is told once", chained(), []string{"tier_cap (plain, stream; routes edge, gateway)"}, []string{"tier_cap (plain, stream; route edge)\n"}},
		{"what is on one route names it", chained(), []string{"; route edge)"}, nil},
		{"where it happens", chained(), []string{
			"where in the chain, seen from the provider\n    between hop gateway and the stub:\n        error/details is lost in 2 rows: tier_cap (plain, stream)\n",
			"    between hop edge and hop gateway:\n        header/x-note is added in 1 row: rate_limit (plain)\n",
			"the answer is made, without a call to the stub, in 1 row: proxy_429 (stream)", "the request is sent again in 1 row", "the answer breaks in 1 row: ramp_limit (stream)",
		}, nil},
		{"rows of findings, too", chained(), []string{"[aa (plain, stream; route edge); aa (plain; route gateway)]"}, nil},
	} {
		got := render(t, c.doc, TextOptions{})
		for _, w := range c.want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: no %q in\n%s", c.why, w, got)
			}
		}
		for _, n := range c.not {
			if strings.Contains(got, n) {
				t.Errorf("%s: %q in\n%s", c.why, n, got)
			}
		}
	}
}

// TestOneRoute is not told: there is nothing to tell it from.
func TestOneRoute(t *testing.T) {
	doc := red()
	doc.Classifier = &record.Classifier{Command: "c", Rows: []record.OwnClass{{Row: "tier_cap", Mode: "plain", Fixture: "a", Layer: "b", Changes: true}}}
	want := render(t, doc, TextOptions{Verbose: true})
	doc.Target.Routes = []record.Route{{Name: "edge"}}
	for i := range doc.Rows {
		doc.Rows[i].Route = "edge"
	}
	doc.Classifier.Rows[0].Route = "edge"
	if got := render(t, doc, TextOptions{Verbose: true}); got != want {
		t.Errorf("one route reads otherwise than none:\n%s", got)
	}
	if doc.Rows[0].Route != "edge" || doc.Classifier.Rows[0].Route != "edge" {
		t.Error("the report changed the document")
	}
}

// TestModesOfRoutes: two routes that have not the same modes are not put together, which would claim modes for one.
func TestModesOfRoutes(t *testing.T) {
	doc := chained()
	doc.Rows = slices.DeleteFunc(doc.Rows, func(r record.Row) bool { return r.Route == "gateway" && r.Mode == "stream" })
	got := render(t, doc, TextOptions{Width: maxWidth})
	if !strings.Contains(got, "tier_cap (plain, stream; route edge)") || !strings.Contains(got, "tier_cap (plain; route gateway)") {
		t.Errorf("%s", got)
	}
}

// TestNastyRoutes: names in a saved record may be anything, and the terminal may be narrow.
func TestNastyRoutes(t *testing.T) {
	doc := chained()
	plantAll(&doc, nasty)
	for _, columns := range []int{minWidth, maxWidth} {
		mustBeSafe(t, render(t, doc, TextOptions{Width: columns}), columns)
	}
	doc = chained()
	for i := range doc.Hops {
		doc.Hops[i].At, doc.Hops[i].Next, doc.Hops[i].Key = nasty, nasty, nasty
	}
	mustBeSafe(t, render(t, doc, TextOptions{Width: minWidth}), minWidth)
}
