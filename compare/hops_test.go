package compare

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/preservecheck/preservecheck/record"
)

func TestHops(t *testing.T) {
	row := func(route string, v Verdict, keys ...string) record.Row {
		r := record.Row{Row: "tier_cap", Mode: "plain", Asked: "anthropic", Route: route, Verdict: string(v), HitsMin: 1, HitsMax: 1}
		for _, k := range keys {
			r.Fields = append(r.Fields, record.Field{Key: k, Dir: "lost", Decides: true})
		}
		return r
	}
	retried := func(route string) record.Row {
		r := row(route, Retried)
		r.HitsMax, r.HitsAllowed = 2, 1
		return r
	}
	note := row("edge", Preserved, "header/x-note")
	note.Fields[0].Decides = false
	hop := func(key, dir, at, next string) record.Hop {
		return record.Hop{Key: key, Dir: dir, At: at, Next: next, Rows: []string{"tier_cap (plain)"}}
	}
	const d = "error/details"
	for _, c := range []struct {
		why  string
		rows []record.Row
		want []record.Hop
	}{
		{"nothing differs anywhere", []record.Row{row("edge", Preserved), row("mid", Preserved), row("gw", Preserved)}, nil},
		{"the last hop does it, and the others can't help it", []record.Row{row("edge", Reclassified, d), row("mid", Reclassified, d), row("gw", Reclassified, d)},
			[]record.Hop{hop(d, "lost", "gw", "")}},
		{"the first hop does it", []record.Row{row("edge", Reclassified, d), row("mid", Preserved), row("gw", Preserved)}, []record.Hop{hop(d, "lost", "edge", "mid")}},
		{"each hop has a fault of its own", []record.Row{row("edge", Reclassified, d, "status"), row("mid", Different, "status"), row("gw", Preserved)},
			[]record.Hop{hop("status", "lost", "mid", "gw"), hop(d, "lost", "edge", "mid")}},
		{"a hop that could not be judged is passed over", []record.Row{row("edge", Reclassified, d), row("mid", Inconclusive), row("gw", Preserved)},
			[]record.Hop{hop(d, "lost", "edge", "gw")}},
		{"the same where nothing nearer could be judged", []record.Row{row("edge", Reclassified, d), row("mid", Untestable), row("gw", Inconclusive)},
			[]record.Hop{hop(d, "lost", "edge", "")}},
		{"an answer of the hop's own says nothing about keys", []record.Row{row("edge", Reclassified, d), row("mid", LayerMade, "status"), row("gw", Preserved)},
			[]record.Hop{hop("", "layer-made", "mid", "gw"), hop(d, "lost", "edge", "gw")}},
		{"who answers by itself", []record.Row{row("edge", LayerMade, d), row("mid", Preserved), row("gw", Preserved)}, []record.Hop{hop("", "layer-made", "edge", "mid")}},
		{"who asks twice", []record.Row{retried("edge"), retried("mid"), row("gw", Preserved)}, []record.Hop{hop("", "retried", "mid", "gw")}},
		{"what does not decide is no news", []record.Row{note, row("mid", Preserved), row("gw", Preserved)}, nil},
		{"whole again nearer to the client", []record.Row{row("edge", Preserved), row("mid", Different, d), row("gw", Preserved)}, []record.Hop{hop(d, "lost", "mid", "gw")}},
		{"a route that is no hop", []record.Row{row("other", Reclassified, d)}, nil},
	} {
		if diff := cmp.Diff(c.want, Hops([]string{"edge", "mid", "gw"}, c.rows)); diff != "" {
			t.Errorf("%s (- want, + have):\n%s", c.why, diff)
		}
	}
	two := []record.Row{row("edge", Reclassified, d), row("edge", Reclassified, d), row("gw", Preserved), row("gw", Preserved)}
	two[1].Mode, two[3].Mode = "stream", "stream"
	want := hop(d, "lost", "edge", "gw")
	want.Rows = append(want.Rows, "tier_cap (stream)")
	if diff := cmp.Diff([]record.Hop{want}, Hops([]string{"edge", "gw"}, two)); diff != "" {
		t.Errorf("modes are rows of one line: %s", diff)
	}
}
