package wire

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// Base is the base URL that a client would be given, taken apart. Printing it, in any way, shows no credentials.
type Base struct {
	Scheme    string // http or https
	Host      string // host:port to connect to
	Authority string // for the Host header; the scheme's own port is left out, as SDKs do
	Path      string // "" or "/x", escaped as it was given, without a slash at the end
	User      string `json:"-"` // "", "user" or "user:password", unescaped; must never be printed
}

// String is the URL without credentials.
func (b Base) String() string { return b.Scheme + "://" + b.Authority + b.Path }

// GoString keeps %#v from showing credentials.
func (b Base) GoString() string { return fmt.Sprintf("wire.Base(%q)", b.String()) }

// authorization is the header value for the credentials in the URL: RFC 7617.
func (b Base) authorization() string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(b.User))
}

// serverName is the name that a certificate must be for.
func (b Base) serverName() string {
	host, _, _ := net.SplitHostPort(b.Host)
	host, _, _ = strings.Cut(host, "%") // a zone means something on this machine only
	return host
}

var defaultPort = map[string]string{"http": "80", "https": "443"}

// ParseBase takes a base URL apart. Its errors say what is wrong and what to write instead; they never repeat
// credentials, a query or a fragment, nor a host or port, which may be half of a password with an unescaped slash.
func ParseBase(raw string) (Base, error) {
	raw = strings.TrimSpace(raw)
	if raw == "" {
		return Base{}, errors.New("the base URL is empty: give one like http://127.0.0.1:8080")
	}
	scheme, rest, ok := strings.Cut(raw, "://")
	if !ok || strings.ContainsAny(scheme, "/?#@") {
		return Base{}, noScheme(raw)
	}
	b := Base{Scheme: strings.ToLower(scheme)}
	if defaultPort[b.Scheme] == "" {
		return Base{}, fmt.Errorf("the base URL's scheme %q is neither http nor https: use one of these", scheme)
	}
	authority, path := rest, ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority, path = rest[:i], rest[i:]
	}
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		user, err := unescapeUser(authority[:i])
		if err != nil {
			return Base{}, err
		}
		b.User, authority = user, authority[i+1:]
	}
	if err := b.setHost(authority); err != nil {
		return Base{}, err
	}
	if err := b.setPath(path); err != nil {
		return Base{}, err
	}
	return b, nil
}

// noScheme suggests a complete URL where this can be done without repeating a secret.
func noScheme(raw string) error {
	if strings.ContainsAny(raw, "@?#\"\\") || strings.Contains(raw, ":/") || !isVisible(raw) {
		return errors.New("the base URL has no scheme: write http:// or https:// in front of the host")
	}
	return fmt.Errorf("the base URL has no scheme: write http://%s", strings.TrimLeft(raw, "/"))
}

func unescapeUser(s string) (string, error) {
	name, password, both := strings.Cut(s, ":")
	n, err1 := url.PathUnescape(name)
	p, err2 := url.PathUnescape(password)
	if err1 != nil || err2 != nil {
		return "", errors.New("the credentials in the base URL have a bad percent escape: write % as %25")
	}
	if both {
		n += ":" + p
	}
	return n, nil
}

// setHost reads "host", "host:port", "[v6]" or "[v6]:port".
func (b *Base) setHost(authority string) error {
	host, port, hasPort := authority, "", false
	if i := strings.LastIndexByte(authority, ':'); i > strings.LastIndexByte(authority, ']') {
		host, port, hasPort = authority[:i], authority[i+1:], true
	}
	if host == "" {
		return errors.New("the base URL has no host: write one, as in " + b.Scheme + "://127.0.0.1:8080")
	}
	if hasPort && port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return errors.New("the port of the base URL is no number from 1 to 65535" +
				" (in credentials, write / ? # as %2F %3F %23)")
		}
		port = strconv.FormatUint(n, 10)
	}
	shown := host
	if host[0] == '[' {
		bare, zone, err := parseIPv6(host)
		if err != nil {
			return err
		}
		host, shown = bare+zone, "["+bare+"]"
	} else if err := checkName(host); err != nil {
		return err
	}
	b.Authority = shown
	if port != "" && port != defaultPort[b.Scheme] {
		b.Authority += ":" + port
	}
	if port == "" {
		port = defaultPort[b.Scheme]
	}
	b.Host = net.JoinHostPort(host, port)
	return nil
}

// parseIPv6 reads an address in brackets. A zone comes as "%25eth0" or "%eth0" and is returned with one "%".
func parseIPv6(s string) (bare, zone string, err error) {
	inner := strings.TrimSuffix(s[1:], "]")
	bare, zone, hasZone := strings.Cut(inner, "%")
	ip, err := netip.ParseAddr(bare)
	if err != nil || !ip.Is6() || len(inner) != len(s)-2 {
		return "", "", errors.New("the host of the base URL is no IPv6 address: write it like [::1]")
	}
	if hasZone {
		zone = "%" + strings.TrimPrefix(zone, "25")
	}
	return bare, zone, nil
}

// checkName refuses what can't stand in a Host header or be looked up.
func checkName(host string) error {
	for i := 0; i < len(host); i++ {
		c := host[i]
		if c >= 0x80 {
			return errors.New("the host of the base URL is not ASCII: write its xn-- form")
		}
		if c <= ' ' || c == 0x7f || strings.IndexByte(`"%:<>[\]^`+"`{|}", c) >= 0 {
			return fmt.Errorf("the host of the base URL holds %q: write a name, an IPv4 address or [IPv6]", c)
		}
	}
	return nil
}

// setPath keeps the path as it was written and refuses what a base can't have.
func (b *Base) setPath(path string) error {
	if strings.Contains(path, "#") {
		return errors.New("the base URL has a fragment: leave out # and what follows, it is never sent")
	}
	if strings.Contains(path, "?") {
		return errors.New("the base URL has a query: leave out ? and what follows, paths are added to the base")
	}
	path = strings.TrimRight(path, "/")
	if path == "" {
		return nil
	}
	u, err := url.ParseRequestURI(path)
	if err != nil {
		return errors.New("the path of the base URL has a control character or a bad percent escape: write % as %25")
	}
	b.Path = u.EscapedPath()
	return nil
}

// isVisible reports whether s is printable ASCII without spaces, so that it can stand in a request line.
func isVisible(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] <= ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}
