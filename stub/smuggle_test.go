package stub

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// inner is a request that an attacker, or a layer with a bug, hides in another one's body. If it is ever answered, two
// readers read one stream of bytes in two ways.
const inner = "POST /v1/messages HTTP/1.1\r\nHost: s\r\nContent-Length: 33\r\n\r\n[[preservecheck fixture=invalid]]"

// smuggled are requests that must be refused, each with the hidden request behind it.
var smuggled = []struct {
	why, head string
	status    int
	text      string // part of the message
}{
	{"CL.TE: a length and a coding", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, "content-length stands beside"},
	{"TE.CL: the other order", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", 400, "content-length stands beside"},
	{"CL.TE with a length of 0", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, "content-length stands beside"},
	{"TE in HTTP/1.0, where it does not exist", "POST /v1/messages HTTP/1.0\r\nHost: s\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, "HTTP/1.0"},
	{"two lengths", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nContent-Length: 0\r\nContent-Length: 5\r\n\r\n", 400, "two different"},
	{"two lengths of one value, written differently", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nContent-Length: 0\r\nContent-Length: 00\r\n\r\n", 400, "two different"},
	{"a list of lengths", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nContent-Length: 0, 0\r\n\r\n", 400, "no number"},
	{"a length with a sign", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nContent-Length: +0\r\n\r\n", 400, "no number"},
	{"a negative length", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nContent-Length: -1\r\n\r\n", 400, "no number"},
	{"a length in hex", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nContent-Length: 0x0\r\n\r\n", 400, "no number"},
	{"an empty length", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nContent-Length: \r\n\r\n", 400, "no number"},
	{"a length that overflows 64 bits", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nContent-Length: 18446744073709551616\r\n\r\n", 413, "256 KiB"},
	{"a length over the limit", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nContent-Length: 1048577\r\n\r\n", 413, "256 KiB"},
	{"a second coding", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 400, "chunked, once"},
	{"chunked twice", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, "chunked, once"},
	{"chunked then identity", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n", 400, "chunked, once"},
	{"identity", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nTransfer-Encoding: identity\r\n\r\n", 400, "chunked, once"},
	{"a coding that looks like chunked", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 400, "chunked, once"},
	{"a coding in quotes", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nTransfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n", 400, "chunked, once"},
	{"a vertical tab before the coding", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nTransfer-Encoding: \vchunked\r\n\r\n0\r\n\r\n", 400, "control"},
	{"a space before the colon", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n", 400, "colon"},
	{"a tab before the colon", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nContent-Length\t: 0\r\n\r\n", 400, "colon"},
	{"a folded line", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nX: y\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, "folding"},
	{"a folded first line", "POST /v1/messages HTTP/1.1\r\n\tHost: s\r\n\r\n", 400, "folding"},
	{"a folded coding", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n", 400, "chunked, once"},
	{"a bare CR inside a value", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nX: y\rTransfer-Encoding: chunked\r\n\r\n", 400, "carriage return"},
	{"a bare LF between lines", "POST /v1/messages HTTP/1.1\r\nHost: s\nContent-Length: 0\r\n\r\n", 400, "line feed"},
	{"bare LFs only", "POST /v1/messages HTTP/1.1\nHost: s\n\n", 400, "line feed"},
	{"NUL in a value", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nX: \x00\r\n\r\n", 400, "control"},
	{"NUL in the target", "POST /v1/\x00messages HTTP/1.1\r\nHost: s\r\n\r\n", 400, "control"},
	{"ESC, for terminals that print requests", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nX: \x1b[2J\r\n\r\n", 400, "control"},
	{"a name that is no token", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nContent(Length: 0\r\n\r\n", 400, "no token"},
	{"a name beyond ASCII that folds to an ASCII one (Kelvin sign)", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nTransfer-Encoding\xe2\x84\xaa: x\r\n\r\n", 400, "no token"},
	{"no name", "POST /v1/messages HTTP/1.1\r\nHost: s\r\n: x\r\n\r\n", 400, "no token"},
	{"no colon", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nChunked\r\n\r\n", 400, "no token"},
	{"two hosts", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nHost: t\r\n\r\n", 400, "exactly one host"},
	{"two equal hosts", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nHost: s\r\n\r\n", 400, "exactly one host"},
	{"no host in HTTP/1.1", "POST /v1/messages HTTP/1.1\r\n\r\n", 400, "exactly one host"},
	{"two hosts in HTTP/1.0", "POST /v1/messages HTTP/1.0\r\nHost: s\r\nHost: s\r\n\r\n", 400, "exactly one host"},
	{"a host with a path in it", "POST /v1/messages HTTP/1.1\r\nHost: s/x\r\n\r\n", 400, "no host"},
	{"a host list", "POST /v1/messages HTTP/1.1\r\nHost: s, t\r\n\r\n", 400, "no host"},
	{"a version nobody speaks", "POST /v1/messages HTTP/1.2\r\nHost: s\r\n\r\n", 400, "version"},
	{"a version in lower case", "POST /v1/messages http/1.1\r\nHost: s\r\n\r\n", 400, "version"},
	{"HTTP/0.9", "POST /v1/messages\r\n\r\n", 400, "request line"},
	{"two spaces in the request line", "POST  /v1/messages HTTP/1.1\r\nHost: s\r\n\r\n", 400, "request line"},
	{"a space in the target", "POST /v1/messages HTTP/1.1 HTTP/1.1\r\nHost: s\r\n\r\n", 400, "request line"},
	{"a tab in the request line", "POST\t/v1/messages HTTP/1.1\r\nHost: s\r\n\r\n", 400, "request line"},
	{"a target that is no path", "POST v1/messages HTTP/1.1\r\nHost: s\r\n\r\n", 400, "target"},
	{"a tunnel", "CONNECT example.com:443 HTTP/1.1\r\nHost: s\r\n\r\n", 400, "target"},
	{"an empty line in front, which one reader skips", "\r\nPOST /v1/messages HTTP/1.1\r\nHost: s\r\n\r\n", 400, "no HTTP"},
	{"HTTP/2 without asking", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "HTTP/2"},
	{"TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400, "TLS"},
	{"an expectation that can't be met", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nExpect: 200-ok\r\nContent-Length: 0\r\n\r\n", 417, "expectation"},
	{"a chunk size with a sign", chunkedHead + "+0\r\n\r\n", 400, "chunked framing"},
	{"a chunk size in 0x", chunkedHead + "0x0\r\n\r\n", 400, "chunked framing"},
	{"a chunk size with a space", chunkedHead + "0 \r\n\r\n", 400, "chunked framing"},
	{"an empty chunk size", chunkedHead + "\r\n\r\n", 400, "chunked framing"},
	{"a chunk size that overflows", chunkedHead + "100000000\r\n\r\n", 400, "chunked framing"},
	{"a chunk size over the limit", chunkedHead + "ffffffff\r\n\r\n", 413, "256 KiB"},
	{"a chunk size ended by a bare LF", chunkedHead + "0\n\r\n", 400, "line feed"},
	{"a chunk longer than its size", chunkedHead + "1\r\nab\r\n0\r\n\r\n", 400, "chunked framing"},
	{"a chunk ended by a bare LF", chunkedHead + "1\r\na\n0\r\n\r\n", 400, "line feed"},
	{"an endless chunk extension", chunkedHead + "0;" + strings.Repeat("x", 200) + "\r\n\r\n", 400, "chunked framing"},
	{"a bare CR in a chunk extension", chunkedHead + "0;a\rb\r\n\r\n", 400, "carriage return"},
	{"a trailer that is no header", chunkedHead + "0\r\nnonsense\r\n\r\n", 400, "no token"},
	{"a folded trailer", chunkedHead + "0\r\nA: b\r\n c\r\n\r\n", 400, "no token"},
	{"endless trailers", chunkedHead + "0\r\n" + strings.Repeat("A: b\r\n", 1000) + "\r\n", 400, "chunked framing"},
	{"101 fields", "POST /v1/messages HTTP/1.1\r\nHost: s\r\n" + strings.Repeat("A: b\r\n", 100) + "\r\n", 400, "100"},
	{"a head of 16 KiB and one byte", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nA: " + strings.Repeat("x", maxHead-44+1) + "\r\n\r\n", 400, "16 KiB"},
}

const chunkedHead = "POST /v1/messages HTTP/1.1\r\nHost: s\r\nTransfer-Encoding: chunked\r\n\r\n"

func TestSmuggling(t *testing.T) {
	s := start(t, nil)
	for _, c := range smuggled {
		before := s.ledger.Len()
		out := s.exchange(c.head + inner)
		res, bodies := answers(t, out)
		if len(res) != 1 {
			t.Errorf("%s: not exactly one answer: %q", c.why, out)
			continue
		}
		if res[0].StatusCode != c.status || !strings.Contains(bodies[0], c.text) || !strings.Contains(bodies[0], ownErrorType) {
			t.Errorf("%s: %d %s, want %d and %q", c.why, res[0].StatusCode, bodies[0], c.status, c.text)
		}
		if !res[0].Close || res[0].Header.Get(MarkHeader) == "" {
			t.Errorf("%s: the answer does not close, or is not marked: %v", c.why, res[0].Header)
		}
		hits := s.ledger.All()[before:]
		if len(hits) != 1 || !strings.Contains(hits[0].Note, c.text) || hits[0].Served.Status != c.status || hits[0].Served.Fixture != "" {
			t.Errorf("%s: hits %+v", c.why, hits)
		}
	}
	if got := s.Stats().Refused; got != int64(len(smuggled)) {
		t.Errorf("%d refused, want %d", got, len(smuggled))
	}
}

// unusual are requests at the edge of what must still be read.
var unusual = []struct{ why, in string }{
	{"HTTP/1.1 without a body", "GET / HTTP/1.1\r\nHost: s\r\n\r\n"},
	{"an empty host, for authorities without one", "GET / HTTP/1.1\r\nHost:\r\n\r\n"},
	{"a host with a port", "GET / HTTP/1.1\r\nHost: [::1]:8787\r\n\r\n"},
	{"equal lengths", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nContent-Length: 33\r\nContent-Length: 33\r\n\r\n" + unusualBody},
	{"a length with zeros in front", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nContent-Length: 0033\r\n\r\n" + unusualBody},
	{"names in any case and no space behind the colon", "POST /v1/messages HTTP/1.1\r\nhOST:s\r\ncOnTeNt-LeNgTh:33\r\n\r\n" + unusualBody},
	{"tabs around a value", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nContent-Length: \t 33 \t\r\n\r\n" + unusualBody},
	{"bytes beyond ASCII in a value", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nX: \xff\xfe\r\nContent-Length: 33\r\n\r\n" + unusualBody},
	{"an empty value", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nX:\r\nContent-Length: 33\r\n\r\n" + unusualBody},
	{"one chunk", chunkedHead + "21\r\n" + unusualBody + "\r\n0\r\n\r\n"},
	{"small chunks with zeros in front, extensions and trailers", chunkedHead + "001\r\n[\r\n20;x=y\r\n" + unusualBody[1:] + "\r\n0;z\r\nA: b\r\nC:\r\n\r\n"},
	{"chunked in capitals", strings.Replace(chunkedHead, "chunked", "CHUNKED", 1) + "21\r\n" + unusualBody + "\r\n0\r\n\r\n"},
	{"100 fields", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nContent-Length: 33\r\n" + strings.Repeat("A: b\r\n", 98) + "\r\n" + unusualBody},
	{"a head of 16 KiB", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nContent-Length: 33\r\nA: " + strings.Repeat("x", maxHead-64) + "\r\n\r\n" + unusualBody},
	{"a body with the limit's length", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nContent-Length: 262144\r\n\r\n" + unusualBody + strings.Repeat(" ", maxBody-33)},
	{"a chunked body with the limit's length", chunkedHead + "21\r\n" + unusualBody + "\r\n3ffdf\r\n" + strings.Repeat(" ", maxBody-33) + "\r\n0\r\n\r\n"},
	{"an upgrade that is not taken up", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nContent-Length: 33\r\n\r\n" + unusualBody},
}

const unusualBody = "[[preservecheck fixture=invalid]]"

// TestUnusualButRight: each is followed by another request, which must be answered, too: framing was understood.
func TestUnusualButRight(t *testing.T) {
	s := start(t, nil)
	for _, c := range unusual {
		s.mustReadBoth(c.why, c.in+inner)
	}
}

// mustReadBoth sends two requests, of which the second one's answer is known.
func (r *running) mustReadBoth(why, in string) {
	r.t.Helper()
	res, _ := answers(r.t, r.exchange(in))
	if len(res) != 2 || res[0].StatusCode/100 != 2 && res[0].StatusCode != 400 || res[1].StatusCode != 400 || res[1].Header.Get(MarkHeader) != "" {
		r.t.Errorf("%s: %d answers, %v", why, len(res), r.ledger.All()[r.ledger.Len()-1])
		return
	}
	if last := res[0]; last.Header.Get(MarkHeader) != "" && last.StatusCode != http.StatusOK {
		r.t.Errorf("%s: answered by the stub itself: %v", why, last.Header)
	}
}

func TestEveryRefusalNamesItself(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range smuggled {
		seen[c.text] = true
	}
	if len(seen) < 20 {
		t.Errorf("the smuggling suite covers only %d kinds of refusal", len(seen))
	}
	for _, r := range []*refusal{badEnded, badNotHTTP, badTLS, badHTTP2, badTooSlow, badOverloaded, badTooLarge} {
		if r.status/100 == 2 || r.status == http.StatusTooManyRequests || r.kind == "" || len(r.text) < 20 {
			t.Errorf("%+v", r)
		}
	}
	if fmt.Sprint(badBoth) != badBoth.text {
		t.Error("a refusal is an error in words")
	}
}
