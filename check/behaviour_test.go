package check_test

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/wire"
)

// only asks for some rows.
func only(names ...string) option {
	return func(c *check.Config) {
		c.Rows = nil
		for _, n := range names {
			for _, m := range []fixture.Mode{fixture.Plain, fixture.Stream} {
				c.Rows = append(c.Rows, check.Row{Fixture: c.Matrix.Get(n), Mode: m, Dialect: dialects.Anthropic})
			}
		}
	}
}

// again asks once more for a row, after a pause, with the request altered.
func again(name string, pause time.Duration, edit func(*wire.Request), claim string) layer {
	return func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
		a := ask(r)
		if wants(r, name) {
			time.Sleep(pause)
			if edit != nil {
				edit(&r)
			}
			a = ask(r)
		}
		if claim != "" {
			a.Header = append(a.Header, wire.Field{Name: "X-LiteLLM-Attempted-Retries", Value: claim})
		}
		return a
	}
}

func TestWhatTheLayerDidBesides(t *testing.T) {
	otherModel := func(r *wire.Request) {
		r.Body = bytes.Replace(r.Body, []byte(`"model":"m-`), []byte(`"model":"backup-`), 1)
	}
	for _, c := range []struct {
		why  string
		row  string
		l    layer
		want []string // each must stand in the row's behaviour; none: it must be empty
	}{
		{"an honest layer does nothing", "rate_limit", honest, nil},
		{"sooner than it was asked to", "ramp_limit", again("ramp_limit", 20*time.Millisecond, nil, ""), []string{"1 retry after 0.", " s although retry-after said 1"}},
		{"as it was asked to", "rate_limit", again("rate_limit", time.Second, nil, ""), []string{"1 retry after 1.", " s, as retry-after said"}},
		{"nobody said how long", "tier_cap", again("tier_cap", 0, nil, ""), []string{"1 retry after "}},
		{"a fallback", "tier_cap", again("tier_cap", 0, otherModel, ""), []string{"asked for other models by itself: m-tier_cap, backup-tier_cap"}},
		{"another door", "tier_cap", again("tier_cap", 0, func(r *wire.Request) { r.Target = "/backup" + r.Target }, ""), []string{"asked at other paths by itself: /v1/messages, /backup/v1/messages"}},
		{"another body", "tier_cap", again("tier_cap", 0, replaced("16", "17"), ""), []string{"asked again with another body"}},
		{"its claim is wrong", "tier_cap", again("tier_cap", 0, nil, "0"), []string{"x-litellm-attempted-retries says 0, and the stub counted 1 retry"}},
		{"its claim is right", "tier_cap", again("none", 0, nil, "0"), nil},
		{"its claim is no number", "tier_cap", again("none", 0, nil, "-1"), nil},
	} {
		d := run(t, c.l, only(c.row))
		for _, r := range d.Rows {
			all := strings.Join(r.Behaviour, "; ")
			if len(c.want) == 0 && all != "" {
				t.Errorf("%s: %s (%s): %q", c.why, r.Row, r.Mode, all)
			}
			for _, w := range c.want {
				if !strings.Contains(all, w) {
					t.Errorf("%s: %s (%s): %q lacks %q", c.why, r.Row, r.Mode, all, w)
				}
			}
		}
		if len(d.Rows) != 2 {
			t.Errorf("%s: %d rows: %s", c.why, len(d.Rows), d.Result.Why)
		}
	}
}

// earlyRetry leaves the time to how loaded the machine is.
var earlyRetry = regexp.MustCompile(`ramp_limit \(plain\): 1 retry after 0\.\d s although retry-after said 1`)

// A passing row whose layer asked again is told in a note: nothing else of the report shows it.
func TestWhatAPassingRowsLayerDidIsANote(t *testing.T) {
	d := run(t, again("ramp_limit", 0, nil, ""), only("ramp_limit"))
	if d.Result.Exit != 0 || !earlyRetry.MatchString(strings.Join(d.Notes, "\n")) {
		t.Errorf("exit %d, notes %q", d.Result.Exit, d.Notes)
	}
}

// A layer that leaves the client waiting where the provider's answer broke off keeps the failure, and the wait is told.
func TestAClientThatIsLeftWaiting(t *testing.T) {
	for _, c := range []struct {
		why    string
		status int
		want   string
	}{
		{"nothing comes", 0, "the client waits: no answer by the row's deadline, after "},
		{"the end never comes", 200, "the client waits: no end of the answer by the row's deadline, after "},
	} {
		waits := func(ctx context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
			a := ask(r)
			if wants(r, "stream_fin_mid") {
				<-ctx.Done()
				a.End, a.Status, a.DoneAt = wire.EndTimeout, c.status, a.SentAt.Add(200*time.Millisecond)
				if c.status == 0 {
					a.Header, a.Body = nil, nil
				}
			}
			return a
		}
		d := run(t, waits, func(cf *check.Config) {
			cf.Timeout = 300 * time.Millisecond
			cf.Rows = []check.Row{{Fixture: cf.Matrix.Get("stream_fin_mid"), Mode: fixture.Stream, Dialect: dialects.Anthropic}}
		})
		if len(d.Rows) != 1 || d.Rows[0].Verdict != "preserved" || !strings.Contains(strings.Join(d.Notes, "\n"), c.want) {
			t.Errorf("%s: exit %d, %s, notes %q, want %q", c.why, d.Result.Exit, verdicts(d), d.Notes, c.want)
		}
	}
}

func sleeping(d time.Duration) layer {
	return func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
		if !isCanary(r) {
			time.Sleep(d)
		}
		return ask(r)
	}
}

func TestALayerThatSleeps(t *testing.T) {
	for _, c := range []struct {
		why     string
		l       layer
		profile string
		wait    time.Duration
		fails   bool
	}{
		{"more than was allowed", sleeping(300 * time.Millisecond), "core", 200 * time.Millisecond, true},
		{"no more than that", sleeping(10 * time.Millisecond), "core", 5 * time.Second, false},
		{"core allows any", sleeping(300 * time.Millisecond), "core", 0, false},
		{"full has a rule of its own", sleeping(2500 * time.Millisecond), "full", 0, true},
		{"which honest layers keep", honest, "full", 0, false},
	} {
		d := run(t, c.l, only("tier_cap"), profile(c.profile), func(cf *check.Config) { cf.MaxLayerWait, cf.Timeout = c.wait, 10*time.Second })
		f := finding(d, "slept")
		if (f != nil) != c.fails || (d.Result.Exit == 1) != c.fails || f != nil && (!strings.Contains(f.Text, "the layer slept") || len(f.Rows) != 2) {
			t.Errorf("%s: exit %d, %+v", c.why, d.Result.Exit, f)
		}
	}
}

// Who likely wrote an answer that no hit explains, or that replaced the upstream's.
func TestTheLikelyAuthor(t *testing.T) {
	const page = "<html>\r\n<head><title>429 Too Many Requests</title></head>\r\n<body>\r\n<center><h1>429 Too Many Requests</h1></center>\r\n<hr><center>nginx/1.22.1</center>\r\n</body>\r\n</html>\r\n"
	for _, c := range []struct {
		why, row, verdict, want string
		l                       layer
	}{
		{"layer-made", "tier_cap", "layer-made", "nginx limit_req page", func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
			if isCanary(r) {
				return ask(r)
			}
			return own(429, page)
		}},
		{"layer-made, and the fixture is such a page", "proxy_429", "layer-made", "nginx limit_req page", func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
			if isCanary(r) {
				return ask(r)
			}
			return own(429, page)
		}},
		{"the upstream was asked and its body replaced", "tier_cap", "reclassified", "nginx limit_req page", func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
			a := ask(r)
			if !isCanary(r) {
				a.Body = []byte(page)
			}
			return a
		}},
		{"no sign, no name", "tier_cap", "layer-made", "", func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
			if isCanary(r) {
				return ask(r)
			}
			return own(429, "slow down")
		}},
		{"preserved rows have the upstream's", "tier_cap", "preserved", "", honest},
	} {
		d := run(t, c.l, only(c.row))
		for _, r := range d.Rows {
			if r.Verdict != c.verdict || r.Author != c.want {
				t.Errorf("%s: %s (%s) is %s by %q", c.why, r.Row, r.Mode, r.Verdict, r.Author)
			}
		}
		if len(d.Rows) != 2 {
			t.Errorf("%s: %s", c.why, d.Result.Why)
		}
	}
}
