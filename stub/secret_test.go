package stub

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/ledger"
)

const testSecret = "f1c0ffee5a5a7b1d9e8c3b2a1f0d4c6e"

// withSecret does not count by source: all that a test sends comes from one.
func withSecret(o *Options) { o.Secret, o.PerSource = testSecret, -1 }

// encoded is the secret as a gateway may write it that encodes more than it has to.
func encoded() string {
	var b strings.Builder
	for i := range len(testSecret) {
		fmt.Fprintf(&b, "%%%02X", testSecret[i])
	}
	return b.String()
}

func TestSecretIsShownAnywhere(t *testing.T) {
	s := start(t, withSecret)
	const key = testSecret
	for _, c := range []struct{ why, target, header, path string }{
		{"in front of the path", "/" + key + "/v1/messages", "", "/v1/messages"},
		{"behind what a gateway puts first", "/v1/" + key + "/messages", "", "/v1/messages"},
		{"behind a prefix", "/anthropic/" + key + "/v1/messages?beta=true", "", "/anthropic/v1/messages"},
		{"at the end", "/v1/messages/" + key, "", "/v1/messages"},
		{"twice", "/" + key + "/" + key + "/v1/messages", "", "/v1/messages"},
		{"between slashes too many", "//" + key + "//v1/messages", "", "///v1/messages"},
		{"in absolute form", "http://stub/" + key + "/v1/messages", "", "/v1/messages"},
		{"percent-encoded in part", "/%66" + key[1:] + "/v1/messages", "", "/v1/messages"},
		{"percent-encoded", "/" + encoded() + "/v1/messages", "", "/v1/messages"},
		{"percent-encoded twice in part", "/%2566" + key[1:] + "/v1/messages", "", "/v1/messages"},
		{"percent-encoded twice", "/" + strings.ReplaceAll(encoded(), "%", "%25") + "/v1/messages", "", "/v1/messages"},
		{"as a key of one provider", "/v1/messages", "X-Api-Key: " + key + "\r\n", "/v1/messages"},
		{"as a key of another", "/v1/messages", "aPi-kEy:" + key + "\r\n", "/v1/messages"},
		{"as a bearer token", "/v1/messages", "Authorization: Bearer " + key + "\r\n", "/v1/messages"},
		{"as a bearer token with the scheme in capitals", "/v1/messages", "authorization: BEARER  " + key + "\r\n", "/v1/messages"},
		{"beside another key", "/v1/messages", "x-api-key: sk-other\r\nauthorization: bearer " + key + "\r\n", "/v1/messages"},
		{"as both", "/" + key + "/v1/messages", "x-api-key: " + key + "\r\n", "/v1/messages"},
	} {
		nonce := ledger.NewNonce()
		res, _ := answers(t, s.exchange(post(c.target, "tier_cap", nonce, c.header)))
		h := s.ledger.Of(nonce)
		if len(res) != 1 || res[0].StatusCode != 429 || len(h) != 1 || h[0].Path != c.path {
			t.Errorf("%s: %v %+v", c.why, res, h)
		}
	}
	if got := s.Stats(); got.Strangers != 0 || got.Refused != 0 {
		t.Errorf("%+v", got)
	}
	nothingKept(t, s)
}

// nothingKept looks for the secret in all that the ledger has.
func nothingKept(t *testing.T, s *running) {
	t.Helper()
	b, err := json.Marshal(s.ledger.All())
	if err != nil {
		t.Fatal(err)
	}
	if i := bytes.Index(b, []byte(testSecret)); i >= 0 {
		t.Errorf("the secret is kept: ...%s", b[max(0, i-80):])
	}
}

// strangers are requests of those who do not know the secret, or not at the right place.
func strangers() map[string]string {
	out := map[string]string{
		"an existing path":                     ask("tier_cap", ledger.NewNonce()),
		"the root":                             "GET / HTTP/1.1\r\nHost: s\r\n\r\n",
		"the root, of HTTP/1.0":                "GET / HTTP/1.0\r\n\r\n",
		"the root, a HEAD":                     "HEAD / HTTP/1.1\r\nHost: s\r\n\r\n",
		"the list of models":                   "GET /v1/models HTTP/1.1\r\nHost: s\r\n\r\n",
		"counting of tokens":                   "POST /v1/messages/count_tokens HTTP/1.1\r\nHost: s\r\nContent-Length: 0\r\n\r\n",
		"an unknown path":                      "GET /.git/config HTTP/1.1\r\nHost: s\r\n\r\n",
		"a method that nobody knows":           "BREW / HTTP/1.1\r\nHost: s\r\n\r\n",
		"a body that never comes":              "POST /v1/messages HTTP/1.1\r\nHost: s\r\nContent-Length: 200000\r\n\r\n",
		"an expectation":                       "POST /v1/messages HTTP/1.1\r\nHost: s\r\nExpect: 100-continue\r\nContent-Length: 20\r\n\r\n",
		"a body too large":                     "POST /v1/messages HTTP/1.1\r\nHost: s\r\nContent-Length: 99999999\r\n\r\n",
		"requests behind one another":          ask("tier_cap", ledger.NewNonce()) + ask("ok", ledger.NewNonce()),
		"half a head":                          "POST /v1/messages HTTP/1.1\r\nHo",
		"half a request line":                  "POST /" + testSecret + "/v1/mess",
		"a fixture's name":                     "POST /fx/tier_cap/v1/messages HTTP/1.1\r\nHost: s\r\nContent-Length: 0\r\n\r\n",
		"the secret but for its last sign":     post("/"+testSecret[:len(testSecret)-1]+"0/v1/messages", "tier_cap", ledger.NewNonce(), ""),
		"the secret in capitals":               post("/"+strings.ToUpper(testSecret)+"/v1/messages", "tier_cap", ledger.NewNonce(), ""),
		"a part of it":                         post("/"+testSecret[:len(testSecret)-1]+"/v1/messages", "tier_cap", ledger.NewNonce(), ""),
		"it and more":                          post("/"+testSecret+"0/v1/messages", "tier_cap", ledger.NewNonce(), ""),
		"an encoded slash beside it":           post("/v1%2F"+testSecret+"/messages", "tier_cap", ledger.NewNonce(), ""),
		"in the query":                         post("/v1/messages?key="+testSecret, "tier_cap", ledger.NewNonce(), ""),
		"in a header that is no key's":         post("/v1/messages", "tier_cap", ledger.NewNonce(), "x-fixture: "+testSecret+"\r\n"),
		"in the body":                          post("/v1/messages", testSecret, ledger.NewNonce(), ""),
		"as the host":                          "GET / HTTP/1.1\r\nHost: " + testSecret + "\r\n\r\n",
		"in the authority":                     "GET http://" + testSecret + "/v1/models HTTP/1.1\r\nHost: s\r\n\r\n",
		"as a basic password":                  post("/v1/messages", "tier_cap", ledger.NewNonce(), "Authorization: Basic "+testSecret+"\r\n"),
		"without a scheme":                     post("/v1/messages", "tier_cap", ledger.NewNonce(), "Authorization: "+testSecret+"\r\n"),
		"right, but once more in other words":  post("/"+testSecret+"/x"+testSecret+"/v1/messages", "tier_cap", ledger.NewNonce(), ""),
		"right, and encoded in another":        post("/"+testSecret+"/x%2566"+testSecret[1:]+"/v1/messages", "tier_cap", ledger.NewNonce(), ""),
		"a key, and the path has it in a word": post("/x"+testSecret+"/v1/messages", "tier_cap", ledger.NewNonce(), "x-api-key: "+testSecret+"\r\n"),
		"behind a malformed line":              "POST /v1/messages HTTP/1.1\r\nHost: s\r\nbad line\r\nx-api-key: " + testSecret + "\r\n\r\n",
		"in a request line that is none":       "POST  /" + testSecret + "/v1/messages HTTP/1.1\r\nHost: s\r\n\r\n",
		"in a version that nobody speaks":      "POST /x HTTP/3.1\r\nHost: s\r\nx-api-key: " + testSecret + "\r\n\r\n",
		"no HTTP":                              "\x00\x01\x02",
		"SSH":                                  "SSH-2.0-x\r\n\r\n",
		"percent signs without end":            "GET /" + strings.Repeat("%25", 5000) + " HTTP/1.1\r\nHost: s\r\n\r\n",
		"an endless head":                      "GET /" + strings.Repeat("a", 2*maxHead),
		"segments without end":                 "GET " + strings.Repeat("/"+strings.Repeat("a", len(testSecret)), 400) + " HTTP/1.1\r\nHost: s\r\n\r\n",
	}
	for _, c := range smuggled {
		out["smuggling: "+c.why] = c.head + inner
	}
	return out
}

// TestStrangersSeeOneAnswer: what a stranger is told must not depend on what was asked.
func TestStrangersSeeOneAnswer(t *testing.T) {
	s := start(t, withSecret)
	all := strangers()
	for why, in := range all {
		if out := s.exchange(in); string(out) != strangerAnswer {
			t.Errorf("%s: %q", why, out)
		}
	}
	if s.ledger.Len() != 0 {
		t.Errorf("strangers are in the ledger: %+v", s.ledger.All())
	}
	if got := s.Stats(); got.Strangers != int64(len(all)) || got.Refused != 0 || got.Panics != 0 {
		t.Errorf("%d strangers: %+v", len(all), got)
	}
}

func TestStrangerOnAProvenConnection(t *testing.T) {
	s := start(t, withSecret)
	nonce := ledger.NewNonce()
	out := string(s.exchange(post("/"+testSecret+"/v1/messages", "tier_cap", nonce, "") + ask("tier_cap", ledger.NewNonce())))
	if !strings.HasPrefix(out, "HTTP/1.1 429 ") || !strings.HasSuffix(out, strangerAnswer) || s.ledger.Len() != 1 {
		t.Errorf("each request has to show the secret: %q", out)
	}
}

// inPath puts the secret into the path of every request of a text.
func inPath(in string) string {
	in = strings.ReplaceAll(in, "/v1/messages", "/"+testSecret+"/v1/messages")
	return strings.Replace(in, "GET / ", "GET /"+testSecret+"/ ", 1)
}

// TestSmugglingWithASecret: whoever shows it is told what is wrong, and nothing hidden in a body is read as a request.
func TestSmugglingWithASecret(t *testing.T) {
	s := start(t, withSecret)
	for _, c := range smuggled {
		before := s.ledger.Len()
		out := s.exchange(inPath(c.head + inner))
		if string(out) == strangerAnswer {
			line, _, _ := strings.Cut(inPath(c.head), "\r\n")
			if s.ledger.Len() != before || strings.HasPrefix(line, "POST /"+testSecret+"/v1/messages HTTP/1.") && !strings.Contains(line, "\n") && strings.Count(line, " ") == 2 {
				t.Errorf("%s: showed the secret, and was not told what is wrong", c.why)
			}
			continue
		}
		res, bodies := answers(t, out)
		if len(res) != 1 || res[0].StatusCode != c.status || !strings.Contains(bodies[0], c.text) || s.ledger.Len() != before+1 {
			t.Errorf("%s: %q", c.why, out)
		}
	}
	nothingKept(t, s)
}

// TestUnusualWithASecret: it changes nothing of how requests are read.
func TestUnusualWithASecret(t *testing.T) {
	s := start(t, withSecret)
	more := strings.Repeat("x", len("/"+testSecret)) // what the secret adds to a head that is as long as it may be
	for _, c := range unusual {
		in := inPath(c.in + inner)
		if len(c.in) > maxHead && strings.HasPrefix(c.why, "a head of") {
			in = strings.Replace(in, more, "", 1)
		}
		s.mustReadBoth(c.why, in)
	}
	nothingKept(t, s)
}

func TestSecretIsNeverSaid(t *testing.T) {
	s := start(t, withSecret)
	key := "x-api-key: " + testSecret + "\r\n"
	for _, c := range []struct{ why, in string }{
		{"as the method", testSecret + " /v1/messages HTTP/1.1\r\nHost: s\r\n" + key + "\r\n"},
		{"as the name of a parameter", post("/v1/messages?"+testSecret+"&%66"+testSecret[1:]+"=1&beta=true", "nosuch", ledger.NewNonce(), key)},
		{"as the name of a header", post("/v1/messages", "nosuch", ledger.NewNonce(), key+testSecret+": x\r\n")},
		{"as the count of retries, which is cut shorter than it", post("/v1/messages", "nosuch", ledger.NewNonce(), key+"x-stainless-retry-count: 1\r\n")},
		{"as a fixture", post("/v1/messages", testSecret, ledger.NewNonce(), key)},
		{"as a fixture of the path", "POST /" + testSecret + "/fx/" + testSecret + "/v1/messages HTTP/1.1\r\nHost: s\r\nContent-Length: 0\r\n\r\n"},
		{"as a fixture of the header", post("/v1/messages", "tier_cap", ledger.NewNonce(), key+"x-fixture: "+testSecret+"\r\n")},
		{"as a model", "POST /v1/messages HTTP/1.1\r\nHost: s\r\n" + key + "Content-Length: 46\r\n\r\n" + `{"model":"x-` + testSecret + `"}`},
		{"in a path that nobody knows", "GET /" + testSecret + "/x HTTP/1.1\r\nHost: s\r\n\r\n"},
		{"in a head that breaks off", "POST /" + testSecret + "/v1/messages HTTP/1.1\r\nHost: s\r\nx"},
	} {
		out := s.exchange(c.in)
		if bytes.Contains(out, []byte(testSecret)) || string(out) == strangerAnswer {
			t.Errorf("%s: %q", c.why, out)
		}
	}
	nothingKept(t, s)
	for _, h := range s.ledger.All() {
		if h.Path == "" || strings.Contains(h.Path, gone) {
			t.Errorf("%+v", h)
		}
	}
}

func TestSecretNeedsBits(t *testing.T) {
	for _, bad := range []string{"short", strings.Repeat("a", minSecret-1), strings.Repeat("a", minSecret) + "/", strings.Repeat("a", minSecret) + "é"} {
		_, err := New(Options{Matrix: testMatrix(), Ledger: ledger.New(testRun), Secret: bad})
		if !errors.Is(err, ErrSecret) || strings.Contains(err.Error(), bad) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// TestStrangersKeepNobodyWaiting: a checker waits until the stub is idle.
func TestStrangersKeepNobodyWaiting(t *testing.T) {
	s := start(t, withSecret)
	_, _ = io.WriteString(s.dial(), "GET / HT")
	holder := s.dial()
	_, _ = io.WriteString(holder, "POST /"+testSecret+"/v1/messages HTTP/1.1\r\nHost: s\r\nContent-Length: 1\r\n\r\n")
	eventually(t, "whoever showed the secret is waited for", func() bool { return !s.Idle() })
	_, _ = io.WriteString(holder, "x")
	eventually(t, "and the stranger is not", s.Idle)
}

// TestStrangersCostNothing: no answer to a stranger may take memory that stays, nor more of it than the reading does.
func TestStrangersCostNothing(t *testing.T) {
	s := start(t, withSecret)
	loop := &loopConn{in: []byte(post("/v1/messages", "tier_cap", ledger.NewNonce(), sdkHead))}
	c := newConn(s.Server, loop, false)
	got := testing.AllocsPerRun(500, func() {
		c.in.r, c.in.w = 0, 0
		if c.await() != nil || c.request() != fin {
			t.Fatal("answered")
		}
	})
	if got > 1 {
		t.Errorf("%v allocations for a stranger", got)
	}
	if string(loop.out) != strangerAnswer || s.ledger.Len() != 0 {
		t.Errorf("%q", loop.out)
	}
}
