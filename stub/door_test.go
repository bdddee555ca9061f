package stub

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/ledger"
)

// from opens a connection whose source address is another one of this machine's own.
func (r *running) from(ip string) *net.TCPConn {
	r.t.Helper()
	c, err := dialFrom(ip, r.addr)
	if err != nil {
		r.t.Skip("this machine has no such loopback addresses: ", err)
	}
	r.t.Cleanup(func() { _ = c.Close() })
	return c
}

func dialFrom(ip, addr string) (*net.TCPConn, error) {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(ip)}, Timeout: patience}
	c, err := d.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	_ = c.SetDeadline(time.Now().Add(patience))
	return c.(*net.TCPConn), nil
}

// say sends something and returns all that comes back.
func say(c *net.TCPConn, in string) string {
	_, _ = io.WriteString(c, in)
	_ = c.CloseWrite()
	out, _ := io.ReadAll(c)
	return string(out)
}

func holds(name, nonce string) string { return post("/"+testSecret+"/v1/messages", name, nonce, "") }

const slowHead = "POST /v1/messages HTTP/1.1\r\nX: "

func TestPerSource(t *testing.T) {
	s := start(t, func(o *Options) { o.Secret, o.MaxConns, o.HeadTimeout = testSecret, 8, patience })
	for range 2 {
		_, _ = io.WriteString(s.from("127.0.0.2"), slowHead)
	}
	eventually(t, "both are served", func() bool { return s.Stats().Open == 2 })
	time.Sleep(time.Second / strangersPerSecond * 2) // so that it is the number that counts, not how fast they came
	if out := say(s.from("127.0.0.2"), holds("tier_cap", ledger.NewNonce())); out != "" {
		t.Errorf("a third of a source that has proven nothing: %q", out)
	}
	if out := say(s.from("127.0.0.3"), holds("tier_cap", ledger.NewNonce())); !strings.HasPrefix(out, "HTTP/1.1 429") {
		t.Errorf("another source: %q", out)
	}
	if got := s.Stats(); got.Strangers != 1 || got.Overloaded+got.Dropped != 0 {
		t.Errorf("%+v", got)
	}
}

// TestPerSourceTellsTheRun: a gateway that opens more connections than one source may is told so, and the run with it.
func TestPerSourceTellsTheRun(t *testing.T) {
	s := start(t, func(o *Options) { o.Secret, o.MaxConns = testSecret, 8 })
	for range 2 {
		c := s.from("127.0.0.2")
		_, _ = io.WriteString(c, holds("tier_cap", ledger.NewNonce()))
		_, _ = c.Read(make([]byte, 1)) // it stays open
	}
	nonce := ledger.NewNonce()
	out := say(s.from("127.0.0.2"), holds("tier_cap", nonce))
	if !strings.HasPrefix(out, "HTTP/1.1 503") || !strings.Contains(out, MarkHeader+": "+KindOverloaded) || len(s.ledger.Of(nonce)) != 1 {
		t.Errorf("%q", out)
	}
	if out := say(s.from("127.0.0.2"), ask("tier_cap", nonce)); out != strangerAnswer {
		t.Errorf("a stranger at the same address: %q", out)
	}
	if got := s.Stats(); got.Overloaded != 1 || got.Strangers != 1 {
		t.Errorf("%+v", got)
	}
}

// TestOneSourceTakesNoPlaceOfOthers: also one that is known, and also with the connections that get nothing but a 503.
func TestOneSourceTakesNoPlaceOfOthers(t *testing.T) {
	s := start(t, func(o *Options) { o.Secret, o.MaxConns, o.HeadTimeout = testSecret, 8, patience })
	c := s.from("127.0.0.2")
	_, _ = io.WriteString(c, holds("tier_cap", ledger.NewNonce()))
	_, _ = c.Read(make([]byte, 1))
	const all = 2 + extra/4
	for range all - 1 {
		s.from("127.0.0.2")
	}
	eventually(t, "as many as it may have, and those that are told so", func() bool { return s.Stats().Open == all })
	if out := say(s.from("127.0.0.2"), holds("tier_cap", ledger.NewNonce())); out != "" || s.Stats().Dropped != 1 {
		t.Errorf("one more: %q %+v", out, s.Stats())
	}
	began := time.Now()
	if out := say(s.from("127.0.0.3"), holds("tier_cap", ledger.NewNonce())); !strings.HasPrefix(out, "HTTP/1.1 429") || time.Since(began) > patience/2 {
		t.Errorf("another source: %q after %v", out, time.Since(began))
	}
}

func TestPerSourceOff(t *testing.T) {
	s := start(t, func(o *Options) { withSecret(o); o.MaxConns, o.HeadTimeout = 8, patience })
	for range 7 {
		_, _ = io.WriteString(s.dial(), slowHead)
	}
	eventually(t, "all are served, as behind a tunnel they have to be", func() bool { return s.Stats().Open == 7 })
	if out := say(s.dial(), holds("tier_cap", ledger.NewNonce())); !strings.HasPrefix(out, "HTTP/1.1 429") {
		t.Errorf("%q", out)
	}
}

// TestWorstDelay fills all slots with slow clients of several sources. A good one gets its answer all the same, and no later.
func TestWorstDelay(t *testing.T) {
	set := func(o *Options) { o.Secret, o.MaxConns, o.HeadTimeout = testSecret, 8, 300*time.Millisecond }
	s := start(t, set)
	for i := range 8 {
		_, _ = io.WriteString(s.from(fmt.Sprintf("127.0.0.%d", 2+i/2)), slowHead)
	}
	eventually(t, "all slots are taken", func() bool { return s.Stats().Open == 8 })
	began, nonce := time.Now(), ledger.NewNonce()
	out := say(s.from("127.0.0.9"), holds("tier_cap", nonce))
	took := time.Since(began)
	if !strings.HasPrefix(out, "HTTP/1.1 429") || len(s.ledger.Of(nonce)) != 1 {
		t.Errorf("%q", out)
	}
	worst := WorstDelay(s.opt)
	if took > worst+patience/4 { // of a machine that has other things to do
		t.Errorf("it waited %v, more than the %v that it may have to", took, worst)
	}
	if took < 100*time.Millisecond {
		t.Errorf("it waited %v only: the slots were not full, and nothing was shown", took)
	}
	if got := s.Stats(); got.Overloaded+got.Dropped != 0 {
		t.Errorf("slow strangers concern the run: %+v", got)
	}
}

// TestWhoCanNotPayKeepsNobodyWaiting: connections are looked at one behind another.
func TestWhoCanNotPayKeepsNobodyWaiting(t *testing.T) {
	s := start(t, func(o *Options) { o.Secret, o.MaxConns, o.HeadTimeout = testSecret, 8, patience })
	s.mu.Lock()
	s.door.source(netip.MustParseAddr("127.0.0.2")).strange = bucket{spent: 1e6, at: time.Now()}
	s.mu.Unlock()
	for i := range 8 {
		_, _ = io.WriteString(s.from(fmt.Sprintf("127.0.0.%d", 3+i/2)), slowHead)
	}
	eventually(t, "all slots are taken", func() bool { return s.Stats().Open == 8 })
	began := time.Now()
	say(s.from("127.0.0.2"), "GET / HTTP/1.1\r\nHost: s\r\n\r\n")
	if took := time.Since(began); took > patience/2 {
		t.Errorf("who can't pay waited for %v", took)
	}
	s.from("127.0.0.9")
	eventually(t, "a good one waits for a slot, and for nothing else", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return s.door.waiting == 1 })
}

func TestWorstDelayIsComputed(t *testing.T) {
	for _, c := range []struct {
		why  string
		o    Options
		want time.Duration
	}{
		{"nobody waits where there is no secret", Options{}, 0},
		{"the default", Options{Secret: testSecret}, 2200 * time.Millisecond},
		{"a head's time of the user's own", Options{Secret: testSecret, HeadTimeout: time.Second}, 1200 * time.Millisecond},
	} {
		if got := WorstDelay(c.o); got != c.want {
			t.Errorf("%s: %v, want %v", c.why, got, c.want)
		}
	}
}

// TestSlowProofIsNoProof: neither silence nor a byte now and then buys more than HeadTimeout.
func TestSlowProofIsNoProof(t *testing.T) {
	s := start(t, func(o *Options) { withSecret(o); o.HeadTimeout = 200 * time.Millisecond })
	for _, c := range []struct{ why, first, next, want string }{
		{"silence", "", "", ""},
		{"a head that trickles", slowHead, "a", strangerAnswer},
	} {
		nc, began := s.dial(), time.Now()
		_, _ = io.WriteString(nc, c.first)
		stop := make(chan struct{})
		go func() {
			defer close(stop)
			for c.next != "" && time.Since(began) < patience/4 {
				if _, err := io.WriteString(nc, c.next); err != nil {
					return
				}
				time.Sleep(10 * time.Millisecond)
			}
		}()
		out, _ := io.ReadAll(nc)
		if took := time.Since(began); took > patience/5 || string(out) != c.want {
			t.Errorf("%s: %q after %v", c.why, out, took)
		}
		_ = nc.Close()
		<-stop
	}
	eventually(t, "each is counted once", func() bool { return s.Stats().Strangers == 2 })
}

func TestStrangersOfOneSourceAreSlowedDown(t *testing.T) {
	s := start(t, func(o *Options) { o.Secret, o.MaxConns = testSecret, 32 })
	began, told, closed := time.Now(), 0, 0
	for range 60 {
		switch say(s.from("127.0.0.2"), "GET / HTTP/1.1\r\nHost: s\r\n\r\n") {
		case strangerAnswer:
			told++
		case "":
			closed++
		}
	}
	if most := 8 + 1 + int(strangersPerSecond*time.Since(began).Seconds()); told < 8 || told > most || told+closed != 60 {
		t.Errorf("%d answered, %d closed", told, closed)
	}
	if out := say(s.from("127.0.0.3"), holds("tier_cap", ledger.NewNonce())); !strings.HasPrefix(out, "HTTP/1.1 429") {
		t.Errorf("another source pays for it: %q", out)
	}
	if got := s.Stats(); got.Strangers != 60 {
		t.Errorf("%+v", got)
	}
}

// TestKnownSourcesAreNotSlowedDown: a gateway may open a connection for each request.
func TestKnownSourcesAreNotSlowedDown(t *testing.T) {
	s := start(t, func(o *Options) { o.Secret, o.MaxConns = testSecret, 32 })
	for i := range 60 {
		if out := say(s.from("127.0.0.2"), holds("tier_cap", ledger.NewNonce())); !strings.HasPrefix(out, "HTTP/1.1 429") {
			t.Fatalf("request %d: %q", i, out)
		}
	}
}

func TestRate(t *testing.T) {
	s := start(t, func(o *Options) { withSecret(o); o.Rate = 4 })
	served, refused := 0, 0
	for range 10 {
		done := make(chan string, 10)
		for range 10 {
			go func() { done <- string(s.exchange(holds("tier_cap", ledger.NewNonce()))) }()
		}
		for range 10 {
			switch out := <-done; {
			case strings.HasPrefix(out, "HTTP/1.1 429"):
				served++
			case strings.HasPrefix(out, "HTTP/1.1 503") && strings.Contains(out, MarkHeader+": "+KindOverloaded):
				refused++
			default:
				t.Errorf("%q", out)
			}
		}
		if refused > 0 {
			break
		}
	}
	if served < 4 || refused == 0 || s.Stats().Overloaded != int64(refused) || s.ledger.Len() != served+refused {
		t.Errorf("%d served, %d refused, %+v", served, refused, s.Stats())
	}
}

// TestFloodOfStrangers: a run beside it has the same results as without it, to the last hit.
func TestFloodOfStrangers(t *testing.T) {
	s := start(t, func(o *Options) { o.Secret, o.MaxConns = testSecret, 16 })
	_ = s.from("127.0.0.2").Close() // or skips
	ctx, stop := context.WithTimeout(context.Background(), patience)
	ended := make(chan struct{})
	for i := range 6 {
		go func() {
			defer func() { ended <- struct{}{} }()
			for n := 0; n < 200 && ctx.Err() == nil; n++ {
				c, err := dialFrom(fmt.Sprintf("127.0.1.%d", 2+i), s.addr)
				if err != nil {
					return
				}
				_, _ = io.WriteString(c, [...]string{"GET / HTTP/1.1\r\nHost: s\r\n\r\n", slowHead, "\x16\x03", ask("tier_cap", "00000000000000aa")}[n%4])
				_ = c.SetReadDeadline(time.Now().Add(5 * time.Millisecond))
				_, _ = io.Copy(io.Discard, c)
				_ = c.Close()
			}
		}()
	}
	for i := range 50 {
		nonce := ledger.NewNonce()
		res, _ := answers(t, []byte(say(s.from("127.0.0.9"), holds("tier_cap", nonce))))
		if len(res) != 1 || res[0].StatusCode != http.StatusTooManyRequests || len(s.ledger.Of(nonce)) != 1 {
			t.Errorf("request %d: %v", i, res)
		}
	}
	stop()
	for range 6 {
		<-ended
	}
	eventually(t, "all are gone, and out of the counts", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, src := range s.door.sources {
			if src.open != 0 || src.proven != 0 {
				return false
			}
		}
		return len(s.open) == 0 && s.door.unproven == 0 && s.door.over == 0
	})
	if got := s.Stats(); got.Overloaded+got.Dropped+got.Panics+got.Refused != 0 || got.Strangers == 0 || s.ledger.Len() != 50 {
		t.Errorf("%d hits, %+v", s.ledger.Len(), got)
	}
}

// TestHouseFullOfHolders: they have filled the slots themselves, so they are told.
func TestHouseFullOfHolders(t *testing.T) {
	s := start(t, func(o *Options) { withSecret(o); o.MaxConns = 2 })
	for range 2 {
		c := s.dial()
		_, _ = io.WriteString(c, holds("tier_cap", ledger.NewNonce()))
		_, _ = c.Read(make([]byte, 1))
	}
	if out := say(s.dial(), ask("tier_cap", ledger.NewNonce())); out != strangerAnswer {
		t.Errorf("a stranger: %q", out)
	}
	if out := say(s.dial(), holds("tier_cap", ledger.NewNonce())); !strings.HasPrefix(out, "HTTP/1.1 503") {
		t.Errorf("a holder: %q", out)
	}
	if got := s.Stats(); got.Overloaded != 1 || got.Dropped != 0 {
		t.Errorf("%+v", got)
	}
}

func TestCloseWhileSomebodyWaits(t *testing.T) {
	s := start(t, func(o *Options) { withSecret(o); o.MaxConns, o.HeadTimeout = 1, time.Hour })
	_, _ = io.WriteString(s.dial(), slowHead)
	eventually(t, "the slot is taken", func() bool { return s.Stats().Open == 1 })
	waits := s.dial()
	eventually(t, "the next one waits", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return s.door.waiting == 1 })
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if out, _ := io.ReadAll(waits); len(out) != 0 {
		t.Errorf("%q", out)
	}
}
