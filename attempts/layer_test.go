package attempts

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/controls"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/wire"
)

// through puts an embedded layer between, with a client that counts or does not.
func through(t *testing.T, control string, counts bool) Config {
	c, url := config(t)
	layer, err := controls.Start(control, url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = layer.Close() })
	bases := map[string]wire.Base{}
	for name, at := range map[string]string{Direct: url, Through: layer.URL()} {
		if bases[name], err = wire.ParseBase(at); err != nil {
			t.Fatal(err)
		}
	}
	c.Ways = append(c.Ways, Way{Name: Through, Dialect: dialects.Anthropic, Model: "claude-{fixture}"})
	c.Clients[0].Start = func(w Way) (Client, error) {
		s := &Sdkless{Wire: wire.Client{Base: bases[w.Name], Abrupt: true}, Dialect: dialects.Anthropic}
		if counts {
			return s, nil
		}
		return silent{s}, nil
	}
	return c
}

// silent is a client that says nothing of its requests.
type silent struct{ *Sdkless }

func (s silent) Call(ctx context.Context, c Call) (Reply, error) {
	r, err := s.Sdkless.Call(ctx, c)
	r.Requests = nil
	return r, err
}

// TestThroughALayer: it sends everything three times, so the article's numbers are there three times.
func TestThroughALayer(t *testing.T) {
	d := Run(t.Context(), through(t, "retry-twice", true))
	for _, j := range d.Jobs {
		if j.Way != Through {
			continue
		}
		if want := article[j.Fixture]; j.Worker != want.worker || *j.SDK != want.hits0 || j.Hits != 3*want.hits0 || *j.Own != 0 {
			t.Errorf("%s: %s", j.Fixture, j.Costs)
		}
	}
}

// TestThroughWithoutCounts: a client that says nothing is told by the time between hits. On a machine that is busy the layer's
// own retry may take as long as a client's wait, which must not be told as anything, so it has some tries.
func TestThroughWithoutCounts(t *testing.T) {
	inferred := 0
	for try := 0; try < 5 && inferred == 0; try++ {
		d := Run(t.Context(), through(t, "retry-twice", false))
		for _, j := range d.Jobs {
			switch want := article[j.Fixture]; {
			case j.Way != Through:
			case j.Told == record.ToldInferred && *j.SDK == want.hits0:
				inferred++
			case j.Told != record.ToldNot:
				t.Fatalf("%s: told %s: %s", j.Fixture, j.Told, j.Costs)
			}
		}
	}
	if inferred == 0 {
		t.Error("nothing was inferred")
	}
}

// TestPlan: what goes through the layer is compared with the same job without it.
func TestPlan(t *testing.T) {
	c, _ := config(t)
	c.Ways = append(c.Ways, Way{Name: Through, Route: "a", Dialect: dialects.Anthropic}, Way{Name: Through, Route: "b", Dialect: dialects.Anthropic}, Way{Name: Direct, Dialect: dialects.OpenAIChat})
	c.Modes = []fixture.Mode{fixture.Plain, fixture.Stream}
	jobs := c.plan()
	if want := 3 * len(c.Fixtures) * 2 * 2; len(jobs) != want {
		t.Errorf("%d jobs, want %d: none in a dialect that no client speaks", len(jobs), want)
	}
	for _, p := range jobs {
		if p.record.Way == Direct {
			continue
		}
		if d := p.direct; d == nil || d.Way != Direct || d.Fixture != p.record.Fixture || d.MaxRetries != p.record.MaxRetries || d.Mode != p.record.Mode {
			t.Errorf("%+v is compared with %+v", p.record, d)
		}
	}
}

// TestReady: only a success that the stub has seen opens the way.
func TestReady(t *testing.T) {
	c, url := config(t)
	m, err := fixture.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		_, _ = w.Write([]byte("{}"))
	}))
	defer other.Close()
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	defer refusing.Close()
	for _, x := range []struct{ at, want string }{
		{url, ""},
		{other.URL, "talks to another upstream"},
		{refusing.URL, "answered 401 and the stub saw no such request"},
		{"http://127.0.0.1:1", "no usable answer"},
	} {
		base, err := wire.ParseBase(x.at)
		if err != nil {
			t.Fatal(err)
		}
		s := &Sdkless{Wire: wire.Client{Base: base}, Dialect: dialects.Anthropic}
		why := c.Ready(t.Context(), s, Way{Model: "m"}, m.Canary("anthropic", fixture.Plain), 300*time.Millisecond)
		if (why == "") != (x.want == "") || !strings.Contains(why, x.want) {
			t.Errorf("%s: %q, want %q", x.at, why, x.want)
		}
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("another upstream, perhaps a real provider, was asked %d times", n)
	}
	c.Gone = func() string { return "it ended" }
	if why := c.Ready(t.Context(), &Sdkless{}, Way{}, m.Canary("anthropic", fixture.Plain), time.Second); why != "it ended" {
		t.Error(why)
	}
}
