//go:build linux

package hosted

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/record"
)

// secretFile is what a user's earlier run made: the secret and the token.
func secretFile(t *testing.T) (file, secret string) {
	t.Helper()
	var b [64]byte
	if _, err := rand.Read(b[:]); err != nil {
		t.Fatal(err)
	}
	secret, token := hex.EncodeToString(b[:32]), hex.EncodeToString(b[32:])
	private.add(secret, token)
	return write(t, "secret", secret+"\n"+token+"\n"), secret
}

// alone is a check with a stub of its own, on the stub's machine, and a gateway on the other one.
type alone struct {
	secretFile string
	upstream   string // of the gateway, with the secret
	gateway    *proxy
	trust      string
}

// ready gets everything ready but the gateway. base is where the stub will be public, and roots are of whoever ends TLS there.
func ready(t *testing.T, port int, base, roots string) *alone {
	t.Helper()
	cert := selfSigned(t, gatewayName)
	file, secret := secretFile(t)
	a := &alone{secretFile: file, upstream: base + "/" + secret, trust: together(t, cert.cert, roots)}
	a.gateway = &proxy{on: second, port: port, tls: cert, upstream: a.upstream, trust: roots}
	return a
}

func (a *alone) check(t *testing.T, more ...string) *checking {
	t.Helper()
	return check(t, here, append([]string{"--layer", a.gateway.url(), "--layer-ca", a.trust, "--secret-file", a.secretFile}, more...)...)
}

// some rows are enough where the way is what is tried.
const some = "--fixture=article/*"

// stubAt is an address of the stub's machine.
func stubAt(name string, port int) string { return fmt.Sprintf("https://%s:%d", name, port) }

// TestOwnCertificate: the stub shows the user's certificate, and is public under its name. It is a run of one process.
func TestOwnCertificate(t *testing.T) {
	t.Parallel()
	own := selfSigned(t, stubName)
	a := ready(t, 8451, stubAt(stubName, 7443), own.cert)
	a.gateway.start(t)
	urls := filepath.Join(t.TempDir(), "url")
	if err := os.WriteFile(urls, []byte("of an earlier run"), 0o644); err != nil {
		t.Fatal(err)
	}
	d := a.check(t, some, "--listen-any", "--stub-listen", "0.0.0.0:7443", "--tls-cert", own.cert, "--tls-key", own.key, "--url-file", urls).record(0)
	if len(d.Rows) == 0 || d.Target.StubURL != stubAt(stubName, 7443) || len(d.Findings) > 0 {
		t.Errorf("%d rows, stub %s, %v", len(d.Rows), d.Target.StubURL, d.Findings)
	}
	b, err := os.ReadFile(urls)
	info, errStat := os.Stat(urls)
	if err != nil || errStat != nil || string(b) != a.upstream+"\n" || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v: %q", err, errStat, b)
	}
}

// TestSecretAsKey: a gateway that registers a host alone knows the secret as its provider's key.
func TestSecretAsKey(t *testing.T) {
	t.Parallel()
	own := selfSigned(t, stubName)
	a := ready(t, 8460, stubAt(stubName, 7448), own.cert)
	base, secret := a.upstream[:len(a.upstream)-65], a.upstream[len(a.upstream)-64:]
	a.gateway.upstream, a.gateway.more = base, "proxy_set_header x-api-key "+secret+";"
	a.gateway.start(t)
	d := a.check(t, some, "--listen-any", "--stub-listen", "0.0.0.0:7448", "--tls-cert", own.cert, "--tls-key", own.key).record(0)
	if len(d.Rows) == 0 || len(d.Findings) > 0 {
		t.Errorf("%d rows, %v", len(d.Rows), d.Findings)
	}
}

// TestLeak: a gateway that tells its clients where its upstream is gives the secret away, which the report says without doing the same.
func TestLeak(t *testing.T) {
	t.Parallel()
	own := selfSigned(t, stubName)
	a := ready(t, 8461, stubAt(stubName, 7449), own.cert)
	a.gateway.more = "add_header x-upstream " + a.upstream + " always; proxy_hide_header Retry-After;"
	a.gateway.start(t)
	d := a.check(t, some, "--listen-any", "--stub-listen", "0.0.0.0:7449", "--tls-cert", own.cert, "--tls-key", own.key, "-o", "html=report.html", "-v").record(1)
	if !slices.ContainsFunc(d.Notes, func(n string) bool {
		return strings.Contains(n, "the layer tells its clients the secret URL of its upstream")
	}) {
		t.Errorf("%q", d.Notes)
	}
}

// front is a proxy on the stub's machine that ends TLS for it.
func front(cert pair, port, stub int, server string) *proxy {
	return &proxy{on: here, port: port, tls: cert, upstream: fmt.Sprintf("http://127.0.0.1:%d", stub), server: server}
}

// TestOwnProxy: somebody else ends TLS before the stub and passes everything on.
func TestOwnProxy(t *testing.T) {
	t.Parallel()
	cert := selfSigned(t, frontName)
	front(cert, 7444, 7001, "").start(t)
	a := ready(t, 8452, stubAt(frontName, 7444), cert.cert)
	a.gateway.start(t)
	d := a.check(t, some, "--stub-url", stubAt(frontName, 7444), "--stub-listen", "127.0.0.1:7001").record(0)
	if len(d.Rows) == 0 || len(d.Findings) > 0 || d.Target.StubURL != stubAt(frontName, 7444) {
		t.Errorf("%d rows, %v, stub %s", len(d.Rows), d.Findings, d.Target.StubURL)
	}
}

// TestDirtyProxy: what the proxy before the stub does to answers is its own doing, and never the gateway's.
func TestDirtyProxy(t *testing.T) {
	t.Parallel()
	cert := selfSigned(t, frontName)
	front(cert, 7445, 7002, "proxy_intercept_errors on; error_page 502 /busy.html; location = /busy.html { internal; return 502 '<html>busy</html>'; }").start(t)
	a := ready(t, 8453, stubAt(frontName, 7445), cert.cert)
	a.gateway.start(t)
	args := []string{"--stub-url", stubAt(frontName, 7445), "--stub-listen", "127.0.0.1:7002", "--fixture", "gzip_html_502,article/*"}
	for _, c := range []struct {
		why   string
		exit  int
		flags []string
	}{
		{"a row that can't be judged is not green", 3, nil},
		{"the user lets such rows be", 0, []string{"--allow-untestable"}},
	} {
		d := a.check(t, append(slices.Clone(args), c.flags...)...).record(c.exit)
		if len(d.Findings) != 1 || d.Findings[0].Kind != "dirty-way" || !strings.Contains(d.Findings[0].Text, "502") {
			t.Errorf("%s: %v", c.why, d.Findings)
		}
		for _, r := range d.Rows {
			want := "preserved"
			if r.Row == "gzip_html_502" {
				want = "untestable"
			}
			if r.Verdict != want {
				t.Errorf("%s: %s is %s: %s", c.why, r.Row, r.Verdict, r.Reason)
			}
		}
	}
}

// tunnelScript is a tunnel: it prints what such programs print, and then is a proxy with a name and a certificate.
const tunnelScript = `#!/bin/sh
echo 'INF Thank you for trying this. Terms: https://www.example.com/terms, documentation: https://docs.example.com/'
echo '{"lvl":"info","msg":"update available","url":"https://api.example.com/v1/download?x=1"}' >&2
echo "INF console at http://127.0.0.1:4040, forwarding to http://$1"
echo "INF |  %s  |"
exec nginx -e stderr -p "$2" -c "$2/nginx.conf"
`

// TestTunnel: the URL is found in what the command prints, and the command ends with the run.
func TestTunnel(t *testing.T) {
	t.Parallel()
	cert := selfSigned(t, frontName)
	tunnel := front(cert, 7446, 7003, "")
	dir := tunnel.write(t)
	script := filepath.Join(dir, "tunnel")
	if err := os.WriteFile(script, fmt.Appendf(nil, tunnelScript, stubAt(frontName, 7446)), 0o700); err != nil {
		t.Fatal(err)
	}
	a := ready(t, 8454, stubAt(frontName, 7446), cert.cert)
	a.gateway.start(t)
	args := []string{"--stub-listen", "127.0.0.1:7003", "--tunnel", script + " {addr} " + dir}
	d := a.check(t, append(args, some)...).record(0)
	if len(d.Rows) == 0 || len(d.Findings) > 0 || d.Target.StubURL != stubAt(frontName, 7446) {
		t.Errorf("%d rows, %v, stub %s", len(d.Rows), d.Findings, d.Target.StubURL)
	}
	if listens(here, 7446) {
		t.Error("the tunnel still runs")
	}
	t.Run("that dies in the run", func(t *testing.T) {
		c := a.check(t, append(args, "--rate", "10")...)
		c.says("leads to the stub")
		time.Sleep(3 * time.Second)
		tunnel.end(t, dir)
		d := c.record(3)
		if !slices.ContainsFunc(d.Findings, func(f record.Finding) bool { return strings.Contains(f.Text, "tunnel ended by itself") }) {
			t.Errorf("%v", d.Findings)
		}
	})
}

// TestWaitsForGateway: who sets up the gateway sees what arrives, and the check goes on by itself.
func TestWaitsForGateway(t *testing.T) {
	t.Parallel()
	own := selfSigned(t, stubName)
	a := ready(t, 8455, stubAt(stubName, 7447), own.cert)
	c := a.check(t, some, "--listen-any", "--stub-listen", "0.0.0.0:7447", "--tls-cert", own.cert, "--tls-key", own.key, "--wait-for-gateway")
	c.says("waiting: a request goes through the layer every few seconds")
	time.Sleep(300 * time.Millisecond) // in which our own request over the public way would be shown
	if strings.Contains(c.err.String(), "arrived: ") {
		t.Error("our own request passes for the gateway's")
	}
	right := a.gateway.upstream
	a.gateway.upstream = right[:len(right)-64] + strings.Repeat("ab", 32)
	first := a.gateway.start(t)
	c.says("without the secret: ")
	first.stop()
	a.gateway.upstream = right
	a.gateway.start(t)
	d := c.record(0)
	if len(d.Rows) == 0 || !strings.Contains(c.err.String(), " POST /v1/messages 200 ok ") {
		t.Errorf("%d rows", len(d.Rows))
	}
}
