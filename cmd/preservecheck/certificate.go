package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"strings"

	"github.com/preservecheck/preservecheck/public"
	"github.com/preservecheck/preservecheck/wire"
)

// certificate gets what a listener of our own shows, nil where it speaks plain HTTP.
func (a *app) certificate(ctx context.Context, o *opening, l net.Listener) (*public.Certificate, error) {
	say := func(text string) { a.note("certificate: %s", text) }
	switch o.way {
	case wayFiles:
		cert, err := public.Files(o.flags.tlsCert, o.flags.tlsKey, say)
		return cert, badCertificate(o.from, err)
	case wayACME:
		cache, err := o.acmeCache(a.env)
		if err != nil {
			return nil, err
		}
		tcp, _ := l.(*net.TCPListener)
		cert, err := public.ACME(ctx, public.Options{
			Name: o.flags.acme, Email: o.flags.acmeEmail, Directory: o.flags.acmeDirectory, CAFile: o.flags.acmeCA,
			CacheDir: cache, HTTPListen: o.acmeListen(), Listener: tcp, Force: o.flags.acmeForce, Log: say,
		})
		return cert, badCertificate(o.from, err)
	}
	return nil, nil
}

// badCertificate words an error with what to do about it.
func badCertificate(from string, err error) error {
	var f *public.Failure
	switch {
	case err == nil:
		return nil
	case errors.As(err, &f):
		return usage(f.Remedy, "%s: %s", from, f.Problem)
	}
	return usage("see docs/hosted.md", "%s: %s", from, err)
}

// acmeCache is where certificates are kept for later runs.
func (o *opening) acmeCache(env environ) (string, error) {
	if o.flags.acmeCache != "" {
		return o.flags.acmeCache, nil
	}
	cache := cacheFolder(env, "acme")
	if cache == "" {
		return "", usage("give --acme-cache FOLDER", "%s: there is neither XDG_CACHE_HOME nor HOME to keep the certificate in", o.from)
	}
	return cache, nil
}

// acmeListen is where the authority's question over HTTP is answered: on this machine alone where the stub listens there.
func (o *opening) acmeListen() string {
	switch {
	case o.flags.acmeListen != "":
		return o.flags.acmeListen
	case o.flags.any:
		return ":80"
	}
	return "127.0.0.1:80"
}

// reached is where others reach a listener of our own, by what its certificate is for.
func (o *opening) reached(cert *public.Certificate, addr net.Addr) (*wire.Base, error) {
	if o.url != nil {
		return o.url, nil
	}
	leaf := cert.Leaf()
	names := leaf.DNSNames
	for _, ip := range leaf.IPAddresses {
		names = append(names, hostForURL(ip.String()))
	}
	for _, name := range names {
		if strings.HasPrefix(name, "*") {
			continue
		}
		_, port, _ := net.SplitHostPort(addr.String())
		b, err := wire.ParseBase("https://" + name + ":" + port)
		return &b, err
	}
	return nil, usage("give --stub-url https://NAME", "%s: the certificate names no single host under which others reach the stub", o.from)
}

// trusting is how we ask our own listener on this machine: under the certificate's name, and by the certificate itself, since whoever signed it
// need not be known here.
func trusting(cert *public.Certificate, name string) *tls.Config {
	roots := x509.NewCertPool()
	roots.AddCert(cert.Leaf())
	return &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots, ServerName: name}
}

// secured puts TLS around a listener where the stub speaks it itself, and notes how it is asked then. The listener is closed on an error.
func (a *app) secured(ctx context.Context, s *station, l net.Listener) (net.Listener, error) {
	cert, err := a.certificate(ctx, s.open, l)
	if err == nil && cert == nil {
		return l, nil
	}
	if err == nil {
		s.public, err = s.open.reached(cert, l.Addr())
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	s.cert = cert
	return tls.NewListener(l, cert.TLS()), nil
}
