package stub

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/ledger"
)

// TestBehindAProxy: strangers and gateways come on connections that a proxy shares out among them, all from one address. None of
// the strangers takes anything from a gateway, and none is let in by what another showed.
func TestBehindAProxy(t *testing.T) {
	s := start(t, func(o *Options) { withSecret(o); o.MaxConns = 32 })
	to, err := url.Parse("http://" + s.addr)
	if err != nil {
		t.Fatal(err)
	}
	way := &http.Transport{MaxIdleConnsPerHost: 16, MaxConnsPerHost: 16}
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.Transport = way
	front := httptest.NewServer(proxy)
	client := front.Client()
	defer way.CloseIdleConnections()
	defer front.Close()
	send := func(path, body string) int {
		res, err := client.Post(front.URL+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Error(err)
			return 0
		}
		defer res.Body.Close()
		_, _ = io.Copy(io.Discard, res.Body)
		if res.Header.Get(MarkHeader) != "" {
			t.Errorf("%s: an answer of the stub's own", path)
		}
		return res.StatusCode
	}
	ended := make(chan struct{})
	const each = 25
	for i := range 8 {
		go func() {
			defer func() { ended <- struct{}{} }()
			for n := range each {
				path, want := "/"+testSecret+"/v1/messages", http.StatusTooManyRequests
				if i%2 == 0 {
					path, want = [...]string{"/v1/messages", "/.env", "/" + testSecret[1:] + "/v1/messages"}[n%3], http.StatusNotFound
				}
				_, body, _ := strings.Cut(ask("tier_cap", ledger.NewNonce()), "\r\n\r\n")
				if got := send(path, body+strings.Repeat(" ", n*1000)); got != want {
					t.Errorf("%.20s: %d, want %d", path, got, want)
				}
			}
		}()
	}
	for range 8 {
		<-ended
	}
	if got := s.Stats(); got.Strangers != 4*each || s.ledger.Len() != 4*each || got.Overloaded+got.Dropped+got.Refused != 0 {
		t.Errorf("%d hits, %+v", s.ledger.Len(), got)
	}
	nothingKept(t, s)
}
