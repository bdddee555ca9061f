package stub

import (
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/ledger"
)

// showing puts the secret into the head of every request that a text begins a line of.
func showing(in string) string {
	return strings.ReplaceAll(in, "\r\nHost:", "\r\nx-api-key: "+testSecret+"\r\nHost:")
}

// FuzzConnectionWithSecret sends raw bytes as a stranger does, who must get the one answer and no hit, and then with the secret in
// front of each host header: then the stub must read what another reader reads.
func FuzzConnectionWithSecret(f *testing.F) {
	for _, in := range corpus() {
		if len(in) < 4096 {
			f.Add([]byte(in))
		}
	}
	for _, in := range strangers() {
		if len(in) < 4096 {
			f.Add([]byte(in))
		}
	}
	all := start(f, func(o *Options) {
		withSecret(o)
		o.Matrix, o.Rate = quick(), -1
		o.OnPanic = func(_ any, stack []byte) { panic(string(stack)) }
	})
	f.Fuzz(func(t *testing.T, in []byte) {
		if all.ledger.Len() > ledger.DefaultLimit/2 {
			t.Skip("the ledger is nearly full, and what is not kept can't be compared")
		}
		s := &running{all.Server, t, all.ledger, all.addr}
		asIs := string(in)
		if !all.secret.within(asIs) && asIs != "" {
			before := s.ledger.Len()
			if out := s.exchange(asIs); string(out) != strangerAnswer || s.ledger.Len() != before {
				t.Errorf("a stranger got %q for %q", out, in)
			}
		}
		if shows := showing(asIs); shows != asIs {
			checkAgainstNetHTTP(t, s, []byte(shows))
		}
	})
}

// FuzzSecretPath cuts any path: what is left never holds the secret where the request counts as one that showed it, and a path without
// it stays as it was.
func FuzzSecretPath(f *testing.F) {
	for _, p := range []string{"/", "", "/v1/messages", "/" + testSecret, "/" + testSecret + "/v1/messages", "//" + encoded() + "//x", "/a%", "/%2", "/%zz%41", "*", testSecret,
		"/%66" + testSecret[1:] + "/%2566" + testSecret[1:], "/x" + testSecret} {
		f.Add(p)
	}
	s, err := newSecret(testSecret)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, path string) {
		rest, found := s.cut(nil, []byte(path))
		switch {
		case len(rest) == 0:
			t.Errorf("nothing is left of %q", path)
		case !found && string(rest) != path && path != "":
			t.Errorf("%q became %q", path, rest)
		case found && len(rest) >= len(path) && string(rest) != "/":
			t.Errorf("%q became %q, though something was cut out", path, rest)
		}
		for _, segment := range strings.Split(string(rest), "/") {
			if s.segment([]byte(segment)) {
				t.Errorf("the secret is still a segment of %q", rest)
			}
		}
	})
}
