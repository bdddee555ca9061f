package remote_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/remote"
	"github.com/preservecheck/preservecheck/wire"
)

// raw sends a request as it is and returns the answer and its body.
func (p *place) raw(request string) (*http.Response, string) {
	p.t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(p.api, "http://"))
	if err != nil {
		p.t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := io.WriteString(c, request); err != nil {
		p.t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		p.t.Fatalf("%q: %v", request, err)
	}
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return answer, string(body)
}

// TestNothingWithoutTheToken: who lacks it learns nothing, not even that this is an API; who has it learns of no other path.
func TestNothingWithoutTheToken(t *testing.T) {
	p := placed(t, ledger.HubLimits{}, nil)
	bearer := "authorization: Bearer " + token + "\r\n"
	for _, c := range []struct{ why, line, header string }{
		{"no token", "POST /v1/runs", ""},
		{"a wrong one", "POST /v1/runs", "authorization: Bearer " + token + "x\r\n"},
		{"the beginning of it", "POST /v1/runs", "authorization: Bearer " + token[:20] + "\r\n"},
		{"another scheme", "POST /v1/runs", "authorization: Basic " + token + "\r\n"},
		{"the token alone", "POST /v1/runs", "authorization: " + token + "\r\n"},
		{"an empty one", "GET /v1/arrivals?after=0", "authorization: Bearer \r\n"},
		{"no directory", "GET /", ""},
		{"nor with the token", "GET /", bearer},
		{"no profiles", "GET /debug/pprof/", bearer},
		{"another method", "GET /v1/runs", bearer},
		{"a path that would be redirected", "POST /v1//runs", bearer},
		{"an OPTIONS of the server", "OPTIONS *", ""},
		{"a run without the token", "POST /v1/runs/00000000/hits", ""},
	} {
		answer, body := p.raw(c.line + " HTTP/1.1\r\nhost: stub\r\ncontent-length: 2\r\n" + c.header + "\r\n{}")
		if answer.StatusCode != 404 || body != "" || answer.Header.Get("cache-control") != "no-store" {
			t.Errorf("%s: %d %q %v", c.why, answer.StatusCode, body, answer.Header)
		}
		for name := range answer.Header {
			if !strings.Contains(" Cache-Control Content-Length Date Connection ", " "+name+" ") {
				t.Errorf("%s: the header %s tells something", c.why, name)
			}
		}
	}
	answer, body := p.raw("POST /v1/runs HTTP/1.1\r\nhost: stub\r\ncontent-length: 1048577\r\n" + bearer + "\r\n" + strings.Repeat("x", 1<<20+1))
	if answer.StatusCode != 413 || !strings.Contains(body, "larger than") {
		t.Errorf("%d %q", answer.StatusCode, body)
	}
	answer, body = p.raw("POST /v1/runs HTTP/1.1\r\nhost: stub\r\ncontent-length: 2\r\n" + bearer + "\r\n[]")
	if answer.StatusCode != 400 || !strings.Contains(body, remote.CodeBad) || answer.Header.Get("cache-control") != "no-store" {
		t.Errorf("%d %q", answer.StatusCode, body)
	}
	if _, err := remote.NewServer(remote.ServerOptions{Hub: p.hub, Token: "short"}); !errors.Is(err, remote.ErrToken) {
		t.Errorf("%v", err)
	}
}

// TestARunIsItsOwners: the token opens runs, and only a run's key opens that run.
func TestARunIsItsOwners(t *testing.T) {
	p := placed(t, ledger.HubLimits{Runs: 2}, nil)
	mine, theirs := p.open(), p.open()
	for _, access := range []string{"", "00", token} {
		answer, body := p.raw("POST /v1/runs/" + theirs.Run() + "/hits HTTP/1.1\r\nhost: stub\r\ncontent-length: 2\r\nauthorization: Bearer " + token + "\r\n" + remote.AccessHeader + ": " + access + "\r\n\r\n{}")
		if answer.StatusCode != 410 || !strings.Contains(body, remote.CodeNoRun) {
			t.Errorf("%d %q", answer.StatusCode, body)
		}
	}
	_, err := remote.Open(t.Context(), p.options())
	var no *remote.Refusal
	if !errors.As(err, &no) || no.Code != remote.CodeRuns {
		t.Errorf("%v", err)
	}
	if err := mine.Close(); err != nil {
		t.Fatal(err)
	}
	p.open()
	if err := mine.Sync(); err == nil || mine.Trouble() == "" {
		t.Error("a run that was closed is no more")
	}
}

// TestOpenNeedsTheSame: each thing that both ends must agree on is named, with both values and what to do.
func TestOpenNeedsTheSame(t *testing.T) {
	p := placed(t, ledger.HubLimits{}, nil)
	for _, c := range []struct {
		why    string
		change func(*remote.Options)
		code   string
		want   []string
	}{
		{"another version", func(o *remote.Options) { o.Settings.Matrix = "2031-01" }, remote.CodeMatrix, []string{p.matrix.Version, "2031-01", "same release"}},
		{"a fixture of the user's own", func(o *remote.Options) { o.Settings.Fixtures["mine"] = "00" }, remote.CodeMatrix, []string{"mine", "--matrix"}},
		{"other bytes", func(o *remote.Options) { o.Settings.Fixtures["tier_cap"] = "00" }, remote.CodeMatrix, []string{"tier_cap"}},
		{"one that only the stub has", func(o *remote.Options) { delete(o.Settings.Fixtures, "tier_cap") }, remote.CodeMatrix, []string{"tier_cap"}},
		{"another header", func(o *remote.Options) { o.Settings.Header = "x-other" }, remote.CodeChannels, []string{"x-fixture", "x-other"}},
		{"text that would be told", func(o *remote.Options) { o.Settings.Matrix = "\x1b[31m\u202e" + strings.Repeat("x", 1000) }, remote.CodeMatrix, []string{`\x1b[31m\u202e`}},
	} {
		o := p.options()
		c.change(&o)
		_, err := remote.Open(t.Context(), o)
		var no *remote.Refusal
		if !errors.As(err, &no) || no.Code != c.code || len(no.Message) > 1000 {
			t.Errorf("%s: %v", c.why, err)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(no.Message, w) {
				t.Errorf("%s: %q does not name %q", c.why, no.Message, w)
			}
		}
	}
	o := p.options()
	o.Settings.Header = "X-Fixture"
	if c, err := remote.Open(t.Context(), o); err != nil {
		t.Error("the default by its name, in another case, is the same:", err)
	} else {
		_ = c.Close()
	}
	o.Token = "another token, of as many characters"
	if _, err := remote.Open(t.Context(), o); err == nil || !strings.Contains(err.Error(), "token") {
		t.Errorf("%v", err)
	}
}

// TestStubThatDoesNotWatch: a run that asks for marks is not opened where none are made.
func TestStubThatDoesNotWatch(t *testing.T) {
	p := placed(t, ledger.HubLimits{}, nil)
	api, err := remote.NewServer(remote.ServerOptions{Hub: p.hub, Token: token, Settings: remote.SettingsOf(p.matrix, ledger.Channels{}, false)})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(api)
	defer s.Close()
	o := p.options()
	o.URL = s.URL
	var no *remote.Refusal
	if _, err := remote.Open(t.Context(), o); !errors.As(err, &no) || no.Code != remote.CodeWatch {
		t.Errorf("%v", err)
	}
	o.Settings.Watch = false
	c, err := remote.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
}

// TestCheckerIsKilled: what it held is free again, by itself, and its run is gone.
func TestCheckerIsKilled(t *testing.T) {
	killed := atomic.Value{}
	killed.Store("")
	p := placed(t, ledger.HubLimits{Lease: 1500 * time.Millisecond, Quiet: 3 * time.Second}, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if run := killed.Load().(string); run != "" && strings.Contains(r.URL.Path, run) {
				w.WriteHeader(http.StatusBadGateway) // nothing of it arrives any more
				return
			}
			h.ServeHTTP(w, r)
		})
	})
	gone, next := p.open(), p.open()
	done, err := gone.Announce(ledger.Armed, ledger.Tag{Run: gone.Run(), Fixture: "ok", Nonce: gone.Nonce("ok")})
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	tag := ledger.Tag{Run: next.Run(), Fixture: "ok", Nonce: next.Nonce("ok")}
	var no *remote.Refusal
	if _, err := next.Announce(ledger.Armed, tag); !errors.As(err, &no) || no.Code != remote.CodeLeased {
		t.Errorf("%v", err)
	}
	time.Sleep(2 * time.Second) // longer than its time: it is renewed
	if _, err := next.Announce(ledger.Armed, tag); !errors.As(err, &no) {
		t.Errorf("while its checker is there it holds: %v", err)
	}
	killed.Store(gone.Run())
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if done, err = next.Announce(ledger.Armed, tag); err == nil {
			done()
			break
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
	for end := time.Now().Add(10 * time.Second); p.hub.Has(gone.Run()); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("its run is still there")
		}
	}
	if next.Trouble() != "" {
		t.Error(next.Trouble())
	}
}

// TestAWayThatFailsForAMoment: a call that got no answer is made again, so that nothing is missing; one that never does is told.
func TestAWayThatFailsForAMoment(t *testing.T) {
	var fail atomic.Int32
	p := placed(t, ledger.HubLimits{}, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if fail.Add(-1) >= 0 {
				if nc, _, err := http.NewResponseController(w).Hijack(); err == nil {
					nc.Close()
				}
				return
			}
			h.ServeHTTP(w, r)
		})
	})
	c := p.open()
	fail.Store(2)
	p.flood(1, func(int) ledger.Tag { return p.tag(c, "ok") })
	if err := c.Sync(); err != nil {
		t.Fatal(err)
	}
	fail.Store(1 << 30)
	if err := c.Sync(); err == nil || c.Trouble() == "" {
		t.Error("no answer for as long as patience lasts is trouble")
	}
	fail.Store(0)
	if err := c.Sync(); err == nil {
		t.Error("and stays it, since hits may be missing")
	}
}

// tag is a tag that a request is about to carry.
func (p *place) tag(c *remote.Client, name string) ledger.Tag {
	t := ledger.Tag{Run: c.Run(), Fixture: name, Nonce: c.Nonce(name)}
	c.Issue(t)
	return t
}

// TestForgetIsToldToTheStub: what is forgotten is gone on both sides, and what comes later is told.
func TestForgetIsToldToTheStub(t *testing.T) {
	p := placed(t, ledger.HubLimits{}, nil)
	c := p.open()
	var tags []ledger.Tag
	p.flood(500, func(int) ledger.Tag {
		tags = append(tags, p.tag(c, "ok"))
		return tags[len(tags)-1]
	})
	if err := c.Sync(); err != nil || p.hub.Stats().Hits != 500 || len(c.Of(tags[499].Nonce)) != 1 {
		t.Fatal(err, p.hub.Stats())
	}
	id := c.Of(tags[0].Nonce)[0].ID
	for _, tag := range tags[:499] {
		c.Forget(tag.Nonce)
	}
	if err := c.Sync(); err != nil || p.hub.Stats().Hits != 1 || len(c.Unexplained()) != 0 || len(c.Of(tags[0].Nonce)) != 0 {
		t.Errorf("%v, %+v, %d unexplained", err, p.hub.Stats(), len(c.Unexplained()))
	}
	if _, there := c.ByID(id); there {
		t.Error("it is still known by its id")
	}
	p.flood(1, func(int) ledger.Tag { return tags[0] })
	if err := c.Sync(); err != nil || len(c.Unexplained()) != 1 {
		t.Errorf("%v, %d unexplained", err, len(c.Unexplained()))
	}
}

// TestArrivals: somebody who sets a gateway up sees what comes, whose it may be, and no run's hits.
func TestArrivals(t *testing.T) {
	p := placed(t, ledger.HubLimits{}, nil)
	c := p.open()
	layer := clientOf(t, p.url)
	layer.Do(t.Context(), wire.Request{Method: "GET", Target: "/v1/models"})
	layer.Do(t.Context(), wire.Request{Method: "POST", Target: "/v1/v1/messages", Body: []byte("{}")})
	p.flood(1, func(int) ledger.Tag { return p.tag(c, "ok") })
	var seen remote.Arrivals
	var next uint64
	var err error
	for range 100 { // that an answer was sent whole is noted after its client may have read it
		seen, next, err = c.Arrivals(t.Context(), 0)
		if err != nil || !slices.ContainsFunc(seen.Hits, func(h ledger.Hit) bool { return !h.Served.Finished }) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	slices.SortFunc(seen.Hits, func(a, b ledger.Hit) int { return a.At.Compare(b.At) })
	if err != nil || len(seen.Hits) != 2 || !seen.Hits[0].Aside || seen.Hits[1].Path != "/v1/v1/messages" || seen.Hits[1].Note == "" {
		t.Fatalf("%v %+v", err, seen)
	}
	if d := time.Since(seen.Hits[1].At); d < 0 || d > time.Minute {
		t.Errorf("its time is not ours: %v", d)
	}
	if seen, _, err = c.Arrivals(t.Context(), next); err != nil || len(seen.Hits) != 0 {
		t.Errorf("%v %+v", err, seen)
	}
}

// TestAddresses: the token goes nowhere in the clear, and to nobody whose certificate is not known.
func TestAddresses(t *testing.T) {
	p := placed(t, ledger.HubLimits{}, nil)
	for _, url := range []string{"http://192.0.2.1:1", "http://example.invalid@127.0.0.1", "ftp://127.0.0.1", "127.0.0.1:80", "", "https://h/?q", "https://h/#f", "http://\x7f"} {
		o := p.options()
		o.URL = url
		if _, err := remote.Open(t.Context(), o); !errors.Is(err, remote.ErrAddress) {
			t.Errorf("%q: %v", url, err)
		}
	}
	api, err := remote.NewServer(remote.ServerOptions{Hub: p.hub, Token: token, Settings: p.options().Settings})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(api)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	o := p.options()
	o.URL, o.TLS = s.URL, &tls.Config{InsecureSkipVerify: true}
	if _, err := remote.Open(t.Context(), o); err == nil {
		t.Error("a certificate that nobody knows")
	}
	o.TLS = &tls.Config{RootCAs: x509.NewCertPool()}
	o.TLS.RootCAs.AddCert(s.Certificate())
	c, err := remote.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// TestHostileStub: nothing that comes back is believed because of where it came from.
func TestHostileStub(t *testing.T) {
	var answer atomic.Value
	answer.Store("")
	p := placed(t, ledger.HubLimits{}, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			what := answer.Load().(string)
			switch {
			case what == "" || r.Method == http.MethodDelete:
				h.ServeHTTP(w, r)
			case what == "redirect":
				http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusTemporaryRedirect)
			case what == "huge":
				_, _ = io.WriteString(w, `{"x":"`+strings.Repeat("x", 9<<20)+`"}`)
			default:
				_, _ = io.WriteString(w, what)
			}
		})
	})
	now := func() string { return fmt.Sprint(int64(time.Since(p.hub.Begun()))) }
	told := func(hit string) string {
		return `{"clock":{"came":` + now() + `,"left":` + now() + `},"seq":1,"stray":0,"trouble":{},"hits":[` + hit + `]}`
	}
	const id = `"id":"0123456789abcdef"`
	for _, c := range []struct{ why, answer string }{
		{"a page", "<html>"},
		{"another JSON", "{}"},
		{"a redirect", "redirect"},
		{"no end of it", "huge"},
		{"an error in success's clothes", `{"error":{"code":"x","message":"y"}}`},
		{"an id that is none", told(`{"id":"<script>","at":1,"run":"RUN"}`)},
		{"no id", told(`{"at":1,"run":"RUN"}`)},
		{"another run's hit", told(`{` + id + `,"at":1,"run":"00000000"}`)},
		{"a nonce that is none", told(`{` + id + `,"at":1,"run":"RUN","nonce":"x"}`)},
		{"a channel that is none", told(`{` + id + `,"at":1,"run":"RUN","channels":["pigeon"]}`)},
		{"no time", told(`{` + id + `,"run":"RUN"}`)},
		{"a time in a thousand years", told(`{` + id + `,"at":9000000000000000000,"run":"RUN"}`)},
		{"a negative time", told(`{` + id + `,"at":1,"run":"RUN","served":{"answer_at":-5}}`)},
		{"a long text", told(`{` + id + `,"at":1,"run":"RUN","path":"` + strings.Repeat("x", 5000) + `"}`)},
		{"a long list", told(`{` + id + `,"at":1,"run":"RUN","header":["x"` + strings.Repeat(`,"x"`, 300) + `]}`)},
		{"many hits", told(`{}` + strings.Repeat(`,{}`, 1000))},
		{"another type", told(`{"id":5}`)},
		{"a clock that runs backwards", `{"clock":{"came":5,"left":4},"seq":1,"stray":0,"trouble":{}}`},
		{"a negative count", `{"clock":{"came":` + now() + `,"left":` + now() + `},"seq":1,"stray":0,"trouble":{},"lost":-1}`},
	} {
		client := p.open()
		answer.Store(strings.ReplaceAll(c.answer, "RUN", client.Run()))
		if err := client.Sync(); err == nil {
			t.Errorf("%s: believed", c.why)
		}
		answer.Store("")
		_ = client.Close()
	}
}

// TestWiring shows both ends of a run whose stub is elsewhere.
func TestWiring(t *testing.T) {
	p := placed(t, ledger.HubLimits{}, nil) // serve: a hub as the stub's ledger, and the API beside the stub
	ctx := context.Background()
	client, err := remote.Open(ctx, remote.Options{ // check: the same matrix, channels and profile as the plan has
		URL: p.api, Token: token, Settings: remote.SettingsOf(p.matrix, ledger.Channels{}, false),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	d := check.Run(ctx, p.config(client, way(func(ctx context.Context, r wire.Request) *wire.Answer {
		a := clientOf(t, p.url).Do(ctx, r)
		a.Local = ""
		return a
	})))
	if d.Result.Exit != 0 {
		t.Error(d.Result.Why)
	}
}
