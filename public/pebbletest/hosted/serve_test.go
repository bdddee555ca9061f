//go:build linux

package hosted

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/remote"
)

// post is serve with a certificate of the user's own.
type post struct {
	*process
	own    pair
	port   int
	secret string // file
	path   string // the secret
}

// posted starts one, with its ledger one port above, open to other machines.
func posted(t *testing.T, port int, more ...string) *post {
	t.Helper()
	p := &post{own: selfSigned(t, stubName), port: port}
	p.secret, p.path = secretFile(t)
	p.process = preservecheck(t, here, append([]string{
		"serve", "--listen-any", "--stub-listen", fmt.Sprintf("0.0.0.0:%d", port), "--admin-listen", fmt.Sprintf("0.0.0.0:%d", port+1),
		"--tls-cert", p.own.cert, "--tls-key", p.own.key, "--secret-file", p.secret,
	}, more...)...)
	p.says("the stub ends after")
	return p
}

// hosted is a gateway that knows a secret.
func (p *post) hosted(t *testing.T, port int, secret string) *proxy {
	t.Helper()
	g := &proxy{on: second, port: port, tls: selfSigned(t, gatewayName), upstream: stubAt(stubName, p.port) + "/" + secret, trust: p.own.cert}
	g.start(t)
	return g
}

// flags of a check on the other machine.
func (p *post) flags(t *testing.T, layer *proxy, secret string) []string {
	return []string{
		"--layer", layer.url(), "--layer-ca", together(t, p.own.cert, layer.tls.cert), "--secret-file", secret,
		"--remote-stub", stubAt(stubName, p.port), "--remote-admin", stubAt(stubName, p.port+1),
	}
}

// refused holds a check to exit 2 and an error that says what is wrong.
func refused(t *testing.T, words string, args ...string) {
	t.Helper()
	p := preservecheck(t, second, append([]string{"check"}, args...)...)
	p.wants(2)
	if !strings.Contains(p.err.String(), words) || !strings.Contains(p.err.String(), "hint: ") || p.out.String() != "" {
		t.Errorf("%s%s", p.out.String(), p.err.String())
	}
}

// TestWrongSettings: what a newcomer does wrong in two places, and what he is told.
func TestWrongSettings(t *testing.T) {
	t.Parallel()
	p := posted(t, 7450)
	stranger, other := secretFile(t)
	layer := p.hosted(t, 8456, other)
	refused(t, "it does not know this token", p.flags(t, layer, stranger)...)
	args := p.flags(t, layer, p.secret)
	untrusted := slices.Clone(args)
	untrusted[3] = layer.tls.cert
	refused(t, "give --layer-ca FILE", untrusted...)
	refused(t, "ssh -N -L 8788:127.0.0.1:8788 "+stubName+" and give --remote-admin http://127.0.0.1:8788", append(slices.Clone(args), "--remote-admin", stubAt(stubName, 7459))...)

	refused(t, "ask it by https, or bring it here", append(slices.Clone(args), "--remote-admin", fmt.Sprintf("http://%s:%d", stubAddr, p.port+1))...)
	right := p.hosted(t, 8459, p.path)
	fromEnv := p.flags(t, right, "")
	if i := slices.Index(fromEnv, "--secret-file"); i >= 0 {
		fromEnv = slices.Delete(fromEnv, i, i+2)
	}
	refused(t, "needs the secret and the token of that stub", fromEnv...)
	b, err := os.ReadFile(p.secret)
	if err != nil {
		t.Fatal(err)
	}
	env := []string{"PRESERVECHECK_SECRET=" + p.path, "PRESERVECHECK_TOKEN=" + strings.Fields(string(b))[1]}
	preservecheckWith(t, second, env, append([]string{"check", some}, fromEnv...)...).wants(0)

	c := check(t, second, append(args, some, "--ready-timeout", "2s")...)
	d := c.record(3)
	if !strings.Contains(d.NotReady, "is the layer's upstream URL complete") || !strings.HasSuffix(d.Result.Next, "--wait-for-gateway") || !slices.ContainsFunc(d.Notes, func(n string) bool { return strings.Contains(n, "reached the stub without its secret") }) {
		t.Errorf("%s %v\n%s", d.NotReady, d.Notes, d.Result.Next)
	}
	c = check(t, second, append(args, some, "--wait-for-gateway", "--max-duration", "8s")...)
	c.says("without the secret: ")
	p.post(t, "/"+p.path+"/v1/chat")
	c.says(" POST /v1/chat ")
	c.interrupt()
	c.wants(3)
}

// post asks the stub for something as a gateway might, past every check.
func (p *post) post(t *testing.T, path string) {
	t.Helper()
	client := http.Client{Timeout: patience, Transport: &http.Transport{TLSClientConfig: p.api(t).TLS, DisableKeepAlives: true}}
	answer, err := client.Post(stubAt(stubName, p.port)+path, "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close() // what it says is not the point
}

// TestStubEnds: a stub that goes in the middle of a check leaves a run of which nothing can be told.
func TestStubEnds(t *testing.T) {
	t.Parallel()
	p := posted(t, 7460, "-v")
	layer := p.hosted(t, 8457, p.path)
	c := check(t, second, append(p.flags(t, layer, p.secret), some, "--rate", "4")...)
	p.until("serves rows to the gateway, too", func() bool { return strings.Count(p.out.String(), "POST") > 50 })
	p.interrupt()
	p.wants(0)
	d := c.record(3)
	if !strings.Contains(d.Result.Why+fmt.Sprint(d.Rows), "ledger could not be read") || d.NotReady != "" {
		t.Errorf("%s %v", d.Result.Why, d.Findings)
	}
}

// TestMaxDuration: a stub that was forgotten ends.
func TestMaxDuration(t *testing.T) {
	t.Parallel()
	p := posted(t, 7470, "--max-duration", "2s")
	p.wants(0)
	p.says("the time of the stub is over")
	if listens(here, 7470) {
		t.Error("it still listens")
	}
}

// TestKilledChecker: the run of a check that was killed is gone a minute later. It is seen by its place, since a stub has so many.
func TestKilledChecker(t *testing.T) {
	t.Parallel()
	p := posted(t, 7480)
	layer := p.hosted(t, 8458, p.path)
	opt := p.api(t)
	for range 15 {
		c, err := remote.Open(t.Context(), opt)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() }) // the stub goes as well
	}
	c := check(t, second, append(p.flags(t, layer, p.secret), "--rate", "1")...)
	full := func() bool {
		run, err := remote.Open(t.Context(), opt)
		if err == nil {
			err = run.Close()
		}
		if err != nil && !strings.Contains(err.Error(), ledger.ErrRuns.Error()) {
			t.Fatal(err)
		}
		return err != nil
	}
	c.says("stub: ") // it has its run
	c.until("has opened its run", full)
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if <-c.ended; !full() {
		t.Error("the run was over at once: was it the check's?")
	}
	for end := time.Now().Add(90 * time.Second); full(); time.Sleep(time.Second) {
		if time.Now().After(end) {
			t.Fatal("the run is still there")
		}
	}
}

// api is the stub's ledger as a check opens it.
func (p *post) api(t *testing.T) remote.Options {
	t.Helper()
	m, err := fixture.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(p.secret)
	if err != nil {
		t.Fatal(err)
	}
	pem, err := os.ReadFile(p.own.cert)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	return remote.Options{
		URL: stubAt(stubName, p.port+1), Token: strings.Fields(string(b))[1], TLS: &tls.Config{RootCAs: roots},
		Settings: remote.SettingsOf(m, ledger.Channels{}, true),
	}
}
