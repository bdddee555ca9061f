package public

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/acme"
)

// The two ways to prove that a name is ours. A third, by a DNS record, needs the keys of a DNS provider.
const (
	methodHTTP = "http-01"
	methodTLS  = "tls-alpn-01"
)

// Directories that have a short name.
const (
	LetsEncrypt        = acme.LetsEncryptURL
	LetsEncryptStaging = "https://acme-staging-v02.api.letsencrypt.org/directory" // letsencrypt.org/docs/staging-environment, 2026-11-30
)

// Options say which certificate an authority is asked for. Name and CacheDir are needed.
type Options struct {
	Name  string // a DNS name or an IP address
	Email string // for the authority's account; none is needed

	// Directory is "production" (Let's Encrypt, also for ""), "staging" (Let's Encrypt's for trying things out, whose
	// certificates no client trusts and whose limits are wide), or the https URL of any other ACME directory.
	Directory string

	// CAFile holds PEM roots by which alone the directory's own certificate is verified, for a private authority; "" for
	// the system's.
	CAFile string

	CacheDir string // made with mode 0700; refused if others can write it

	HTTPListen string           // where HTTP-01 is answered, ":80" by default; authorities come to port 80
	Listener   *net.TCPListener // the stub's, on which TLS-ALPN-01 is answered until ACME returns; authorities come to port 443

	// Challenges in the order of preference: tls-alpn-01 and http-01 by default, the other way round for an IP address.
	// The first one that the authority offers and that can be answered here is used, and only that one.
	Challenges []string

	Force   bool          // place an order although the last one failed a moment ago
	Timeout time.Duration // for an order from begin to end, 3 min by default

	// Log is told in one line each of what is done, the terms of service among it, and of what went wrong without stopping us.
	Log func(string)
}

// orderer gets certificates for one name from one authority.
type orderer struct {
	opt     Options
	ip      bool
	cache   *cache
	roots   *x509.CertPool
	now     func() time.Time
	serving bool // somebody serves TLS of the certificate already, so the listener must not be borrowed
}

// ACME gets a certificate for a name from an authority that speaks ACME (RFC 8555), or takes the one of an earlier run out of the
// cache when at least a third of its life is left; then nobody is asked for anything. It places one order at most. When that fails and
// the certificate in the cache is still valid, it is used and Log is told; else the error is a [*Failure], and no other order for
// the name is placed for some minutes, or as long as the authority's limit says, unless Force is set.
//
// The authority must reach this machine under the name: at port 80 for HTTP-01, at port 443 for TLS-ALPN-01. To call
// this function is to accept the authority's terms of service; Log is told where they are. The names of certificates
// become public at once, in the logs of Certificate Transparency. Proxies of the environment are not used.
func ACME(ctx context.Context, opt Options) (*Certificate, error) {
	o, err := newOrderer(opt)
	if err != nil {
		return nil, err
	}
	c := &Certificate{orders: o}
	if err := o.first(ctx, c); err != nil {
		return nil, err
	}
	o.serving = true
	if o.opt.Directory == LetsEncryptStaging {
		o.opt.Log("this certificate is of Let's Encrypt's staging: no gateway trusts it, so use it to try the way out and then order a real one")
	}
	return c, nil
}

func newOrderer(opt Options) (*orderer, error) {
	if opt.Log == nil {
		opt.Log = func(string) {}
	}
	if opt.HTTPListen == "" {
		opt.HTTPListen = ":80"
	}
	if opt.Timeout <= 0 {
		opt.Timeout = 3 * time.Minute
	}
	name, ip, err := checkName(opt.Name)
	if err != nil {
		return nil, err
	}
	opt.Name = name
	if opt.Directory, err = directoryURL(opt.Directory); err != nil {
		return nil, err
	}
	if opt.Challenges, err = methods(opt.Challenges, ip); err != nil {
		return nil, err
	}
	o := &orderer{opt: opt, ip: ip, now: time.Now}
	if o.roots, err = rootsOf(opt.CAFile); err != nil {
		return nil, err
	}
	if opt.CacheDir == "" {
		return nil, errors.New("certificates need a folder to be kept in, or each run would order one anew")
	}
	o.cache, err = openCache(opt.CacheDir, opt.Directory, name)
	return o, err
}

// checkName takes a DNS name or an IP address in the form in which certificates have it.
func checkName(s string) (name string, ip bool, err error) {
	if addr, err := netip.ParseAddr(strings.Trim(s, "[]")); err == nil {
		if addr.Zone() != "" {
			return "", true, fmt.Errorf("%s: an address with a zone is not public; give one without", clean(s))
		}
		return addr.Unmap().String(), true, nil
	}
	name = strings.ToLower(strings.TrimSuffix(s, "."))
	switch {
	case strings.Contains(s, "://") || strings.ContainsAny(s, "/:"):
		return "", false, fmt.Errorf("%s: give the name alone, without scheme, port and path", clean(s))
	case strings.Contains(s, "*"):
		return "", false, fmt.Errorf("%s: a wildcard needs a proof by DNS, which this program can't do; give the one name of the stub", clean(s))
	case !isDNSName(name):
		return "", false, fmt.Errorf("%q is no DNS name or IP address; a name in another script is written as its xn-- form", clean(s))
	}
	return name, false, nil
}

// isDNSName takes letters, digits and hyphens (RFC 1123, section 2.1). The name becomes part of a file's name, too.
func isDNSName(s string) bool {
	if len(s) == 0 || len(s) > 253 {
		return false
	}
	for _, label := range strings.Split(s, ".") {
		if len(label) == 0 || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		if strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return false
		}
	}
	return true
}

func directoryURL(s string) (string, error) {
	switch s {
	case "", "production":
		return LetsEncrypt, nil
	case "staging":
		return LetsEncryptStaging, nil
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil {
		return "", fmt.Errorf("%q is no ACME directory; give production, staging or an https URL", clean(s))
	}
	return s, nil
}

func methods(asked []string, ip bool) ([]string, error) {
	if len(asked) == 0 {
		if ip { // the way that Let's Encrypt certainly offers for addresses
			return []string{methodHTTP, methodTLS}, nil
		}
		return []string{methodTLS, methodHTTP}, nil
	}
	for _, m := range asked {
		if m != methodHTTP && m != methodTLS {
			return nil, fmt.Errorf("%q is no challenge that this program can answer; those are %s and %s", clean(m), methodHTTP, methodTLS)
		}
	}
	return slices.Clone(asked), nil
}

func rootsOf(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	b, err := readBounded(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", file, whyUnread(err))
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(b) {
		return nil, fmt.Errorf("%s: holds no certificate in PEM; give the root of the ACME directory's own certificate", file)
	}
	return roots, nil
}

// first takes what the cache has, and orders if that does not do.
func (o *orderer) first(ctx context.Context, c *Certificate) error {
	kept, err := o.cache.certificate(o.opt.Name)
	if err != nil {
		return err
	}
	var period error
	if kept != nil {
		period = checkPeriod(kept.Leaf, o.now())
	}
	if p := (*errPeriod)(nil); errors.As(period, &p) && !p.expired { // another order would not help
		return &Failure{Problem: fmt.Sprintf("%s: %v", o.cache.path(".pem"), period), Remedy: "set this machine's clock right", Err: period}
	}
	if kept != nil && period == nil {
		c.current.Store(kept)
		if !o.due(kept.Leaf) {
			o.opt.Log(fmt.Sprintf("the certificate for %s is from an earlier run and valid until %s", o.opt.Name, stamp(kept.Leaf.NotAfter)))
			return nil
		}
	}
	err = o.order(ctx, c)
	if err != nil && c.current.Load() != nil && ctx.Err() == nil {
		o.opt.Log(fmt.Sprintf("%v. The certificate of an earlier run is used; it is valid until %s", err, stamp(kept.Leaf.NotAfter)))
		return nil
	}
	return err
}

// renew is for a certificate that is being served.
func (o *orderer) renew(ctx context.Context, c *Certificate) error {
	if !o.due(c.Leaf()) {
		return nil
	}
	return o.order(ctx, c)
}

// due says whether less than a third of the life is left. Let's Encrypt advises to renew after two thirds, whatever the life is
// (github.com/letsencrypt/website/pull/1773, 2025-08; read 2026-11-30).
func (o *orderer) due(leaf *x509.Certificate) bool {
	return leaf.NotAfter.Sub(o.now()) < leaf.NotAfter.Sub(leaf.NotBefore)/3
}

// order places one order unless the last one failed a moment ago, and remembers how it went.
func (o *orderer) order(ctx context.Context, c *Certificate) error {
	if m := o.cache.failed(o.now()); m != nil && !o.opt.Force {
		return &Failure{
			Problem: fmt.Sprintf("no order was placed for %s, since the last one failed: %s", o.opt.Name, clean(m.Problem)),
			Remedy: fmt.Sprintf("mend that, then wait until %s, for authorities count failures; --acme-force orders at once",
				stamp(m.Until)),
			Again: m.Until,
		}
	}
	ctx, cancel := context.WithTimeout(ctx, o.opt.Timeout)
	defer cancel()
	run := &orderRun{orderer: o, cert: c}
	defer run.close()
	pair, err := run.run(ctx)
	if err != nil {
		return o.failed(run, err)
	}
	o.cache.forget()
	c.current.Store(pair)
	o.opt.Log(fmt.Sprintf("got a certificate for %s, valid until %s", o.opt.Name, stamp(pair.Leaf.NotAfter)))
	return nil
}

// failed leaves a mark if the authority may count the failure: once it was told to validate, or when it refused the order.
func (o *orderer) failed(run *orderRun, err error) error {
	if f := (*Failure)(nil); errors.As(err, &f) {
		return f // nothing was ordered
	}
	f := explain(run.asked, err, o.now())
	if f.Again.IsZero() && run.counted && !errors.Is(err, context.Canceled) {
		f.Again = o.now().Add(afterFailure)
	}
	if !f.Again.IsZero() {
		if err := o.cache.markFailed(mark{Until: f.Again, Problem: f.Problem + "; " + f.Remedy}); err != nil {
			o.opt.Log(fmt.Sprintf("that the order failed can't be remembered: %s", clean(err.Error())))
		}
	}
	return f
}
