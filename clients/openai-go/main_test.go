package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"
)

// drives runs one call against a server and returns its result and what the server got.
func drives(t *testing.T, answer http.HandlerFunc, env map[string]string, line string) (result, []*http.Request) {
	t.Helper()
	var got []*http.Request
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r)
		_, _ = io.Copy(io.Discard, r.Body)
		answer(w, r)
	}))
	defer server.Close()
	all := map[string]string{"PRESERVECHECK_CLIENT_BASE_URL": server.URL + "/base", "PRESERVECHECK_CLIENT_KEY": "no-key"}
	for name, value := range env {
		all[name] = value
	}
	var out bytes.Buffer
	if err := drive(strings.NewReader(line+"\n"), &out, func(name string) string { return all[name] }); err != nil {
		t.Fatal(err)
	}
	var r result
	if err := json.Unmarshal(out.Bytes(), &r); err != nil || strings.Count(out.String(), "\n") != 1 {
		t.Fatalf("%v: %q", err, out.String())
	}
	return r, got
}

func limited(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("content-type", "application/json")
	w.Header().Set("retry-after", "61")
	w.WriteHeader(http.StatusTooManyRequests)
	_, _ = io.WriteString(w, `{"error":{"message":"slow","type":"requests","param":null,"code":"rate_limit_exceeded"}}`)
}

const twice = `{"id":"7","model":"m","prompt":"p","max_retries":2,"stream":false}`

// TestSkippedWaits: three requests, as with real waits, without any; what the answer asked for is still told, and nothing that
// the SDK sends is another.
func TestSkippedWaits(t *testing.T) {
	began := time.Now()
	r, got := drives(t, limited, map[string]string{"PRESERVECHECK_CLIENT_SKIP_WAITS": "1", "PRESERVECHECK_CLIENT_HEADERS": `{"x-mine":"1"}`}, twice)
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %s", took)
	}
	if len(got) != 3 || r.Requests != 3 {
		t.Fatalf("%d requests, counted %d", len(got), r.Requests)
	}
	for i, req := range got {
		if req.URL.Path != "/base/chat/completions" || req.Header.Get("x-mine") != "1" || req.Header.Get("authorization") != "Bearer no-key" || req.Header.Get("x-stainless-retry-count") != string(rune('0'+i)) {
			t.Errorf("request %d: %s %v", i, req.URL, req.Header)
		}
	}
	if r.ID != "7" || r.Outcome != "error" || *r.Status != 429 || *r.Type != "requests" || *r.Code != "rate_limit_exceeded" || *r.Message != "slow" || *r.RetryAfter != "61" {
		t.Errorf("%+v", r)
	}
	if len(r.WaitsMS) != 2 || *r.WaitsMS[0] != 61000 {
		t.Errorf("waits %v", r.WaitsMS)
	}
}

// TestRealWaits: without it the SDK waits, and the wait is measured.
func TestRealWaits(t *testing.T) {
	short := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("retry-after-ms", "50")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, "<html>Too Many Requests</html>")
	}
	r, got := drives(t, short, nil, strings.Replace(twice, ":2", ":1", 1))
	if len(got) != 2 || len(r.WaitsMS) != 1 || *r.WaitsMS[0] < 50 {
		t.Errorf("%d requests, waits %v", len(got), r.WaitsMS)
	}
	if r.Type != nil || r.Code != nil || r.RetryAfter != nil || !strings.HasPrefix(*r.Message, "OpenAI API error: 429") {
		t.Errorf("%+v", r)
	}
}

func TestSuccess(t *testing.T) {
	r, _ := drives(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("content-type", "application/json")
		_, _ = io.WriteString(w, `{"id":"c","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}]}`)
	}, nil, twice)
	if r.Outcome != "ok" || *r.Text != "hello" || r.Requests != 1 || r.Status != nil {
		t.Errorf("%+v", r)
	}
}

// TestErrorInStream: the SDK shows neither status nor type, and retries nothing.
func TestErrorInStream(t *testing.T) {
	r, got := drives(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("content-type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {\"error\":{\"message\":\"busy\",\"type\":\"server_error\",\"code\":null}}\n\n")
	}, nil, strings.Replace(twice, "false", "true", 1))
	if r.Outcome != "error" || *r.Exception != "*ssestream.StreamError" || r.Status != nil || r.Type != nil || !strings.Contains(*r.Message, "busy") || len(got) != 1 {
		t.Errorf("%+v after %d requests", r, len(got))
	}
}

// TestTooLongAWait: after more than two minutes this SDK sends nothing, and skipping waits must not change that.
func TestTooLongAWait(t *testing.T) {
	for _, c := range []struct {
		name, value string
		want        int
	}{{"retry-after", "120", 3}, {"retry-after", "121", 1}, {"retry-after-ms", "120001", 1}, {"retry-after", "Fri, 31 Dec 2055 23:59:59 GMT", 1}, {"retry-after", "1e999", 1}, {"retry-after", "-200", 3}} {
		answer := func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set(c.name, c.value)
			slowDown(w)
		}
		if _, got := drives(t, answer, map[string]string{"PRESERVECHECK_CLIENT_SKIP_WAITS": "1"}, twice); len(got) != c.want {
			t.Errorf("%s %s: %d requests, want %d", c.name, c.value, len(got), c.want)
		}
	}
}

func slowDown(w http.ResponseWriter) {
	w.WriteHeader(http.StatusTooManyRequests)
	_, _ = io.WriteString(w, `{"error":{"message":"slow","type":"requests","param":null,"code":null}}`)
}

// TestOwnEnv: what this SDK would read from a user's environment is gone before it looks.
func TestOwnEnv(t *testing.T) {
	for _, pair := range os.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		t.Setenv(name, value) // comes back after the test
	}
	t.Setenv("OPENAI_ORG_ID", "of-the-user")
	t.Setenv("PRESERVECHECK_CLIENT_KEY", "none")
	if env := ownEnv(); env("PRESERVECHECK_CLIENT_KEY") != "none" || env("OPENAI_ORG_ID") != "" || os.Getenv("OPENAI_ORG_ID") != "" {
		t.Error("the environment is still there, or what it was told is not")
	}
}

func TestBadInput(t *testing.T) {
	none := func(string) string { return "" }
	if err := drive(strings.NewReader("no json\n"), io.Discard, none); err == nil {
		t.Error("a line that is no call was taken")
	}
	if err := drive(strings.NewReader(""), io.Discard, func(name string) string { return "{" }); err == nil {
		t.Error("headers that are no JSON were taken")
	}
}
