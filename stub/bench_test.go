package stub

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/ledger"
)

// benchConn asks over and over on one connection of the kernel's, so the figure includes both ends' system calls.
func benchConn(b *testing.B, in string) {
	s := start(b, nil)
	nc := s.dial()
	_ = nc.SetDeadline(time.Time{})
	buf := make([]byte, 64<<10)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := io.WriteString(nc, in); err != nil {
			b.Fatal(err)
		}
		if _, err := nc.Read(buf); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAnswer(b *testing.B) {
	b.Run("marker", func(b *testing.B) { benchConn(b, ask("tier_cap", ledger.NewNonce())) })
	b.Run("chunked request", func(b *testing.B) {
		benchConn(b, chunkedHead+"22\r\n[[preservecheck fixture=tier_cap]]\r\n0\r\n\r\n")
	})
	b.Run("sdk head", func(b *testing.B) {
		benchConn(b, post("/v1/messages?beta=true", "tier_cap", ledger.NewNonce(), sdkHead))
	})
}

// BenchmarkInMemory is one request without a socket: what the stub itself costs.
func BenchmarkInMemory(b *testing.B) {
	s := start(b, nil)
	loop := &loopConn{in: []byte(post("/v1/messages", "tier_cap", ledger.NewNonce(), sdkHead))}
	c := newConn(s.Server, loop, false)
	b.ReportAllocs()
	for b.Loop() {
		if c.await() != nil || c.request() != keep {
			b.Fatal("not kept")
		}
	}
}

const sdkHead = "accept: application/json\r\naccept-encoding: gzip, deflate\r\nanthropic-version: 2023-06-01\r\nx-api-key: not-a-key\r\n" +
	"user-agent: bench\r\nx-stainless-lang: js\r\nx-stainless-retry-count: 0\r\n"

// TestAllocationsPerHit holds the number of allocations, 3 today: hit id, body hash, and run with nonce. One or two more
// may come with a dialect that decodes to read the model. The ledger's own growth is amortised.
func TestAllocationsPerHit(t *testing.T) {
	s := start(t, nil)
	loop := &loopConn{in: []byte(post("/v1/messages", "tier_cap", ledger.NewNonce(), sdkHead))}
	c := newConn(s.Server, loop, false)
	got := testing.AllocsPerRun(500, func() {
		if c.await() != nil || c.request() != keep {
			t.Fatal("not kept")
		}
	})
	if got > 5 {
		t.Errorf("%v allocations for a hit; what is new?", got)
	}
	if !strings.Contains(string(loop.out), "429") {
		t.Errorf("%q", loop.out)
	}
}

// loopConn gives the same request again and again.
type loopConn struct {
	net.Conn
	in, out []byte
}

func (l *loopConn) Read(b []byte) (int, error)  { return copy(b, l.in), nil }
func (l *loopConn) Write(b []byte) (int, error) { l.out = append(l.out[:0], b...); return len(b), nil }

func (l *loopConn) RemoteAddr() net.Addr             { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }
func (l *loopConn) SetReadDeadline(time.Time) error  { return nil }
func (l *loopConn) SetWriteDeadline(time.Time) error { return nil }

// BenchmarkInMemoryHub is BenchmarkInMemory where the stub has many runs: what it costs to prove whose a request is.
func BenchmarkInMemoryHub(b *testing.B) {
	hub := ledger.NewHub(ledger.HubLimits{})
	run, key, err := hub.Open()
	if err != nil {
		b.Fatal(err)
	}
	s := start(b, func(o *Options) { o.Ledger = hub })
	ask := strings.Replace(post("/v1/messages", "tier_cap", ledger.NewMint(run, key).Nonce("tier_cap"), sdkHead), testRun, run, 1)
	c := newConn(s.Server, &loopConn{in: []byte(ask)}, false)
	b.ReportAllocs()
	for b.Loop() {
		if c.await() != nil || c.request() != keep {
			b.Fatal("not kept")
		}
	}
}
