package controls

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestAnnouncesItsClose: a client that keeps connections is told that this one is over, or its next request may meet the close. One
// that asked for the close gets the answer as it was.
func TestAnnouncesItsClose(t *testing.T) {
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") }))
	defer up.Close()
	for _, name := range []string{"identity", "drop-details"} {
		y, err := Start(name, up.URL)
		if err != nil {
			t.Fatal(err)
		}
		for asked, want := range map[string]int{"": 1, "Connection: close\r\n": 0} {
			c, err := net.Dial("tcp", strings.TrimPrefix(y.URL(), "http://"))
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.WriteString(c, "GET /v1/x HTTP/1.1\r\nHost: h\r\n"+asked+"\r\n")
			got, err := io.ReadAll(c)
			_ = c.Close()
			if n := strings.Count(strings.ToLower(string(got)), "\r\nconnection: close\r\n"); err != nil || n != want || !strings.HasPrefix(string(got), "HTTP/1.1 200 OK\r\n") {
				t.Errorf("%s, asked %q: announced %d times (%v)\n%s", name, asked, n, err, got)
			}
		}
		if err := y.Close(); err != nil {
			t.Error(err)
		}
	}
}
