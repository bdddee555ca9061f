package attempts

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/preservecheck/preservecheck/record"
)

func some(n int) *int { return &n }

func TestCount(t *testing.T) {
	direct := &record.AttemptsCall{Hits: 3, GapsMS: []float64{500, 900}}
	for _, c := range []struct {
		why     string
		call    record.AttemptsCall
		through bool
		direct  *record.AttemptsCall
		want    parts
	}{
		{"without a layer all hits are the client's", record.AttemptsCall{Hits: 3}, false, nil, parts{3, 0, 0, record.ToldDirect}},
		{"a client that counts others than the stub saw", record.AttemptsCall{Hits: 3, Requests: some(2)}, false, nil, parts{3, 0, 0, record.ToldNot}},
		{"nothing reached the stub", record.AttemptsCall{}, false, nil, parts{0, 0, 0, record.ToldNot}},

		{"the layer repeats what the SDK sent", record.AttemptsCall{Hits: 4, Requests: some(2), RetryCounts: []string{"0", "0", "1", "1"}}, true, nil, parts{2, 4, 0, record.ToldBoth}},
		{"the header alone", record.AttemptsCall{Hits: 6, RetryCounts: []string{"0", "0", "1", "1", "2", "2"}}, true, nil, parts{3, 6, 0, record.ToldHeader}},
		{"the client alone", record.AttemptsCall{Hits: 6, Requests: some(3)}, true, nil, parts{3, 6, 0, record.ToldCounted}},
		{"the layer answered one by itself", record.AttemptsCall{Hits: 2, Requests: some(3), RetryCounts: []string{"0", "2"}}, true, nil, parts{3, 2, 1, record.ToldCounted}},
		{"and sent another twice", record.AttemptsCall{Hits: 3, Requests: some(3), RetryCounts: []string{"0", "2", "2"}}, true, nil, parts{3, 3, 1, record.ToldCounted}},
		{"the layer answered all by itself", record.AttemptsCall{Hits: 0, Requests: some(3)}, true, nil, parts{3, 0, 3, record.ToldCounted}},
		{"the header tells of more than the client knows", record.AttemptsCall{Hits: 3, Requests: some(1), RetryCounts: []string{"0", "1", "2"}}, true, nil, parts{0, 3, 0, record.ToldNot}},
		{"a header that is not on each", record.AttemptsCall{Hits: 2, RetryCounts: []string{"0", ""}}, true, nil, parts{0, 2, 0, record.ToldNot}},

		{"a client whose header never rises, as it showed directly", record.AttemptsCall{Hits: 9, Requests: some(3), RetryCounts: []string{"0", "0", "0", "0", "0", "0", "0", "0", "0"}}, true,
			&record.AttemptsCall{Hits: 3, RetryCounts: []string{"0", "0", "0"}}, parts{3, 9, 0, record.ToldCounted}},
		{"and which counts nothing", record.AttemptsCall{Hits: 9, RetryCounts: []string{"0", "0", "0", "0", "0", "0", "0", "0", "0"}}, true,
			&record.AttemptsCall{Hits: 3, RetryCounts: []string{"0", "0", "0"}}, parts{0, 9, 0, record.ToldNot}},
		{"by time: each request is sent three times at once", record.AttemptsCall{Hits: 9, GapsMS: []float64{1, 1, 520, 1, 1, 980, 1, 1}}, true, direct, parts{3, 9, 0, record.ToldInferred}},
		{"by time: the layer adds nothing", record.AttemptsCall{Hits: 3, GapsMS: []float64{510, 950}}, true, direct, parts{3, 3, 0, record.ToldInferred}},
		{"a layer that waits as a client would", record.AttemptsCall{Hits: 6, GapsMS: []float64{500, 500, 500, 500, 500}}, true, direct, parts{0, 6, 0, record.ToldNot}},
		{"a client that sends once, and a layer that sends at once again", record.AttemptsCall{Hits: 3, GapsMS: []float64{1, 2}}, true, &record.AttemptsCall{Hits: 1}, parts{1, 3, 0, record.ToldInferred}},
		{"a client that sends once, and somebody who waits", record.AttemptsCall{Hits: 3, GapsMS: []float64{500, 900}}, true, &record.AttemptsCall{Hits: 1}, parts{0, 3, 0, record.ToldNot}},
		{"nothing to compare with", record.AttemptsCall{Hits: 3, GapsMS: []float64{1, 1}}, true, nil, parts{0, 3, 0, record.ToldNot}},
	} {
		t.Run(c.why, func(t *testing.T) {
			if got := count(&c.call, c.through, c.direct); got != c.want {
				t.Errorf("have %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestCosts(t *testing.T) {
	counted := func(sdk, hits int, counts ...string) record.AttemptsCall {
		return record.AttemptsCall{Requests: some(sdk), Hits: hits, RetryCounts: counts}
	}
	three := counted(3, 9, "0", "0", "0", "1", "1", "1", "2", "2", "2")
	for _, c := range []struct {
		way, want string
		calls     []record.AttemptsCall
		failed    string
	}{
		{Through, "one job = 27 requests: worker 3 × SDK 3 × layer 3", []record.AttemptsCall{three, three, three}, ""},
		{Direct, "one job = 9 requests: worker 3 × SDK 3", []record.AttemptsCall{counted(3, 3), counted(3, 3), counted(3, 3)}, ""},
		{Direct, "one job = 1 request: worker 1 × SDK 1", []record.AttemptsCall{counted(1, 1)}, ""},
		{Direct, "one job = 4 requests: worker 2 calls, SDK 4", []record.AttemptsCall{counted(3, 3), counted(1, 1)}, ""},
		{Through, "one job = 3 requests: worker 2 calls, SDK 2, layer 3", []record.AttemptsCall{counted(1, 2, "0", "0"), counted(1, 1, "0")}, ""},
		{Through, "one job = 1 request: worker 1 call, SDK 3, of which 2 did not reach the stub", []record.AttemptsCall{counted(3, 1, "0")}, ""},
		{Through, "could not tell: the client failed: it ended", []record.AttemptsCall{counted(3, 1, "0")}, "the client failed: it ended"},
		{Direct, "could not tell: 2 requests at the stub, and the client counted 3", []record.AttemptsCall{counted(3, 2)}, ""},
		{Direct, "could not tell: 0 requests at the stub for 2 calls", []record.AttemptsCall{{}, {}}, ""},
		{Through, "one job = 2 requests; whose they are could not be told", []record.AttemptsCall{{Hits: 2}}, ""},
	} {
		j := record.AttemptsJob{Way: c.way, Calls: c.calls, Failed: c.failed}
		settle(&j, nil)
		if j.Costs != c.want {
			t.Errorf("have %q, want %q", j.Costs, c.want)
		}
	}
}

func TestTook(t *testing.T) {
	ms := func(n float64) *float64 { return &n }
	calls := []record.AttemptsCall{
		{WorkerWait: 2000, GapsMS: []float64{500, 1}, WaitsMS: []*float64{ms(1000), ms(61000)}},
		{GapsMS: []float64{1}, WaitsMS: []*float64{ms(1)}},
	}
	for _, c := range []struct {
		why     string
		skipped bool
		calls   []record.AttemptsCall
		want    *float64
	}{
		{"waits that were made are in the times between hits", false, calls, ms(2502)},
		{"waits that were noted come on top", true, calls, ms(64503)},
		{"a wait that only the SDK knows", true, []record.AttemptsCall{{WaitsMS: []*float64{nil}}}, nil},
		{"one request takes no time that counts", true, []record.AttemptsCall{{}}, ms(0)},
	} {
		if d := cmp.Diff(c.want, took(c.calls, c.skipped)); d != "" {
			t.Errorf("%s (-want +have)\n%s", c.why, d)
		}
	}
}
