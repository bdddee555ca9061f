package main

import (
	"bytes"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/stub"
)

// open is a stub with a secret behind somebody else's TLS.
type open struct {
	stub, secret string
	args         []string // of a check
}

func opened(t *testing.T) open {
	t.Helper()
	o := open{stub: findPort(), secret: "0123456789abcdef0123456789abcdef"}
	target, err := url.Parse("http://" + o.stub)
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewTLSServer(httputil.NewSingleHostReverseProxy(target))
	t.Cleanup(front.Close)
	ca := t.TempDir() + "/ca.pem"
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: front.Certificate().Raw})
	if err := os.WriteFile(ca, block, 0o600); err != nil {
		t.Fatal(err)
	}
	o.args = []string{"check", "--stub-listen", o.stub, "--stub-url", front.URL, "--layer-ca", ca, "--stream", "off", "--profile", "full",
		"--fixture", "tier_cap,rate_limit", "--settle", "200ms", "--ready-timeout", "5s"}
	return o
}

// TestSecretAloneFakesNothing: an honest layer's rows are asked for, and meanwhile somebody who knows the secret, but not the token, sends what a layer
// that retries would send, or tags that he made up. Nothing of it may turn the run red; it can only make it one that can't tell.
func TestSecretAloneFakesNothing(t *testing.T) {
	const full = "[[preservecheck fixture=tier_cap id=%s.0123456789abcdef]]"
	for _, c := range []struct {
		why, channel, header, body string
	}{
		{"the row by the header", "auto", "tier_cap", "{}"},
		{"a tag of another run", "auto", "", fmt.Sprintf(full, "00000000")},
		{"a marker without a usable id", "auto", "", "[[preservecheck fixture=tier_cap]]"},
		{"nothing at all", "auto", "", "{}"},
		{"inside an armed window", "armed", "", "{}"},
		{"the row, inside an armed window", "armed", "tier_cap", "{}"},
		{"the model, where that is the channel", "model", "", `{"model":"claude-tier_cap"}`},
	} {
		o := opened(t)
		var once sync.Once
		pass := forward("http://"+o.stub, func(*http.Request, http.Header) {})
		layer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(body))
			r.URL.Path = "/" + o.secret + r.URL.Path
			pass.ServeHTTP(w, r)
			if bytes.Contains(body, []byte("tier_cap")) && !bytes.Contains(body, []byte("fixture=ok")) || c.channel == "armed" {
				once.Do(func() { forge(t, o, c.header, c.body) })
			}
		}))
		r := program(t, []string{secretVariable + "=" + o.secret}, append(o.args, "--layer", layer.URL, "--channel", c.channel)...)
		layer.Close()
		if r.code == exitFail || r.code == exitUsage {
			t.Errorf("%s: exit %d\n%s\n%s", c.why, r.code, r.out, r.errors)
		}
	}
}

func forge(t *testing.T, o open, header, body string) {
	r, err := http.NewRequest("POST", "http://"+o.stub+"/"+o.secret+"/v1/messages", strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return
	}
	if r.Close = true; header != "" {
		r.Header.Set("x-fixture", header)
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Error(err)
		return
	}
	_ = answer.Body.Close()
}

// TestURLFileIsAFile: nothing else is removed, and a link is replaced and not followed.
func TestURLFileIsAFile(t *testing.T) {
	o := opened(t)
	dir := t.TempDir()
	env := []string{secretVariable + "=" + o.secret}
	args := append(o.args, "--layer", "http://127.0.0.1:1", "--ready-timeout", "100ms", "--url-file")
	if r := program(t, env, append(args, dir)...); r.code != exitUsage || !strings.Contains(r.errors, "is a folder") {
		t.Errorf("exit %d: %s", r.code, r.errors)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Errorf("the folder: %v", err)
	}
	other, link := dir+"/other", dir+"/link"
	if err := os.WriteFile(other, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "windows" {
		return // links need a right of their own there
	}
	if err := os.Symlink(other, link); err != nil {
		t.Fatal(err)
	}
	program(t, env, append(args, link)...)
	b, err := os.ReadFile(other)
	if err != nil || string(b) != "mine" {
		t.Errorf("what the link led to holds %q, %v", b, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
}

// TestArrivalsAreBounded: who sends many requests while nobody reads the lines must not fill the memory.
func TestArrivalsAreBounded(t *testing.T) {
	a := newArrivals(discard{})
	for i := range maxShown + 5 {
		id := fmt.Sprintf("%016x", i)
		a.Arrived(ledger.Hit{ID: id}, nil)
		a.Served(id, ledger.Served{Status: 200})
	}
	if n := len(a.take(false)); n != maxShown || a.lost() != 5 || a.lost() != 0 {
		t.Errorf("%d are kept", n)
	}
	a.Arrived(ledger.Hit{ID: "x"}, nil)
	a.Served("x", ledger.Served{})
	if n := len(a.take(true)); n != 1 {
		t.Errorf("%d after they were read", n)
	}
}

type discard struct{ stub.Book }

func (discard) Arrived(h ledger.Hit, _ ledger.Parts) (ledger.Tag, []ledger.Channel) {
	return h.Tag, nil
}
func (discard) Served(string, ledger.Served) {}

// TestLearnedIsBounded: a layer that sends another value each time fills nothing, and what is given by the user keeps its name.
func TestLearnedIsBounded(t *testing.T) {
	given := &secrets{}
	given.add("KEY", "given-0123456789")
	l := newLearned(given, nil)
	redact := l.over(redactorOf(given))
	saw := func(name, value string) { l.saw([]byte(name), []byte(value)) }
	saw("Authorization", "Bearer given-0123456789")
	saw("X-Api-Key", "learned-ABCDEFGHIJ")
	saw("X-Trace", "harmless-KLMNOPQRS")
	saw("X-Token", "short")
	for in, want := range map[string]string{
		"a given-0123456789 b": "a [secret KEY] b", "a learned-ABCDEFGHIJ b": "a [secret x-api-key at the stub] b", "harmless-KLMNOPQRS": "harmless-KLMNOPQRS", "short": "short",
	} {
		if got := redact(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
	for i := range 10 * learnedNames {
		saw(fmt.Sprintf("x-key-%d", i), fmt.Sprintf("value-%08d", i))
	}
	if len(l.found.names) > learnedMost || len(l.names) > learnedNames || len(l.found.words) > learnedMost {
		t.Errorf("%d values, %d names, %d words", len(l.found.names), len(l.names), len(l.found.words))
	}
}

// TestServeLinesHideTheSecret: also where it stands in a form that the stub does not know.
func TestServeLinesHideTheSecret(t *testing.T) {
	var s secrets
	s.add(stubSecret, "fedcba9876543210fedcba9876543210")
	var out bytes.Buffer
	a := &app{out: &out, redact: redactorOf(&s)}
	if _, err := fmt.Fprintln(redacted{a}, hitLine(ledger.Hit{Method: "POST", Path: "/FEDCBA9876543210"})); err != nil || strings.Contains(out.String(), "FEDC") || !strings.Contains(out.String(), "[secret "+stubSecret+"]") {
		t.Errorf("%q %v", out.String(), err)
	}
}
