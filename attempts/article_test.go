package attempts

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/wire"
)

// article is the table of the source article: class, worker attempts, hits at no retries and at two, for a client that retries
// every 429 and no 400.
var article = map[string]struct {
	class        classify.Class
	worker       int
	hits0, hits2 int
}{
	"tier_cap":           {classify.TierSpendCap, 1, 1, 3},
	"rate_limit":         {classify.RateLimit, 3, 3, 9},
	"ramp_limit":         {classify.RampLimit, 3, 3, 9},
	"headerless_429":     {classify.Unknown429, 3, 3, 9},
	"unknown_code_429":   {classify.Unknown429, 3, 3, 9},
	"proxy_429":          {classify.Unknown429, 3, 3, 9},
	"stripped_cap_429":   {classify.RateLimit, 3, 3, 9},
	"claude_code_ws_429": {classify.RateLimit, 3, 3, 9},
	"user_limit_400":     {classify.UserSpendLimit, 1, 1, 1},
	"validation_400":     {classify.InvalidRequest, 1, 1, 1},
}

func articleRows(m *fixture.Matrix) (rows []*fixture.Fixture) {
	for _, f := range m.Rows {
		if f.Family == fixture.ArticleFamily {
			rows = append(rows, f)
		}
	}
	return rows
}

func sdkless(t *testing.T, url string) Driven {
	base, err := wire.ParseBase(url)
	if err != nil {
		t.Fatal(err)
	}
	return Driven{
		Record: record.AttemptsClient{Name: SdklessName}, Dialect: dialects.Anthropic,
		Start: func(Way) (Client, error) {
			return &Sdkless{Wire: wire.Client{Base: base, Abrupt: true}, Dialect: dialects.Anthropic}, nil
		},
	}
}

func config(t *testing.T) (Config, string) {
	led, url, m := station(t)
	return Config{
		Hits: led, Ways: []Way{{Name: Direct, Dialect: dialects.Anthropic, Model: "claude-{fixture}"}}, Clients: []Driven{sdkless(t, url)},
		Fixtures: articleRows(m), Modes: []fixture.Mode{fixture.Plain}, Retries: []int{0, 2}, Side: 8, MaxWait: long, Deadline: time.Minute, Settle: time.Second,
	}, url
}

// TestArticle: a client without an SDK sends each call once, so the worker's own calls are all there are, at 0 and at 2.
func TestArticle(t *testing.T) {
	c, _ := config(t)
	d := Run(t.Context(), c)
	Judge(&d)
	if len(d.Jobs) != 2*len(article) || d.Exit != 0 || d.Unexplained != 0 {
		t.Fatalf("%d jobs, exit %d (%s), %d unexplained hits", len(d.Jobs), d.Exit, d.Why, d.Unexplained)
	}
	for _, j := range d.Jobs {
		want := article[j.Fixture]
		if j.Class != string(want.class) || j.Worker != want.worker || j.Hits != want.hits0 || *j.SDK != want.hits0 || j.Told != record.ToldDirect {
			t.Errorf("%s at %d: class %s, worker %d, hits %d, told %s; want %+v", j.Fixture, j.MaxRetries, j.Class, j.Worker, j.Hits, j.Told, want)
		}
	}
}

// TestWaits: the worker waits as the answer says, else a power of two, and never for real.
func TestWaits(t *testing.T) {
	c, _ := config(t)
	c.Retries = []int{0}
	began := time.Now()
	d := Run(t.Context(), c)
	if took := time.Since(began); took > long {
		t.Errorf("it took %s", took)
	}
	for _, j := range d.Jobs {
		var waits []float64
		for _, call := range j.Calls {
			waits = append(waits, call.WorkerWait)
		}
		switch want, told := []float64{2000, 4000, 0}, []float64{1000, 1000, 0}; j.Fixture {
		case "headerless_429":
			if !slices.Equal(waits, want) {
				t.Errorf("%s: waits %v, want %v", j.Fixture, waits, want)
			}
		case "rate_limit":
			if !slices.Equal(waits, told) {
				t.Errorf("%s: waits %v, want %v", j.Fixture, waits, told)
			}
		}
	}
}

// TestFailedClient: a client that can't be started, or ends, is a job that could not be told, and never one without requests.
func TestFailedClient(t *testing.T) {
	for name, d := range map[string]Driver{
		"not there": {Words: []string{"/nowhere"}, Lines: true}, "ends": driver("ends", true), "rubbish": driver("rubbish", true), "nothing": driver("nothing", false),
		"says ok and asks for nothing": driver("lines", true),
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := config(t)
			c.Clients[0].Start = func(Way) (Client, error) { return d.Start() }
			got := Run(t.Context(), c)
			Judge(&got)
			if got.Exit != 3 {
				t.Errorf("exit %d: %s", got.Exit, got.Why)
			}
			for _, j := range got.Jobs {
				if j.Told != record.ToldNot || j.SDK != nil {
					t.Errorf("%s: told %s, %s", j.Fixture, j.Told, j.Costs)
				}
				if quiet := strings.HasPrefix(name, "says ok"); (j.Failed == "") != quiet || (j.Class == "") == quiet {
					t.Errorf("%s: failed %q, class %q", j.Fixture, j.Failed, j.Class)
				}
			}
		})
	}
}
