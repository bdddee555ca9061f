package stub

import (
	"bytes"
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

	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
)

// wrapped is a connection as a package may hand it over that put something of its own around it.
type wrapped struct{ net.Conn }

func (w wrapped) NetConn() net.Conn { return w.Conn }

// listener wraps what it accepts twice: TLS around something that is around the socket.
type listener struct {
	net.Listener
	conf *tls.Config
}

func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return tls.Server(wrapped{c}, l.conf), nil
}

// startTLS is start with a second listener behind TLS, whose address is the stub's.
func startTLS(t *testing.T, change func(*Options)) *running {
	t.Helper()
	h := httptest.NewTLSServer(http.NotFoundHandler()) // only for its certificate
	h.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, change)
	ended := make(chan error, 1)
	go func() {
		ended <- s.Serve(listener{l, &tls.Config{Certificates: h.TLS.Certificates, NextProtos: []string{"http/1.1"}}})
	}()
	t.Cleanup(func() {
		if err := errors.Join(s.Close(), <-ended); err != nil {
			t.Error(err)
		}
	})
	s.addr = l.Addr().String()
	return s
}

func (r *running) dialTLS() *tls.Conn {
	r.t.Helper()
	c := tls.Client(r.dial(), &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2", "http/1.1"}})
	if err := c.Handshake(); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = c.Close() })
	return c
}

// TestEndsOverTLS: what a row does to the connection it does to the client behind TLS, too.
func TestEndsOverTLS(t *testing.T) {
	s := startTLS(t, withSecret)
	for _, c := range []struct {
		why, name, proto string
		tail             string
		reset            bool
	}{
		{"steps, whole", "steps", "HTTP/1.1", "\ntwo\n\r\n0\r\n\r\n", false},
		{"steps, ended by the close", "steps", "HTTP/1.0", "\ntwo\n", false},
		{"a FIN inside chunked framing", "cut", "HTTP/1.1", "2\r\ntw\r\n", false},
		{"a reset instead of it in HTTP/1.0", "cut", "HTTP/1.0", "tw", true},
		{"a FIN inside a length", "short", "HTTP/1.1", "\"}", false},
		{"a reset", "reset", "HTTP/1.1", "2\r\ntw\r\n", true},
		{"silence, then a FIN", "hold", "HTTP/1.1", "\r\n", false},
	} {
		nonce, nc := ledger.NewNonce(), s.dialTLS()
		if got := nc.ConnectionState().NegotiatedProtocol; got != "http/1.1" {
			t.Fatalf("%q was agreed on: no HTTP/2 may be offered", got)
		}
		_, _ = io.WriteString(nc, strings.Replace(holds(c.name, nonce), "HTTP/1.1", c.proto, 1))
		out, err := readFor(nc, c.name == "steps" && c.proto == "HTTP/1.1")
		if got := errors.Is(err, syscall.ECONNRESET); got != c.reset || !c.reset && err != nil {
			t.Errorf("%s: ended with %v", c.why, err)
		}
		if !strings.HasSuffix(out, c.tail) {
			t.Errorf("%s: %q", c.why, out)
		}
		eventually(t, c.why+" is finished", func() bool { h := s.ledger.Of(nonce); return len(h) == 1 && h[0].Served.Finished })
	}
}

// readFor reads to the end, or for a moment where the connection stays open.
func readFor(nc net.Conn, stays bool) (string, error) {
	if !stays {
		out, err := io.ReadAll(nc)
		return string(out), err
	}
	var out bytes.Buffer
	_ = nc.SetReadDeadline(time.Now().Add(300 * time.Millisecond))
	_, _ = io.Copy(&out, nc) // ended by the deadline
	return out.String(), nil
}

// TestBuiltinFixturesOverTLS: TLS changes none of the bytes.
func TestBuiltinFixturesOverTLS(t *testing.T) {
	m, err := fixture.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	s := startTLS(t, func(o *Options) { withSecret(o); o.Matrix = m })
	for _, f := range m.Rows {
		if f.Answer.End == fixture.EndHold || f.Pause() > 0 {
			continue // take their time, and show nothing more
		}
		nonce, nc := ledger.NewNonce(), s.dialTLS()
		_, _ = io.WriteString(nc, post("/"+testSecret+"/v1/messages", f.Name, nonce, "Connection: close\r\n"))
		got, _ := io.ReadAll(nc)
		_ = nc.Close()
		hits := s.ledger.Of(nonce)
		if len(hits) != 1 {
			t.Errorf("%s: %d hits", f.Name, len(hits))
			continue
		}
		var want []byte
		r := f.Render(true, false).For(hits[0].ID)
		for i := range r.Writes() {
			want = r.Append(want, i, hits[0].ID)
		}
		got = bytes.Replace(got, []byte("connection: close\r\n"), nil, 1)
		if want = bytes.Replace(want, []byte("connection: close\r\n"), nil, 1); !bytes.Equal(got, want) {
			t.Errorf("%s: %q, want %q", f.Name, got, want)
		}
	}
}

// TestStrangersOverTLS: they learn no more than over plain HTTP, nor by speaking something else.
func TestStrangersOverTLS(t *testing.T) {
	s := startTLS(t, withSecret)
	for why, in := range map[string]string{
		"the root": "GET / HTTP/1.1\r\nHost: s\r\n\r\n", "a door": ask("tier_cap", ledger.NewNonce()), "no HTTP": "\x00\x01", "TLS again": "\x16\x03\x01",
		"HTTP/2 without asking": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "half a head": slowHead,
	} {
		nc := s.dialTLS()
		_, _ = io.WriteString(nc, in)
		_ = nc.CloseWrite()
		if out, err := io.ReadAll(nc); string(out) != strangerAnswer || err != nil {
			t.Errorf("%s: %q %v", why, out, err)
		}
	}
	if out := s.exchange("GET /" + testSecret + "/v1/models HTTP/1.1\r\nHost: s\r\n\r\n"); bytes.Contains(out, []byte("HTTP")) {
		t.Errorf("plain HTTP was answered on the TLS port: %q", out)
	}
	onlyH2 := tls.Client(s.dial(), &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
	if err := onlyH2.Handshake(); err == nil {
		t.Error("a client that speaks nothing but HTTP/2 was let in")
	}
	if s.ledger.Len() != 0 {
		t.Errorf("%+v", s.ledger.All())
	}
}

// TestSlowHandshakes: a handshake is a part of the time to show the secret, and its connection one of its source's.
func TestSlowHandshakes(t *testing.T) {
	s := startTLS(t, func(o *Options) { o.Secret, o.MaxConns, o.HeadTimeout = testSecret, 8, time.Second })
	began := time.Now()
	slow := []net.Conn{s.dial(), s.dial()}
	_, _ = io.WriteString(slow[0], "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03") // the begin of a ClientHello
	eventually(t, "both are served, so none waits in Accept", func() bool { return s.Stats().Open == 2 })
	if out, _ := io.ReadAll(s.dial()); len(out) != 0 || s.Stats().Open != 2 {
		t.Errorf("a third of this source is not closed before the time of the first is over: %q %+v", out, s.Stats())
	}
	for _, nc := range slow {
		if out, _ := io.ReadAll(nc); bytes.Contains(out, []byte("HTTP")) {
			t.Errorf("%q", out)
		}
	}
	if took := time.Since(began); took > patience/2 {
		t.Errorf("they were held for %v", took)
	}
	eventually(t, "each is counted once", func() bool { return s.Stats().Strangers == 3 && s.Stats().Open == 0 })
}
