package wire

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseBase(t *testing.T) {
	for _, c := range []struct {
		raw, why string
		want     Base
	}{
		{"http://127.0.0.1:8080", "the usual one", Base{"http", "127.0.0.1:8080", "127.0.0.1:8080", "", ""}},
		{"https://gw.example", "port 443 is implied", Base{"https", "gw.example:443", "gw.example", "", ""}},
		{"http://gw:80/", "SDKs leave the scheme's own port out", Base{"http", "gw:80", "gw", "", ""}},
		{"https://gw:80", "80 is not https's own", Base{"https", "gw:80", "gw:80", "", ""}},
		{"HTTP://GW:4000/anthropic/", "a path is kept, its last slash is not", Base{"http", "GW:4000", "GW:4000", "/anthropic", ""}},
		{"http://gw//a%2Fb//", "escapes and inner slashes stay as written", Base{"http", "gw:80", "gw", "//a%2Fb", ""}},
		{"http://gw/a b", "a space must not reach the request line", Base{"http", "gw:80", "gw", "/a%20b", ""}},
		{"http://gw:", "an empty port is none", Base{"http", "gw:80", "gw", "", ""}},
		{"http://[::1]:8080/x", "IPv6", Base{"http", "[::1]:8080", "[::1]:8080", "/x", ""}},
		{"http://[fe80::1%25eth0]", "a zone is for dialing, never for the Host header", Base{"http", "[fe80::1%eth0]:80", "[fe80::1]", "", ""}},
		{"http://u%40x:p%3Aw@gw", "credentials are unescaped", Base{"http", "gw:80", "gw", "", "u@x:p:w"}},
		{"http://key@gw", "a name alone is a credential, too", Base{"http", "gw:80", "gw", "", "key"}},
		{"http://a@b@gw", "the last @ counts", Base{"http", "gw:80", "gw", "", "a@b"}},
		{" http://gw:08080\n", "space around it comes from copying", Base{"http", "gw:8080", "gw:8080", "", ""}},
	} {
		got, err := ParseBase(c.raw)
		if err != nil {
			t.Errorf("%q: %v (%s)", c.raw, err, c.why)
		} else if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%q: %s\n%s", c.raw, c.why, d)
		}
	}
}

func TestParseBaseErrors(t *testing.T) {
	for _, c := range []struct{ raw, why, err string }{
		{"", "unset", "empty"},
		{"  ", "blank", "empty"},
		{"127.0.0.1:8080", "no scheme; the remedy repeats it", "write http://127.0.0.1:8080"},
		{"localhost:8080/x", "a host that looks like a scheme", "write http://localhost:8080/x"},
		{"//gw", "no scheme", "write http://gw"},
		{"user:secret@gw", "no scheme; credentials are not repeated", "has no scheme: write http:// or https://"},
		{"http:/gw", "one slash", "has no scheme"},
		{"gw/?u=http://x", "the scheme of another URL", "has no scheme"},
		{"ftp://gw", "another scheme", `"ftp" is neither http nor https`},
		{"://gw", "an empty scheme", "neither http nor https"},
		{"http://", "no host", "no host"},
		{"http:///x", "no host", "no host"},
		{"http://:8080", "a port without host", "no host"},
		{"http://user@", "credentials without host", "no host"},
		{"http://gw:0", "port 0", "1 to 65535"},
		{"http://gw:65536", "beyond 16 bits", "1 to 65535"},
		{"http://gw:http", "a name", "1 to 65535"},
		{"http://user:sec/ret@gw", "an unescaped slash in a password", "%2F"},
		{"http://::1:80", "IPv6 without brackets", "[IPv6]"},
		{"http://[1.2.3.4]", "IPv4 in brackets", "no IPv6"},
		{"http://[::1", "no closing bracket", "no IPv6"},
		{"http://[]", "nothing in brackets", "no IPv6"},
		{"http://bücher.example", "not ASCII", "xn--"},
		{"http://a b", "a space in the host", "holds ' '"},
		{"http://gw?api_key=secret", "a query", "query"},
		{"http://gw/x?", "an empty query", "query"},
		{"http://gw/#secret", "a fragment", "fragment"},
		{"http://gw/%zz", "a bad escape in the path", "%25"},
		{"http://gw/\x01", "a control character in the path", "control"},
		{"http://us%zz@gw", "a bad escape in credentials", "%25"},
	} {
		b, err := ParseBase(c.raw)
		switch {
		case err == nil:
			t.Errorf("%q: no error (%s), got %q", c.raw, c.why, b)
		case !strings.Contains(err.Error(), c.err):
			t.Errorf("%q: %q, want %q in it (%s)", c.raw, err, c.err, c.why)
		case strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "ret@"):
			t.Errorf("%q: the error shows a secret: %q", c.raw, err)
		}
	}
}

func TestBaseNeverPrintsCredentials(t *testing.T) {
	b, err := ParseBase("http://name:secret@gw:4000/x")
	if err != nil {
		t.Fatal(err)
	}
	if got := b.String(); got != "http://gw:4000/x" {
		t.Errorf("String() = %q", got)
	}
	js, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	c := Client{Base: b}
	for _, s := range []string{fmt.Sprint(b), fmt.Sprintf("%+v %#v %q %s", b, b, b, &b), fmt.Sprintf("%v %+v %#v", c, &c, c), string(js)} {
		if strings.Contains(s, "secret") || strings.Contains(s, "name") {
			t.Errorf("credentials in %s", s)
		}
	}
}
