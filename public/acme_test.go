package public

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/acme"
)

func TestOptions(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		why  string
		opt  Options
		want string // of the error, "" if the options are good
	}{
		{"all that is needed", Options{Name: "stub.example.org", CacheDir: dir}, ""},
		{"upper case and a dot at the end", Options{Name: "Stub.Example.Org.", CacheDir: dir}, ""},
		{"a private authority's", Options{Name: "stub", CacheDir: dir, Directory: "https://ca.internal:8443/acme/directory"}, ""},
		{"staging", Options{Name: "xn--bcher-kva.example", CacheDir: dir, Directory: "staging"}, ""},
		{"an address", Options{Name: "192.0.2.1", CacheDir: dir}, ""},
		{"an IPv6 address in brackets", Options{Name: "[2001:db8::1]", CacheDir: dir}, ""},
		{"a zone", Options{Name: "fe80::1%eth0", CacheDir: dir}, "zone"},
		{"a URL", Options{Name: "https://stub.example.org", CacheDir: dir}, "name alone"},
		{"a port", Options{Name: "stub.example.org:443", CacheDir: dir}, "name alone"},
		{"a wildcard", Options{Name: "*.example.org", CacheDir: dir}, "wildcard"},
		{"another script", Options{Name: "bücher.example", CacheDir: dir}, "xn--"},
		{"a path out of the folder", Options{Name: "..", CacheDir: dir}, "no DNS name"},
		{"a label that ends in a hyphen", Options{Name: "a-.example.org", CacheDir: dir}, "no DNS name"},
		{"a label that is too long", Options{Name: strings.Repeat("a", 64) + ".org", CacheDir: dir}, "no DNS name"},
		{"none", Options{CacheDir: dir}, "no DNS name"},
		{"a directory without TLS", Options{Name: "stub", CacheDir: dir, Directory: "http://127.0.0.1/dir"}, "https URL"},
		{"a directory that is a word", Options{Name: "stub", CacheDir: dir, Directory: "stagging"}, "production, staging or"},
		{"a challenge that can't be answered", Options{Name: "stub", CacheDir: dir, Challenges: []string{"dns-01"}}, "tls-alpn-01"},
		{"no folder", Options{Name: "stub"}, "folder"},
		{"roots that are missing", Options{Name: "stub", CacheDir: dir, CAFile: filepath.Join(dir, "no")}, "no such file"},
		{"roots that are none", Options{Name: "stub", CacheDir: dir, CAFile: "acme_test.go"}, "holds no certificate"},
	} {
		_, err := newOrderer(c.opt)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.why, err, c.want)
		}
	}
	o, err := newOrderer(Options{Name: "Stub.Example.Org.", CacheDir: dir})
	if err != nil || o.opt.Name != "stub.example.org" || o.opt.Directory != LetsEncrypt || o.opt.HTTPListen != ":80" || o.opt.Challenges[0] != methodTLS {
		t.Errorf("defaults: %+v %v", o.opt, err)
	}
	if o, err = newOrderer(Options{Name: "[2001:DB8::1]", CacheDir: dir}); err != nil || o.opt.Name != "2001:db8::1" || o.opt.Challenges[0] != methodHTTP {
		t.Errorf("defaults of an address: %+v %v", o.opt, err)
	}
}

// TestStagingIsSaid says of a certificate that nobody trusts that it is one; it is out of the cache, so that nobody is asked.
func TestStagingIsSaid(t *testing.T) {
	for _, directory := range []string{"staging", "production"} {
		var said []string
		opt := Options{Name: "a.example.org", CacheDir: t.TempDir(), Directory: directory, Log: func(s string) { said = append(said, s) }}
		o, err := newOrderer(opt)
		if err != nil {
			t.Fatal(err)
		}
		cert, key := pair(t, "a.example.org", -day, 60*day)
		put(t, o.cache.path(".pem"), append(key, cert...), 0o600)
		if _, err := ACME(t.Context(), opt); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(strings.Join(said, "\n"), "no gateway trusts it"); got != (directory == "staging") {
			t.Errorf("%s: %q", directory, said)
		}
	}
}

// TestExplain wants of each kind of error what to open or to mend.
func TestExplain(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	a := asked{name: "stub.example.org", directory: "https://ca.example.net/dir", method: methodHTTP, listen: ":80", caa: []string{"ca.example.net"}}
	overTLS := a
	overTLS.method = methodTLS
	of := func(kind, detail string) *acme.Error {
		return &acme.Error{StatusCode: 403, ProblemType: "urn:ietf:params:acme:error:" + kind, Detail: detail}
	}
	validation := func(e error) error { return &acme.AuthorizationError{Errors: []error{e}} }
	limit := func(h string) *acme.Error {
		e := of("rateLimited", "too many")
		e.StatusCode = http.StatusTooManyRequests
		if h != "" {
			e.Header = http.Header{"Retry-After": {h}}
		}
		return e
	}
	for _, c := range []struct {
		why   string
		asked asked
		err   error
		want  []string
		again time.Duration
	}{
		{"port 80 is shut", a, validation(of("connection", "timeout")), []string{"stub.example.org", "https://ca.example.net/dir", "connection: timeout", "open port 80"}, 0},
		{"port 443 is shut", overTLS, validation(of("connection", "timeout")), []string{"open port 443"}, 0},
		{"no record", a, validation(of("dns", "NXDOMAIN")), []string{"A or AAAA record", "DNSSEC"}, 0},
		{"CAA", a, validation(of("caa", "forbidden")), []string{`0 issue "ca.example.net"`, "CAA records of stub.example.org"}, 0},
		{"another server", a, validation(of("unauthorized", "404")), []string{"port 80", "CDN"}, 0},
		{"a load balancer", overTLS, validation(of("tls", "no acme-tls/1")), []string{"http-01", "--stub-url"}, 0},
		{"policy, when the order is placed", a, of("rejectedIdentifier", "no"), []string{"its rules", "--acme-directory"}, 0},
		{"an order that went bad later", a, &acme.OrderError{Status: "invalid", Problem: of("caa", "forbidden")}, []string{"0 issue"}, 0},
		{"subproblems are where Let's Encrypt says what it means", a, &acme.Error{StatusCode: 400, ProblemType: "urn:ietf:params:acme:error:malformed", Detail: "see below",
			Subproblems: []acme.Subproblem{{Detail: "ends in a private suffix"}}}, []string{"see below (ends in a private suffix)"}, 0},
		{"e-mail", a, of("invalidContact", "no MX"), []string{"--acme-email"}, 0},
		{"customers only", a, of("externalAccountRequired", "EAB"), []string{"--tls-cert"}, 0},
		{"new terms", a, &acme.Error{StatusCode: 403, ProblemType: "urn:ietf:params:acme:error:userActionRequired", Instance: "https://ca.example.net/terms"}, []string{"https://ca.example.net/terms"}, 0},
		{"its own fault", a, of("serverInternal", "oops"), []string{"try again later"}, 0},
		{"a limit in seconds", a, limit("7200"), []string{"another try in 2 h", "2026-11-30 14:00 UTC"}, 2 * time.Hour},
		{"a limit until a date", a, limit("Mon, 30 Nov 2026 12:20:00 GMT"), []string{"20 min"}, 20 * time.Minute},
		{"a limit without a time", a, limit(""), []string{"60 min"}, time.Hour},
		{"a limit for ever is not believed", a, limit("99999999999999"), []string{"168 h"}, 7 * 24 * time.Hour},
		{"a limit that is over", a, limit("Mon, 30 Nov 2026 11:00:00 GMT"), []string{"1 min"}, time.Second},
		{"a limit by its status alone", a, &acme.Error{StatusCode: 429, Detail: "slow down"}, []string{"60 min"}, time.Hour},
		{"it did not decide", a, fmt.Errorf("x: %w", context.DeadlineExceeded), []string{"did not decide in time", "port 80"}, 0},
		{"it did not answer", asked{name: a.name, directory: a.directory}, context.DeadlineExceeded, []string{"does not answer in time"}, 0},
		{"Ctrl-C", a, context.Canceled, []string{"broken off"}, 0},
		{"a private root", a, x509.UnknownAuthorityError{}, []string{"--acme-ca"}, 0},
		{"a misspelt directory", a, &net.DNSError{Err: "no such host", Name: "ca.example.net"}, []string{"right --acme-directory"}, 0},
		{"a misspelt directory is said to be one", a, &net.DNSError{Err: "no such host", Name: "ca.example.net"}, []string{"can't be found"}, 0},
		{"a directory of another name", a, x509.HostnameError{Certificate: &x509.Certificate{}, Host: "ca.example.net"}, []string{"does not fit", "right --acme-directory"}, 0},
		{"an expired directory", a, x509.CertificateInvalidError{Cert: &x509.Certificate{}, Reason: x509.Expired}, []string{"does not fit", "clock"}, 0},
		{"no directory there", a, &acme.Error{StatusCode: 404, Detail: "404 page not found"}, []string{"says 404", "right --acme-directory"}, 0},
		{"CAA, of an authority that does not say who it is", asked{name: a.name}, of("caa", "forbidden"), []string{"the authority's domain"}, 0},
		{"a validation without a reason", a, &acme.AuthorizationError{}, []string{"no certificate for stub.example.org"}, 0},
		{"an order without a reason", a, &acme.OrderError{Status: "invalid"}, []string{"no certificate for stub.example.org"}, 0},
		{"anything else", a, errors.New("odd"), []string{"odd"}, 0},
	} {
		f := explain(c.asked, c.err, now)
		for _, w := range c.want {
			if !strings.Contains(f.Error(), w) {
				t.Errorf("%s: without %q: %v", c.why, w, f)
			}
		}
		if c.again == 0 != f.Again.IsZero() || c.again > 0 && f.Again.Sub(now) != c.again {
			t.Errorf("%s: again at %v", c.why, f.Again)
		}
		if !errors.Is(f, c.err) {
			t.Errorf("%s: does not wrap what happened", c.why)
		}
	}
}

// TestClean holds that nothing which an authority quotes reaches a terminal as more than text.
func TestClean(t *testing.T) {
	for _, c := range []struct{ why, in, want string }{
		{"as it is", "Invalid response from http://a/: 404", "Invalid response from http://a/: 404"},
		{"colours and lines", "a\x1b[31mred\r\n\tb\x07", "a [31mred b"},
		{"turned round", "a\u202eb", "a b"},
		{"no UTF-8", "a\xffb", "a\ufffdb"},
	} {
		if got := clean(c.in); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
	if got := clean(strings.Repeat("ä", 10000)); len(got) > mostText+10 {
		t.Errorf("%d bytes of a page", len(got))
	}
}

// TestBackoff holds what is sent again.
func TestBackoff(t *testing.T) {
	for _, c := range []struct {
		why       string
		n, status int
		again     bool
	}{
		{"a rejected nonce", 1, 400, true}, {"often", 10, 400, true}, {"too often", 11, 400, false},
		{"a limit, never", 1, 429, false}, {"a redirect, never", 1, 302, false},
		{"its own fault", 1, 503, true}, {"twice", 2, 503, true}, {"and no more", 3, 503, false},
	} {
		if got := backoff(c.n, nil, &http.Response{StatusCode: c.status}); got > 0 != c.again {
			t.Errorf("%s: %v", c.why, got)
		}
	}
}

// TestServerName has the names under which authorities ask for addresses.
func TestServerName(t *testing.T) {
	for in, want := range map[string]string{
		"stub.example.org": "stub.example.org",
		"192.0.2.17":       "17.2.0.192.in-addr.arpa",
		"2001:db8::1a":     "a.1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa",
	} {
		if got := serverName(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// TestAnswerHTTP answers one path and nothing else, whoever holds connections open.
func TestAnswerHTTP(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	stop := answerHTTP(l, "/.well-known/acme-challenge/token", "token.print")
	var idle []net.Conn
	for range answerConns / 2 { // strangers who say nothing
		nc, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		idle = append(idle, nc)
	}
	for _, c := range []struct {
		why, request, body string
		status             int // 0: closed without a word
	}{
		{"the authority", "GET /.well-known/acme-challenge/token HTTP/1.1\r\nHost: stub.example.org\r\n\r\n", "token.print", 200},
		{"a probe", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "", 404},
		{"the root of challenges", "GET /.well-known/acme-challenge/ HTTP/1.1\r\nHost: x\r\n\r\n", "", 404},
		{"another method", "POST /.well-known/acme-challenge/token HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", "", 404},
		{"no HTTP", "\x16\x03\x01\r\n\r\n", "", 0},
		{"a head without end", "GET / HTTP/1.1\r\nX: " + strings.Repeat("a", answerHead), "", 0},
	} {
		nc, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_ = nc.SetDeadline(time.Now().Add(patience))
		_, _ = io.WriteString(nc, c.request)
		resp, err := http.ReadResponse(bufio.NewReader(nc), nil)
		if c.status == 0 {
			if err == nil {
				t.Errorf("%s: %d", c.why, resp.StatusCode)
			}
			_ = nc.Close()
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", c.why, err)
		}
		body, err := io.ReadAll(resp.Body)
		if resp.StatusCode != c.status || string(body) != c.body || err != nil || len(resp.Header) > 2 {
			t.Errorf("%s: %d %q %v %v", c.why, resp.StatusCode, body, resp.Header, err)
		}
		_ = nc.Close()
	}
	for _, nc := range idle {
		_ = nc.Close()
	}
	stop()
	if _, err := net.Dial("tcp", l.Addr().String()); err == nil {
		t.Error("still listening")
	}
}

// TestListenerComesBack borrows a listener, and accepts on it afterwards as if nothing had been.
func TestListenerComesBack(t *testing.T) {
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	stop := answerTLS(l, (&Certificate{}).TLS())
	if nc, err := tls.Dial("tcp", l.Addr().String(), &tls.Config{InsecureSkipVerify: true}); err == nil {
		_ = nc.Close()
		t.Error("a stranger got a certificate")
	}
	stop()
	nc, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	got, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	_ = got.Close()
}
