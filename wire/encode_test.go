package wire

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEncode(t *testing.T) {
	for _, c := range []struct {
		why  string
		a    Answer
		want string
	}{
		{"a length by default, at the end where there was none", Answer{Status: 429, Reason: "Too Many Requests", Header: []Field{{"X-b", "1"}, {"x-A", "2"}}, Body: []byte("ok")},
			"HTTP/1.1 429 Too Many Requests\r\nX-b: 1\r\nx-A: 2\r\nContent-Length: 2\r\n\r\nok"},
		{"the length takes the old one's place and case", Answer{Status: 429, Framing: FramingLength, Header: []Field{{"content-length", "99"}, {"Connection", "close"}, {"A", "b"}, {"Content-Length", "98"}}, Body: []byte("ok")},
			"HTTP/1.1 429 \r\ncontent-length: 2\r\nA: b\r\n\r\nok"},
		{"chunked replaces a length", Answer{Status: 200, Framing: FramingChunked, Header: []Field{{"Content-Length", "9"}, {"transfer-encoding", "gzip, chunked"}}, Body: []byte("0123456789abcdefg")},
			"HTTP/1.1 200 \r\ntransfer-encoding: chunked\r\n\r\n11\r\n0123456789abcdefg\r\n0\r\n\r\n"},
		{"an empty chunked body has the last chunk only, then the trailer", Answer{Status: 200, Framing: FramingChunked, Trailer: []Field{{"X-Err", "y"}}},
			"HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-Err: y\r\n\r\n"},
		{"a close says so", Answer{Status: 200, Framing: FramingClose, Header: []Field{{"Connection", "keep-alive"}, {"Content-Length", "1"}}, Body: []byte("ok")},
			"HTTP/1.1 200 \r\nConnection: close\r\n\r\nok"},
		{"no body, no framing", Answer{Status: 204, Header: []Field{{"Content-Length", "2"}, {"A", "b"}}, Body: []byte("ok")},
			"HTTP/1.1 204 \r\nA: b\r\n\r\n"},
		{"the answer to a HEAD has no body", Answer{Status: 200, Framing: FramingNone, Header: []Field{{"Content-Length", "99"}}},
			"HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n"},
		{"a line feed makes no header", Answer{Status: 200, Reason: "a\nb", Header: []Field{{"X", "y\nz: 1"}, {"", "bogus"}, {"", ""}}},
			"HTTP/1.1 200 a b\r\nX: y z: 1\r\nbogus\r\nContent-Length: 0\r\n\r\n"},
		{"a short status keeps three digits", Answer{Status: 42}, "HTTP/1.1 042 \r\nContent-Length: 0\r\n\r\n"},
		{"nothing was read", Answer{End: EndNone}, ""},
	} {
		if d := cmp.Diff(c.want, string(Encode(&c.a))); d != "" {
			t.Errorf("%s\n%s", c.why, d)
		}
	}
}

// withoutFraming leaves out the lines that Encode replaces.
func withoutFraming(h []Field) []Field {
	return slices.DeleteFunc(slices.Clone(h), func(f Field) bool {
		n := strings.ToLower(f.Name)
		return n == "content-length" || n == "transfer-encoding" || n == "connection"
	})
}

// roundTrip checks what Encode promises.
func roundTrip(t *testing.T, a *Answer) {
	t.Helper()
	for _, f := range []Framing{a.Framing, FramingLength, FramingChunked, FramingClose} {
		c := a.Clone()
		c.Framing = f
		b := Read(bytes.NewReader(Encode(c)), Limits{})
		switch {
		case b.Status != a.Status || b.Reason != a.Reason || !b.End.Orderly():
			t.Errorf("%s: %d %q %s %s, was %d %q", f, b.Status, b.Reason, b.End, b.Err, a.Status, a.Reason)
		case !slices.Equal(withoutFraming(a.Header), withoutFraming(b.Header)):
			t.Errorf("%s: header %q, was %q", f, b.Header, a.Header)
		case !bytes.Equal(b.Body, a.Body) || f == FramingChunked && !bodiless(a.Status) && !slices.Equal(a.Trailer, b.Trailer):
			t.Errorf("%s: body %q, was %q; trailer %q, was %q", f, b.Body, a.Body, b.Trailer, a.Trailer)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	done := 0
	for _, c := range malformed {
		a := Read(strings.NewReader(c.raw), Limits{})
		if a.End.Orderly() {
			done++
			t.Run(c.name, func(t *testing.T) { roundTrip(t, a) })
		}
	}
	if done < 20 {
		t.Errorf("only %d answers were tried", done)
	}
}
