package stub

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
)

func TestEnds(t *testing.T) {
	s := start(t, nil)
	for _, c := range []struct {
		why, name, proto string
		tail             string // how the bytes end
		reset            bool
		framing          string
	}{
		{"steps, whole", "steps", "HTTP/1.1", "\ntwo\n\r\n0\r\n\r\n", false, "chunked"},
		{"steps, whole, ended by the close", "steps", "HTTP/1.0", "\ntwo\n", false, "close"},
		{"a FIN inside chunked framing", "cut", "HTTP/1.1", "2\r\ntw\r\n", false, "chunked"},
		{"in HTTP/1.0 a FIN would be a proper end, so a reset", "cut", "HTTP/1.0", "tw", true, "close"},
		{"a FIN inside a length", "short", "HTTP/1.1", "\"}", false, "length"},
		{"a reset", "reset", "HTTP/1.1", "2\r\ntw\r\n", true, "chunked"},
		{"a reset in HTTP/1.0", "reset", "HTTP/1.0", "tw", true, "close"},
		{"silence, then a FIN", "hold", "HTTP/1.1", "\r\n", false, "chunked"},
	} {
		nonce := ledger.NewNonce()
		nc := s.dial()
		_, _ = io.WriteString(nc, strings.Replace(post("/v1/messages", c.name, nonce, "Connection: close\r\n"), "HTTP/1.1", c.proto, 1))
		out, err := io.ReadAll(nc)
		if got := errors.Is(err, syscall.ECONNRESET); got != c.reset || !c.reset && err != nil {
			t.Errorf("%s: ended with %v", c.why, err)
		}
		if !strings.HasSuffix(string(out), c.tail) {
			t.Errorf("%s: %q", c.why, out)
		}
		h := s.ledger.Of(nonce)
		if len(h) != 1 || !h[0].Served.Finished || h[0].Served.Framing != c.framing || h[0].Served.Proto != c.proto {
			t.Errorf("%s: %+v", c.why, h)
		}
	}
}

func TestStepsArriveOneByOne(t *testing.T) {
	s := start(t, func(o *Options) {
		o.Matrix.Rows = append(o.Matrix.Rows, streamFixture("slow", fixture.EndComplete, stepOf("one"), pauseOf(time.Hour), stepOf("two")))
	})
	nonce := ledger.NewNonce()
	nc := s.dial()
	_, _ = io.WriteString(nc, ask("slow", nonce))
	res, err := http.ReadResponse(bufio.NewReader(nc), nil)
	if err != nil {
		t.Fatal(err)
	}
	one := make([]byte, 3)
	if _, err := io.ReadFull(res.Body, one); err != nil || string(one) != "one" {
		t.Fatalf("the first step did not come before the pause: %q %v", one, err)
	}
	h := s.ledger.Of(nonce)[0]
	if h.Served.AnswerAt.IsZero() || h.Served.Finished || s.Idle() {
		t.Errorf("a hit under way: %+v", h.Served)
	}
}

// TestAnswersInPartsAreNotAtOnce: a Go proxy breaks an answer off that comes before it has seen the end of the request.
func TestAnswersInPartsAreNotAtOnce(t *testing.T) {
	s := start(t, nil)
	nonce := ledger.NewNonce()
	nc := s.dial()
	_, _ = io.WriteString(nc, ask("steps", nonce))
	if _, err := nc.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if h := s.ledger.Of(nonce)[0]; h.Served.AnswerAt.Sub(h.At) < thinking {
		t.Errorf("answered %s after the request", h.Served.AnswerAt.Sub(h.At))
	}
}

func TestPauseIsKept(t *testing.T) {
	s := start(t, nil)
	began := time.Now()
	nonce := ledger.NewNonce()
	s.exchange(ask("steps", nonce))
	if d := time.Since(began); d < 30*time.Millisecond {
		t.Errorf("a script with a pause of 30 ms took %v", d)
	}
	if h := s.ledger.Of(nonce); len(h) != 1 || h[0].Served.RestAt.Sub(h[0].Served.AnswerAt) < 30*time.Millisecond {
		t.Errorf("the ledger does not say when the rest was sent: %+v", h)
	}
}

func TestHoldEndsWithTheClient(t *testing.T) {
	f := streamFixture("forever", fixture.EndHold, stepOf("x"))
	f.Answer.Hold = time.Hour
	s := start(t, func(o *Options) { o.Matrix.Rows = append(o.Matrix.Rows, f) })
	nc := s.dial()
	_, _ = io.WriteString(nc, ask("forever", ledger.NewNonce()))
	_, _ = nc.Read(make([]byte, 1))
	if s.Idle() {
		t.Error("idle while a fixture holds the connection")
	}
	_ = nc.Close()
	eventually(t, "the stub lets go", func() bool { return s.Idle() && s.Stats().Open == 0 })
}

func TestKeepAliveAndPipelining(t *testing.T) {
	s := start(t, nil)
	for _, c := range []struct {
		why, in string
		want    int // answers
	}{
		{"requests in one write are answered in order", ask("tier_cap", "0000000000000001") + ask("invalid", "0000000000000002") + ask("steps", "0000000000000003") + ask("ok", "0000000000000004"), 4},
		{"the client closes", post("/v1/messages", "tier_cap", "0000000000000005", "Connection: close\r\n") + ask("ok", "0000000000000006"), 1},
		{"the client closes, in a list and in capitals", post("/v1/messages", "tier_cap", "0000000000000005", "Connection: foo, CLOSE\r\n") + ask("ok", "0000000000000006"), 1},
		{"HTTP/1.0 is closed, also when asked to stay", strings.Replace(post("/v1/messages", "tier_cap", "0000000000000007", "Connection: keep-alive\r\n"), "HTTP/1.1", "HTTP/1.0", 1) + ask("ok", "0000000000000008"), 1},
		{"HTTP/1.0 without a host", "POST /v1/messages HTTP/1.0\r\nContent-Length: 33\r\n\r\n[[preservecheck fixture=invalid]]", 1},
		{"own successes stay open", "GET / HTTP/1.1\r\nHost: s\r\n\r\nGET /v1/models HTTP/1.1\r\nHost: s\r\n\r\n" + ask("ok", "0000000000000009"), 3},
		{"own successes end in HTTP/1.0", "GET / HTTP/1.0\r\nHost: s\r\n\r\n" + ask("ok", "000000000000000a"), 1},
		{"own errors close", ask("nosuch", "000000000000000b") + ask("ok", "000000000000000c"), 1},
	} {
		before := s.ledger.Len()
		res, _ := answers(t, s.exchange(c.in))
		if len(res) != c.want || s.ledger.Len()-before != c.want {
			t.Errorf("%s: %d answers and %d hits, want %d", c.why, len(res), s.ledger.Len()-before, c.want)
		}
	}
}

func TestExpectContinue(t *testing.T) {
	s := start(t, nil)
	body := "[[preservecheck fixture=invalid]]"
	for _, c := range []struct {
		why, head, body string
		interim         bool
	}{
		{"the client waits", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nExpect: 100-Continue\r\nContent-Length: 33\r\n\r\n", body, true},
		{"the client waits, chunked", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n", "21\r\n" + body + "\r\n0\r\n\r\n", true},
		{"nothing to wait for", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nExpect: 100-continue\r\nContent-Length: 0\r\n\r\n", "", false},
	} {
		nc := s.dial()
		br := bufio.NewReader(nc)
		_, _ = io.WriteString(nc, c.head)
		if c.interim {
			if line, err := br.ReadString('\n'); err != nil || line != "HTTP/1.1 100 Continue\r\n" {
				t.Errorf("%s: %q %v", c.why, line, err)
			}
			_, _ = br.ReadString('\n')
			_, _ = io.WriteString(nc, c.body)
		}
		_ = nc.CloseWrite()
		out, _ := io.ReadAll(br)
		if res, _ := answers(t, out); len(res) != 1 || res[0].StatusCode/100 != 4 {
			t.Errorf("%s: %q", c.why, out)
		}
	}
	out := s.exchange("POST /v1/messages HTTP/1.1\r\nHost: s\r\nExpect: 100-continue\r\nContent-Length: 2000000\r\n\r\n")
	if strings.HasPrefix(string(out), "HTTP/1.1 100") {
		t.Error("a body was asked for that is refused")
	}
}
