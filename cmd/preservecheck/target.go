package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/preservecheck/preservecheck/nearest"
	"github.com/preservecheck/preservecheck/wire"
)

// controlPrefix marks an embedded layer in --layer.
const controlPrefix = "control:"

// parseBase reads a base URL and notes the credentials in it as secret. No message shows them.
func parseBase(text, from string, s *secrets) (wire.Base, error) {
	b, err := wire.ParseBase(text)
	if err != nil && !strings.Contains(text, "://") {
		return b, usage(withScheme(strings.TrimSpace(text)), "%s: the base URL has no scheme", from)
	}
	if err != nil {
		return b, usage("write it like http://127.0.0.1:8080 or https://gateway.example/anthropic", "%s: %s", from, err)
	}
	if b.User == "" {
		return b, nil
	}
	name := "credentials of " + strings.TrimLeft(from, "-")
	user, password, _ := strings.Cut(b.User, ":")
	s.add(name, b.User)
	s.add(name, password)
	if len(user) >= minSecret {
		s.add(name, user)
	}
	if i := strings.LastIndexByte(text, '@'); i > 0 { // as it was written, escapes included
		_, written, _ := strings.Cut(text[:i], "://")
		s.add(name, written)
		if _, p, ok := strings.Cut(written, ":"); ok {
			s.add(name, p)
		}
	}
	return b, nil
}

// withScheme is the hint for a URL without a scheme: what is on this machine speaks plain HTTP as a rule, what has a
// public name does not. Nothing is repeated that could be a password.
func withScheme(text string) string {
	host, _, _ := strings.Cut(text, "/")
	name, port, _ := strings.Cut(host, ":")
	if host == "" || strings.ContainsFunc(text, func(r rune) bool { return !strings.ContainsRune(urlLetters, r) }) || !digits(port) {
		return "write http:// or https:// in front of the host"
	}
	scheme := "https://"
	if ip, err := netip.ParseAddr(name); name == "localhost" || err == nil && (ip.IsLoopback() || ip.IsPrivate()) {
		scheme = "http://"
	}
	return "write " + scheme + text
}

// urlLetters are what a host, a port and a plain path are made of.
const urlLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._:/"

func digits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// misspeltControl gives the embedded layer that a value with a typo in front of its colon means, "" when there is none.
func misspeltControl(text string) string {
	word, name, ok := strings.Cut(text, ":")
	if !ok || name == "" || strings.HasPrefix(name, "/") || digits(name) || len(nearest.Names(word, []string{strings.TrimSuffix(controlPrefix, ":")})) == 0 {
		return ""
	}
	if near := nearest.Names(controlPrefix+name, controlTargets()); len(near) > 0 {
		return near[0]
	}
	return ""
}

// lookupTimeout bounds the one look-up that happens before anything runs.
const lookupTimeout = 5 * time.Second

// addresses resolves a URL's host; none when it can't be resolved, which the run itself then reports.
func addresses(ctx context.Context, b wire.Base) []netip.Addr {
	host, _, err := net.SplitHostPort(b.Host)
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil
	}
	for i := range found {
		found[i] = found[i].Unmap()
	}
	return found
}

// loopback reports whether all addresses are of this machine.
func loopback(addrs []netip.Addr) bool {
	for _, a := range addrs {
		if !a.IsLoopback() {
			return false
		}
	}
	return len(addrs) > 0
}

// localAddress refuses an address to listen on that others can reach, unless any is asked for.
func localAddress(address, from string, any bool) error {
	const hint = "write it like 127.0.0.1:8787; port 0 takes a free one"
	host, port, err := net.SplitHostPort(address)
	if err != nil || port == "" {
		return usage(hint, "%s: %q is not HOST:PORT", from, address)
	}
	ip, err := netip.ParseAddr(host)
	if any || host == "localhost" || err == nil && ip.IsLoopback() {
		return nil
	}
	return usage(hint+"; add --listen-any if others may ask the stub, or bring the layer here by a tunnel, with --stub-url naming its far end",
		"%s: %q is not an address of this machine alone", from, host)
}

// sameSocket reports whether a layer's address is the one that the stub listens on.
func sameSocket(layer wire.Base, addrs []netip.Addr, stub net.Addr) bool {
	_, port, _ := net.SplitHostPort(layer.Host)
	at, err := netip.ParseAddrPort(stub.String())
	if err != nil || port != portOf(at) {
		return false
	}
	for _, a := range addrs {
		if a == at.Addr().Unmap() || at.Addr().IsUnspecified() && ownAddress(a) {
			return true
		}
	}
	return false
}

// ownAddress reports whether an address is one of this machine.
func ownAddress(a netip.Addr) bool {
	if a.IsLoopback() || a.IsUnspecified() {
		return true
	}
	own, err := net.InterfaceAddrs()
	if err != nil {
		return true // better refuse a layer than take the stub for one
	}
	for _, o := range own {
		if p, err := netip.ParsePrefix(o.String()); err == nil && p.Addr().Unmap() == a {
			return true
		}
	}
	return false
}

func portOf(a netip.AddrPort) string {
	_, port, _ := net.SplitHostPort(a.String())
	return port
}

// maxCA bounds --layer-ca, in bytes; all the authorities that a system trusts are about 250 KB.
const maxCA = 4 << 20

// readRegular reads a file of limited size. It opens nothing that is not a regular file: a pipe would never end, or
// never begin.
func readRegular(file string, most int64) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("it is %s, not a regular file", kind(info.Mode()))
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(b)) > most {
		err = fmt.Errorf("it is larger than %d MiB", most>>20)
	}
	return b, err
}

// tlsConfig trusts the roots of the system and, besides, those of a PEM file.
func tlsConfig(file, from string) (*tls.Config, error) {
	if file == "" {
		return &tls.Config{MinVersion: tls.VersionTLS12}, nil
	}
	const hint = "give a PEM file with the certificate of the authority that signed the layer's"
	pem, err := readRegular(file, maxCA)
	if err != nil {
		return nil, usage(hint, "%s: %s can't be read: %s", from, file, cause(err))
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	if !roots.AppendCertsFromPEM(pem) {
		return nil, usage(hint, "%s: %s holds no certificate", from, file)
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots}, nil
}
