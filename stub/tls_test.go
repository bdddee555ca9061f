package stub

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/ledger"
)

// TestBehindTLS wraps the listener from outside, as the public stub will.
func TestBehindTLS(t *testing.T) {
	h := httptest.NewTLSServer(http.NotFoundHandler()) // only for its certificate
	defer h.Close()
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: h.TLS.Certificates, NextProtos: []string{"http/1.1"}})
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, nil)
	ended := make(chan error)
	go func() { ended <- s.Serve(l) }()
	defer func() {
		if err := errors.Join(s.Close(), <-ended); err != nil {
			t.Error(err)
		}
	}()
	for _, c := range []struct {
		why, in, want string
		reset         bool
	}{
		{"a fixture", post("/v1/messages", "tier_cap", ledger.NewNonce(), "Connection: close\r\n"), `"fixture":"tier_cap"`, false},
		{"an error of the stub's own", "GET /x HTTP/1.1\r\nHost: s\r\n\r\n", ownErrorType, false},
		{"a reset goes past TLS to the socket", ask("reset", ledger.NewNonce()), "tw", true},
	} {
		nc, err := tls.DialWithDialer(&net.Dialer{Timeout: patience}, "tcp", l.Addr().String(), &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			t.Fatal(err)
		}
		_ = nc.SetDeadline(time.Now().Add(patience))
		_, _ = io.WriteString(nc, c.in)
		out, err := io.ReadAll(nc)
		if !strings.Contains(string(out), c.want) || errors.Is(err, syscall.ECONNRESET) != c.reset || !c.reset && err != nil {
			t.Errorf("%s: %q %v", c.why, out, err)
		}
		_ = nc.Close()
	}
	if out := s.exchangeAt(l.Addr().String(), ask("ok", ledger.NewNonce())); strings.Contains(string(out), "fixture") {
		t.Errorf("plain HTTP was answered on the TLS port: %q", out)
	}
}
