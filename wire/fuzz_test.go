package wire

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// small limits let the fuzzer reach them.
var small = Limits{Head: 300, Body: 200, Interim: 2, Trailer: 100}

// bounded checks what holds for every answer whatever came.
func bounded(t *testing.T, a *Answer, lim Limits) {
	t.Helper()
	size := 0
	for _, f := range a.Header {
		size += len(f.Name) + len(f.Value)
	}
	trailer := 0
	for _, f := range a.Trailer {
		trailer += len(f.Name) + len(f.Value)
	}
	switch {
	case a.End == "" || a.End.Orderly() == (a.Err != ""):
		t.Errorf("End %q, Err %q", a.End, a.Err)
	case int64(len(a.Body)) > lim.Body || int64(size) > lim.Head || int64(trailer) > lim.Trailer || len(a.Interim) > lim.Interim+1:
		t.Errorf("over a limit: body %d, head %d, trailer %d, interim %d", len(a.Body), size, trailer, len(a.Interim))
	case len(a.Body) != cap(a.Body):
		t.Errorf("room behind the body")
	case !slices.IsSorted(a.Faults) || len(slices.Compact(slices.Clone(a.Faults))) != len(a.Faults):
		t.Errorf("faults %q", a.Faults)
	case a.End.Orderly() && a.Status == 0:
		t.Errorf("orderly without a status")
	case strings.ContainsFunc(a.Err, func(r rune) bool { return r < ' ' || r == 0x7f }):
		t.Errorf("a control character in Err: %q", a.Err)
	}
}

func FuzzRead(f *testing.F) {
	for _, c := range malformed {
		f.Add([]byte(c.raw[:min(len(c.raw), 4000)]))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		a := Read(bytes.NewReader(b), small)
		bounded(t, a, small)
		// However the bytes are cut into reads, the answer is the same, but for excess bytes and quoted text.
		one := Read(iotest.OneByteReader(bytes.NewReader(b)), small)
		for _, x := range []*Answer{a, one} {
			x.Faults = slices.DeleteFunc(x.Faults, func(s string) bool { return s == FaultExcess })
		}
		sameBody := bytes.Equal(a.Body, one.Body) || slices.Contains(a.Faults, FaultBadLength)
		if a.Status != one.Status || a.End != one.End || a.Framing != one.Framing || !sameBody ||
			!slices.Equal(a.Header, one.Header) || !slices.Equal(a.Trailer, one.Trailer) || !slices.Equal(a.Faults, one.Faults) {
			t.Errorf("at once %+v\nbyte by byte %+v", a, one)
		}
		if full := Read(bytes.NewReader(b), Limits{}); full.End.Orderly() {
			roundTrip(t, full)
		}
	})
}

// FuzzChunks holds the chunk reader against its inverse: any body in any chunks comes back.
func FuzzChunks(f *testing.F) {
	f.Add([]byte("hello, world"), uint8(3), "")
	f.Add([]byte(""), uint8(1), "2\r\nok\r\n0\r\n\r\n")
	f.Add([]byte("0\r\n\r\n"), uint8(200), "ffffffffffffffff;x\r\n")
	f.Fuzz(func(t *testing.T, body []byte, size uint8, raw string) {
		bounded(t, Read(strings.NewReader(inChunks+raw), small), small)
		var b strings.Builder
		b.WriteString(inChunks)
		for c := range slices.Chunk(body, int(size)+1) {
			b.WriteString(strings.ToUpper(hex(len(c))) + "\r\n" + string(c) + "\r\n")
		}
		b.WriteString("0\r\n\r\n")
		for _, src := range []io.Reader{strings.NewReader(b.String()), iotest.HalfReader(strings.NewReader(b.String()))} {
			if a := Read(src, Limits{}); a.End != EndComplete || !bytes.Equal(a.Body, body) {
				t.Errorf("%s %s: %q", a.End, a.Err, a.Body)
			}
		}
	})
}

func hex(n int) string {
	const digits = "0123456789abcdef"
	return string([]byte{digits[n>>4&15], digits[n&15]})
}

func FuzzEvents(f *testing.F) {
	f.Add([]byte("\ufeffevent: a\r\ndata: b\rdata: c\n\n: x\nid: 1\n\ndata"))
	f.Add([]byte("event: error\ndata: {}\n\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		ev, _ := Events(b)
		size := 0
		for i, e := range ev {
			size += len(e.Name) + len(e.Data) + len(e.ID)
			if !e.Complete && i != len(ev)-1 {
				t.Errorf("event %d of %d is not complete", i, len(ev))
			}
			if strings.ContainsAny(e.Name+e.ID, "\r\n") || strings.Contains(e.Data, "\r") {
				t.Errorf("a line end in %+v", e)
			}
		}
		if len(ev) > MaxEvents || size > len(b) {
			t.Errorf("%d events of %d bytes out of %d", len(ev), size, len(b))
		}
		// A blank line at the end completes the last event and adds none.
		if more, _ := Events(append(bytes.Clone(b), "\n\n"...)); len(more) != len(ev) && !partialField(b) {
			t.Errorf("%d events, %d with a blank line behind", len(ev), len(more))
		}
	})
}

// partialField reports whether nothing ends the last line, so that a line feed may change what it is.
func partialField(b []byte) bool { return len(b) > 0 && b[len(b)-1] != '\n' && b[len(b)-1] != '\r' }

func FuzzDecode(f *testing.F) {
	f.Add("gzip", pack("gzip", []byte("ok")))
	f.Add("deflate", pack("zlib", []byte("ok")))
	f.Add("deflate", pack("raw", []byte("ok")))
	f.Add("deflate, gzip", pack("gzip", pack("zlib", make([]byte, 5000))))
	f.Add("br", []byte("ok"))
	f.Fuzz(func(t *testing.T, label string, b []byte) {
		const limit = 1000
		body, _, err := Decode(&Answer{Header: []Field{{"content-encoding", label}}, Body: b}, limit)
		if len(body) > max(limit, len(b)) {
			t.Errorf("%d bytes", len(body))
		}
		if err != nil && strings.ContainsFunc(err.Error(), func(r rune) bool { return r < ' ' || r == 0x7f }) {
			t.Errorf("a control character in %q", err)
		}
		if err == nil && strings.TrimSpace(label) == "" && !bytes.Equal(body, b) {
			t.Error("changed without a label")
		}
	})
}

func FuzzParseBase(f *testing.F) {
	for _, s := range []string{"http://u:p@gw:4000/x/", "https://[::1%25a]:1", "localhost:8080", "http://gw/%zz?#"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		b, err := ParseBase(raw)
		if err != nil {
			return
		}
		again, err := ParseBase(b.String())
		again.User, again.Host = b.User, b.Host // String has neither credentials nor zone
		if err != nil || again != b {
			t.Errorf("%q: %#v, again %#v %v", raw, b, again, err)
		}
		if !isVisible(b.Authority + b.Path) {
			t.Errorf("%q: not fit for a request: %q", raw, b.String())
		}
	})
}
