package public

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/crypto/acme"
)

// Failure is an order that came to nothing, with what to do about it.
type Failure struct {
	Problem string
	Remedy  string
	Again   time.Time // no order is placed for the name before; zero if one may be placed at once
	Err     error     // nil for an order that was not placed
}

func (f *Failure) Error() string { return f.Problem + "; " + f.Remedy }

// Unwrap gives what the authority or the network said.
func (f *Failure) Unwrap() error { return f.Err }

const (
	// afterFailure is how long no new order is placed after one that the authority refused. Let's Encrypt lets five
	// validations of a name fail per account and hour, and gives back one each twelve minutes: with this wait that limit is
	// never reached, however often somebody starts the program anew. Source: letsencrypt.org/docs/rate-limits, the version of
	// 2025-06-12, read 2026-11-30.
	afterFailure = 12 * time.Minute

	// afterLimit is the wait after a limit that names none, and mostLimit what is believed of one that does; Let's Encrypt's
	// longest is a week (the same page).
	afterLimit = time.Hour
	mostLimit  = 7 * 24 * time.Hour
)

// asked is what an order was about, to word what went wrong with it.
type asked struct {
	name, directory string
	method          string // the challenge that was answered, "" before one was
	listen          string // where
	caa             []string
}

// port is where an authority looks, whatever we listen on.
func (a asked) port() string {
	if a.method == methodHTTP {
		return "80"
	}
	return "443"
}

// explain words an error of an order.
func explain(a asked, err error, now time.Time) *Failure {
	f := &Failure{Err: err}
	var (
		z     *acme.AuthorizationError
		order *acme.OrderError
		e     *acme.Error
	)
	switch {
	case errors.As(err, &z) && len(z.Errors) > 0 && errors.As(z.Errors[0], &e):
	case errors.As(err, &order) && order.Problem != nil:
		e = order.Problem
	case errors.As(err, &e):
	default:
		f.Problem, f.Remedy = withoutAnswer(a, err)
		return f
	}
	kind := e.ProblemType[strings.LastIndex(e.ProblemType, ":")+1:]
	f.Problem = fmt.Sprintf("no certificate for %s: %s says %s", a.name, a.directory, said(e, kind))
	f.Remedy = remedy(a, kind, e)
	if strings.EqualFold(kind, "rateLimited") || e.StatusCode == http.StatusTooManyRequests {
		wait := waitOf(e.Header, now)
		f.Again = now.Add(wait)
		f.Remedy = fmt.Sprintf("its limit allows another try in %s, not before %s; until then use --acme-directory staging to try things out, or --tls-cert",
			until(wait), stamp(f.Again))
	}
	return f
}

func said(e *acme.Error, kind string) string {
	text := clean(e.Detail)
	for _, sub := range e.Subproblems {
		text += " (" + clean(sub.Detail) + ")"
	}
	if kind == "" {
		return fmt.Sprintf("%d: %s", e.StatusCode, text)
	}
	return fmt.Sprintf("%s: %s", clean(kind), text)
}

// remedy is by the error's type: RFC 8555, section 6.7 (2019-03), RFC 8657 for CAA.
func remedy(a asked, kind string, e *acme.Error) string {
	switch kind {
	case "connection":
		return fmt.Sprintf("open port %s of this machine to the internet (firewall, security group, router), and let the A and AAAA records of %s lead to it", a.port(), a.name)
	case "dns":
		return fmt.Sprintf("give %s an A or AAAA record that leads to this machine and can be looked up from the internet; a broken AAAA record or DNSSEC fails as well", a.name)
	case "caa":
		who := "the authority's domain"
		if len(a.caa) > 0 {
			who = clean(a.caa[0])
		}
		return fmt.Sprintf("the CAA records of %s or of a domain above it forbid this authority: add one such as 0 issue %q, or choose another with --acme-directory", a.name, who)
	case "tls":
		return fmt.Sprintf("port 443 of %s must lead to this program itself; where a load balancer or CDN ends TLS in front of it let --acme use http-01, or give that one the certificate and use --stub-url", a.name)
	case "unauthorized", "incorrectResponse":
		return fmt.Sprintf("something else answers there, or nothing: port %s of %s has to be open to the internet and lead to this machine (we answered on %s), without a CDN or another server in between", a.port(), a.name, a.listen)
	case "rejectedIdentifier", "unsupportedIdentifier":
		return "it won't have this name under its rules; use a public name of your own, or another authority with --acme-directory"
	case "malformed":
		return fmt.Sprintf("is %s a public name that can be looked up and leads to this machine? If it is, try another authority with --acme-directory", a.name)
	case "invalidContact", "unsupportedContact":
		return "give another --acme-email, or none"
	case "externalAccountRequired":
		return "it issues to registered customers only, which --acme can't do; get the certificate by its own tool and give it with --tls-cert"
	case "userActionRequired":
		return "read and accept its new terms, " + clean(e.Instance) + ", then try again"
	case "badNonce", "serverInternal":
		return "the fault is on its side; try again later"
	}
	if e.StatusCode == http.StatusNotFound {
		return "is it the right --acme-directory?"
	}
	return "try again later, or another authority with --acme-directory"
}

// withoutAnswer words what is no answer of an authority.
func withoutAnswer(a asked, err error) (problem, remedy string) {
	var (
		unknown x509.UnknownAuthorityError
		other   x509.HostnameError
		old     x509.CertificateInvalidError
		dns     *net.DNSError
	)
	switch {
	case errors.Is(err, context.DeadlineExceeded) && a.method != "":
		return fmt.Sprintf("no certificate for %s: %s did not decide in time", a.name, a.directory),
			fmt.Sprintf("port %s of %s has to be open to the internet and lead to this machine", a.port(), a.name)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("%s does not answer in time", a.directory), "is it the right --acme-directory, and may this machine reach it?"
	case errors.Is(err, context.Canceled):
		return fmt.Sprintf("the order of a certificate for %s was broken off", a.name), "start again when you like"
	case errors.As(err, &unknown):
		return fmt.Sprintf("the certificate of %s is signed by an authority that is not known here", a.directory),
			"give the root of a private one with --acme-ca FILE"
	case errors.As(err, &other), errors.As(err, &old):
		return fmt.Sprintf("the certificate of %s does not fit: %s", a.directory, clean(err.Error())), "is it the right --acme-directory, and this machine's clock right?"
	case errors.As(err, &dns):
		return fmt.Sprintf("%s can't be found: %s", a.directory, clean(err.Error())), "is it the right --acme-directory?"
	}
	return fmt.Sprintf("no certificate for %s from %s: %s", a.name, a.directory, clean(err.Error())), "is it the right --acme-directory, and may this machine reach it?"
}

// waitOf reads Retry-After, in seconds or as a date (RFC 9110, section 10.2.3).
func waitOf(h http.Header, now time.Time) time.Duration {
	wait := afterLimit
	v := h.Get("Retry-After")
	if n, err := strconv.Atoi(v); err == nil {
		wait = min(time.Duration(n), mostLimit/time.Second) * time.Second
	} else if t, err := http.ParseTime(v); err == nil {
		wait = t.Sub(now)
	}
	return min(max(wait, time.Second), mostLimit)
}

// mostText bounds what is shown of a text of others, in bytes.
const mostText = 400

// clean makes one line of a text that an authority wrote, which may quote what anybody's server sent it: nothing in it may
// steer a terminal.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > mostText {
		s = strings.ToValidUTF8(s[:mostText], "") + " …"
	}
	return s
}
