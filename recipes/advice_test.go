package recipes

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/preservecheck/preservecheck/record"
)

func TestAdvise(t *testing.T) {
	r := &Recipe{Advice: []Advice{
		{Key: "header/retry-after", Direction: "lost", Variant: "hide", Cause: "special"},
		{Key: "header/retry-after", Cause: "general"},
		{Key: "error*", Direction: "lost", Status: 429, Cause: "page"},
		{Key: "body*", Value: "<html>*busy*", Cause: "busy page"},
		{Verdict: "layer-made", Cause: "limiter"},
		{Verdict: "changed", Cause: "any change"},
	}}
	field := func(key, dir, layer string) record.Field {
		f := record.Field{Key: key, Dir: dir, Decides: true}
		if layer != "" {
			f.Layer = &record.Value{Text: layer}
		}
		return f
	}
	row := func(verdict string, status int, fields ...record.Field) record.Row {
		return record.Row{Row: "r", Mode: "plain", Verdict: verdict, Direct: &record.Evidence{Status: status}, Fields: fields}
	}
	for _, c := range []struct {
		why, variant string
		rows         []record.Row
		want         []string
	}{
		{"the special before the general, and not both", "hide", []record.Row{row("reclassified", 429, field("header/retry-after", "lost", ""))}, []string{"special"}},
		{"the general where the special is another variant's", "default", []record.Row{row("reclassified", 429, field("header/retry-after", "lost", ""))}, []string{"general"}},
		{"another direction", "hide", []record.Row{row("reclassified", 429, field("header/retry-after", "changed", "1"))}, []string{"general"}},
		{"a pattern reaches below slashes", "", []record.Row{row("reclassified", 429, field("error/details/error_code", "lost", ""))}, []string{"page"}},
		{"another status", "", []record.Row{row("reclassified", 503, field("error", "lost", ""))}, nil},
		{"by the value that came through", "", []record.Row{row("changed", 503, field("body", "changed", "<html><b>busy</b></html>"))}, []string{"busy page", "any change"}},
		{"another value", "", []record.Row{row("reclassified", 503, field("body", "changed", "<html>other"))}, nil},
		{"a row as a whole", "", []record.Row{row("layer-made", 429)}, []string{"limiter"}},
		{"worst first", "", []record.Row{row("changed", 503), row("layer-made", 429)}, []string{"limiter", "any change"}},
		{"a row that passes needs none", "", []record.Row{row("preserved", 429, field("header/retry-after", "lost", ""))}, nil},
		{"a key that decides nothing needs none", "", []record.Row{row("reclassified", 429, record.Field{Key: "header/retry-after", Dir: "lost"})}, nil},
		{"once for two rows", "", []record.Row{row("layer-made", 429), row("layer-made", 429)}, []string{"limiter"}},
	} {
		var got []string
		rows := 0
		for _, a := range r.Advise(c.variant, c.rows, nil) {
			got = append(got, a.Cause)
			rows += len(a.Rows)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +have)\n%s", c.why, d)
		}
		if c.why == "once for two rows" && rows != 2 {
			t.Errorf("%s: it names %d rows", c.why, rows)
		}
	}
}

func TestAdviseOnFindings(t *testing.T) {
	r := &Recipe{Advice: []Advice{
		{Finding: "layer-state", Variant: "limit", Cause: "limiter"},
		{Finding: "layer-state", Cause: "state"},
		{Finding: "cached", Cause: "cache"},
		{Verdict: "layer-made", Cause: "row"},
	}}
	f := func(kind string, fails bool) record.Finding { return record.Finding{Kind: kind, Fails: fails} }
	for _, c := range []struct {
		why, variant string
		rows         []record.Row
		findings     []record.Finding
		want         []string
	}{
		{"the special before the general", "limit", nil, []record.Finding{f("layer-state", true)}, []string{"limiter"}},
		{"the general elsewhere", "default", nil, []record.Finding{f("layer-state", true)}, []string{"state"}},
		{"once for a kind", "default", nil, []record.Finding{f("layer-state", true), f("cached", true), f("layer-state", true)}, []string{"state", "cache"}},
		{"one that does not fail needs none", "default", nil, []record.Finding{f("cached", false)}, nil},
		{"another kind", "default", nil, []record.Finding{f("slept", true)}, nil},
		{"rows first, and none of a finding's for them", "default", []record.Row{{Verdict: "layer-made"}}, []record.Finding{f("cached", true)}, []string{"row", "cache"}},
	} {
		var got []string
		for _, a := range r.Advise(c.variant, c.rows, c.findings) {
			got = append(got, a.Cause)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +have)\n%s", c.why, d)
		}
	}
}
