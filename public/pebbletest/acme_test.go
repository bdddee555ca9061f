package pebbletest

import (
	"bytes"
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
	"os"
	"path/filepath"
	"runtime"
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
