package main

import (
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/wire"
)

func TestBaseURLs(t *testing.T) {
	cases := []struct{ why, in, err string }{
		{"the usual one", "http://127.0.0.1:8080", ""},
		{"a path", "http://gw:4000/anthropic/", ""},
		{"no scheme", "127.0.0.1:8080", "no scheme"},
		{"no scheme, a name", "localhost:8080", "no scheme"},
		{"no scheme, with credentials", "u:hunter222@gw:80", "no scheme"},
		{"another scheme", "ftp://u:hunter222@gw", "neither http nor https"},
		{"no host", "http:///v1", "no host"},
		{"a bad port, with credentials", "http://u:hunter222@gw:port", "port"},
		{"a query", "http://gw/?key=hunter222", "query"},
		{"a control character", "http://gw\x1b[31m", "host"},
	}
	for _, c := range cases {
		var s secrets
		_, err := parseBase(c.in, "--layer", &s)
		switch {
		case c.err == "" && err != nil:
			t.Errorf("%s: %v", c.why, err)
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err) || !strings.HasPrefix(err.Error(), "--layer: ")):
			t.Errorf("%s: error %v, want --layer and %q", c.why, err, c.err)
		case err != nil && strings.Contains(err.Error(), "hunter222"):
			t.Errorf("%s: the message shows credentials: %v", c.why, err)
		}
	}
}

func TestCredentialsOfTheURLAreSecret(t *testing.T) {
	var s secrets
	if _, err := parseBase("http://some_user:hunter%40222@gw", "--layer", &s); err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{"hunter@222", "hunter%40222", "some_user", "c29tZV91c2VyOmh1bnRlckAyMjI="} {
		if got := redactorOf(&s)("<" + form + ">"); strings.Contains(got, form) {
			t.Errorf("%s is not redacted", form)
		}
	}
}

func TestLocalAddress(t *testing.T) {
	cases := []struct {
		why, in string
		ok      bool
		asked   bool // it may be, with --listen-any
	}{
		{"the default", "127.0.0.1:8787", true, true},
		{"any free port", "127.0.0.1:0", true, true},
		{"IPv6", "[::1]:8787", true, true},
		{"by name", "localhost:8787", true, true},
		{"everywhere", ":8787", false, true},
		{"everywhere, spelled out", "0.0.0.0:8787", false, true},
		{"another machine's", "192.0.2.1:8787", false, true},
		{"no port", "127.0.0.1", false, false},
		{"only a port", "8787", false, false},
	}
	for _, c := range cases {
		if err := localAddress(c.in, "--stub-listen", false); (err == nil) != c.ok {
			t.Errorf("%s: %q gives %v", c.why, c.in, err)
		}
		if err := localAddress(c.in, "--stub-listen", true); (err == nil) != (c.ok || c.asked) {
			t.Errorf("%s, asked for: %q gives %v", c.why, c.in, err)
		}
	}
}

func TestSameSocket(t *testing.T) {
	stub := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8787}
	cases := []struct {
		why, host, addr string
		want            bool
	}{
		{"the same address", "127.0.0.1:8787", "127.0.0.1", true},
		{"the same address behind a name", "localhost:8787", "127.0.0.1", true},
		{"another port", "127.0.0.1:8788", "127.0.0.1", false},
		{"the same port on another machine", "gw:8787", "192.0.2.1", false},
		{"the same port on another loopback address", "127.0.0.2:8787", "127.0.0.2", false},
	}
	everywhere := &net.TCPAddr{IP: net.IPv4zero, Port: 8787}
	if !sameSocket(wire.Base{Host: "127.0.0.2:8787"}, []netip.Addr{netip.MustParseAddr("127.0.0.2")}, everywhere) {
		t.Error("a stub that listens everywhere listens on each loopback address")
	}
	if sameSocket(wire.Base{Host: "gw:8787"}, []netip.Addr{netip.MustParseAddr("192.0.2.1")}, everywhere) {
		t.Error("a stub that listens everywhere is taken for another machine's layer")
	}
	for _, c := range cases {
		if got := sameSocket(wire.Base{Host: c.host}, []netip.Addr{netip.MustParseAddr(c.addr)}, stub); got != c.want {
			t.Errorf("%s: %v", c.why, got)
		}
	}
}

func TestWithScheme(t *testing.T) {
	for in, want := range map[string]string{
		"gateway.example": "write https://gateway.example", "gateway.example:8443/anthropic": "write https://gateway.example:8443/anthropic",
		"localhost:8080": "write http://localhost:8080", "127.0.0.1": "write http://127.0.0.1", "10.0.0.7:4000": "write http://10.0.0.7:4000",
		"user:secret@gw": "write http:// or https:// in front of the host", "user:secret": "write http:// or https:// in front of the host",
	} {
		if got := withScheme(in); got != want {
			t.Errorf("withScheme(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestMisspeltControl(t *testing.T) {
	for in, want := range map[string]string{
		"contol:drop-details": "control:drop-details", "Control:identity": "control:identity", "controls:drop-detail": "control:drop-details",
		"contol://gw": "", "contol:8080": "", "localhost:8080": "", "http://gw": "", "contol": "", "contol:": "",
	} {
		if got := misspeltControl(in); got != want {
			t.Errorf("misspeltControl(%q) = %q, want %q", in, got, want)
		}
	}
}
