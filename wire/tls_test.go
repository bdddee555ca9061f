package wire

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// certificate makes a self-signed one, valid until a time, for 127.0.0.1 or for a name only.
func certificate(t *testing.T, until time.Time, name string) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: until.Add(-time.Hour), NotAfter: until, IsCA: true, BasicConstraintsValid: true}
	if name == "" {
		tmpl.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	} else {
		tmpl.DNSNames = []string{name}
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}

// serveTLS answers on TLS connections whose handshake went well.
func serveTLS(t *testing.T, cfg *tls.Config, handle func(c *tls.Conn)) string {
	return serve(t, func(raw *net.TCPConn) {
		c := tls.Server(raw, cfg)
		if c.Handshake() == nil {
			handle(c)
		}
	})
}

func answerTLS(c *tls.Conn) {
	_, _, _ = readRequest(c)
	_, _ = io.WriteString(c, ok429)
	_ = c.Close()
}

func https(addr string, roots *x509.CertPool) Client {
	return Client{Base: Base{Scheme: "https", Host: addr, Authority: addr}, TLS: &tls.Config{RootCAs: roots}}
}

func TestTLS(t *testing.T) {
	cert, roots := certificate(t, time.Now().Add(time.Minute), "")
	asked := make(chan []string, 1)
	cfg := &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"h2", "http/1.1"}}
	cfg.GetConfigForClient = func(h *tls.ClientHelloInfo) (*tls.Config, error) {
		asked <- h.SupportedProtos
		return nil, nil
	}
	a := https(serveTLS(t, cfg, answerTLS), roots).Do(within(t, 5*time.Second), ask)
	if d := cmp.Diff(length(EndComplete), outcomeOf(a)); d != "" {
		t.Error(d, a.Err)
	}
	if d := cmp.Diff([]string{"http/1.1"}, <-asked); d != "" {
		t.Error("ALPN:", d)
	}
}

// cutting drops the last bytes of every write once it is told to.
type cutting struct {
	net.Conn
	cut bool
}

func (c *cutting) Write(b []byte) (int, error) {
	if c.cut {
		_, err := c.Conn.Write(b[:len(b)-3])
		return len(b), err
	}
	return c.Conn.Write(b)
}

// TestTLSCut: a close inside a TLS record is a cut, also where a close would be the end.
func TestTLSCut(t *testing.T) {
	cert, roots := certificate(t, time.Now().Add(time.Minute), "")
	cfg := &tls.Config{Certificates: []tls.Certificate{cert}}
	for cut, want := range map[bool]End{false: EndClosed, true: EndShort} {
		addr := serve(t, func(raw *net.TCPConn) {
			under := &cutting{Conn: raw}
			c := tls.Server(under, cfg)
			_, _, _ = readRequest(c)
			_, _ = io.WriteString(c, "HTTP/1.1 200 x\r\n\r\nok")
			under.cut = cut
			_, _ = io.WriteString(c, "more")
		})
		a := https(addr, roots).Do(within(t, 5*time.Second), ask)
		if a.End != want || !strings.HasPrefix(string(a.Body), "ok") || cut && !strings.Contains(a.Err, "inside a TLS record") {
			t.Errorf("cut %v: %s %q %q", cut, a.End, a.Body, a.Err)
		}
	}
}

func TestTLSFailures(t *testing.T) {
	good, roots := certificate(t, time.Now().Add(time.Minute), "")
	old, oldRoots := certificate(t, time.Now().Add(-time.Minute), "")
	other, otherRoots := certificate(t, time.Now().Add(time.Minute), "other.example")
	config := func(c tls.Certificate) *tls.Config { return &tls.Config{Certificates: []tls.Certificate{c}} }
	protos := config(good)
	protos.NextProtos = []string{"spdy/3"}
	wantsOurs := config(good)
	wantsOurs.ClientAuth, wantsOurs.MaxVersion = tls.RequireAnyClientCert, tls.VersionTLS12
	wantsOurs13 := config(good)
	wantsOurs13.ClientAuth, wantsOurs13.MinVersion = tls.RequireAnyClientCert, tls.VersionTLS13
	plain := serve(t, func(c *net.TCPConn) {
		_, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n")
		hang(c)
	})
	silent := serve(t, func(c *net.TCPConn) { hang(c) })
	closing := serve(t, func(c *net.TCPConn) { _, _ = c.Read(make([]byte, 4096)) })
	for _, c := range []struct {
		why, addr string
		roots     *x509.CertPool
		end       End
		err       string
	}{
		{"https to a plain port", plain, roots, EndRefused, "does not speak TLS: use http://"},
		{"a port that never shakes hands", silent, roots, EndTimeout, "TLS handshake"},
		{"a port that closes", closing, roots, EndRefused, "closed during the TLS handshake"},
		{"an unknown authority", serveTLS(t, config(good), answerTLS), x509.NewCertPool(), EndRefused, "--layer-ca"},
		{"an expired certificate", serveTLS(t, config(old), answerTLS), oldRoots, EndRefused, "expired"},
		{"a certificate for another name", serveTLS(t, config(other), answerTLS), otherRoots, EndRefused, "not for \"127.0.0.1\""},
		{"no http/1.1 in ALPN", serveTLS(t, protos, answerTLS), roots, EndRefused, "HTTP/2 only"},
		{"it wants a certificate of ours", serveTLS(t, wantsOurs, answerTLS), roots, EndRefused, "certificate"},
		{"it says so only after the handshake", serveTLS(t, wantsOurs13, answerTLS), roots, EndBadFraming, "wants one: tls: certificate required"},
	} {
		limit := 5 * time.Second
		if c.end == EndTimeout {
			limit = 150 * time.Millisecond
		}
		a := https(c.addr, c.roots).Do(within(t, limit), ask)
		if a.End != c.end || !strings.Contains(a.Err, c.err) {
			t.Errorf("%s: %s %q", c.why, a.End, a.Err)
		}
	}
}

// TestTLSFailureCloses: a connection whose handshake failed is not left open.
func TestTLSFailureCloses(t *testing.T) {
	closed := make(chan struct{})
	addr := serve(t, func(c *net.TCPConn) {
		_, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n")
		hang(c)
		close(closed)
	})
	https(addr, nil).Do(within(t, 5*time.Second), ask)
	select {
	case <-closed:
	case <-time.After(5 * time.Second):
		t.Error("the connection is still open")
	}
}
