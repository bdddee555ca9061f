package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/preservecheck/preservecheck/record"
)

// result is one run of the program in this process.
type result struct {
	code        int
	out, errors string
}

func program(t *testing.T, env []string, args ...string) result {
	t.Helper()
	return programIn(t, env, "", args...)
}

// programIn is program with something on its standard input.
func programIn(t *testing.T, env []string, in string, args ...string) result {
	t.Helper()
	// Connections that net/http keeps open in the tests' own servers are not ours.
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	var out, errs bytes.Buffer
	code := run(args, env, strings.NewReader(in), &out, &errs)
	return result{code, out.String(), errs.String()}
}

// TestNoSecretIsWritten plants secrets in every place that takes one, in front of a layer that says back all it got
// in every form, and looks for them in everything that was written.
func TestNoSecretIsWritten(t *testing.T) {
	planted := map[string]string{
		"TOKEN": `tok/"en+<value>&1`, "literal": "sk-literal-0123456789", "cookie": "cookie-0123456789",
		"password": "pass word/12%", "user": "someuser99",
	}
	stub := findPort()
	layer := httptest.NewServer(echo("http://"+stub, planted))
	defer layer.Close()
	dir := t.TempDir()
	base := "http://" + url.UserPassword(planted["user"], planted["password"]).String() + "@" + strings.TrimPrefix(layer.URL, "http://")
	args := []string{"check", "--layer", base, "--stub-listen", stub, "-v", "--stream", "off",
		"--header", "x-auth: Bearer $TOKEN", "--header", "x-api-key: " + planted["literal"], "--header", "cookie: sid=" + planted["cookie"], "--settle", "200ms"}
	for _, format := range formatNames() {
		args = append(args, "-o", format+"="+dir+"/r."+format)
	}
	r := program(t, []string{"TOKEN=" + planted["TOKEN"]}, args...)
	if r.code != exitFail {
		t.Errorf("exit %d, want %d; stderr %s", r.code, exitFail, r.errors)
	}
	written := map[string]string{"stdout": r.out, "stderr": r.errors}
	files, _ := filepath.Glob(dir + "/*")
	for _, f := range append(files, hiddenFiles(dir)...) {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		written[f] = string(b)
	}
	if len(written) != 2+len(formatNames()) || !strings.Contains(written[dir+"/r.json"], "[secret ") {
		t.Fatalf("the echo did not reach the record: %d texts", len(written))
	}
	for where, text := range written {
		for name, value := range planted {
			for _, form := range echoed(value) {
				if i := strings.Index(text, form); i >= 0 {
					t.Errorf("%s holds the secret %s: …%.60s", where, name, text[max(0, i-20):])
				}
			}
		}
	}
}

func hiddenFiles(dir string) []string {
	found, _ := filepath.Glob(dir + "/.*")
	return found
}

// echoed are the forms in which the echoing layer says a value back.
func echoed(value string) []string {
	asJSON, _ := json.Marshal(value)
	std := base64.StdEncoding.EncodeToString([]byte(value))
	return []string{value, strings.Trim(string(asJSON), `"`), url.QueryEscape(value), std, strings.TrimRight(std, "="),
		base64.URLEncoding.EncodeToString([]byte(value))}
}

// echo is a layer that passes everything on and adds what it knows to errors.
func echo(stub string, values map[string]string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		up, err := http.Post(stub+r.URL.Path, "application/json", bytes.NewReader(body))
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer up.Body.Close()
		answer, _ := io.ReadAll(up.Body)
		if up.StatusCode >= 400 {
			var said []string
			for _, v := range values {
				said = append(said, echoed(v)...)
			}
			said = append(said, r.Header.Values("Authorization")...)
			message, _ := json.Marshal(strings.Join(said, " "))
			answer = bytes.Replace(answer, []byte(`"message": "`), append(append([]byte(`"echo": `), message...), `, "message": "`...), 1)
			for i, v := range said {
				if !strings.ContainsAny(v, "\r\n") {
					w.Header().Add(fmt.Sprintf("x-echo-%d", i), v)
					w.Header().Add("retry-after", v)
				}
			}
		}
		w.Header().Set("content-type", up.Header.Get("content-type"))
		w.WriteHeader(up.StatusCode)
		_, _ = w.Write(answer)
	})
}

// TestShortSecretIsNamed: it can't be removed, so it is said.
func TestShortSecretIsNamed(t *testing.T) {
	r := program(t, []string{"PIN=1234"}, "check", "--layer", "control:identity", "--stream", "off", "--header", "x-pin: $PIN")
	if r.code != exitPass || !strings.Contains(r.errors, "PIN is shorter") || strings.Contains(r.errors, "1234") {
		t.Errorf("exit %d, stderr %s", r.code, r.errors)
	}
}

// TestFormatDoesNotChangeTheCode runs the same checks in every format.
func TestFormatDoesNotChangeTheCode(t *testing.T) {
	computes(t)
	for control, want := range map[string]int{"identity": exitPass, "drop-details": exitFail} {
		for _, format := range formatNames() {
			if r := program(t, nil, "check", "--layer", "control:"+control, "--stream", "off", "--format", format); r.code != want {
				t.Errorf("%s as %s: exit %d, want %d", control, format, r.code, want)
			}
		}
	}
}

// TestJSONIsTheRecord reads what -o json wrote.
func TestJSONIsTheRecord(t *testing.T) {
	path := t.TempDir() + "/r.json"
	program(t, nil, "check", "--layer", "control:drop-details", "--stream", "off", "--name", "mine", "-o", "json="+path)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var d record.Document
	if err := json.Unmarshal(b, &d); err != nil {
		t.Fatal(err)
	}
	if d.Command != "check" || d.Target.Name != "mine" || d.Target.Control != "drop-details" || d.Incomplete || d.Result.Exit != exitFail || len(d.Rows) < 100 {
		t.Errorf("command %q target %+v incomplete %v exit %d rows %d", d.Command, d.Target, d.Incomplete, d.Result.Exit, len(d.Rows))
	}
	if strings.HasSuffix(d.Target.StubURL, ":8787") {
		t.Errorf("an embedded layer took the default port: %s", d.Target.StubURL)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v %v, want 0600", info.Mode(), err)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// TestFailedWrite: a result that nobody can read is not green, and red stays red.
func TestFailedWrite(t *testing.T) {
	for control, want := range map[string]int{"identity": exitUnknown, "drop-details": exitFail} {
		var errs bytes.Buffer
		code := run([]string{"check", "--layer", "control:" + control, "--stream", "off"}, nil, strings.NewReader(""), full{}, &errs)
		if code != want || !strings.Contains(errs.String(), "no space left") {
			t.Errorf("%s: exit %d, want %d; stderr %s", control, code, want, errs.String())
		}
	}
	dir, stub := t.TempDir()+"/d", findPort()
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	pass := echo("http://"+stub, nil)
	layer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = os.RemoveAll(dir) // while the run goes on
		pass.ServeHTTP(w, r)
	}))
	defer layer.Close()
	var out, errs bytes.Buffer
	code := run([]string{"check", "--layer", layer.URL, "--stub-listen", stub, "--stream", "off", "--fixture", "headerless_429", "-o", "json=" + dir + "/r.json"},
		nil, nil, &out, &errs)
	if code != exitUnknown || !strings.Contains(errs.String(), "r.json can't be written") || !strings.Contains(out.String(), "PASS") {
		t.Errorf("a lost -o: exit %d, stderr %s, stdout %s", code, errs.String(), out.String())
	}
	for _, args := range [][]string{{"version"}, {"fixtures", "list"}, {"fixtures", "show", "tier_cap"}, {"demo"}} {
		if code := run(args, nil, strings.NewReader(""), full{}, io.Discard); code != exitUnknown {
			t.Errorf("%v: exit %d, want %d", args, code, exitUnknown)
		}
	}
}

// TestInterrupted ends a run at once; what there is of it is written.
func TestInterrupted(t *testing.T) {
	defer func(was func(context.Context) (context.Context, context.CancelFunc)) { interrupt = was }(interrupt)
	interrupt = func(parent context.Context) (context.Context, context.CancelFunc) {
		return context.WithTimeout(parent, 300*time.Millisecond)
	}
	h := startHostile("silent", "")
	defer h.close()
	path := t.TempDir() + "/r.json"
	began := time.Now()
	code := run([]string{"check", "--layer", h.url(), "--stub-listen", findPort(), "-o", "json=" + path}, nil, nil, io.Discard, io.Discard)
	if code != exitUnknown || time.Since(began) > 5*time.Second {
		t.Errorf("exit %d after %s", code, time.Since(began))
	}
	b, _ := os.ReadFile(path)
	if !bytes.Contains(b, []byte(`"incomplete": true`)) {
		t.Errorf("the record does not say that it is incomplete: %s", b)
	}
	for _, args := range [][]string{{"demo"}, {"controls"}} {
		interrupt = func(parent context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(parent)
			cancel()
			return ctx, cancel
		}
		if r := program(t, nil, args...); r.code != exitUnknown {
			t.Errorf("%v: exit %d, want %d", args, r.code, exitUnknown)
		}
	}
}

// TestPanicIsOneLine: a bug of ours is "could not tell".
func TestPanicIsOneLine(t *testing.T) {
	defer func(was func()) { onStart = was }(onStart)
	onStart = func() { panic(errors.New("boom\nboom")) }
	r := program(t, nil, "version")
	if r.code != exitUnknown || strings.Count(r.errors, "\n") != 1 || !strings.HasPrefix(r.errors, "error: internal error: boom") {
		t.Errorf("exit %d, stderr %q", r.code, r.errors)
	}
}

// TestLayerBehindTLS trusts the authority that --layer-ca names, and no other.
func TestLayerBehindTLS(t *testing.T) {
	stub := findPort()
	layer := httptest.NewTLSServer(echo("http://"+stub, nil))
	defer layer.Close()
	layer.Config.ErrorLog = log.New(io.Discard, "", 0)
	ca := t.TempDir() + "/ca.pem"
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: layer.Certificate().Raw})
	if err := os.WriteFile(ca, block, 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"check", "--layer", layer.URL, "--stub-listen", stub, "--stream", "off", "--fixture", "headerless_429", "--ready-timeout", "1s"}
	if code := run(append(args, "--layer-ca", ca), nil, nil, io.Discard, io.Discard); code != exitFail && code != exitPass {
		t.Errorf("with the authority: exit %d", code)
	}
	var out bytes.Buffer
	if code := run(args, nil, nil, &out, io.Discard); code != exitUnknown || !strings.Contains(out.String(), "certificate") {
		t.Errorf("without: exit %d, %s", code, out.String())
	}
}

// TestSecondInterruptEndsAtOnce: whoever asks twice does not want a report.
func TestSecondInterruptEndsAtOnce(t *testing.T) {
	path, err := exec.LookPath("preservecheck-hangs")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	began := time.Now()
	for _, want := range []string{"ready", "asked"} {
		if !lines.Scan() || lines.Text() != want {
			t.Fatalf("it says %q, want %q", lines.Text(), want)
		}
		time.Sleep(50 * time.Millisecond) // the handler is given back just after the context ended
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Wait(); err == nil || time.Since(began) > 20*time.Second {
		t.Errorf("it ended with %v after %s", err, time.Since(began))
	}
}

// TestDemoCanFail: a demo that shows the wrong colours says so.
func TestDemoCanFail(t *testing.T) {
	for _, layers := range [][2]string{{honestLayer, honestLayer}, {faultyLayer, faultyLayer}, {faultyLayer, honestLayer}} {
		var out bytes.Buffer
		a := &app{env: environ{}, out: &out, err: io.Discard}
		if err := a.demo(t.Context(), "never", layers[0], layers[1]); err != nil || a.exit != exitFail {
			t.Errorf("%v: exit %d, %v", layers, a.exit, err)
		}
		if !strings.Contains(out.String(), "did not go as it should") {
			t.Errorf("%v: %s", layers, out.String())
		}
	}
}

// TestDirectGoesBelowAnHTTPSStubURL: where the stub is reached through TLS, the way there is a part of what is asked
// directly, path included.
func TestDirectGoesBelowAnHTTPSStubURL(t *testing.T) {
	const secret = "0123456789abcdef0123456789abcdef"
	stub := findPort()
	pass := echo("http://"+stub, nil)
	var below, beside atomic.Int32
	front := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/deep/"+secret+"/v1/") {
			beside.Add(1)
		}
		below.Add(1)
		http.StripPrefix("/deep", pass).ServeHTTP(w, r)
	}))
	defer front.Close()
	layer := httptest.NewServer(pass)
	defer layer.Close()
	ca := t.TempDir() + "/ca.pem"
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: front.Certificate().Raw})
	if err := os.WriteFile(ca, block, 0o600); err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	run([]string{"check", "--layer", layer.URL + "/" + secret, "--stub-listen", stub, "--stub-url", front.URL + "/deep", "--layer-ca", ca,
		"--stream", "off", "--fixture", "headerless_429"}, []string{secretVariable + "=" + secret}, nil, io.Discard, &errs)
	if below.Load() == 0 || beside.Load() != 0 {
		t.Errorf("%d requests came, %d of them beside the path", below.Load(), beside.Load())
	}
	if !strings.Contains(errs.String(), front.URL+"/deep") {
		t.Errorf("the URL for the layer is not printed: %s", errs.String())
	}
	if strings.Contains(errs.String(), secret) {
		t.Errorf("the secret is printed where no terminal is: %s", errs.String())
	}
}

func TestColored(t *testing.T) {
	cases := []struct {
		why, color string
		terminal   bool
		env        environ
		want       bool
	}{
		{"a terminal", "auto", true, environ{}, true},
		{"a file", "auto", false, environ{}, false},
		{"who wants none", "auto", true, environ{"NO_COLOR": "1"}, false},
		{"set to nothing is not set", "auto", true, environ{"NO_COLOR": ""}, true},
		{"a terminal that can't", "auto", true, environ{"TERM": "dumb"}, false},
		{"always means always", "always", false, environ{"NO_COLOR": "1"}, true},
		{"never means never", "never", true, environ{}, false},
	}
	for _, c := range cases {
		if got := colored(c.color, c.terminal, c.env); got != c.want {
			t.Errorf("%s: %v", c.why, got)
		}
	}
}
