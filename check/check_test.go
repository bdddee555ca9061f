package check_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/wire"
)

func TestHonestLayerIsGreenOverEveryChannel(t *testing.T) {
	for _, ch := range []string{"auto", "marker", "model", "header", "path", "armed"} {
		d := run(t, honest, channel(ch), both)
		if d.Result.Exit != 0 || d.Result.Counts["preserved"] != 20 || len(d.Findings) > 0 {
			t.Errorf("channel %s: exit %d, %s; %s; findings %v", ch, d.Result.Exit, d.Result.Why, verdicts(d), d.Findings)
		}
		if want := map[string]string{"auto": "marker"}[ch]; want != "" && d.Channel != want || want == "" && d.Channel != ch {
			t.Errorf("channel %s: the record says %q", ch, d.Channel)
		}
	}
}

// A connection that breaks off before any answer has no id to be traced by; that the stub was hit is all there can be.
func TestARowThatGetsNoAnswerIsNotAskedAlone(t *testing.T) {
	only := func(name string, mode fixture.Mode) option {
		return func(c *check.Config) {
			c.Rows = []check.Row{{Fixture: c.Matrix.Get(name), Mode: mode, Dialect: dialects.Anthropic}}
		}
	}
	for _, name := range []string{"reset_before_head", "close_before_head", "silent_before_head", "other_protocol", "odd_status_429"} {
		d := run(t, honest, only(name, fixture.Plain))
		if r := row(t, d, name); r.Verdict != "preserved" || len(r.Observations) != 2 || r.Observations[1].Pass != "look" || d.Result.Exit != 0 {
			t.Errorf("%s: %s (%s), observations %+v", name, r.Verdict, r.Reason, r.Observations)
		}
	}
}

// The class of an error in a stream is that of its error object; that it came late is said besides.
func TestAnErrorInAStreamIsCalledLate(t *testing.T) {
	drop := func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
		return replaceBody(ask(r), `,"details":{"error_code":"enforced_spend_limit_reached"}`, "")
	}
	d := run(t, drop, func(c *check.Config) {
		c.Rows = []check.Row{{Fixture: c.Matrix.Get("stream_cap_mid"), Mode: fixture.Stream, Dialect: dialects.Anthropic}}
	})
	if r := row(t, d, "stream_cap_mid"); r.Verdict != "reclassified" || !strings.HasSuffix(r.Consequence, "; "+classify.LateError) {
		t.Errorf("%s: %q", r.Verdict, r.Consequence)
	}
}

func TestAutoTakesTheBestChannelThatArrives(t *testing.T) {
	noPrompt := func(r wire.Request) wire.Request {
		i := strings.Index(string(r.Body), "[[preservecheck")
		j := strings.Index(string(r.Body), "]]")
		if i >= 0 && j > i {
			r.Body = []byte(string(r.Body[:i]) + string(r.Body[j+2:]))
		}
		return r
	}
	noHeader := func(r wire.Request) wire.Request {
		var keep []wire.Field
		for _, f := range r.Header {
			if !strings.HasPrefix(strings.ToLower(f.Name), "x-fixture") {
				keep = append(keep, f)
			}
		}
		r.Header = keep
		return r
	}
	for _, c := range []struct {
		why, want string
		model     string
		strip     func(wire.Request) wire.Request
	}{
		{"the prompt is rewritten: the header still carries the whole tag", "header", "m-{fixture}", noPrompt},
		{"only the model name arrives", "model", "m-{fixture}", func(r wire.Request) wire.Request { return noHeader(noPrompt(r)) }},
		{"nothing arrives: the stub is told what comes next", "armed", "fixed-name", func(r wire.Request) wire.Request { return noHeader(noPrompt(r)) }},
	} {
		l := func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
			return ask(c.strip(r))
		}
		d := run(t, l, both, func(cf *check.Config) { cf.Model = c.model })
		if d.Channel != c.want || d.Result.Exit != 0 {
			t.Errorf("%s: channel %q, exit %d: %s; %s", c.why, d.Channel, d.Result.Exit, d.Result.Why, verdicts(d))
		}
	}
}

func TestWhyNoCanaryCameThrough(t *testing.T) {
	var asked atomic.Int64
	for _, c := range []struct {
		why  string
		l    layer
		want string
		most int64 // requests that the layer may get; 0: any number
	}{
		{"nothing listens", func(context.Context, wire.Request, func(wire.Request) *wire.Answer) *wire.Answer {
			return &wire.Answer{End: wire.EndRefused, Err: "connection refused"}
		}, "connection refused", 0},
		{"a key is missing", func(context.Context, wire.Request, func(wire.Request) *wire.Answer) *wire.Answer {
			return own(401, `{}`)
		}, "--header", 20},
		{"a route is missing", func(context.Context, wire.Request, func(wire.Request) *wire.Answer) *wire.Answer {
			return own(404, `not found`)
		}, "no such route", 20},
		{"the model is unknown", func(context.Context, wire.Request, func(wire.Request) *wire.Answer) *wire.Answer {
			return own(400, `{"error":"no such model"}`)
		}, "--model", 20},
		{"the upstream is wrong", func(context.Context, wire.Request, func(wire.Request) *wire.Answer) *wire.Answer { return own(502, ``) }, "upstream", 20},
		{"a redirect is not followed", func(context.Context, wire.Request, func(wire.Request) *wire.Answer) *wire.Answer {
			a := own(307, ``)
			a.Header = append(a.Header, wire.Field{Name: "Location", Value: "https://elsewhere.example/"})
			return a
		}, "https://elsewhere.example/", 20},
		{"a success that the stub knows nothing of: one request, no more", func(context.Context, wire.Request, func(wire.Request) *wire.Answer) *wire.Answer {
			return own(200, `{"type":"message"}`)
		}, "real provider", 1},
		{"the path is doubled", func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
			r.Target = "/v1" + r.Target
			return ask(r)
		}, "/v1/v1/messages", 20},
		{"a success arrives at the stub and not at the client", func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
			a := ask(r)
			a.Status = 500
			return a
		}, "the layer answered 500", 20},
		{"it hangs", func(ctx context.Context, _ wire.Request, _ func(wire.Request) *wire.Answer) *wire.Answer {
			<-ctx.Done()
			return &wire.Answer{End: wire.EndTimeout, Err: "deadline"}
		}, "no complete answer", 20},
	} {
		asked.Store(0)
		counting := func(ctx context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
			asked.Add(1)
			return c.l(ctx, r, ask)
		}
		d := run(t, counting, func(cf *check.Config) { cf.ReadyTimeout, cf.Timeout = 400*time.Millisecond, 150*time.Millisecond })
		if d.Result.Exit != 3 || !strings.Contains(d.NotReady, c.want) || len(d.Rows) > 0 {
			t.Errorf("%s: exit %d, %q, %d rows; want %q", c.why, d.Result.Exit, d.NotReady, len(d.Rows), c.want)
		}
		if c.most > 0 && asked.Load() > c.most {
			t.Errorf("%s: the layer was asked %d times", c.why, asked.Load())
		}
	}
}

func TestAVersionInTheBaseIsNamed(t *testing.T) {
	d := run(t, honest, func(c *check.Config) { c.Base, c.ReadyTimeout = "/v1", 300*time.Millisecond })
	if !strings.Contains(d.NotReady, `give --layer with the path "" instead of "/v1"`) {
		t.Errorf("%q", d.NotReady)
	}
}

func TestALayerThatCallsTheStubElsewhereInstead(t *testing.T) {
	// As nginx does whose error_page stands behind the same proxy_pass: the client gets the answer to another path.
	d := run(t, func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
		a := ask(r)
		if a.Status == 429 {
			r.Target = "/e"
			return ask(r)
		}
		return a
	})
	r := row(t, d, "tier_cap")
	if d.Result.Exit != 1 || r.Verdict != "reclassified" || !strings.Contains(r.Reason, "/e") {
		t.Errorf("exit %d, %s: %q", d.Result.Exit, r.Verdict, r.Reason)
	}
}

func TestALayerThatAsksInAnotherProtocol(t *testing.T) {
	for target, want := range map[string]string{
		"/v1/chat/completions": "requests the layer asked its upstream at …/chat/completions, though its client did at …/v1/messages",
		"/deep/v1/messages":    "", // another base is no other protocol
	} {
		d := run(t, func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
			r.Target = target
			return ask(r)
		})
		if got := strings.Join(d.Notes, "; "); !strings.HasSuffix(got, want) || want == "" && got != "" {
			t.Errorf("%s: notes %q, want %q", target, got, want)
		}
	}
}

func TestAdviceTellsALimiterFromAnOpenCircuit(t *testing.T) {
	for _, c := range []struct {
		status int
		want   string
	}{{429, "limit requests by itself: try --rate, or a higher limit for this test (3 requests before"}, {503, "out of service"}, {0, "got no answer either"}} {
		var n atomic.Int64
		d := run(t, func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
			switch {
			case n.Add(1) <= 3:
				return ask(r)
			case c.status == 0: // it has ended
				return &wire.Answer{End: wire.EndRefused}
			}
			return own(c.status, "{}")
		})
		f := finding(d, "layer-state")
		if d.Result.Exit != 1 || f == nil || !strings.Contains(f.Advice, c.want) || strings.Contains(f.Advice, "--rate") != (c.status != 0) {
			t.Errorf("%d: exit %d, findings %+v", c.status, d.Result.Exit, d.Findings)
		}
	}
}

// TestALimiterWritesNoRow: a limiter that lets every third request through lets the canary before a row through and refuses
// the row, and that is no answer to the row: the valid request behind it is refused as well.
func TestALimiterWritesNoRow(t *testing.T) {
	var n atomic.Int64
	d := run(t, func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
		if i := n.Add(1); i > 8 && i%3 != 0 {
			return own(429, `{"message":"API rate limit exceeded"}`)
		}
		return ask(r)
	}, func(c *check.Config) { c.Concurrency, c.Settle = 1, 5*time.Second })
	if d.Result.Counts["layer-made"] > 0 || d.Result.Counts["inconclusive"] == 0 || d.Result.Exit == 0 {
		t.Errorf("exit %d: %s", d.Result.Exit, verdicts(d))
	}
	for _, r := range d.Rows {
		if r.Verdict == "inconclusive" && (r.Consequence != "" || r.Class.Layer != "") {
			t.Errorf("%s can't be told, and yet: %q, class %q", r.Row, r.Consequence, r.Class.Layer)
		}
	}
}

// TestStatesThatALookMustFind: each of these layers gave ten preserved rows before.
func TestStatesThatALookMustFind(t *testing.T) {
	var mu sync.Mutex
	shut := map[string]bool{}
	streams := 0
	opened := time.Time{}
	for _, c := range []struct {
		why  string
		both bool
		l    layer
	}{
		{"a model is shut out after a 429 with retry-after only", false, func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
			model := string(r.Body[:strings.Index(string(r.Body), ",")])
			mu.Lock()
			is := shut[model]
			mu.Unlock()
			if is {
				return own(429, "{}")
			}
			a := ask(r)
			if len(a.Values("retry-after")) > 0 {
				mu.Lock()
				shut[model] = true
				mu.Unlock()
			}
			return a
		}},
		{"streams are shut out after ten errors", true, func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
			if !strings.Contains(string(r.Body), `"stream":true`) {
				return ask(r)
			}
			mu.Lock()
			closed := streams >= 10
			mu.Unlock()
			if closed {
				return own(503, "{}")
			}
			a := ask(r)
			if a.Status >= 400 {
				mu.Lock()
				streams++
				mu.Unlock()
			}
			return a
		}},
		{"a breaker that opens 80 ms after the first error", false, func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
			mu.Lock()
			open := !opened.IsZero() && time.Since(opened) > 80*time.Millisecond
			mu.Unlock()
			if open {
				return own(503, "{}")
			}
			a := ask(r)
			mu.Lock()
			if a.Status >= 400 && opened.IsZero() {
				opened = time.Now()
			}
			mu.Unlock()
			return a
		}},
	} {
		d := run(t, c.l, func(cf *check.Config) {
			cf.Idle = nil
			if c.both {
				both(cf)
			}
		})
		if f := finding(d, "layer-state"); d.Result.Exit != 1 || f == nil {
			t.Errorf("%s: exit %d: %s; findings %v", c.why, d.Result.Exit, d.Result.Why, d.Findings)
		}
	}
}

func TestHitsThatNobodyAskedFor(t *testing.T) {
	retag := func(r wire.Request) wire.Request {
		i := strings.Index(string(r.Body), " id=")
		b := []byte(string(r.Body))
		copy(b[i+4+9:], "0123456789abcdef") // run and dot stay
		r.Body = b
		var keep []wire.Field
		for _, f := range r.Header {
			if !strings.HasPrefix(strings.ToLower(f.Name), "x-fixture") {
				keep = append(keep, f)
			}
		}
		r.Header = keep
		return r
	}
	untag := func(r wire.Request) wire.Request {
		r = retag(r)
		r.Body = []byte(strings.ReplaceAll(string(r.Body), "[[preservecheck", "[[other"))
		return r
	}
	for _, c := range []struct {
		why    string
		change func(wire.Request) wire.Request
		row    string
		exit   int
	}{
		{"a spend cap again under a nonce that nobody issued", retag, "tier_cap", 1},
		{"a spend cap again without a tag; the model names it", untag, "tier_cap", 1},
		{"a rate limit again without a tag is shown, and may be", untag, "rate_limit", 0},
	} {
		d := run(t, func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
			a := ask(r)
			if wants(r, c.row) {
				ask(c.change(r))
			}
			return a
		})
		if f := finding(d, "unexplained-hits"); d.Result.Exit != c.exit || f == nil || !strings.Contains(f.Text, c.row) {
			t.Errorf("%s: exit %d, findings %+v", c.why, d.Result.Exit, d.Findings)
		}
	}
}

func TestOneRequestsHeadersOnAnothersBody(t *testing.T) {
	var mu sync.Mutex
	kept := map[string][]byte{}
	d := run(t, func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
		a := ask(r)
		mu.Lock()
		defer mu.Unlock()
		if b := kept["tier_cap"]; wants(r, "tier_cap") && b != nil {
			a.Body = b
		} else if wants(r, "tier_cap") {
			kept["tier_cap"] = a.Body
		}
		return a
	})
	if f := finding(d, "crosstalk"); d.Result.Exit != 1 || f == nil {
		t.Errorf("exit %d, findings %+v; %s", d.Result.Exit, d.Findings, verdicts(d))
	}
}

func TestALateHitOverTheArmedChannelIsBookedToItsOwnRow(t *testing.T) {
	var wg sync.WaitGroup
	defer wg.Wait()
	var n atomic.Int64
	d := run(t, func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
		a := ask(r)
		if a.Status == 400 && n.Add(1) == 2 { // validation_400
			wg.Add(1)
			go func() { defer wg.Done(); time.Sleep(30 * time.Millisecond); ask(r) }()
		}
		return a
	}, channel("armed"), func(c *check.Config) { c.Idle = nil })
	if r := row(t, d, "validation_400"); r.HitsMax != 2 || d.Result.Exit != 1 {
		t.Errorf("exit %d, %d hits, %s; %v", d.Result.Exit, r.HitsMax, verdicts(d), d.Findings)
	}
}

func TestADecoratingLayerIsNotIntermittent(t *testing.T) {
	var n atomic.Int64
	d := run(t, func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
		a := ask(r)
		if n.Add(1)%2 == 0 {
			a.Header = append(a.Header, wire.Field{Name: "Set-Cookie", Value: "a=1"})
		}
		return a
	})
	if d.Result.Exit != 0 {
		t.Errorf("exit %d: %s; %v", d.Result.Exit, d.Result.Why, d.Findings)
	}
}

func TestTroubleAtTheStubIsNotTheLayers(t *testing.T) {
	d := run(t, honest, func(c *check.Config) { c.Trouble = func() string { return "3 requests were turned away" } })
	if d.Result.Exit != 3 || row(t, d, "tier_cap").Verdict != "inconclusive" {
		t.Errorf("exit %d, %s", d.Result.Exit, verdicts(d))
	}
}

func TestLanesWithDifferentRowOnlyChannels(t *testing.T) {
	strip := func(r wire.Request, all bool) wire.Request {
		b := strings.ReplaceAll(string(r.Body), "[[preservecheck", "[[other")
		if all {
			b = strings.Replace(b, `"m-`, `"`, 1)
			i := strings.Index(b, `"model":"`) + 9
			b = b[:i] + "plain" + b[i+strings.Index(b[i:], `"`):]
		}
		var keep []wire.Field
		for _, f := range r.Header {
			if !strings.HasPrefix(strings.ToLower(f.Name), "x-fixture") {
				keep = append(keep, f)
			}
		}
		r.Header, r.Body = keep, []byte(b)
		return r
	}
	for range 4 {
		d := run(t, func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
			return ask(strip(r, !strings.Contains(string(r.Body), `"stream":true`)))
		}, both)
		if d.Result.Exit != 0 || d.Channel != "armed" {
			t.Fatalf("exit %d: %s, channel %q; %v; %s", d.Result.Exit, d.Result.Why, d.Channel, d.Findings, verdicts(d))
		}
	}
}

func TestTheStubItselfIsNoLayer(t *testing.T) {
	d := run(t, honest, func(c *check.Config) { c.Layer = c.Direct })
	if d.Result.Exit != 2 || d.Refused == "" || len(d.Rows) > 0 {
		t.Errorf("exit %d, refused %q", d.Result.Exit, d.Refused)
	}
}

func TestAStreamThatNeverComesThrough(t *testing.T) {
	for _, c := range []struct {
		why  string
		l    layer
		want string
		exit int
	}{
		{"the stub was hit: the layer breaks streams", func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
			a := ask(r)
			if strings.Contains(string(r.Body), `"stream":true`) && isCanary(r) {
				return own(500, `{"status":"failure"}`)
			}
			return a
		}, "broken", 1},
		{"the stub was not hit: nobody knows", func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
			if strings.Contains(string(r.Body), `"stream":true`) {
				return own(400, `{"error":"streams are off"}`)
			}
			return ask(r)
		}, "inconclusive", 3},
	} {
		d := run(t, c.l, both, func(cf *check.Config) { cf.ReadyTimeout = 300 * time.Millisecond })
		plain, stream := 0, 0
		for _, r := range d.Rows {
			if r.Mode == "plain" && r.Verdict == "preserved" {
				plain++
			}
			if r.Mode == "stream" && r.Verdict == c.want {
				stream++
			}
		}
		if plain != 10 || stream != 10 || d.Result.Exit != c.exit {
			t.Errorf("%s: exit %d, %s", c.why, d.Result.Exit, verdicts(d))
		}
	}
}

func TestALayerThatStripsEveryIDIsJudgedAlone(t *testing.T) {
	strip := func(a *wire.Answer) *wire.Answer {
		var keep []wire.Field
		for _, f := range a.Header {
			if f.Name != "request-id" {
				keep = append(keep, f)
			}
		}
		a.Header = keep
		if i := strings.Index(string(a.Body), `, "request_id"`); i > 0 {
			a.Body = []byte(string(a.Body[:i]) + "}")
		}
		return a
	}
	d := run(t, func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
		return strip(ask(r))
	})
	if d.Result.Exit != 0 || d.Result.Counts["attributed"] != 10 || !strings.Contains(d.Result.Covers, "attributed 10") {
		t.Errorf("exit %d, %v, %s; %s", d.Result.Exit, d.Result.Counts, d.Result.Covers, verdicts(d))
	}
}

func TestRefusedOnlySideBySideIsNeitherGreenNorRed(t *testing.T) {
	slots := make(chan struct{}, 2)
	d := run(t, func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
		select {
		case slots <- struct{}{}:
			defer func() { <-slots }()
			time.Sleep(20 * time.Millisecond)
			return ask(r)
		default:
			return own(429, `{"type":"error","error":{"type":"rate_limit_error","message":"too many"}}`)
		}
	})
	f := finding(d, "layer-state")
	if d.Result.Exit != 3 || f == nil || !f.Soft {
		t.Errorf("exit %d: %s; findings %v; %s", d.Result.Exit, d.Result.Why, d.Findings, verdicts(d))
	}
}

func TestAFaultThatComesAndGoesIsFound(t *testing.T) {
	var n atomic.Int64
	d := run(t, func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
		a := ask(r)
		if wants(r, "tier_cap") && n.Add(1) == 1 {
			return replaceBody(a, "enforced_spend_limit_reached", "other")
		}
		return a
	})
	f := finding(d, "intermittent")
	if d.Result.Exit != 1 || row(t, d, "tier_cap").Verdict != "reclassified" || f == nil {
		t.Errorf("exit %d, %s, findings %v", d.Result.Exit, verdicts(d), d.Findings)
	}
}

func TestCrosstalkIsFound(t *testing.T) {
	// The first two answers of error rows that are under way together are swapped.
	var mu sync.Mutex
	var waiting chan *wire.Answer
	swapped := false
	d := run(t, func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
		a := ask(r)
		if a.Status == 200 {
			return a
		}
		mu.Lock()
		if swapped {
			mu.Unlock()
			return a
		}
		if waiting == nil {
			waiting = make(chan *wire.Answer, 2)
			mine := waiting
			mu.Unlock()
			select {
			case other := <-mine:
				mine <- a
				return other
			case <-time.After(time.Second):
				return a
			}
		}
		swapped = true
		pair := waiting
		mu.Unlock()
		pair <- a
		time.Sleep(5 * time.Millisecond)
		return <-pair
	})
	if f := finding(d, "crosstalk"); f == nil || d.Result.Exit != 1 {
		t.Errorf("exit %d, findings %v; %s", d.Result.Exit, d.Findings, verdicts(d))
	}
}

func TestLateHitsAreCounted(t *testing.T) {
	var wg sync.WaitGroup
	defer wg.Wait()
	d := run(t, func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
		a := ask(r)
		if wants(r, "tier_cap") {
			wg.Add(1)
			go func() { defer wg.Done(); time.Sleep(30 * time.Millisecond); ask(r) }()
		}
		return a
	}, func(c *check.Config) { c.Idle = nil })
	r := row(t, d, "tier_cap")
	if r.Verdict != "retried" || r.HitsMax != 2 || !strings.Contains(r.Reason, "2 times") {
		t.Errorf("%s, %d hits, %q", r.Verdict, r.HitsMax, r.Reason)
	}
}

func TestAnInterruptedRunKeepsWhatItSaw(t *testing.T) {
	for _, c := range []struct {
		why  string
		fail bool
		exit int
	}{
		{"before a row failed: could not tell", false, 3},
		{"after a row failed: that stays", true, 1},
	} {
		d := run(t, func(ctx context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
			if wants(r, "validation_400") || isCanary(r) || wants(r, "user_limit_400") {
				a := ask(r)
				if c.fail && wants(r, "validation_400") {
					a.Status = 500
				}
				return a
			}
			<-ctx.Done()
			return &wire.Answer{End: wire.EndTimeout}
		}, func(cf *check.Config) { cf.Deadline = 300 * time.Millisecond; cf.Timeout = 10 * time.Second })
		if !d.Incomplete || d.Result.Exit != c.exit {
			t.Errorf("%s: incomplete %v, exit %d: %s; %s", c.why, d.Incomplete, d.Result.Exit, d.Result.Why, verdicts(d))
		}
		if !strings.Contains(strings.Join(d.Notes, "\n"), "the run was ended by its deadline of 300ms") {
			t.Errorf("%s: no note says why: %q", c.why, d.Notes)
		}
		if len(d.Rows) != 10 {
			t.Errorf("%s: %d rows in the record", c.why, len(d.Rows))
		}
	}
}

func TestAMissedControlComesBeforeEverything(t *testing.T) {
	d := run(t, honest, func(c *check.Config) {
		c.Proof = func(context.Context) record.Proof {
			return record.Proof{Pairs: 2, Exact: 1, Keys: 1, Deciding: 1, Missed: []string{"control x: missed"}}
		}
	})
	if d.Result.Exit != 3 {
		t.Errorf("exit %d: %s", d.Result.Exit, d.Result.Why)
	}
}

func TestAPanicIsRaisedInTheCallersGoroutine(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic arrived")
		}
	}()
	run(t, func(context.Context, wire.Request, func(wire.Request) *wire.Answer) *wire.Answer { panic("boom") })
}

func TestRateSpacesRequests(t *testing.T) {
	var mu sync.Mutex
	var at []time.Time
	run(t, func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
		mu.Lock()
		at = append(at, time.Now())
		mu.Unlock()
		return ask(r)
	}, func(c *check.Config) { c.Rate = 100 })
	if d := at[len(at)-1].Sub(at[0]); d < time.Duration(len(at)-2)*10*time.Millisecond {
		t.Errorf("%d requests in %s", len(at), d)
	}
}

func TestSecretsAreRedactedBeforeAnythingIsCut(t *testing.T) {
	const secret = "sk-very-secret-0001"
	d := run(t, func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
		a := ask(r)
		if a.Status != 200 {
			a.Body = []byte(strings.Repeat("x", 16<<10-5) + secret)
			a.Header = append(a.Header, wire.Field{Name: "x-echo-" + secret, Value: secret})
		}
		return a
	}, func(c *check.Config) {
		c.Redact = func(s string) string { return strings.ReplaceAll(s, secret, "[secret KEY]") }
	})
	for _, r := range d.Rows {
		for _, f := range r.Fields {
			if f.Layer != nil && strings.Contains(f.Layer.Text, "sk-very") || strings.Contains(f.Key, "sk-very") {
				t.Fatalf("%s %s holds the secret", r.Row, f.Key)
			}
		}
	}
}
