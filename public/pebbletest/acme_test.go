package pebbletest

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/public"
	"github.com/preservecheck/preservecheck/stub"
)

// TestChallenges has a certificate issued in each way.
func TestChallenges(t *testing.T) {
	t.Parallel()
	p := start(t, 0)
	for _, c := range []struct {
		why       string
		change    func(*public.Options)
		challenge string
		name      string
		life      time.Duration // 0: of any profile; Pebble takes one by chance where none is asked for
	}{
		{"a name, on the stub's own port", nil, "tls-alpn-01", name, 0},
		{"a name, by HTTP, as asked", func(o *public.Options) { o.Challenges = []string{"http-01"} }, "http-01", name, 0},
		{"a name, by HTTP, since there is no TLS listener", func(o *public.Options) { o.Listener = nil }, "http-01", name, 0},
		{"an address is of the short-lived profile, by HTTP", func(o *public.Options) { o.Name = "127.0.0.1" }, "http-01", "127.0.0.1", 160 * time.Hour},
		{"an address, on the stub's own port, under its reverse name", func(o *public.Options) {
			o.Name, o.Challenges = "127.0.0.1", []string{"tls-alpn-01"}
		}, "tls-alpn-01", "127.0.0.1", 160 * time.Hour},
		{"the preferred port is taken", func(o *public.Options) {
			o.HTTPListen, o.Challenges = p.listener.Addr().String(), []string{"http-01", "tls-alpn-01"}
		}, "tls-alpn-01", name, 0},
		{"with an e-mail", func(o *public.Options) { o.Email = "me@example.org" }, "tls-alpn-01", name, 0},
	} {
		p.forget()
		opt := p.options(t.TempDir())
		if c.change != nil {
			c.change(&opt)
		}
		cert, orders, err := p.order(opt)
		if err != nil || orders != 1 {
			t.Errorf("%s: %d orders, %v", c.why, orders, err)
			continue
		}
		if err := cert.Leaf().VerifyHostname(c.name); err != nil {
			t.Errorf("%s: %v", c.why, err)
		}
		if life := cert.Leaf().NotAfter.Sub(cert.Leaf().NotBefore).Round(time.Hour); c.life > 0 && life != c.life {
			t.Errorf("%s: a life of %v, want %v", c.why, life, c.life)
		}
		if !p.said("answering " + c.challenge) {
			t.Errorf("%s: not by %s: %q", c.why, c.challenge, p.log)
		}
		if !p.said("terms of service") {
			t.Errorf("%s: the terms were not named", c.why)
		}
	}
}

// TestStubIsServed shows what a gateway sees: the stub's answer under a name that the authority vouches for.
func TestStubIsServed(t *testing.T) {
	t.Parallel()
	p := start(t, 0)
	cert, _, err := p.order(p.options(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	serveStub(t, p, cert)
	nc, err := p.trusted(name, "h2", "http/1.1")
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	if got := nc.ConnectionState().NegotiatedProtocol; got != "http/1.1" {
		t.Errorf("protocol %q", got)
	}
	_ = nc.SetDeadline(time.Now().Add(patience))
	_, _ = fmt.Fprintf(nc, "GET /nothing HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", name)
	if out, err := io.ReadAll(nc); err != nil || !bytes.HasPrefix(out, []byte("HTTP/1.1 4")) || !bytes.Contains(out, []byte("preservecheck")) {
		t.Errorf("no answer of the stub: %q %v", out, err)
	}
	if _, err := p.trusted("other.example.org"); err == nil {
		t.Error("the certificate is good for any name")
	}
	if nc, err := p.trusted(name, "h2"); err == nil {
		nc.Close()
		t.Error("a client that speaks HTTP/2 alone was taken")
	}
	if nc, err := p.trusted(name, "acme-tls/1"); err == nil {
		nc.Close()
		t.Error("acme-tls/1 is answered though no validation is under way")
	}
}

// serveStub puts the stub behind the certificate.
func serveStub(t *testing.T, p *pebble, cert *public.Certificate) {
	t.Helper()
	matrix, err := fixture.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	s, err := stub.New(stub.Options{Matrix: matrix, Ledger: ledger.New("0a1b2c3d")})
	if err != nil {
		t.Fatal(err)
	}
	ended, l := make(chan error), &watched{Listener: p.listener}
	go func() { ended <- s.Serve(tls.NewListener(l, cert.TLS())) }()
	t.Cleanup(func() {
		if err := l.failed.Load(); err != nil {
			t.Errorf("somebody else laid hands on the stub's listener: %v", *err)
		}
		if err := errors.Join(s.Close(), <-ended); err != nil {
			t.Error(err)
		}
	})
}

// watched remembers that accepting failed while the stub served.
type watched struct {
	net.Listener
	failed atomic.Pointer[error]
}

func (w *watched) Accept() (net.Conn, error) {
	nc, err := w.Listener.Accept()
	if err != nil && !errors.Is(err, net.ErrClosed) {
		w.failed.Store(&err)
	}
	return nc, err
}

// TestRejectedNonce has an authority that takes every second nonce only, as a busy one may.
func TestRejectedNonce(t *testing.T) {
	t.Parallel()
	p := start(t, 50)
	_, _, err := p.order(p.options(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.nonces == 0 {
		t.Error("no nonce was rejected, so nothing was shown")
	}
	t.Logf("%d rejected", p.nonces)
}

// TestRepeatedRunOrdersNothing also shows what the folder looks like.
func TestRepeatedRunOrdersNothing(t *testing.T) {
	t.Parallel()
	p, cache := start(t, 0), filepath.Join(t.TempDir(), "new")
	first, _, err := p.order(p.options(cache))
	if err != nil {
		t.Fatal(err)
	}
	total := p.total()
	opt := p.options(cache)
	opt.Listener, opt.HTTPListen = nil, "256.0.0.1:1" // nothing is listened on, either
	second, orders, err := p.order(opt)
	if err != nil || orders != 0 || p.total() != total {
		t.Fatalf("%d orders, %d requests: %v", orders, p.total()-total, err)
	}
	if !first.Leaf().Equal(second.Leaf()) {
		t.Error("another certificate")
	}
	if runtime.GOOS == "windows" {
		return
	}
	err = filepath.WalkDir(cache, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if want := map[bool]fs.FileMode{true: 0o700, false: 0o600}[d.IsDir()]; err == nil && info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, want %v", path, info.Mode().Perm(), want)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func (p *pebble) total() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.requests {
		n += c
	}
	return n
}

// TestAccountIsKept registers once, whatever is ordered.
func TestAccountIsKept(t *testing.T) {
	t.Parallel()
	p, cache := start(t, 0), t.TempDir()
	for _, n := range []string{name, "other.example.org"} {
		opt := p.options(cache)
		opt.Name = n
		if _, _, err := p.order(opt); err != nil {
			t.Fatal(err)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if only(t, cache, "account.pem"); p.accounts != 1 {
		t.Errorf("%d accounts for two names", p.accounts)
	}
}

// TestOldCertificate has what the cache holds replaced when it should be, and kept when it can't.
func TestOldCertificate(t *testing.T) {
	t.Parallel()
	p := start(t, 0)
	day, cache := 24*time.Hour, t.TempDir()
	if _, _, err := p.order(p.options(cache)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		why         string
		begin, end  time.Duration // from now
		name        string
		unreachable bool
		orders      int
		same        bool // the old one is used
		failed      bool
	}{
		{"expired", -90 * day, -day, name, false, 1, false, false},
		{"a third of the life is left, and a day more", -59 * day, 31 * day, name, false, 0, true, false},
		{"less than a third is left", -61 * day, 29 * day, name, false, 1, false, false},
		{"less than a third of a short life", -120 * time.Hour, 40 * time.Hour, name, false, 1, false, false},
		{"of another name", -day, 89 * day, "other.example.org", false, 1, false, false},
		{"should be renewed, which fails, and is still valid", -61 * day, 29 * day, name, true, 1, true, false},
		{"expired, and no new one is to be had", -90 * day, -day, name, true, 1, false, true},
		{"of the future: the clock is wrong, and another order would not help", day, 90 * day, name, false, 0, false, true},
	} {
		old := plant(t, only(t, cache, name+".pem"), c.name, c.begin, c.end)
		opt := p.options(cache)
		opt.Force = true // the cases before left a failure
		if c.unreachable {
			opt.Listener, opt.HTTPListen = nil, freePort(t)
		}
		cert, orders, err := p.order(opt)
		if (err != nil) != c.failed || orders != c.orders {
			t.Errorf("%s: %d orders, want %d: %v", c.why, orders, c.orders, err)
		}
		if err == nil && cert.Leaf().Equal(old) != c.same {
			t.Errorf("%s: the one in use is valid until %v", c.why, cert.Leaf().NotAfter)
		}
		if err == nil && !c.same {
			if _, err := cert.Leaf().Verify(x509.VerifyOptions{Roots: p.roots, Intermediates: chain(t, cache)}); err != nil {
				t.Errorf("%s: %v", c.why, err)
			}
		}
	}
}

// chain is what the cache holds behind the leaf.
func chain(t *testing.T, cache string) *x509.CertPool {
	t.Helper()
	b, err := os.ReadFile(only(t, cache, name+".pem"))
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(b)
	return pool
}

// plant puts a certificate of a given life into the place of the one that is kept.
func plant(t *testing.T, file, of string, begin, end time.Duration) *x509.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{of}, NotBefore: now.Add(begin), NotAfter: now.Add(end)}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	b := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})
	b = append(b, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

// TestRenewIsServed renews under the stub's clients: the challenge is answered by the stub's own listener.
func TestRenewIsServed(t *testing.T) {
	t.Parallel()
	p, cache := start(t, 0), t.TempDir()
	if _, _, err := p.order(p.options(cache)); err != nil {
		t.Fatal(err)
	}
	old := plant(t, only(t, cache, name+".pem"), name, -57*time.Second, 33*time.Second) // due in three seconds
	cert, orders, err := p.order(p.options(cache))
	if err != nil || orders != 0 || !cert.Leaf().Equal(old) {
		t.Fatalf("%d orders, %v", orders, err)
	}
	serveStub(t, p, cert)
	before, tries := p.count("/order-plz"), 0
	for end := time.Now().Add(patience); cert.Leaf().Equal(old) && time.Now().Before(end); tries++ {
		if err := cert.Renew(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
	}
	if orders := p.count("/order-plz") - before; orders != 1 || tries < 2 {
		t.Errorf("%d orders in %d calls", orders, tries)
	}
	nc, err := p.trusted(name)
	if err != nil {
		t.Fatal(err)
	}
	_ = nc.Close()
	if err := cert.Renew(t.Context()); err != nil || p.count("/order-plz")-before != 1 {
		t.Errorf("renewed again: %v", err)
	}
}

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
