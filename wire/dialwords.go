package wire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
)

// handshakeError is a TLS handshake that failed on a connection that stood.
type handshakeError struct{ error }

func (e handshakeError) Unwrap() error { return e.error }

// dialWords says why there is no connection, and what to do about it.
func dialWords(ctx context.Context, err error, b Base) (End, string) {
	var handshake handshakeError
	step := "connecting to " + b.Host
	if errors.As(err, &handshake) {
		step = "the TLS handshake with " + b.Host
	}
	var proxy proxyError
	switch {
	case errors.As(err, &proxy):
		return EndLocal, proxy.words
	case handshake.error == nil && exhausted(err) != "":
		return EndLocal, exhausted(err)
	case handshake.error == nil && isRefused(err): // a deadline that passes in the same moment changes nothing
		return EndRefused, connectWords(err, b)
	case errors.Is(ctx.Err(), context.Canceled):
		return EndCanceled, "interrupted during " + step
	case ctx.Err() != nil, errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return EndTimeout, "timed out during " + step
	case handshake.error != nil:
		return EndRefused, handshakeWords(handshake.error, b)
	}
	return EndRefused, connectWords(err, b)
}

// Windows Sockets error codes that package syscall gives other names or none (WSAECONNREFUSED and so on).
const (
	windowsRefused = syscall.Errno(10061)
	windowsFiles   = syscall.Errno(10024)
	windowsInUse   = syscall.Errno(10048)
	windowsAddress = syscall.Errno(10049)
	windowsBuffers = syscall.Errno(10055)
)

func isRefused(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, windowsRefused)
}

// exhausted says of what this machine had no more when it was to open a connection, "" for an error that is not its own.
// Nobody on the other side learned of such an attempt. (connect(2), socket(2) and ip(7) of Linux, read 2026-11-30.)
func exhausted(err error) string {
	for _, c := range []struct {
		errs   []error
		what   string
		remedy string
	}{
		{
			[]error{syscall.EADDRNOTAVAIL, syscall.EADDRINUSE, windowsAddress, windowsInUse}, "no free local port is left",
			"closed connections keep theirs for a minute or two, and where IPv6 is off its addresses have none",
		},
		{[]error{syscall.EMFILE, windowsFiles}, "this process may open no more files", "raise its limit (ulimit -n)"},
		{[]error{syscall.ENFILE}, "the system may open no more files", "close what holds them"},
		{[]error{syscall.ENOBUFS, syscall.ENOMEM, windowsBuffers}, "no memory is left for sockets", "close what uses it"},
	} {
		for _, e := range c.errs {
			if errors.Is(err, e) {
				return "this machine could not open a connection: " + c.what + " (" + innermost(err) + "): " + c.remedy +
					"; lower --repeat or --concurrency, or wait a minute"
			}
		}
	}
	return ""
}

func connectWords(err error, b Base) string {
	var dns *net.DNSError
	switch {
	case isRefused(err):
		return "connection refused: nothing listens on " + b.Host
	case errors.As(err, &dns) && dns.IsNotFound:
		return fmt.Sprintf("the host %q has no address: check the URL", b.serverName())
	case errors.As(err, &dns):
		return fmt.Sprintf("the address of %q could not be looked up: %s", b.serverName(), dns.Err)
	}
	return "no connection to " + b.Host + ": " + innermost(err)
}

// innermost leaves out "dial tcp" and addresses that the words around it already hold.
func innermost(err error) string {
	var op *net.OpError
	if errors.As(err, &op) && op.Err != nil {
		err = op.Err
	}
	return err.Error()
}

// handshakeWords names what went wrong in a TLS handshake. What a certificate says came off the wire, so it is
// quoted and cut.
func handshakeWords(err error, b Base) string {
	var noTLS tls.RecordHeaderError
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var alert *net.OpError
	switch {
	case errors.As(err, &noTLS):
		return "the server does not speak TLS: use http://"
	case errors.As(err, &authority):
		return "certificate signed by an unknown authority: give the authority's certificate (--layer-ca)"
	case errors.As(err, &name):
		return fmt.Sprintf("certificate is not for %q: use the name it is for%s", b.serverName(), certificateNames(name))
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "certificate has expired or is not yet valid: renew it, or set this machine's clock"
	case errors.As(err, &alert) && alert.Op == "remote error":
		return alertWords(alert.Err.Error())
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), isReset(err):
		return "closed during the TLS handshake: the server may not speak TLS (then use http://)"
	}
	return "TLS handshake failed: " + quote([]byte(innermost(err)))
}

func certificateNames(e x509.HostnameError) string {
	if e.Certificate == nil || len(e.Certificate.DNSNames) == 0 {
		return ""
	}
	return " (" + quote([]byte(strings.Join(e.Certificate.DNSNames, " "))) + ")"
}

// alertWords explains an alert, which TLS 1.3 may send after the handshake, too; its text is one of crypto/tls's own for the number that came.
func alertWords(alert string) string {
	switch {
	case strings.Contains(alert, "no application protocol"):
		return "the server refuses http/1.1 in ALPN (HTTP/2 only): this client speaks HTTP/1.1"
	case strings.Contains(alert, "certificate"):
		return "the server refuses our TLS certificate or wants one: " + alert
	}
	return "the server ended TLS (no version or cipher in common, or it wants a client certificate): " + alert
}
