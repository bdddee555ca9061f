package stub

import (
	"strings"
	"sync"
	"testing"
)

// TestShape: what may be a key is not kept of a path, and what says what a request is for is.
func TestShape(t *testing.T) {
	s := start(t, nil)
	const key = "Zx8Kq2Lm5Np9Rt3Vw7Yb1Cd4Ef6Gh0Jk"
	for _, c := range []struct{ why, path, want string }{
		{"a usual one", "/v1/messages", "/v1/messages"},
		{"a key", "/bot" + key + "/v1/messages", "/[hidden]/v1/messages"},
		{"an id in hexadecimal digits, at the end", "/v1/accounts/0123456789abcdef0123456789abcdef", "/v1/accounts/[hidden]"},
		{"percent-encoded", "/%5A" + key + "//x", "/[hidden]//x"},
		{"base64 of a secret", "/NTMwYzlhNWJmM2IyMjBjNDZiOThlZDYxN2Y0NDgxNzg1ZjVkNzkx==/", "/[hidden]/"},
		{"a dated model", "/models/claude-sonnet-4-5-20250929/invoke", "/models/claude-sonnet-4-5-20250929/invoke"},
		{"long words", "/" + strings.Repeat("deployment-", 5), "/" + strings.Repeat("deployment-", 5)},
		{"no path", "*", "*"},
	} {
		if got := string(s.shape([]byte(c.path))); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
	s.exchange("POST /" + key + "/v1/messages HTTP/1.1\r\nHost: s\r\nContent-Length: 2\r\n\r\n{}")
	h := s.ledger.All()[0]
	if strings.Contains(h.Path+h.Note, key) || h.Path != "/[hidden]/v1/messages" {
		t.Errorf("kept %q, %q", h.Path, h.Note)
	}
}

// TestOnlyNumbersOfRetries: whatever else an SDK's header holds is a value, and those are not kept.
func TestOnlyNumbersOfRetries(t *testing.T) {
	for value, want := range map[string]string{"0": "0", "17": "17", "": "", "sk-secret": "", "1 ": "", "-1": "", "1e3": "", "\xff": "", strings.Repeat("1", maxKeptCount+1): ""} {
		if got := countOf([]byte(value)); got != want {
			t.Errorf("%q: %q, want %q", value, got, want)
		}
	}
}

// TestSaw: whoever runs the stub sees values of those who know the secret, and of nobody else.
func TestSaw(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]string{}
	s := start(t, func(o *Options) {
		withSecret(o)
		o.Saw = func(name, value []byte) {
			mu.Lock()
			defer mu.Unlock()
			seen[string(name)] = string(value)
		}
	})
	s.exchange("POST /v1/messages?a=1 HTTP/1.1\r\nHost: s\r\nX-Key: stranger\r\nContent-Length: 2\r\n\r\n{}")
	mu.Lock()
	if len(seen) != 0 {
		t.Errorf("of a stranger: %v", seen)
	}
	mu.Unlock()
	s.exchange("POST /" + testSecret + "/v1/messages?key=a%2Bb&bare HTTP/1.1\r\nHost: s\r\nX-Key: mine\r\nContent-Length: 2\r\n\r\n{}")
	mu.Lock()
	defer mu.Unlock()
	if seen["X-Key"] != "mine" || seen["key"] != "a+b" || len(seen) != 5 {
		t.Errorf("%v", seen)
	}
}
