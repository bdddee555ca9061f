package public

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/acme"
)

// Certificate is what the public listener shows. It may be used by several goroutines. Nothing of it runs in the background:
// files are looked at when a client comes, and an order is placed when it is asked for, once.
//
// Its [Certificate.TLS] is wrapped around the stub's own listener:
//
//	l, err := net.ListenTCP("tcp", addr)
//	cert, err := public.ACME(ctx, public.Options{Name: "stub.example.org", CacheDir: dir, Listener: l, Log: say})
//	// or: cert, err := public.Files("fullchain.pem", "key.pem", say)
//	err = stub.Serve(tls.NewListener(l, cert.TLS()))
//
// The listener is opened first, so that a port that is taken is known before anything is ordered, and ACME answers
// TLS-ALPN-01 on it until it returns. A program that serves for weeks calls [Certificate.Renew] now and then, once a day
// say; its challenge is answered by the same TLS configuration, beside the stub's clients.
type Certificate struct {
	current   atomic.Pointer[tls.Certificate]
	challenge atomic.Pointer[tlsChallenge]
	files     *files   // nil for one from an authority
	orders    *orderer // nil for one in files
}

// tlsChallenge is the answer to a validation by TLS-ALPN-01 that is under way.
type tlsChallenge struct {
	serverName string
	cert       *tls.Certificate
}

// TLS is the configuration for the stub's listener. It offers HTTP/1.1 alone, as the stub speaks nothing else, and answers
// an authority's validation (acme-tls/1) while one is under way.
func (c *Certificate) TLS() *tls.Config {
	return &tls.Config{
		MinVersion:         tls.VersionTLS12,
		NextProtos:         []string{"http/1.1"},
		GetCertificate:     c.forClient,
		GetConfigForClient: c.forAuthority,
	}
}

// Leaf is the certificate as of now: its names and until when it is valid. Callers must not change it.
func (c *Certificate) Leaf() *x509.Certificate { return c.current.Load().Leaf }

// Renew orders a new certificate if less than a third of the life of this one is left, and replaces it for new
// connections; else it does nothing. It places one order at most. While it fails the old certificate stays in use. One in
// files is renewed by whoever writes them.
func (c *Certificate) Renew(ctx context.Context) error {
	if c.orders == nil {
		return nil
	}
	return c.orders.renew(ctx, c)
}

func (c *Certificate) forClient(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	if c.files != nil {
		c.files.look(c)
	}
	if cert := c.current.Load(); cert != nil {
		return cert, nil
	}
	return nil, errNoCertificate
}

var (
	errNoCertificate = errors.New("public: there is no certificate yet")
	errNoChallenge   = errors.New("public: no validation of this name is under way")
)

// forAuthority answers a client that offers acme-tls/1 and nothing else, as RFC 8737 (section 3, 2020-02) has it. A client
// that offers it among others is not an authority.
func (c *Certificate) forAuthority(hello *tls.ClientHelloInfo) (*tls.Config, error) {
	if !slices.Equal(hello.SupportedProtos, []string{acme.ALPNProto}) {
		return nil, nil
	}
	now := c.challenge.Load()
	if now == nil || !strings.EqualFold(hello.ServerName, now.serverName) {
		return nil, errNoChallenge
	}
	return &tls.Config{
		MinVersion:             tls.VersionTLS12,
		NextProtos:             []string{acme.ALPNProto},
		Certificates:           []tls.Certificate{*now.cert},
		SessionTicketsDisabled: true, // the authority never comes back with one
	}, nil
}

// errPeriod is a certificate that is not valid now.
type errPeriod struct {
	expired bool
	at      time.Time
}

func (e *errPeriod) Error() string {
	if e.expired {
		return "the certificate expired on " + stamp(e.at)
	}
	return "the certificate is not valid before " + stamp(e.at)
}

// checkPeriod says whether a certificate is valid at a time.
func checkPeriod(leaf *x509.Certificate, now time.Time) error {
	switch {
	case now.After(leaf.NotAfter):
		return &errPeriod{expired: true, at: leaf.NotAfter}
	case now.Before(leaf.NotBefore):
		return &errPeriod{at: leaf.NotBefore}
	}
	return nil
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 MST") }

// until words how long a time is away, rounded up, for people.
func until(d time.Duration) string {
	if d <= time.Hour {
		return fmt.Sprintf("%d min", (d+time.Minute-1)/time.Minute)
	}
	return fmt.Sprintf("%d h", (d+time.Hour-1)/time.Hour)
}
