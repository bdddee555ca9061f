package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

// TestNoPieceOfASecretIsWritten puts a secret where it is cut or rewritten before anything is redacted, and looks for
// pieces of it in everything that was written.
func TestNoPieceOfASecretIsWritten(t *testing.T) {
	const secret = "Supersecret0123456789Token"
	cases := []struct {
		why   string
		layer func(stub string) http.HandlerFunc
	}{
		{"the beginning of a body is cut at 200 bytes", func(string) http.HandlerFunc {
			return refuse(strings.Repeat("a", 185) + secret)
		}},
		{"every letter is escaped in a body that is no JSON", func(string) http.HandlerFunc {
			return refuse("refused: " + eachByte(`\u%04x`, secret))
		}},
		{"every letter is percent-encoded, in upper case", func(string) http.HandlerFunc {
			return refuse("refused: " + eachByte("%%%02X", strings.ToUpper(secret)))
		}},
		{"a status line that is none is cut at 40 bytes", func(string) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) { raw(w, strings.Repeat("a", 25)+secret+"\r\n") }
		}},
		{"a header's name and a content-coding are lower-cased", func(stub string) http.HandlerFunc {
			return forward(stub, func(_ *http.Request, answer http.Header) {
				answer["X-"+secret] = []string{"1"}
				answer["Content-Encoding"] = []string{secret}
			})
		}},
		{"the name of a header to the stub is cut at 128 bytes, the path at 512", func(stub string) http.HandlerFunc {
			return forward(stub, func(r *http.Request, answer http.Header) {
				r.Header["X-"+strings.Repeat("a", 110)+secret] = []string{"1"}
				r.URL.Path = "/" + strings.Repeat("a", 500) + secret + r.URL.Path
				answer["Retry-After"] = []string{"1"}
			})
		}},
	}
	for _, c := range cases {
		stub := findPort()
		layer := httptest.NewServer(c.layer("http://" + stub))
		out := t.TempDir() + "/r.json"
		r := program(t, []string{"TOKEN=" + secret}, "check", "--layer", layer.URL, "--stub-listen", stub, "-v", "--stream", "off", "--fixture", "tier_cap",
			"--header", "authorization: Bearer $TOKEN", "--settle", "100ms", "--ready-timeout", "500ms", "-o", "json="+out)
		layer.Close()
		b, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		written := r.out + r.errors + string(b)
		if piece := shared(undone(written), secret); piece != "" {
			i := strings.Index(strings.ToLower(written), piece)
			t.Errorf("%s: %q is left: %q", c.why, piece, written[max(0, i-40):min(len(written), max(0, i)+60)])
		}
		if !strings.Contains(string(b), "[secret TOKEN]") {
			t.Errorf("%s: the secret did not reach the record (exit %d)\n%s", c.why, r.code, r.out)
		}
	}
}

// refuse answers everything with 401 and a text.
func refuse(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, text)
	}
}

// raw writes bytes in place of an answer.
func raw(w http.ResponseWriter, text string) {
	c, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_, _ = io.WriteString(c, text)
		_ = c.Close()
	}
}

// forward passes everything on but for what change does to errors: to the request, before it is sent if it is not a
// canary's, and to the headers of the answer.
func forward(stub string, change func(*http.Request, http.Header)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		header := http.Header{}
		if !bytes.Contains(body, []byte("fixture=ok")) {
			change(r, header)
		}
		up, err := http.NewRequest(r.Method, stub+r.URL.Path, bytes.NewReader(body))
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		up.Header, up.Close = r.Header, true
		answer, err := http.DefaultTransport.RoundTrip(up)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer answer.Body.Close()
		for name, values := range answer.Header {
			w.Header()[name] = values
		}
		for name, values := range header {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.StatusCode)
		_, _ = io.Copy(w, answer.Body)
	}
}
