package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// changing is a layer in front of a stub that passes requests on and changes answers that are errors.
func changing(t *testing.T, stub string, change func(a *http.Response, body []byte) []byte) string {
	t.Helper()
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: stub})
	proxy.Transport = &http.Transport{DisableKeepAlives: true}
	proxy.ModifyResponse = func(a *http.Response) error {
		if a.StatusCode < 400 {
			return nil
		}
		b, err := io.ReadAll(a.Body)
		if err != nil {
			return err
		}
		b = change(a, b)
		a.Body, a.ContentLength = io.NopCloser(bytes.NewReader(b)), int64(len(b))
		a.Header.Set("content-length", strconv.Itoa(len(b)))
		return nil
	}
	s := httptest.NewServer(proxy)
	t.Cleanup(s.Close)
	return s.URL
}

// filled writes a known file again with its reasons.
func filled(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(b), `reason: ""`, "reason: it does")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return text
}

// TestKnownOfWhatComesAndGoes: what a run writes of faults that are not always there, in more than one way, is enough for
// the next run, and for one in which they stay away.
func TestKnownOfWhatComesAndGoes(t *testing.T) {
	var n atomic.Int64
	var off atomic.Bool
	stub := findPort()
	layer := changing(t, stub, func(a *http.Response, body []byte) []byte {
		a.Header.Set("x-should-retry", "true") // always
		switch k := n.Add(1) % 4; {
		case off.Load():
		case k == 1:
			a.Header.Del("retry-after")
		case k == 2:
			return bytes.Replace(body, []byte(`"message": "`), []byte(`"message": "gw: `), 1)
		}
		return body
	})
	known := filepath.Join(t.TempDir(), "known.yaml")
	args := []string{"check", "--layer", layer, "--stub-listen", stub, "--stream", "off", "--fixture", "rate_limit", "--repeat", "20",
		"--concurrency", "1", "--name", "gw"}
	if r := program(t, nil, append(args, "-o", "known="+known)...); r.code != exitFail {
		t.Fatalf("exit %d\n%s%s", r.code, r.out, r.errors)
	}
	text := filled(t, known)
	if strings.Count(text, "intermittent: true") != 2 || strings.Count(text, `finding: "intermittent"`) != 1 || strings.Count(text, "- layer") < 4 {
		t.Errorf("two differences come and go:\n%s", text)
	}
	r := program(t, nil, append(args, "--known", known)...)
	if r.code != exitPass {
		t.Errorf("exit %d\n%s\n%s", r.code, r.out, text)
	}
	off.Store(true)
	if r := program(t, nil, append(args, "--known", known)...); r.code != exitPass {
		t.Errorf("what stays away for a run is not stale: exit %d\n%s", r.code, r.out)
	}
}

// TestKnownWithASecret: a layer that says a credential back is declared by what the record shows instead, and a layer that
// says another text there is not.
func TestKnownWithASecret(t *testing.T) {
	var said atomic.Value
	said.Store("sk-0123456789abcdef")
	stub := findPort()
	layer := changing(t, stub, func(_ *http.Response, body []byte) []byte {
		return bytes.Replace(body, []byte(`"message": "`), []byte(`"message": "`+said.Load().(string)+": "), 1)
	})
	known := filepath.Join(t.TempDir(), "known.yaml")
	env := []string{"KEY_2024_11=sk-0123456789abcdef"}
	args := []string{"check", "--layer", layer, "--stub-listen", stub, "--stream", "off", "--fixture", "rate_limit", "--name", "gw",
		"--header", "x-api-key: $KEY_2024_11"}
	if r := program(t, env, append(args, "-o", "known="+known)...); r.code != exitFail {
		t.Fatalf("exit %d\n%s%s", r.code, r.out, r.errors)
	}
	if text := filled(t, known); !strings.Contains(text, "[secret KEY_2024_11]: {original}") || strings.Contains(text, "sk-") {
		t.Fatalf("the secret stands in the file, or its name does not:\n%s", text)
	}
	args = append(args, "--known", known)
	if r := program(t, env, args...); r.code != exitPass {
		t.Errorf("exit %d\n%s", r.code, r.out)
	}
	said.Store("another text")
	if r := program(t, env, args...); r.code != exitFail || strings.Contains(r.out, "declared by") {
		t.Errorf("exit %d\n%s", r.code, r.out)
	}
}
