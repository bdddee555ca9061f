package check

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/wire"
)

// TestGaps: how long a layer waited is told from the stub's own clock, against what the upstream asked for.
func TestGaps(t *testing.T) {
	at := func(ms ...int) (hits []ledger.Hit) {
		for _, m := range ms {
			hits = append(hits, ledger.Hit{At: time.Unix(0, 0).Add(time.Duration(m) * time.Millisecond)})
		}
		return hits
	}
	for _, c := range []struct {
		why, asked string
		hits       []ledger.Hit
		want       string
	}{
		{"no hit", "1", nil, ""},
		{"one hit is no retry", "1", at(0), ""},
		{"nobody said how long", "", at(0, 1000), "1 retry after 1.0 s"},
		{"a date is no number of seconds", "Mon, 30 Nov 2026 10:00:00 GMT", at(0, 1000), "1 retry after 1.0 s"},
		{"as long as it was asked to", "1", at(0, 1000), "1 retry after 1.0 s, as retry-after said"},
		{"a timer may be early by a little", "1", at(0, 950), "1 retry after 0.9 s, as retry-after said"},
		{"but not by more", "1", at(0, 949), "1 retry after 0.9 s although retry-after said 1"},
		{"evenly", "", at(0, 1000, 2000), "2 retries 1.0 s apart"},
		{"longer and longer", "", at(0, 500, 2500, 12500), "3 retries 0.5 s to 10 s apart"},
		{"the shortest wait decides", "1", at(0, 2000, 2100), "2 retries 0.1 s to 2.0 s apart although retry-after said 1"},
		{"and the last counts as well", "", at(0, 100, 3100), "2 retries 0.1 s to 3.0 s apart"},
	} {
		row := Row{Fixture: &fixture.Fixture{Name: "x"}, Dialect: dialects.Anthropic}
		e := evidence.Evidence{}
		if c.asked != "" {
			e = append(e, evidence.Entry{Key: "header/retry-after", Value: evidence.Value{Kind: evidence.Text, Text: c.asked}})
		}
		r := &runner{expected: map[Row]evidence.Evidence{row: e}}
		if got := r.gaps(row, c.hits); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

// TestFellBack: one request, and what the layer made of it by itself.
func TestFellBack(t *testing.T) {
	hit := func(model, path, body string) ledger.Hit { return ledger.Hit{Model: model, Path: path, BodyHash: body} }
	for _, c := range []struct {
		why  string
		hits []ledger.Hit
		want string
	}{
		{"the same again", []ledger.Hit{hit("m", "/a", "1"), hit("m", "/a", "1")}, ""},
		{"another body", []ledger.Hit{hit("m", "/a", "1"), hit("m", "/a", "2")}, "asked again with another body"},
		{"another model has another body, of course", []ledger.Hit{hit("m", "/a", "1"), hit("n", "/a", "2")}, "asked for other models by itself: m, n"},
		{"so has another path", []ledger.Hit{hit("m", "/a", "1"), hit("m", "/b", "2")}, "asked at other paths by itself: /a, /b"},
		{"both", []ledger.Hit{hit("m", "/a", "1"), hit("n", "/b", "2")}, "asked for other models by itself: m, n; asked at other paths by itself: /a, /b"},
		{"what could not be read is no other one", []ledger.Hit{hit("m", "/a", "1"), hit("", "", "")}, ""},
	} {
		if got := fellBack(c.hits); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

// TestArticleEvidence: what the source article wants recorded, and nothing that looks like it.
func TestArticleEvidence(t *testing.T) {
	text := func(s string) evidence.Value { return evidence.Value{Kind: evidence.Text, Text: s} }
	e := evidence.Evidence{
		{Key: "status", Value: evidence.Value{Kind: evidence.Number, Text: "429"}},
		{Key: "header/anthropic-ratelimit-tokens-limit", Value: text("100")},
		{Key: "header/anthropic-workspace-id", Value: text("w")},
		{Key: "header/retry-after", Value: evidence.Value{Kind: evidence.List, Text: `["1","2"]`}},
		{Key: "header/via", Value: text("x-ratelimit-a")},
		{Key: "header/x-ratelimit-remaining", Value: text("3")},
		{Key: "trailer/x-ratelimit-reset", Value: text("4")},
		{Key: "error/type", Value: evidence.Value{Kind: evidence.String, Text: "t"}},
	}
	row := Row{Fixture: &fixture.Fixture{Name: "x"}, Dialect: dialects.Anthropic}
	got := (&runner{}).article(row, e, []string{"req_1"}, 2)
	if d := cmp.Diff(map[string][]string{"anthropic-ratelimit-tokens-limit": {"100"}, "x-ratelimit-remaining": {"3"}}, got.RateLimit); d != "" {
		t.Errorf("limits (- want, + have):\n%s", d)
	}
	if got.Status != 429 || got.Type == nil || *got.Type != "t" || got.Code != nil || got.Attempt != 2 {
		t.Errorf("%+v", got)
	}
	if !slices.Equal(got.RetryAfter, []string{"1", "2"}) || !slices.Equal(got.Workspace, []string{"w"}) || !slices.Equal(got.RequestID, []string{"req_1"}) {
		t.Errorf("%+v", got)
	}
	if none := (&runner{}).article(row, e[:1], nil, 1); none.RateLimit != nil || none.RetryAfter != nil {
		t.Errorf("of an answer without any: %+v", none)
	}
}

// TestClaimed: what a layer says of its retries is held against what the stub counted, where it counted any.
func TestClaimed(t *testing.T) {
	for _, c := range []struct {
		why, claim string
		hits       int
		want       string
	}{
		{"right", "1", 2, ""},
		{"none, and that is right", "0", 1, ""},
		{"too few", " 0 ", 2, "x-portkey-retry-attempt-count says 0, and the stub counted 1 retry"},
		{"too many", "3", 3, "x-portkey-retry-attempt-count says 3, and the stub counted 2 retries"},
		{"it gave up counting", "-1", 2, ""},
		{"no number", "many", 2, ""},
		{"the stub was not asked at all: that is another fault", "1", 0, ""},
		{"nothing is claimed", "", 2, ""},
	} {
		a := &wire.Answer{Header: []wire.Field{{Name: "X-Portkey-Retry-Attempt-Count", Value: c.claim}}}
		if got := claimed(&seen{probe: &probe{answer: a}, hits: make([]ledger.Hit, c.hits)}); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}
