package stub

import (
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
)

// TestSaysThatItCloses: a layer whose client keeps connections by what the answer says would else use one again that is
// closed. An express-http-proxy was seen to answer a third of all rows with a 504 of its own for that.
func TestSaysThatItCloses(t *testing.T) {
	const says = "\r\nconnection: close\r\n"
	m, err := fixture.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, func(o *Options) { o.Matrix = m })
	for _, c := range []struct {
		why, fixture, header, version string
		want                          bool
	}{
		{"asked to close", "tier_cap", "Connection: close\r\n", "HTTP/1.1", true},
		{"asked to close, a stream in many writes", "stream_pings", "Connection: close\r\n", "HTTP/1.1", true},
		{"asked to close, compressed", "gzip_429", "Connection: close\r\nAccept-Encoding: gzip\r\n", "HTTP/1.1", true},
		{"it stays open", "tier_cap", "", "HTTP/1.1", false},
		{"HTTP/1.0 closes without a word", "tier_cap", "Connection: close\r\n", "HTTP/1.0", false},
		{"a cut that is announced is another fault", "stream_fin_mid", "Connection: close\r\n", "HTTP/1.1", false},
	} {
		req := strings.Replace(post("/v1/messages", c.fixture, ledger.NewNonce(), c.header), "HTTP/1.1", c.version, 1)
		head, _, _ := strings.Cut(string(s.exchange(req)), "\r\n\r\n")
		if !strings.HasPrefix(head, c.version+" ") || strings.Contains(head+"\r\n", says) != c.want {
			t.Errorf("%s: %q", c.why, head)
		}
	}
}
