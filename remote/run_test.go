package remote_test

import (
	"context"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/remote"
	"github.com/preservecheck/preservecheck/wire"
)

var _ check.Hits = (*remote.Client)(nil)

// TestRunsLikeALocalOne: faults of each kind look the same whether the ledger is here or elsewhere.
func TestRunsLikeALocalOne(t *testing.T) {
	p := placed(t, ledger.HubLimits{}, nil)
	for _, c := range []struct {
		why, fault, channel string
		exit                int
		verdict             string // of the spend cap's row
	}{
		{"nothing is lost", "identity", "auto", 0, "preserved"},
		{"the same by headers alone", "identity", "header", 0, "preserved"},
		{"a channel that carries only the row", "identity", "model", 0, "preserved"},
		{"one that carries nothing", "identity", "armed", 0, "preserved"},
		{"a changed answer", "drop-details", "auto", 1, "reclassified"},
		{"hits are counted", "retry-twice", "auto", 1, "retried"},
		{"by a channel with a tag alone: who else may have sent them?", "retry-twice", "armed", 3, "inconclusive"},
		{"an answer from memory", "cache", "auto", 1, "preserved"},
	} {
		t.Run(c.why, func(t *testing.T) {
			d := p.control(p.open(), c.fault, channel(c.channel), some(2))
			if d.Result.Exit != c.exit || d.Rows[0].Verdict != c.verdict {
				t.Errorf("%d %s: %s %v", d.Result.Exit, d.Result.Why, verdicts(d), d.Findings)
			}
		})
	}
}

// TestWatchesRequests: what became of the parts of a request is known by hashes that both sides make with the run's key.
func TestWatchesRequests(t *testing.T) {
	p := placed(t, ledger.HubLimits{}, nil)
	for fault, exit := range map[string]int{"identity": 0, "drop-beta": 1} {
		d := p.control(p.open(), fault, profile("claude-code"), some(2))
		if d.Result.Exit != exit {
			t.Errorf("%s: %d %s: %s", fault, d.Result.Exit, d.Result.Why, verdicts(d))
		}
	}
}

// TestTwoChecksAtOnce: neither sees anything of the other, though one's layer sends requests again.
func TestTwoChecksAtOnce(t *testing.T) {
	p := placed(t, ledger.HubLimits{}, nil)
	var good, bad record.Document
	var both sync.WaitGroup
	one, two := p.open(), p.open()
	both.Go(func() { good = p.control(one, "identity") })
	both.Go(func() { bad = p.control(two, "retry-twice") })
	both.Wait()
	if good.Result.Exit != 0 || len(good.Findings) > 0 || bad.Result.Exit != 1 || bad.Result.Counts["retried"] != 3 {
		t.Errorf("%s: %s %v\n%s: %s %v", good.Result.Why, verdicts(good), good.Findings, bad.Result.Why, verdicts(bad), bad.Findings)
	}
	if got := len(good.Rows[0].Hits) + len(bad.Rows[0].Hits); got != 1+3 {
		t.Errorf("%d hits of the first rows", got)
	}
}

// flood sends requests with these tags to the stub, over one connection, until they are all answered.
func (p *place) flood(n int, tag func(i int) ledger.Tag) {
	c, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
	if err != nil {
		p.t.Error(err)
		return
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	buf := make([]byte, 64<<10)
	for i := range n {
		tag := tag(i)
		body := `{"model":"m","messages":[{"role":"user","content":"[[preservecheck fixture=` + tag.Fixture + ` id=` + tag.Run + `.` + tag.Nonce + `]]"}]}`
		ask := "POST /v1/messages HTTP/1.1\r\nhost: stub\r\ncontent-type: application/json\r\ncontent-length: " + itoa(len(body)) + "\r\n\r\n" + body
		if _, err := io.WriteString(c, ask); err != nil {
			p.t.Error(err)
			return
		}
		if _, err := c.Read(buf); err != nil {
			p.t.Error(i, err)
			return
		}
	}
}

// TestAttackers: who knows where the stub is, and even a run's name and its fixtures, changes nothing without the run's key.
func TestAttackers(t *testing.T) {
	p := placed(t, ledger.HubLimits{}, nil)
	quiet := p.control(p.open(), "retry-twice")
	over := p.open()
	replayed := ledger.Tag{Run: over.Run(), Fixture: "tier_cap", Nonce: over.Nonce("tier_cap")}
	if err := over.Close(); err != nil {
		t.Fatal(err)
	}
	mine, theirs := p.open(), p.open()
	valid := ledger.Tag{Run: theirs.Run(), Fixture: "tier_cap", Nonce: theirs.Nonce("tier_cap")}
	var attack sync.WaitGroup
	for _, tag := range []func(int) ledger.Tag{
		func(int) ledger.Tag {
			return ledger.Tag{Run: mine.Run(), Fixture: "tier_cap", Nonce: ledger.NewNonce()}
		},
		func(i int) ledger.Tag { // the right counters
			return ledger.Tag{Run: mine.Run(), Fixture: "ok", Nonce: hexOf(i%40, 6) + ledger.NewNonce()[6:]}
		},
		func(int) ledger.Tag { return ledger.Tag{Run: ledger.NewRun(), Fixture: "ok", Nonce: ledger.NewNonce()} },
		func(int) ledger.Tag { return replayed },
		func(int) ledger.Tag { return valid },
		func(int) ledger.Tag { return ledger.Tag{Run: mine.Run(), Fixture: valid.Fixture, Nonce: valid.Nonce} },
	} {
		attack.Go(func() { p.flood(1700, tag) })
	}
	d := p.control(mine, "retry-twice")
	attack.Wait()
	if verdicts(d) != verdicts(quiet) || hits(d) != hits(quiet) || d.Result.Exit != quiet.Result.Exit || mine.Trouble() != "" {
		t.Errorf("%s: %s\n%s\nquiet: %s\n%s %s", d.Result.Why, verdicts(d), hits(d), verdicts(quiet), hits(quiet), mine.Trouble())
	}
	if s := p.hub.Stats(); s.Hits > 1700+200 || s.Refused != 5*1700 {
		t.Errorf("%+v", s)
	}
	if err := mine.Sync(); err != nil || mine.Refused() != 3*1700 {
		t.Errorf("%v, %d that named this run: they are told", err, mine.Refused())
	}
}

// way is a layer that the test writes.
type way func(ctx context.Context, r wire.Request) *wire.Answer

func (w way) Do(ctx context.Context, r wire.Request) *wire.Answer { return w(ctx, r) }

func asks(r wire.Request, fixture string) bool {
	return strings.Contains(string(r.Body), "fixture="+fixture+" ") || strings.Contains(string(r.Body), `"m-`+fixture+`"`)
}

// TestTheGatewayCantHideHits: a layer that floods its own run makes the run one that can't be told, not one with fewer hits.
func TestTheGatewayCantHideHits(t *testing.T) {
	p := placed(t, ledger.HubLimits{Hits: 60}, nil)
	honest := clientOf(t, p.url)
	d := check.Run(context.Background(), p.config(p.open(), way(func(ctx context.Context, r wire.Request) *wire.Answer {
		if asks(r, "ok") {
			for range 30 {
				honest.Do(context.WithoutCancel(ctx), r)
			}
		}
		a := honest.Do(ctx, r)
		a.Local = ""
		return a
	}), some(3)))
	if d.Result.Exit != 3 || !strings.Contains(d.Rows[0].Reason, "could not be recorded") {
		t.Errorf("%d %s: %s", d.Result.Exit, d.Result.Why, d.Rows[0].Reason)
	}
}

// TestAForeignRequestInTheWindow: over a channel without a tag, a request that comes beside the announced one may be
// anybody's. Its row can't be told, and no other row suffers.
func TestAForeignRequestInTheWindow(t *testing.T) {
	p := placed(t, ledger.HubLimits{}, nil)
	honest := clientOf(t, p.url)
	for _, ch := range []string{"armed", "model"} {
		d := check.Run(context.Background(), p.config(p.open(), way(func(ctx context.Context, r wire.Request) *wire.Answer {
			a := honest.Do(ctx, r)
			if asks(r, "rate_limit") {
				honest.Do(ctx, wire.Request{Method: r.Method, Target: r.Target, Header: r.Header, Body: r.Body}) // as a stranger would
			}
			a.Local = ""
			return a
		}), channel(ch), some(3)))
		if d.Result.Exit != 3 || verdicts(d) != "tier_cap=preserved rate_limit=inconclusive ramp_limit=preserved" {
			t.Errorf("%s: %d %s: %s", ch, d.Result.Exit, d.Result.Why, verdicts(d))
		}
	}
}

// TestStrays: what reaches the stub without a tag is shown and may be anybody's, so it is no fault of the layer under any profile.
func TestStrays(t *testing.T) {
	p := placed(t, ledger.HubLimits{}, nil)
	honest := clientOf(t, p.url)
	for name, exit := range map[string]int{"core": 0, "full": 3} {
		var sent atomic.Bool
		d := check.Run(context.Background(), p.config(p.open(), way(func(ctx context.Context, r wire.Request) *wire.Answer {
			a := honest.Do(ctx, r)
			if a.Local = ""; asks(r, "tier_cap") && sent.CompareAndSwap(false, true) {
				honest.Do(ctx, wire.Request{Method: "POST", Target: "/v1/messages", Body: []byte(`{"model":"m"}`)})
			}
			return a
		}), channel("marker"), profile(name), some(3)))
		if d.Result.Exit != exit || len(d.Findings) != 1 || d.Findings[0].Kind != "unexplained-hits" {
			t.Errorf("%s: %d %s: %s %+v", name, d.Result.Exit, d.Result.Why, verdicts(d), d.Findings)
		}
	}
}

// TestStubStartedAnew: a run whose ledger is gone in the middle is one that can't be told, whatever was seen of the layer.
func TestStubStartedAnew(t *testing.T) {
	p := placed(t, ledger.HubLimits{}, nil)
	honest := clientOf(t, p.url)
	c := p.open()
	n := atomic.Int32{}
	d := check.Run(context.Background(), p.config(c, way(func(ctx context.Context, r wire.Request) *wire.Answer {
		if n.Add(1) == 6 {
			p.hub.Close(c.Run())
		}
		a := honest.Do(ctx, r)
		a.Local = ""
		return a
	})))
	if d.Result.Exit != 3 || !strings.Contains(d.Rows[0].Reason, "does not know this run") {
		t.Errorf("%d %s: %s %+v", d.Result.Exit, d.Result.Why, verdicts(d), d.Findings)
	}
	for _, f := range d.Findings {
		if f.Fails {
			t.Errorf("the layer is blamed for hits that nobody could read: %+v", f)
		}
	}
	d = check.Run(context.Background(), p.config(c, honest, some(1)))
	if d.Result.Exit != 3 || !strings.Contains(d.NotReady, "does not know this run") {
		t.Errorf("%d %s %s", d.Result.Exit, d.Result.Why, d.NotReady)
	}
}

// TestClocks: where an answer bears no id, its time has to tell that it came from the stub. A clock that is known badly tells
// nothing, and then nothing is claimed.
func TestClocks(t *testing.T) {
	for _, c := range []struct {
		why             string
		request, answer time.Duration // what the way to the API takes
		direct          time.Duration // what the way of direct answers takes
		exit            int
	}{
		{"a short way", 0, 0, 0, 0},
		{"a long way there: when the answer left is known all the same", 60 * time.Millisecond, 0, 60 * time.Millisecond, 0},
		{"a long way back, but not of direct answers", 0, 60 * time.Millisecond, 0, 0},
		{"a long way back: an answer may have left later than it seems", 0, 60 * time.Millisecond, 60 * time.Millisecond, 3},
	} {
		p := placed(t, ledger.HubLimits{}, delayed(c.request, c.answer))
		honest := clientOf(t, p.url)
		d := check.Run(context.Background(), p.config(p.open(), way(func(ctx context.Context, r wire.Request) *wire.Answer {
			a := honest.Do(ctx, r)
			time.Sleep(10 * time.Millisecond) // which a layer takes at least, over and above the way
			a.Local, a.FirstAt, a.DoneAt = "", time.Now(), time.Now()
			return withoutIDs(a)
		}), channel("marker"), some(2), func(conf *check.Config) {
			direct := conf.Direct
			conf.Concurrency, conf.Direct = 1, way(func(ctx context.Context, r wire.Request) *wire.Answer {
				a := direct.Do(ctx, r)
				time.Sleep(c.direct)
				a.FirstAt, a.DoneAt = time.Now(), time.Now()
				return a
			})
		}))
		if d.Result.Exit != c.exit {
			t.Errorf("%s: %d %s: %s %s", c.why, d.Result.Exit, d.Result.Why, verdicts(d), d.Rows[0].Reason)
		}
	}
}

// withoutIDs replaces what may be an id by one that the stub never gave.
func withoutIDs(a *wire.Answer) *wire.Answer {
	out := a.Clone()
	for i := range out.Header {
		if len(out.Header[i].Value) >= fixture.IDLen && strings.Contains(strings.ToLower(out.Header[i].Name), "request-id") {
			out.Header[i].Value = "req_" + fixture.NoID
		}
	}
	if i := strings.Index(string(out.Body), `"req_`); i >= 0 {
		copy(out.Body[i+5:], fixture.NoID)
	}
	return out
}

// TestStraysThatNobodySaw: where there were too many to look at, one of them may have been a retry without its tag.
func TestStraysThatNobodySaw(t *testing.T) {
	p := placed(t, ledger.HubLimits{Strays: 5}, nil)
	c, layer := p.open(), clientOf(t, p.url)
	for i := range 12 {
		layer.Do(t.Context(), wire.Request{Method: "GET", Target: "/v1/models"}) // asks for no fixture, and is none of them
		layer.Do(t.Context(), wire.Request{Method: "POST", Target: "/v1/messages", Body: []byte("{}")})
		if i < 6 {
			if err := c.Sync(); err != nil || c.Trouble() != "" {
				t.Fatal(i, err, c.Trouble())
			}
		}
	}
	if err := c.Sync(); err != nil || !strings.Contains(c.Trouble(), "without a tag") {
		t.Errorf("%v %q", err, c.Trouble())
	}
	if len(c.Unexplained()) >= 12 {
		t.Errorf("%d", len(c.Unexplained()))
	}
}
