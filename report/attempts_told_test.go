package report

import (
	"testing"

	"github.com/preservecheck/preservecheck/record"
)

func TestAttemptsTold(t *testing.T) {
	ms := func(n float64) *float64 { return &n }
	job := func(way, alert string, hits int, took *float64) record.AttemptsJob {
		return record.AttemptsJob{Fixture: "tier_cap", Client: "c", MaxRetries: 2, Mode: "plain", Way: way, Alert: alert, Outcome: "hold_on", Hits: hits, Told: record.ToldDirect, TookMS: took}
	}
	for _, c := range []struct {
		why  string
		jobs []record.AttemptsJob
		want string
	}{
		{"no layer", []record.AttemptsJob{job("direct", "page", 3, ms(1480))}, "until somebody is paged, tier_cap at 2: 3 requests, 1.5 s"},
		{"a layer that sends more, and waits", []record.AttemptsJob{job("direct", "page", 3, ms(1480)), job("through", "page", 9, ms(119_000))}, "until somebody is paged, tier_cap at 2: 3 requests, 1.5 s → 9 requests, 2 min"},
		{"a layer that hides it", []record.AttemptsJob{job("direct", "page", 1, ms(0)), job("through", "none", 27, ms(3*3600_000))}, "until somebody is paged, tier_cap at 2: 1 request, 0 s → nobody is paged (27 requests, 3 h, then: hold on)"},
		{"a wait that is not known", []record.AttemptsJob{job("direct", "page", 3, nil)}, "until somebody is paged, tier_cap at 2: 3 requests"},
		{"nobody would be paged", []record.AttemptsJob{job("direct", "none", 3, ms(1)), job("through", "page", 3, ms(1))}, ""},
	} {
		blocks := attemptsBlocks(&record.Attempts{Clients: []record.AttemptsClient{{Name: "c"}}, Jobs: c.jobs})
		if got := blocks[0].told(); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}
