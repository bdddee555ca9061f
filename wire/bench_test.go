package wire

import (
	"bytes"
	"context"
	"io"
	"net"
	"strings"
	"testing"
)

// bench429 is an answer as the stub sends it, with a body of 206 bytes.
var bench429 = "HTTP/1.1 429 Too Many Requests\r\ncontent-type: application/json\r\nrequest-id: req_0123456789abcdef\r\n" +
	"retry-after: 1\r\ncontent-length: 206\r\n\r\n" + strings.Repeat("x", 206)

func BenchmarkRead(b *testing.B) {
	raw := []byte(bench429)
	src := bytes.NewReader(raw)
	b.ReportAllocs()
	for b.Loop() {
		src.Reset(raw)
		if a := Read(src, Limits{}); a.Status != 429 || len(a.Body) != 206 {
			b.Fatal(a)
		}
	}
}

func BenchmarkReadChunked(b *testing.B) {
	raw := []byte(inChunks + strings.Repeat("40\r\n"+strings.Repeat("x", 64)+"\r\n", 20) + "0\r\n\r\n")
	src := bytes.NewReader(raw)
	b.ReportAllocs()
	for b.Loop() {
		src.Reset(raw)
		if a := Read(src, Limits{}); len(a.Body) != 1280 {
			b.Fatal(a)
		}
	}
}

func BenchmarkEvents(b *testing.B) {
	raw := []byte(strings.Repeat("event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0}\n\n", 6))
	b.ReportAllocs()
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		if ev, _ := Events(raw); len(ev) != 6 {
			b.Fatal(ev)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	a := Read(strings.NewReader(bench429), Limits{})
	b.ReportAllocs()
	for b.Loop() {
		Encode(a)
	}
}

func BenchmarkDecodeGzip(b *testing.B) {
	a := &Answer{Header: []Field{{"content-encoding", "gzip"}}, Body: pack("gzip", []byte(strings.Repeat("x", 206)))}
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := Decode(a, 0); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDo includes the server's half, which runs on the same machine and allocates next to nothing.
func BenchmarkDo(b *testing.B) {
	addr := serveOnly(b, bench429)
	c := client(addr)
	r := Request{Method: "POST", Target: "/v1/messages", Header: []Field{{"content-type", "application/json"}, {"x-api-key", "k"}}, Body: make([]byte, 120)}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	b.ReportAllocs()
	for b.Loop() {
		if a := c.Do(ctx, r); a.Status != 429 {
			b.Fatal(a)
		}
	}
}

// serveOnly answers one connection after the other with the same bytes.
func serveOnly(b *testing.B, raw string) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, 4096)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Read(buf)
			_, _ = io.WriteString(c, raw)
			_ = c.Close()
		}
	}()
	b.Cleanup(func() {
		_ = l.Close()
		<-done
	})
	return l.Addr().String()
}
