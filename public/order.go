package public

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/acme"
)

// orderRun is one order.
type orderRun struct {
	*orderer
	cert    *Certificate
	client  *acme.Client
	http    net.Listener // nil as long as HTTP-01 is not needed
	asked   asked
	counted bool // the authority may count a failure from here on
	closers []func()
}

func (r *orderRun) close() {
	for _, f := range slices.Backward(r.closers) {
		f()
	}
}

func (r *orderRun) run(ctx context.Context) (*tls.Certificate, error) {
	r.asked = asked{name: r.opt.Name, directory: r.opt.Directory}
	if err := r.listen(); err != nil {
		return nil, err
	}
	if err := r.connect(ctx); err != nil {
		return nil, err
	}
	order, err := r.place(ctx)
	if err != nil {
		return nil, err
	}
	for _, u := range order.AuthzURLs {
		if err := r.prove(ctx, u); err != nil {
			return nil, err
		}
	}
	if order, err = r.client.WaitOrder(ctx, order.URI); err != nil {
		return nil, err
	}
	return r.finalize(ctx, order)
}

// listen makes sure that one challenge can be answered before anything is ordered: an order that fails for want of a port
// counts as a failure.
func (r *orderRun) listen() error {
	var why []string
	for _, m := range r.opt.Challenges {
		err := r.ready(m)
		if err == nil {
			for _, w := range why {
				r.opt.Log("left out: " + w)
			}
			return nil
		}
		why = append(why, fmt.Sprintf("%s needs %s", m, clean(err.Error())))
	}
	return &Failure{
		Problem: fmt.Sprintf("nothing was ordered for %s, since no challenge can be answered here: %s", r.opt.Name, strings.Join(why, "; ")),
		Remedy:  "end the server that has the port, or run as who may listen there (root, or setcap cap_net_bind_service=+ep on this program)",
	}
}

// ready opens what a challenge needs, or says what that is.
func (r *orderRun) ready(method string) error {
	switch {
	case method == methodTLS && r.opt.Listener == nil:
		return errors.New("a TLS listener of the stub's own")
	case method == methodTLS || r.http != nil:
		return nil
	}
	l, err := net.Listen("tcp", r.opt.HTTPListen)
	if err != nil {
		return fmt.Errorf("%s: %w", r.opt.HTTPListen, err)
	}
	r.http = l
	r.closers = append(r.closers, func() { _ = l.Close() })
	return nil
}

// connect finds the directory and the account, which is made if need be.
func (r *orderRun) connect(ctx context.Context) error {
	key, err := r.cache.account()
	if err != nil {
		return &Failure{Problem: "the account's key: " + clean(err.Error()), Remedy: "nothing was ordered", Err: err}
	}
	transport := &http.Transport{
		TLSClientConfig:       &tls.Config{RootCAs: r.roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:   20 * time.Second,
		ResponseHeaderTimeout: 30 * time.Second,
		ForceAttemptHTTP2:     true,
	}
	r.closers = append(r.closers, transport.CloseIdleConnections)
	r.client = &acme.Client{
		Key: key, DirectoryURL: r.opt.Directory, UserAgent: "preservecheck", RetryBackoff: backoff,
		HTTPClient: &http.Client{
			Transport:     bounded{transport},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	dir, err := r.client.Discover(ctx)
	if err != nil {
		return err
	}
	r.asked.caa = dir.CAA
	if dir.Terms != "" {
		r.opt.Log(fmt.Sprintf("terms of service of %s, which asking it for a certificate accepts: %s", r.opt.Directory, clean(dir.Terms)))
	}
	account := &acme.Account{}
	if r.opt.Email != "" {
		account.Contact = []string{"mailto:" + r.opt.Email}
	}
	if _, err := r.client.Register(ctx, account, acme.AcceptTOS); err != nil && !errors.Is(err, acme.ErrAccountAlreadyExists) {
		return err
	}
	return nil
}

// shortlived is the profile under which Let's Encrypt issues for IP addresses, and no other (its announcement of general
// availability, 2026-01-15).
const shortlived acme.ProfileName = "shortlived"

func (r *orderRun) place(ctx context.Context) (*acme.Order, error) {
	ids, opts := acme.DomainIDs(r.opt.Name), []acme.OrderOption(nil)
	if r.ip {
		ids = acme.IPIDs(r.opt.Name)
		if dir, err := r.client.Discover(ctx); err == nil && dir.Profiles[shortlived] != "" {
			opts = append(opts, acme.WithOrderIssuanceProfile(shortlived))
		}
	}
	r.opt.Log(fmt.Sprintf("ordering a certificate for %s from %s", r.opt.Name, r.opt.Directory))
	order, err := r.client.AuthorizeOrder(ctx, ids, opts...)
	if err != nil {
		var e *acme.Error
		r.counted = errors.As(err, &e) && e.StatusCode < 500 // it refused the name; it will again
	}
	return order, err
}

// prove answers one challenge of an authorization. There is no second: once one failed, the authorization has failed.
func (r *orderRun) prove(ctx context.Context, u string) error {
	z, err := r.client.GetAuthorization(ctx, u)
	if err != nil || z.Status == acme.StatusValid {
		return err
	}
	challenge, err := r.choose(z)
	if err != nil {
		return err
	}
	stop, err := r.answer(challenge)
	if err != nil {
		return err
	}
	defer stop()
	r.opt.Log(fmt.Sprintf("%s comes to port %s of %s now; answering %s on %s", r.opt.Directory, r.asked.port(), r.opt.Name, challenge.Type, r.asked.listen))
	r.counted = true
	if _, err := r.client.Accept(ctx, challenge); err != nil {
		return err
	}
	_, err = r.client.WaitAuthorization(ctx, z.URI)
	return err
}

// choose takes the first challenge in our order that is offered and can be answered.
func (r *orderRun) choose(z *acme.Authorization) (*acme.Challenge, error) {
	var offered []string
	for _, c := range z.Challenges {
		offered = append(offered, c.Type)
	}
	var why []string
	for _, m := range r.opt.Challenges {
		i := slices.Index(offered, m)
		if i < 0 {
			continue
		}
		err := r.ready(m)
		if err == nil {
			return z.Challenges[i], nil
		}
		why = append(why, fmt.Sprintf("%s needs %s", m, clean(err.Error())))
	}
	if why == nil {
		why = []string{"allowed here is only " + strings.Join(r.opt.Challenges, ", ")}
	}
	return nil, &Failure{
		Problem: fmt.Sprintf("%s offers %s for %s, and none of them can be answered here: %s", r.opt.Directory, clean(strings.Join(offered, ", ")), r.opt.Name, strings.Join(why, "; ")),
		Remedy:  "make one of them possible, or get the certificate by another tool and give it with --tls-cert",
	}
}

// answer begins to answer a challenge.
func (r *orderRun) answer(ch *acme.Challenge) (func(), error) {
	r.asked.method = ch.Type
	if ch.Type == methodHTTP {
		response, err := r.client.HTTP01ChallengeResponse(ch.Token)
		if err != nil {
			return nil, err
		}
		r.asked.listen = r.http.Addr().String()
		return answerHTTP(r.http, r.client.HTTP01ChallengePath(ch.Token), response), nil
	}
	cert, err := r.client.TLSALPN01ChallengeCert(ch.Token, r.opt.Name)
	if err != nil {
		return nil, err
	}
	r.asked.listen = r.opt.Listener.Addr().String()
	r.cert.challenge.Store(&tlsChallenge{serverName: serverName(r.opt.Name), cert: &cert})
	forget := func() { r.cert.challenge.Store(nil) }
	if r.serving {
		return forget, nil
	}
	end := answerTLS(r.opt.Listener, r.cert.TLS())
	return func() { end(); forget() }, nil
}

// finalize has the certificate issued for a key of its own, and keeps both.
func (r *orderRun) finalize(ctx context.Context, order *acme.Order) (*tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	want := &x509.CertificateRequest{DNSNames: []string{r.opt.Name}}
	if r.ip {
		want = &x509.CertificateRequest{IPAddresses: []net.IP{net.ParseIP(r.opt.Name)}}
	}
	csr, err := x509.CreateCertificateRequest(rand.Reader, want, key)
	if err != nil {
		return nil, err
	}
	chain, _, err := r.client.CreateCertFromOrder(ctx, order, csr, true)
	if err != nil {
		return nil, err
	}
	pair := &tls.Certificate{Certificate: chain, PrivateKey: key}
	if pair.Leaf, err = x509.ParseCertificate(chain[0]); err != nil {
		return nil, err
	}
	if !key.PublicKey.Equal(pair.Leaf.PublicKey) {
		return nil, errors.New("it issued a certificate for another key")
	}
	if err := pair.Leaf.VerifyHostname(r.opt.Name); err != nil {
		return nil, err
	}
	if err := r.cache.keep(key, chain); err != nil {
		r.opt.Log(fmt.Sprintf("the certificate can't be kept, so the next run will order another one: %s", clean(err.Error())))
	}
	return pair, nil
}

// serverName is what an authority asks for: for an address the name under which DNS would look it up in reverse (RFC
// 8738, section 6, 2020-02), since TLS has no server names that are addresses.
func serverName(name string) string {
	ip := net.ParseIP(name)
	if ip == nil {
		return name
	}
	var b strings.Builder
	if v4 := ip.To4(); v4 != nil {
		for _, part := range slices.Backward(v4) {
			fmt.Fprintf(&b, "%d.", part)
		}
		return b.String() + "in-addr.arpa"
	}
	for _, part := range slices.Backward(ip) {
		fmt.Fprintf(&b, "%x.%x.", part&15, part>>4)
	}
	return b.String() + "ip6.arpa"
}

// backoff says when the library sends a request again. A rejected nonce is an ordinary thing (RFC 8555, section 6.5); a fault of the server
// gets a few more tries; a limit gets none, since each try would count against it.
func backoff(n int, _ *http.Request, resp *http.Response) time.Duration {
	switch {
	case resp.StatusCode == http.StatusBadRequest && n <= 10: // asked only for badNonce
		return 50 * time.Millisecond
	case resp.StatusCode >= 500 && n <= 2:
		return time.Duration(n) * 2 * time.Second
	}
	return 0
}

// bounded cuts answers that are larger than any of an authority.
type bounded struct{ http.RoundTripper }

const maxAnswer = 1 << 20 // bytes

func (b bounded) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := b.RoundTripper.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(resp.Body, maxAnswer), resp.Body}
	return resp, nil
}
