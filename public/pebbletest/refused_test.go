package pebbletest

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/public"
)

// TestRefused shows what is said when there is no certificate to be had, and that there is no second order.
func TestRefused(t *testing.T) {
	t.Parallel()
	p, closed := start(t, 0), start(t, 0)
	_ = closed.listener.Close()
	limited := func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/order-plz" {
			return false
		}
		w.Header().Set("Retry-After", "7200")
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `{"type":"urn:ietf:params:acme:error:rateLimited","detail":"too many failed\u001b[31m authorizations"}`)
		return true
	}
	for _, c := range []struct {
		why    string
		change func(*public.Options)
		refuse func(http.ResponseWriter, *http.Request) bool
		want   []string
		orders int
		again  time.Duration // refused for so long; 0: not at all
	}{
		{"a name that the authority won't have", func(o *public.Options) { o.Name = blocked }, nil,
			[]string{"rejectedIdentifier", blocked, "another authority with --acme-directory"}, 1, 12 * time.Minute},
		{"nobody answers on port 80", func(o *public.Options) { o.Listener, o.HTTPListen = nil, freePort(t) }, nil,
			[]string{"connection", "open port 80", "A and AAAA records of " + name}, 1, 12 * time.Minute},
		{"nobody answers on port 443", func(o *public.Options) { o.Listener, o.Directory, o.CAFile = elsewhere(t), closed.url, closed.caFile }, nil,
			[]string{"port 443", "open to the internet"}, 1, 12 * time.Minute},
		{"a name that is nowhere", func(o *public.Options) { o.Name = nowhere }, nil,
			[]string{nowhere, "looked up"}, 1, 12 * time.Minute},
		{"a limit", nil, limited, []string{"rateLimited", "too many failed [31m authorizations", "another try in 2 h", "--acme-directory staging"}, 1, 2 * time.Hour},
		{"no port can be had", func(o *public.Options) { o.Listener, o.HTTPListen = nil, p.listener.Addr().String() }, nil,
			[]string{"nothing was ordered", "address already in use", "setcap"}, 0, 0},
		{"the directory's root is not known", func(o *public.Options) { o.CAFile = "" }, nil,
			[]string{"not known here", "--acme-ca"}, 0, 0},
		{"no ACME there", func(o *public.Options) { o.Directory = strings.TrimSuffix(o.Directory, "/dir") + "/nothing" }, nil,
			[]string{"404"}, 0, 0},
		{"nobody there", func(o *public.Options) { o.Directory = "https://" + freePort(t) + "/dir" }, nil,
			[]string{"connection refused", "--acme-directory"}, 0, 0},
	} {
		p.mu.Lock()
		p.refuse = c.refuse
		p.mu.Unlock()
		opt := p.options(t.TempDir())
		if c.change != nil {
			c.change(&opt)
		}
		asked := p
		if opt.Directory == closed.url {
			asked = closed
		}
		_, orders, err := asked.order(opt)
		if err == nil {
			t.Errorf("%s: it worked", c.why)
			continue
		}
		t.Logf("%s:\n%v", c.why, err)
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: without %q: %v", c.why, w, err)
			}
		}
		if orders != c.orders {
			t.Errorf("%s: %d orders, want %d", c.why, orders, c.orders)
		}
		again(t, c.why, err, c.again)
		asked.notAgain(c.why, opt, c.again > 0, c.orders)
	}
}

func again(t *testing.T, why string, err error, want time.Duration) {
	t.Helper()
	var f *public.Failure
	if !errors.As(err, &f) {
		t.Errorf("%s: a %T", why, err)
		return
	}
	if wait := time.Until(f.Again); want == 0 != f.Again.IsZero() || want > 0 && (wait > want || wait < want-patience) {
		t.Errorf("%s: the next order in %v, want %v", why, wait, want)
	}
}

// notAgain repeats a run that failed: it must not order if the failure counted, unless forced.
func (p *pebble) notAgain(why string, opt public.Options, refused bool, orders int) {
	p.t.Helper()
	if refused {
		_, n, err := p.order(opt)
		if n != 0 || err == nil || !strings.Contains(err.Error(), "no order was placed") || !strings.Contains(err.Error(), "--acme-force") {
			p.t.Errorf("%s: again: %d orders, %v", why, n, err)
		}
	}
	opt.Force = true
	if _, n, err := p.order(opt); n != orders || err == nil {
		p.t.Errorf("%s: forced: %d orders, want %d: %v", why, n, orders, err)
	}
}

// elsewhere is a listener that the authority does not know of.
func elsewhere(t *testing.T) *net.TCPListener {
	t.Helper()
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// TestMendedFailure orders again once forced, and forgets the failure.
func TestMendedFailure(t *testing.T) {
	t.Parallel()
	p, cache := start(t, 0), t.TempDir()
	opt := p.options(cache)
	opt.Listener, opt.HTTPListen = nil, freePort(t)
	if _, _, err := p.order(opt); err == nil {
		t.Fatal("it worked")
	}
	opt = p.options(cache)
	opt.Force = true
	if _, _, err := p.order(opt); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(cache, "*", "*.failed.json")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// TestBrokenOff ends soon, leaves no mark, and gives the listener back.
func TestBrokenOff(t *testing.T) {
	t.Parallel()
	p, cache := start(t, 0), t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	p.refuse = func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.HasPrefix(r.URL.Path, "/chalZ/") {
			cancel()
		}
		return false
	}
	opt := p.options(cache)
	_, err := public.ACME(ctx, opt)
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "broken off") {
		t.Errorf("%v", err)
	}
	p.mu.Lock()
	p.refuse = nil
	p.mu.Unlock()
	if _, orders, err := p.order(opt); err != nil || orders != 1 {
		t.Errorf("afterwards: %d orders, %v", orders, err)
	}
}
