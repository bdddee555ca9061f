package stub

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
)

func TestSlowClientsMeetTheirDeadline(t *testing.T) {
	short := 60 * time.Millisecond
	for _, c := range []struct {
		why, first string
		set        func(*Options)
		answered   bool
	}{
		{"nothing ever: closed without an answer, since nothing was asked", "", func(o *Options) { o.IdleTimeout = short }, false},
		{"a head that trickles", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nX: ", func(o *Options) { o.HeadTimeout = short }, true},
		{"a body that trickles", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nContent-Length: 200000\r\n\r\n", func(o *Options) { o.BodyTimeout = short }, true},
		{"a chunk size that trickles", chunkedHead + "0;", func(o *Options) { o.BodyTimeout = short }, true},
		{"chunks that trickle", chunkedHead + "fff\r\n", func(o *Options) { o.BodyTimeout = short }, true},
	} {
		s := start(t, c.set)
		nc := s.dial()
		_, _ = io.WriteString(nc, c.first)
		stop := make(chan struct{})
		go func() { // a byte now and then must not buy any time
			defer close(stop)
			for c.first != "" {
				if _, err := io.WriteString(nc, "a"); err != nil {
					return
				}
				time.Sleep(10 * time.Millisecond)
			}
		}()
		began := time.Now()
		out, _ := io.ReadAll(nc)
		if time.Since(began) > patience/2 {
			t.Errorf("%s: held the connection for %v", c.why, time.Since(began))
		}
		_ = nc.Close()
		<-stop
		if !c.answered {
			if len(out) != 0 || s.ledger.Len() != 0 {
				t.Errorf("%s: %q, %d hits", c.why, out, s.ledger.Len())
			}
			continue
		}
		res, _ := answers(t, out)
		if len(res) != 1 || res[0].StatusCode != http.StatusRequestTimeout || res[0].Header.Get(MarkHeader) != KindTimeout {
			t.Errorf("%s: %q", c.why, out)
		}
	}
}

// The idle deadline is not moved for every request; a busy connection must outlive it all the same.
func TestBusyConnectionIsNotIdle(t *testing.T) {
	s := start(t, func(o *Options) { o.IdleTimeout = 600 * time.Millisecond })
	nc, buf := s.dial(), make([]byte, 4096)
	for began := time.Now(); time.Since(began) < 800*time.Millisecond; time.Sleep(50 * time.Millisecond) {
		_, _ = io.WriteString(nc, ask("tier_cap", ledger.NewNonce()))
		if _, err := nc.Read(buf); err != nil {
			t.Fatalf("closed after %v: %v", time.Since(began), err)
		}
	}
}

func TestClientThatNeverReads(t *testing.T) {
	big := plainFixture("big", 200)
	big.Answer.Body = []byte(strings.Repeat("x", 16<<20))
	s := start(t, func(o *Options) {
		o.Matrix.Rows = append(o.Matrix.Rows, big)
		o.WriteTimeout = 50 * time.Millisecond
	})
	nonce := ledger.NewNonce()
	nc := s.dial()
	_ = nc.SetReadBuffer(4 << 10) // or the kernel takes it all
	_, _ = io.WriteString(nc, ask("big", nonce))
	eventually(t, "the answer has begun", func() bool { h := s.ledger.Of(nonce); return len(h) == 1 && !h[0].Served.AnswerAt.IsZero() })
	eventually(t, "the stub gives up", func() bool { return s.Stats().Open == 0 && s.Idle() })
	if h := s.ledger.Of(nonce); len(h) != 1 || h[0].Served.Finished || h[0].Served.AnswerAt.IsZero() {
		t.Errorf("%+v", h)
	}
}

func TestTooManyConnections(t *testing.T) {
	s := start(t, func(o *Options) { o.MaxConns = 2 })
	var held []net.Conn
	for range 2 {
		c := s.dial()
		_, _ = io.WriteString(c, "GET ")
		held = append(held, c)
	}
	eventually(t, "both are served", func() bool { return !s.Idle() && s.Stats().Open == 2 })
	nonce := ledger.NewNonce()
	res, bodies := answers(t, s.exchange(ask("tier_cap", nonce)))
	if len(res) != 1 || res[0].StatusCode != http.StatusServiceUnavailable || res[0].Header.Get(MarkHeader) != KindOverloaded || !res[0].Close {
		t.Errorf("%v %q", res, bodies)
	}
	if h := s.ledger.Of(nonce); len(h) != 1 || h[0].Served.Status != 503 || h[0].Served.Fixture != "" {
		t.Errorf("the ledger must know whom the stub turned away: %+v", h)
	}
	_ = held[0].Close()
	eventually(t, "there is room again", func() bool { return s.Stats().Open < 2 })
	if res, _ := answers(t, s.exchange(ask("tier_cap", ledger.NewNonce()))); res[0].StatusCode != 429 {
		t.Error(res[0].Status)
	}
	if got := s.Stats(); got.Overloaded != 1 {
		t.Errorf("%+v", got)
	}
}

func TestConnectionsBeyondAllBoundsAreClosed(t *testing.T) {
	s := start(t, func(o *Options) { o.MaxConns = 1 })
	for range 1 + extra {
		s.dial()
	}
	eventually(t, "all are taken", func() bool { return s.Stats().Open == 1+extra })
	if out, _ := io.ReadAll(s.dial()); len(out) != 0 || s.Stats().Dropped != 1 {
		t.Errorf("%q %+v", out, s.Stats())
	}
}

func TestPanicClosesOneConnection(t *testing.T) {
	told := make(chan any, 1)
	s := start(t, func(o *Options) {
		d := *dialects.Anthropic
		d.Model = func(b []byte) string {
			if strings.Contains(string(b), "boom") {
				panic("boom")
			}
			return ""
		}
		o.Dialects = []*dialects.Dialect{&d}
		o.OnPanic = func(v any, stack []byte) { told <- v }
	})
	other := s.dial()
	_, _ = io.WriteString(s.dial(), "POST /v1/messages HTTP/1.1\r\nHost: s\r\nContent-Length: 4\r\n\r\nboom")
	select {
	case v := <-told:
		if v != "boom" {
			t.Error(v)
		}
	case <-time.After(patience):
		t.Fatal("nobody was told")
	}
	eventually(t, "the connection is closed and the stub idle", func() bool { return s.Idle() && s.Stats().Open == 1 })
	_, _ = io.WriteString(other, ask("tier_cap", ledger.NewNonce()))
	_ = other.CloseWrite()
	out, _ := io.ReadAll(other)
	if res, _ := answers(t, out); len(res) != 1 || res[0].StatusCode != 429 || s.Stats().Panics != 1 {
		t.Errorf("%q %+v", out, s.Stats())
	}
}

func TestRefusalReachesAClientThatIsStillSending(t *testing.T) {
	s := start(t, nil)
	c := s.dial()
	go func() {
		_, _ = io.WriteString(c, "POST /v1/messages HTTP/1.1\r\nHost: s\r\nContent-Length: 2000000\r\n\r\n"+strings.Repeat("x", 100<<10))
	}()
	out, err := io.ReadAll(c)
	if err != nil {
		t.Fatal("the answer was taken away by a reset:", err)
	}
	if res, _ := answers(t, out); len(res) != 1 || res[0].StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("%q", out)
	}
	for range 3 { // a closed socket answers these with a reset
		if _, err := io.WriteString(c, "x"); err != nil {
			t.Error("the connection is closed while the client still sends:", err)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func TestWhatCanNotBecomeARequestIsRefusedAtOnce(t *testing.T) {
	s := start(t, func(o *Options) { o.HeadTimeout = time.Hour })
	for _, c := range []struct{ why, in, text string }{
		{"TLS", "\x16\x03\x01", "start of TLS"},
		{"no letters", "\x00", "no HTTP"},
		{"bare line feeds", "GET / HTTP/1.1\nHost: s\n\n", "line feed"},
		{"an endless line", strings.Repeat("A", maxHead), "16 KiB"},
		{"HTTP/2", "PRI * HTTP/2.0\r\n\r\n", "HTTP/2"},
	} {
		nc := s.dial()
		_, _ = io.WriteString(nc, c.in) // and the client waits
		out, _ := io.ReadAll(nc)
		if _, bodies := answers(t, out); len(bodies) != 1 || !strings.Contains(bodies[0], c.text) {
			t.Errorf("%s: %q", c.why, out)
		}
	}
}

func TestRequestsThatEndInTheMiddle(t *testing.T) {
	s := start(t, nil)
	for _, c := range []struct{ why, in string }{
		{"in the head", "POST /v1/messages HTTP/1.1\r\nHo"},
		{"in the body", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nContent-Length: 9\r\n\r\nab"},
		{"in a chunk", chunkedHead + "9\r\nab"},
		{"before the last chunk", chunkedHead + "1\r\na\r\n"},
		{"in the trailer", chunkedHead + "0\r\n"},
	} {
		if res, _ := answers(t, s.exchange(c.in)); len(res) != 1 || res[0].StatusCode != 400 {
			t.Errorf("%s: %v", c.why, res)
		}
	}
}

func TestCloseEndsEverything(t *testing.T) {
	long := streamFixture("long", fixture.EndComplete, stepOf("a"), pauseOf(time.Hour), stepOf("b"))
	s := start(t, func(o *Options) { o.Matrix.Rows = append(o.Matrix.Rows, long) })
	c := s.dial()
	_, _ = io.WriteString(c, ask("long", ledger.NewNonce()))
	if _, err := c.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if s.Addr().String() != s.addr {
		t.Error(s.Addr())
	}
	if s.Idle() {
		t.Error("idle in the middle of an answer")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if !s.Idle() || s.Stats().Open != 0 {
		t.Errorf("%t %+v", s.Idle(), s.Stats())
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Serve(l); err != nil {
		t.Error(err)
	}
	if _, err := l.Accept(); err == nil {
		t.Error("a closed stub left a listener open")
	}
}

func TestServeReturnsWhatEndedIt(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Options{Matrix: testMatrix(), Ledger: ledger.New(testRun)})
	if err != nil {
		t.Fatal(err)
	}
	if s.Addr() != nil {
		t.Error("an address before Serve")
	}
	_ = l.Close()
	if err := s.Serve(l); err == nil {
		t.Error("a listener that is gone must be told")
	}
	_ = s.Close()
}

func stepOf(s string) fixture.Step         { return fixture.Step{Bytes: []byte(s)} }
func pauseOf(d time.Duration) fixture.Step { return fixture.Step{Pause: d} }
