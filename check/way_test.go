package check_test

import (
	"bytes"
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/stub"
	"github.com/preservecheck/preservecheck/wire"
)

// over puts a server of net/http between everybody and the stub, as a tunnel would be.
func over(t *testing.T, make func(stub *url.URL) http.Handler) option {
	return func(c *check.Config) {
		near := c.Direct.(*wire.Client)
		to, err := url.Parse(near.Base.String())
		if err != nil {
			t.Fatal(err)
		}
		s := httptest.NewServer(make(to))
		t.Cleanup(s.Close)
		public(t, c, s.URL)
	}
}

// public makes a URL the only way to the stub, for the layer as well.
func public(t *testing.T, c *check.Config, at string) {
	t.Helper()
	base, err := wire.ParseBase(at)
	if err != nil {
		t.Fatal(err)
	}
	client := &wire.Client{Base: base, Limits: wire.Default}
	c.Near, c.Direct, c.Public = c.Direct, client, "https://tunnel.example"
	if w, ok := c.Layer.(way); ok {
		c.Layer = way{w.l, client}
	}
	c.Idle = nil
}

// proxied is a reverse proxy that passes everything on at once, but for what answer makes of it.
func proxied(answer func(*http.Response) error) func(*url.URL) http.Handler {
	return func(to *url.URL) http.Handler {
		p := httputil.NewSingleHostReverseProxy(to)
		p.ModifyResponse, p.FlushInterval, p.ErrorLog = answer, -1, quiet
		return p
	}
}

func replace(r *http.Response, status int, body string) {
	r.Body.Close()
	r.StatusCode, r.Body, r.ContentLength = status, io.NopCloser(strings.NewReader(body)), int64(len(body))
	r.Header.Set("Content-Type", "text/html")
	r.Header.Set("Content-Length", strconv.Itoa(len(body)))
}

const page = "<html><h1>Bad gateway</h1></html>"

func rowsOf(names ...string) option {
	return func(c *check.Config) {
		like := c.Rows[0]
		c.Rows = nil
		for _, name := range names {
			like.Fixture = c.Matrix.Get(name)
			c.Rows = append(c.Rows, like)
		}
	}
}

var four = rowsOf("overloaded_wait_529", "api_500", "rate_limit", "validation_400")

// TestDirtyWays: what the way to the stub does is told of the way, whatever the layer makes of it, and the other rows are judged.
func TestDirtyWays(t *testing.T) {
	for _, c := range []struct {
		why   string
		way   func(*url.URL) http.Handler
		says  string // the finding
		rows  []string
		layer layer
		more  []option
	}{
		{
			"bodies replaced, as a CDN does", proxied(func(r *http.Response) error {
				if r.StatusCode == 529 || r.StatusCode == 500 {
					replace(r, r.StatusCode, page)
				}
				return nil
			}), "the way to the stub replaces 500, 529 bodies (2 rows): error lost", []string{"overloaded_wait_529", "api_500"}, honest, nil,
		},
		{
			"a status that a proxy does not like", proxied(func(r *http.Response) error {
				if r.StatusCode == 529 {
					r.StatusCode = 503
				}
				return nil
			}), "makes status 503 of 529 (1 row): status changed", []string{"overloaded_wait_529"}, honest, nil,
		},
		{
			"a header that decides", proxied(func(r *http.Response) error { r.Header.Del("Retry-After"); return nil }),
			"header/retry-after lost", []string{"overloaded_wait_529", "rate_limit"}, honest, nil,
		},
		{
			"an access rule that answers for some requests", func(to *url.URL) http.Handler {
				next := proxied(nil)(to)
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					b, _ := io.ReadAll(r.Body)
					if r.Body = io.NopCloser(bytes.NewReader(b)); bytes.Contains(b, []byte("fixture=api_500 ")) {
						http.Error(w, "blocked", http.StatusForbidden)
						return
					}
					next.ServeHTTP(w, r)
				})
			}, "answers with status 403 and does not ask the stub (1 row)", []string{"api_500"}, honest, nil,
		},
		{
			"a tunnel that asks again", func(to *url.URL) http.Handler {
				p := proxied(nil)(to).(*httputil.ReverseProxy)
				p.Transport = twice{}
				return p
			}, "sends requests again, up to 2 times in all (1 row)", []string{"api_500"}, honest, nil,
		},
		{
			"a cache that looks at the path alone", cache,
			"answers with what was meant for another request (a cache?)", []string{"overloaded_wait_529", "api_500", "rate_limit"}, honest, nil,
		},
		{
			"answers that break off", proxied(func(r *http.Response) error {
				if r.StatusCode == 500 {
					r.Body = io.NopCloser(io.LimitReader(r.Body, 10))
				}
				return nil
			}), "gives no whole answer (1 row)", []string{"api_500"}, honest, nil,
		},
	} {
		t.Run(c.why, func(t *testing.T) {
			t.Parallel()
			opts := append([]option{four, over(t, c.way)}, c.more...)
			d := run(t, c.layer, opts...)
			f := finding(d, "dirty-way")
			if f == nil || !strings.Contains(f.Text, c.says) || f.Fails || len(f.Rows) != len(c.rows) {
				t.Fatalf("exit %d (%s), %s\n%+v", d.Result.Exit, d.Result.Why, verdicts(d), d.Findings)
			}
			for _, r := range d.Rows {
				want := "preserved"
				for _, name := range c.rows {
					if r.Row == name {
						want = "untestable"
					}
				}
				if r.Verdict != want {
					t.Errorf("%s: %s (%s), want %s", r.Row, r.Verdict, r.Reason, want)
				}
			}
			for _, f := range d.Findings {
				if f.Kind != "dirty-way" {
					t.Errorf("told of the layer: %+v", f)
				}
			}
			if d.Result.Exit != 3 {
				t.Errorf("exit %d: %s", d.Result.Exit, d.Result.Why)
			}
		})
	}
}

// twice sends what failed a second time.
type twice struct{}

func (twice) RoundTrip(r *http.Request) (*http.Response, error) {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	for n := 0; ; n++ {
		r.Body = io.NopCloser(bytes.NewReader(b))
		a, err := http.DefaultTransport.RoundTrip(r)
		if err != nil || a.StatusCode != 500 || n > 0 {
			return a, err
		}
		a.Body.Close()
	}
}

// cache keeps the first error and gives it to everybody who is to have one with a retry-after or a 5xx.
func cache(to *url.URL) http.Handler {
	p := proxied(nil)(to).(*httputil.ReverseProxy)
	var mu sync.Mutex
	var kept []byte
	var header http.Header
	p.ModifyResponse = func(r *http.Response) error {
		if r.StatusCode != 529 && r.StatusCode != 500 && r.StatusCode != 429 {
			return nil
		}
		mu.Lock()
		defer mu.Unlock()
		if kept == nil {
			kept, _ = io.ReadAll(r.Body)
			header = r.Header.Clone()
		}
		r.Body, r.Header, r.ContentLength = io.NopCloser(bytes.NewReader(kept)), header.Clone(), int64(len(kept))
		return nil
	}
	return p
}

// TestHeadersOfTheWay: a way that adds its own to each answer makes no row untestable, and the layer is not held to it.
func TestHeadersOfTheWay(t *testing.T) {
	var n atomic.Int64
	d := run(t, honest, both, over(t, proxied(func(r *http.Response) error {
		r.Header.Set("Via", "1.1 tunnel")
		r.Header.Set("Server", "tunnel")
		r.Header.Set("Cf-Ray", strconv.FormatInt(n.Add(1), 10)+"-FRA")
		return nil
	})))
	if d.Result.Exit != 0 || len(d.Findings) > 0 || !strings.Contains(strings.Join(d.Notes, "\n"), "header/cf-ray invented in 20 rows") {
		t.Errorf("exit %d (%s), %+v, %q", d.Result.Exit, d.Result.Why, d.Findings, d.Notes)
	}
	for _, f := range d.Rows[0].Fields {
		if f.Dir != "" {
			t.Errorf("told of the layer: %+v", f)
		}
	}
	if v := d.Rows[0].Direct; v == nil {
		t.Error("no direct values")
	}
}

// TestLayerBehindACleanWay: what the layer does is still the layer's.
func TestLayerBehindACleanWay(t *testing.T) {
	d := run(t, dropsRetryAfter, over(t, proxied(nil)))
	if d.Result.Exit != 1 || row(t, d, "ramp_limit").Verdict != "changed" || finding(d, "dirty-way") != nil {
		t.Errorf("exit %d, %s, %+v", d.Result.Exit, verdicts(d), d.Findings)
	}
}

// TestAllowUntestable: the rows that the way lets through are enough where the user says so.
func TestAllowUntestable(t *testing.T) {
	swap := proxied(func(r *http.Response) error {
		if r.StatusCode == 529 {
			replace(r, 529, page)
		}
		return nil
	})
	d := run(t, honest, four, over(t, swap), func(c *check.Config) { c.Rules.AllowUntestable, c.Document.Settings.AllowUntestable = true, true })
	if d.Result.Exit != 0 || finding(d, "dirty-way") == nil || d.Result.Counts["untestable"] == 0 {
		t.Errorf("exit %d: %s, %s", d.Result.Exit, d.Result.Why, verdicts(d))
	}
}

// TestNearIsTheStubsOwn: what differs over loopback already is no way's doing.
func TestNearIsTheStubsOwn(t *testing.T) {
	d := run(t, honest, over(t, proxied(nil)), func(c *check.Config) {
		c.Near = altered{c.Near}
	})
	if r := row(t, d, "rate_limit"); r.Verdict != "inconclusive" || !strings.Contains(r.Reason, "the stub's answer is not the fixture") || finding(d, "dirty-way") != nil {
		t.Errorf("%s: %s, %+v", r.Verdict, r.Reason, d.Findings)
	}
}

// TestHeldBackStreams: a way that gathers streams makes their pace untestable where that decides, and is noted elsewhere.
func TestHeldBackStreams(t *testing.T) {
	gather := proxied(func(r *http.Response) error {
		b, err := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(b))
		return err
	})
	for name, want := range map[string]string{"claude-code": "untestable", "core": "preserved"} {
		d := run(t, honest, rowsOf("stream_paced", "rate_limit"), streams, profile(name), over(t, gather))
		f := finding(d, "dirty-way")
		if r := row(t, d, "stream_paced"); r.Verdict != want || (f != nil) != (want == "untestable") {
			t.Errorf("%s: %s (%s), %+v", name, r.Verdict, r.Reason, d.Findings)
		}
		if f != nil && !strings.Contains(f.Text, "holds streams back until their end (1 row): stream/pace changed") {
			t.Error(f.Text)
		}
		if f == nil && !strings.Contains(strings.Join(d.Notes, "\n"), "stream/pace changed in 1 row") {
			t.Errorf("%q", d.Notes)
		}
		if r := row(t, d, "rate_limit"); r.Verdict != "preserved" {
			t.Errorf("%s: %s (%s)", name, r.Verdict, r.Reason)
		}
	}
}

// TestASlowMachineHoldsNothingBack: what this machine took too long for over loopback is nobody's doing.
func TestASlowMachineHoldsNothingBack(t *testing.T) {
	d := run(t, honest, rowsOf("stream_paced"), streams, profile("claude-code"), over(t, proxied(nil)), func(c *check.Config) { c.Near = late{c.Near} })
	if d.Result.Exit != 0 {
		t.Errorf("exit %d: %s (%s)", d.Result.Exit, verdicts(d), d.Rows[0].Reason)
	}
}

// late is a way whose answers seem to come at once.
type late struct{ check.Way }

func (w late) Do(ctx context.Context, r wire.Request) *wire.Answer {
	a := w.Way.Do(ctx, r)
	a.BodyAt = a.LastAt
	return a
}

// TestNoWay: before any row our own request has to come back; what came instead is told, with the likely cause.
func TestNoWay(t *testing.T) {
	plain := func(status int, body string, header ...string) func(*url.URL) http.Handler {
		return func(*url.URL) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				for i := 0; i < len(header); i += 2 {
					w.Header().Set(header[i], header[i+1])
				}
				w.WriteHeader(status)
				io.WriteString(w, body)
			})
		}
	}
	for _, c := range []struct {
		why  string
		to   func(t *testing.T) option
		says string
	}{
		{"a login page", func(t *testing.T) option {
			return over(t, plain(200, "<!DOCTYPE html><title>Sign in</title>", "Server", "sso"))
		},
			`another server ("sso") answered 200 and the stub saw nothing: a page of its own, such as a tunnel's warning or a login, stands before the stub (it begins: <!DOCTYPE html><title>Sign in`},
		{"a redirect", func(t *testing.T) option { return over(t, plain(302, "", "Location", "https://sso.example/")) },
			"it redirects to https://sso.example/, which is not followed"},
		{"an access rule", func(t *testing.T) option { return over(t, plain(403, "no")) }, "something asks who we are"},
		{"another's API", func(t *testing.T) option { return over(t, plain(200, "{}")) }, "the URL leads to somebody else"},
		{"a tunnel without its other end", func(t *testing.T) option { return over(t, plain(530, "error code: 1033", "Server", "edge")) },
			`another server ("edge") answered 530 and the stub saw nothing: it can't reach the stub`},
		{"a wrong path", func(t *testing.T) option { return over(t, plain(404, "nothing here")) }, "it does not pass this path on"},
		{"a limit", func(t *testing.T) option { return over(t, plain(429, "slow down")) }, "the way limits requests by itself"},
		{"the stub of another run", anotherStub, "the URL leads to the stub of another run"},
		{"a stub's own answer", func(t *testing.T) option { return over(t, plain(404, "{}", stub.MarkHeader, "unexpected-path")) }, "the URL leads to the stub of another run"},
		{"nothing listens", func(t *testing.T) option {
			return func(c *check.Config) { public(t, c, "http://"+closedPort(t)) }
		}, "no connection: connection refused"},
		{"no such name", func(t *testing.T) option {
			return func(c *check.Config) { public(t, c, "http://nosuch.invalid") }
		}, "nosuch.invalid"},
		{"TLS that fails", func(t *testing.T) option {
			return func(c *check.Config) {
				public(t, c, "https"+strings.TrimPrefix(c.Direct.(*wire.Client).Base.String(), "http"))
			}
		}, "the server does not speak TLS"},
		{"silence", func(t *testing.T) option {
			return func(c *check.Config) { public(t, c, silent(t)); c.Timeout = 50 * time.Millisecond }
		}, "no answer within 50ms"},
		{"answers that are eaten", func(t *testing.T) option {
			return over(t, proxied(func(r *http.Response) error { replace(r, 502, page); return nil }))
		}, "our request reached the stub, which answered a success, and 502 came back (it begins: <html>"},
		{"a tunnel that has ended", func(t *testing.T) option {
			o := over(t, plain(502, ""))
			return func(c *check.Config) { o(c); c.WayGone = func() string { return "the tunnel ended: exit status 1" } }
		}, "is not open: the tunnel ended: exit status 1"},
	} {
		t.Run(c.why, func(t *testing.T) {
			t.Parallel()
			asked := false
			d := run(t, honest, c.to(t), func(conf *check.Config) {
				conf.ReadyTimeout = 300 * time.Millisecond
				conf.Layer = noted{conf.Layer, &asked}
			})
			if d.Result.Exit != 3 || !strings.Contains(d.Result.Why, c.says) || !strings.HasPrefix(d.Result.Why, "the way to the stub (https://tunnel.example) is not open: ") {
				t.Errorf("exit %d: %s", d.Result.Exit, d.Result.Why)
			}
			if asked || len(d.Rows) > 0 {
				t.Errorf("asked the layer %v, %d rows", asked, len(d.Rows))
			}
		})
	}
}

// TestWayIsWaitedForByItself: a person who sets the layer up has an hour, and hears at once that the way to the stub is shut.
func TestWayIsWaitedForByItself(t *testing.T) {
	for _, c := range []struct {
		why  string
		to   func(*check.Config)
		says string
	}{
		{"nothing listens", func(c *check.Config) { public(t, c, "http://"+closedPort(t)); c.WayTimeout = 300 * time.Millisecond }, "connection refused"},
		{"no time mends a certificate", func(c *check.Config) { c.Near, c.Direct = c.Direct, distrusted{} }, "certificate signed by an unknown authority"},
	} {
		t.Run(c.why, func(t *testing.T) {
			t.Parallel()
			var told atomic.Pointer[string]
			d := run(t, honest, c.to, func(conf *check.Config) {
				conf.Deadline, conf.ReadyTimeout = time.Hour, time.Hour
				conf.Progress = func(p check.Progress) { told.CompareAndSwap(nil, &p.Why) }
			})
			if d.Result.Exit != 3 || !strings.Contains(d.Result.Why, c.says) {
				t.Errorf("exit %d: %s", d.Result.Exit, d.Result.Why)
			}
			if why := told.Load(); why == nil || !strings.Contains(*why, c.says) {
				t.Errorf("told while it was waited for: %v", why)
			}
		})
	}
}

// distrusted is a way whose certificate nobody here vouches for.
type distrusted struct{}

func (distrusted) Do(context.Context, wire.Request) *wire.Answer {
	return &wire.Answer{End: wire.EndRefused, Err: "certificate signed by an unknown authority: give the authority's certificate (--layer-ca)"}
}

// TestWayTakesTime: a tunnel that opens late is waited for.
func TestWayTakesTime(t *testing.T) {
	var n atomic.Int64
	d := run(t, honest, over(t, func(to *url.URL) http.Handler {
		next := proxied(nil)(to)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if n.Add(1) < 4 {
				http.Error(w, "error code: 1033", 530)
				return
			}
			next.ServeHTTP(w, r)
		})
	}))
	if !passes(d) {
		t.Errorf("exit %d: %s", d.Result.Exit, d.Result.Why)
	}
}

// TestWayBreaksDown: rows that no longer arrived are not told of the layer; what it did before is.
func TestWayBreaksDown(t *testing.T) {
	for _, c := range []struct {
		why  string
		gone string
		l    layer
		says string
		exit int
	}{
		{"as a tunnel knows it", "the tunnel ended: signal: killed", honest, "the tunnel ended: signal: killed", 3},
		{"as is seen", "", honest, "answered 502", 3},
		{"behind a layer that hangs up then", "", hangsUp, "answered 502", 3},
		{"after the layer lost something", "", dropsRetryAfter, "answered 502", 1},
	} {
		t.Run(c.why, func(t *testing.T) {
			t.Parallel()
			var down atomic.Bool
			var after atomic.Int32
			l := func(ctx context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
				if down.Load() {
					after.Add(1)
				}
				a := c.l(ctx, r, ask)
				if wants(r, "overloaded_wait_529") {
					down.Store(true)
				}
				return a
			}
			d := run(t, l, rowsOf("validation_400", "rate_limit", "overloaded_wait_529", "api_500"), over(t, func(to *url.URL) http.Handler {
				next := proxied(nil)(to)
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if down.Load() {
						http.Error(w, "gone", http.StatusBadGateway)
						return
					}
					next.ServeHTTP(w, r)
				})
			}), func(conf *check.Config) {
				conf.Concurrency = 1
				conf.WayGone = func() string {
					if down.Load() {
						return c.gone
					}
					return ""
				}
			})
			f := finding(d, "dirty-way")
			if d.Result.Exit != c.exit || f == nil || !strings.Contains(f.Text, "the way to the stub broke down during the run: ") || !strings.Contains(f.Text, c.says) {
				t.Fatalf("exit %d (%s), %s, %+v", d.Result.Exit, d.Result.Why, verdicts(d), d.Findings)
			}
			if c.exit == 3 && row(t, d, "validation_400").Verdict != "preserved" || row(t, d, "api_500").Verdict != "inconclusive" {
				t.Error(verdicts(d))
			}
			if n := after.Load(); c.gone != "" && n > 0 {
				t.Errorf("the layer was asked %d times with nothing behind it", n)
			}
			for _, f := range d.Findings {
				if f.Kind != "dirty-way" && f.Fails {
					t.Errorf("told of the layer: %+v", f)
				}
			}
		})
	}
}

// TestWayBreaksDownAtTheEnd: a way that broke down after the last row leaves open what the layer did last, so it is never green.
func TestWayBreaksDownAtTheEnd(t *testing.T) {
	var down atomic.Bool
	d := run(t, honest, four, over(t, func(to *url.URL) http.Handler {
		next := proxied(nil)(to)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if down.Load() {
				http.Error(w, "gone", http.StatusBadGateway)
				return
			}
			next.ServeHTTP(w, r)
		})
	}), func(c *check.Config) {
		c.Progress = func(p check.Progress) {
			if p.Phase == "late hits" {
				down.Store(true)
			}
		}
	})
	if d.Result.Exit != 3 || d.Result.Counts["preserved"] != 4 || d.Result.Why != "the way to the stub broke down during the run" {
		t.Errorf("exit %d: %s, %s", d.Result.Exit, d.Result.Why, verdicts(d))
	}
}

// hangsUp is a layer that breaks the connection off when its upstream is away.
func hangsUp(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
	if a := ask(r); a.Status != 502 {
		return a
	}
	return &wire.Answer{End: wire.EndNone, Err: "closed without an answer"}
}

// TestRemoteStub: without loopback the stub has to be believed, and what differs is still not the layer's.
func TestRemoteStub(t *testing.T) {
	swap := proxied(func(r *http.Response) error {
		r.Header.Set("Via", "1.1 tunnel")
		if r.StatusCode == 529 {
			replace(r, 529, page)
		}
		return nil
	})
	d := run(t, honest, four, over(t, swap), func(c *check.Config) { c.Near = nil })
	if row(t, d, "overloaded_wait_529").Verdict != "untestable" || row(t, d, "rate_limit").Verdict != "preserved" || d.Result.Exit != 3 {
		t.Errorf("exit %d, %s", d.Result.Exit, verdicts(d))
	}
}

// anotherStub is a way that leads to the stub of another run.
func anotherStub(t *testing.T) option {
	return func(c *check.Config) {
		s, err := stub.New(stub.Options{Matrix: c.Matrix, Ledger: ledger.New(ledger.NewRun())})
		if err != nil {
			t.Fatal(err)
		}
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- s.Serve(l) }()
		t.Cleanup(func() { s.Close(); <-done })
		public(t, c, "http://"+l.Addr().String())
	}
}

var quiet = log.New(io.Discard, "", 0)

// dropsRetryAfter is a layer that loses one header.
func dropsRetryAfter(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
	a := ask(r)
	a.Header = slices.DeleteFunc(a.Header, func(f wire.Field) bool { return strings.EqualFold(f.Name, "retry-after") })
	return a
}

// altered is a way that swaps a status.
type altered struct{ check.Way }

func (w altered) Do(ctx context.Context, r wire.Request) *wire.Answer {
	a := w.Way.Do(ctx, r)
	if wants(r, "rate_limit") {
		a.Status = 500
	}
	return a
}

// noted is a layer that notes that it was asked.
type noted struct {
	check.Way
	asked *bool
}

func (w noted) Do(ctx context.Context, r wire.Request) *wire.Answer {
	*w.asked = true
	return w.Way.Do(ctx, r)
}

func streams(c *check.Config) {
	for i := range c.Rows {
		c.Rows[i].Mode = fixture.Stream
	}
}

// closedPort is one where nothing listens.
func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// silent takes connections and says nothing.
func silent(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return "http://" + l.Addr().String()
}
