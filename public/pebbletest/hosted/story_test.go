//go:build linux

package hosted

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/record"
)

// served is serve on the stub's machine with a certificate of the authority's.
type served struct {
	*process
	authority *authority
	cache     string
	secret    string // file
	upstream  string // what the gateway is told
	gateway   pair   // the gateways' certificate
	trust     string // roots that a check has to trust
}

// open opens one on an authority, a cache and a secret file.
func open(t *testing.T, a *authority, cache, secret string, more ...string) *served {
	t.Helper()
	file := filepath.Join(t.TempDir(), "url")
	args := append([]string{"serve", "--secret-file", secret, "--url-file", file, "--admin-listen", "0.0.0.0:8788"}, a.flags(cache)...)
	s := &served{process: preservecheck(t, here, append(args, more...)...), authority: a, cache: cache, secret: secret, gateway: selfSigned(t, gatewayName)}
	s.says("the stub ends after")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v %v: others on the machine may read the URL", info, err)
	}
	s.upstream = strings.TrimSpace(string(b))
	kept, err := os.ReadFile(secret)
	if err != nil || len(strings.Fields(string(kept))) != 2 {
		t.Fatalf("%v: a secret file without its two lines", err)
	}
	private.add(strings.Fields(string(kept))...)
	s.trust = together(t, a.rootFile, s.gateway.cert)
	return s
}

// hosted is a gateway on the other machine whose upstream is the stub.
func (s *served) hosted(t *testing.T, port int, more string) *proxy {
	t.Helper()
	p := &proxy{on: second, port: port, tls: s.gateway, upstream: s.upstream, trust: s.authority.rootFile, more: more}
	p.start(t)
	return p
}

// check starts one on the other machine.
func (s *served) check(t *testing.T, layer *proxy, more ...string) *checking {
	t.Helper()
	return check(t, second, append([]string{
		"--layer", layer.url(), "--layer-ca", s.trust, "--remote-stub", "https://" + stubName, "--secret-file", s.secret,
	}, more...)...)
}

// told is what a run found, row for row, to the last hit.
func told(d record.Document) string {
	var b strings.Builder
	for _, r := range d.Rows {
		fmt.Fprintf(&b, "%s %s %s hits %d-%d kept %d fields", r.Row, r.Mode, r.Verdict, r.HitsMin, r.HitsMax, len(r.Hits))
		for _, f := range r.Fields {
			fmt.Fprintf(&b, " %s", f.Key)
		}
		fmt.Fprintf(&b, " %s\n", r.Reason)
	}
	for _, f := range d.Findings {
		fmt.Fprintf(&b, "%s %v %s\n", f.Kind, f.Fails, f.Text)
	}
	return b.String() + d.Result.Why
}

// TestStory: a stub with an ordered certificate on one machine, two gateways and two checks at the same time on another, and strangers at
// the public port all the while. What the checks find is what they find when nobody else is there.
func TestStory(t *testing.T) {
	t.Parallel()
	a, cache, secret := openAuthority(t), t.TempDir(), filepath.Join(t.TempDir(), "secret")
	s := open(t, a, cache, secret)
	good, bad := s.hosted(t, 8443, ""), s.hosted(t, 8444, "proxy_hide_header Retry-After;")
	quiet := [2]record.Document{s.check(t, good).record(0), s.check(t, bad).record(1)}
	if len(quiet[0].Rows) < 20 || quiet[0].Target.StubURL != "https://"+stubName {
		t.Fatalf("%d rows, stub %s", len(quiet[0].Rows), quiet[0].Target.StubURL)
	}

	crowd := gather(t, s)
	one, two := s.check(t, good), s.check(t, bad)
	loud := [2]record.Document{one.record(0), two.record(1)}
	crowd.leave()
	for i := range loud {
		if got, want := told(loud[i]), told(quiet[i]); got != want {
			t.Errorf("with strangers:\n%s\nwithout:\n%s", got, want)
		}
	}
	if told(loud[0]) == told(loud[1]) {
		t.Error("two gateways that differ look the same")
	}

	s.interrupt()
	s.wants(0)
	if a.orders.Load() != 1 {
		t.Errorf("%d orders", a.orders.Load())
	}
	again := open(t, a, cache, secret)
	if again.upstream != s.upstream || a.orders.Load() != 1 {
		t.Errorf("the second time: %d orders, the same address: %v", a.orders.Load(), again.upstream == s.upstream)
	}
	again.interrupt()
	again.wants(0)

	args := append([]string{some, "--layer", good.url(), "--layer-ca", s.trust, "--secret-file", secret}, a.flags(t.TempDir())...)
	if d := check(t, here, args...).record(0); len(d.Rows) == 0 || a.orders.Load() != 2 {
		t.Errorf("a check with a stub of its own: %d rows, %d orders", len(d.Rows), a.orders.Load())
	}
}
