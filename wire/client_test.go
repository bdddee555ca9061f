package wire

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestRequestBytes pins what goes out, byte by byte.
func TestRequestBytes(t *testing.T) {
	for _, c := range []struct {
		why  string
		base Base
		r    Request
		want string
	}{
		{"Host first, the rest in order, the length last", Base{Authority: "gw"},
			Request{"POST", "/v1/messages", []Field{{"X-B", "1"}, {"x-a", ""}}, []byte("{}")},
			"POST /v1/messages HTTP/1.1\r\nHost: gw\r\nX-B: 1\r\nx-a: \r\nContent-Length: 2\r\n\r\n{}"},
		{"our framing replaces the caller's", Base{Authority: "gw"},
			Request{"POST", "/", []Field{{"content-length", "9"}, {"Transfer-Encoding", "chunked"}}, nil},
			"POST / HTTP/1.1\r\nHost: gw\r\nContent-Length: 0\r\n\r\n"},
		{"a Host of the caller's own", Base{Authority: "gw"},
			Request{"GET", "/?a=b", []Field{{"host", "other"}}, nil}, "GET /?a=b HTTP/1.1\r\nhost: other\r\n\r\n"},
		{"credentials of the URL", Base{Authority: "gw", User: "u:p"},
			Request{"GET", "/", nil, nil}, "GET / HTTP/1.1\r\nHost: gw\r\nAuthorization: Basic dTpw\r\n\r\n"},
		{"the caller's authorization goes before them", Base{Authority: "gw", User: "u:p"},
			Request{"GET", "/", []Field{{"authorization", "Bearer x"}}, nil}, "GET / HTTP/1.1\r\nHost: gw\r\nauthorization: Bearer x\r\n\r\n"},
	} {
		got, err := c.r.encode(c.base)
		if d := cmp.Diff(c.want, string(got)); d != "" || err != nil {
			t.Errorf("%s: %v\n%s", c.why, err, d)
		}
		if len(got) > c.r.size(c.base) {
			t.Errorf("%s: size() is %d, but %d bytes were written", c.why, c.r.size(c.base), len(got))
		}
	}
}

// TestRequestRefused: what would become two requests, or another one, is never sent.
func TestRequestRefused(t *testing.T) {
	var conns atomic.Int32
	addr := serve(t, func(c *net.TCPConn) { conns.Add(1) })
	for _, r := range []Request{
		{Method: "PO ST", Target: "/"},
		{Method: "", Target: "/"},
		{Method: "GET", Target: "http://x/"},
		{Method: "GET", Target: "/ HTTP/1.1\r\nx: y"},
		{Method: "GET", Target: "/", Header: []Field{{"x y", "1"}}},
		{Method: "GET", Target: "/", Header: []Field{{"x", "secret\r\ny: z"}}},
		{Method: "GET", Target: "/", Header: []Field{{"x", "secret\x00"}}},
	} {
		a := client(addr).Do(within(t, time.Second), r)
		if a.End != EndRefused || !strings.Contains(a.Err, "nothing was sent") || strings.Contains(a.Err, "secret") {
			t.Errorf("%+v: %s %q", r, a.End, a.Err)
		}
	}
	if conns.Load() != 0 {
		t.Errorf("%d connections were made", conns.Load())
	}
}

// TestDo checks one exchange whole: what arrives, that the connection ends, where it came from, and the times.
func TestDo(t *testing.T) {
	type seen struct{ line, body, from, rest string }
	got := make(chan seen, 1)
	addr := serve(t, func(c *net.TCPConn) {
		r, body, err := readRequest(c)
		if err != nil {
			return
		}
		_, _ = io.WriteString(c, ok429)
		rest, _ := io.ReadAll(c) // ends when the client closes
		got <- seen{r.Method + " " + r.RequestURI + " " + r.Host, string(body), c.RemoteAddr().String(), string(rest)}
	})
	c := client(addr)
	before := time.Now()
	a := c.Do(within(t, 5*time.Second), ask)
	if d := cmp.Diff(length(EndComplete), outcomeOf(a)); d != "" {
		t.Error(d)
	}
	s := <-got
	if d := cmp.Diff("POST /v1/messages "+addr+"{}", s.line+s.body); d != "" || s.rest != "" {
		t.Errorf("%s, then %q", d, s.rest)
	}
	if a.Local == "" || a.Local != s.from {
		t.Errorf("the answer says it went from %q, the server saw %q", a.Local, s.from)
	}
	if a.SentAt.Before(before) || a.FirstAt.Before(a.SentAt) || a.DoneAt.Before(a.FirstAt) {
		t.Errorf("times out of order: %v %v %v", a.SentAt, a.FirstAt, a.DoneAt)
	}
}

// TestSentOnce: whatever comes back, there is one connection with one request, and no redirect is followed.
func TestSentOnce(t *testing.T) {
	for why, raw := range map[string]string{
		"closed without an answer": "",
		"service unavailable":      "HTTP/1.1 503 x\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n",
		"misdirected":              "HTTP/1.1 421 x\r\nContent-Length: 0\r\n\r\n",
		"request timeout":          "HTTP/1.1 408 x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
		"redirect":                 "HTTP/1.1 307 x\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n",
	} {
		var requests atomic.Int32
		addr := serve(t, func(c *net.TCPConn) {
			if _, _, err := readRequest(c); err == nil {
				requests.Add(1)
			}
			_, _ = io.WriteString(c, raw)
		})
		client(addr).Do(within(t, 5*time.Second), ask)
		if n := requests.Load(); n != 1 {
			t.Errorf("%s: %d requests", why, n)
		}
	}
}

func TestHeadHasNoBody(t *testing.T) {
	addr := serve(t, func(c *net.TCPConn) {
		_, _, _ = readRequest(c)
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n")
		hang(c)
	})
	a := client(addr).Do(within(t, 5*time.Second), Request{Method: "HEAD", Target: "/"})
	if d := cmp.Diff(outcome{Status: 200, Framing: FramingNone, End: EndComplete}, outcomeOf(a)); d != "" {
		t.Error(d)
	}
}

// TestEarlyAnswer: a server that refuses a large request before it has read it still gets heard.
func TestEarlyAnswer(t *testing.T) {
	const answer = "HTTP/1.1 413 x\r\nContent-Length: 2\r\n\r\nno"
	want := outcome{Status: 413, Framing: FramingLength, End: EndComplete, Body: "no"}
	big := Request{Method: "POST", Target: "/", Body: make([]byte, 32<<20)}
	heard := make(chan struct{})
	for _, c := range []struct {
		why    string
		r      Request
		handle func(c *net.TCPConn)
	}{
		{"it keeps the connection open and never reads on", big, func(c *net.TCPConn) {
			_, _ = io.WriteString(c, answer)
			<-heard
		}},
		{"it reads some and closes", big, func(c *net.TCPConn) {
			_, _ = io.ReadFull(c, make([]byte, 1000))
			_, _ = io.WriteString(c, answer)
			_ = c.CloseWrite()
			time.Sleep(50 * time.Millisecond)
		}},
		{"a small request, unread, and a close that becomes a reset", ask, func(c *net.TCPConn) {
			_, _ = io.WriteString(c, answer)
			time.Sleep(50 * time.Millisecond)
		}},
	} {
		start := time.Now()
		a := client(serve(t, c.handle)).Do(within(t, 5*time.Second), c.r)
		if d := cmp.Diff(want, outcomeOf(a)); d != "" || time.Since(start) > 4*time.Second {
			t.Errorf("%s\n%s%s, after %v", c.why, d, a.Err, time.Since(start))
		}
	}
	close(heard)
}

// TestLargeRequestArrives: the way beside the reading carries every byte.
func TestLargeRequestArrives(t *testing.T) {
	got := make(chan int, 1)
	addr := serve(t, func(c *net.TCPConn) {
		_, body, _ := readRequest(c)
		got <- len(body)
		_, _ = io.WriteString(c, ok429)
	})
	a := client(addr).Do(within(t, 5*time.Second), Request{Method: "POST", Target: "/", Body: make([]byte, 1<<20)})
	if n := <-got; n != 1<<20 || a.End != EndComplete {
		t.Errorf("%d bytes arrived, %s %s", n, a.End, a.Err)
	}
}

func TestUnsentRequestIsReset(t *testing.T) {
	for _, c := range []struct {
		why     string
		end     End
		err     error
		wantEnd End
		wantErr string
	}{
		{"the write took the reset, the read saw a mere end", EndNone, net.ErrClosed, EndNone, "closed"},
		{"the same, recognised", EndNone, &net.OpError{Op: "write", Err: errReset}, EndReset, "closed (reset while the request was being sent)"},
		{"an answer that came whole doesn't care", EndComplete, errReset, EndComplete, "closed"},
		{"another error says nothing about the answer", EndShort, errors.New("x"), EndShort, "closed"},
	} {
		a := &Answer{End: c.end, Err: "closed"}
		a.noteUnsent(c.err)
		if a.End != c.wantEnd || a.Err != c.wantErr {
			t.Errorf("%s: %s %q", c.why, a.End, a.Err)
		}
	}
}

var errReset error = windowsReset

// TestDribble: a byte now and then for ever keeps no probe beyond its deadline, in the head nor in the body.
func TestDribble(t *testing.T) {
	for _, start := range []string{"", "HTTP/1.1 200 x\r\n\r\n", "HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\n"} {
		addr := serve(t, func(c *net.TCPConn) {
			_, _ = io.WriteString(c, start)
			const forever = "HTTP/1.1 200 x\r\nX: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
			text := forever
			if start != "" {
				text = strings.Repeat("0", 100)
			}
			for i := range len(text) {
				if _, err := io.WriteString(c, text[i:i+1]); err != nil {
					return
				}
				time.Sleep(20 * time.Millisecond)
			}
		})
		begun := time.Now()
		a := client(addr).Do(within(t, 150*time.Millisecond), ask)
		if a.End != EndTimeout {
			t.Errorf("after %q: %s %s", start, a.End, a.Err)
		}
		if start != "" && a.Status != 200 {
			t.Errorf("after %q: status %d", start, a.Status)
		}
		if d := time.Since(begun); d > 2*time.Second {
			t.Errorf("after %q: took %v", start, d)
		}
	}
}

// TestHugeBody: of a body of 1 GiB no more is read than the limit, however it is framed.
func TestHugeBody(t *testing.T) {
	const size, limit = 1 << 30, 1 << 20
	block := make([]byte, 64<<10)
	for _, head := range []string{
		"Content-Length: 1073741824\r\n\r\n",
		"Connection: close\r\n\r\n",
		"Transfer-Encoding: chunked\r\n\r\n40000000\r\n",
	} {
		addr := serve(t, func(c *net.TCPConn) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 x\r\n"+head)
			for range size / len(block) {
				if _, err := c.Write(block); err != nil {
					return
				}
			}
		})
		c := client(addr)
		c.Limits.Body = limit
		a := c.Do(within(t, 10*time.Second), ask)
		if a.End != EndTooLarge || a.Err != "body of more than 1048576 bytes" || len(a.Body) != limit || a.Status != 200 {
			t.Errorf("%q: %d %s %q, %d bytes", head, a.Status, a.End, a.Err, len(a.Body))
		}
		if got := cap(a.Body); got != limit {
			t.Errorf("%q: %d bytes behind the body can be written to", head, got-limit)
		}
	}
}

func TestCancel(t *testing.T) {
	came := make(chan struct{}, 1)
	addr := serve(t, func(c *net.TCPConn) {
		_, _, _ = readRequest(c)
		select {
		case came <- struct{}{}:
		default: // a later connection; nobody waits for it
		}
		hang(c)
	})
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	go func() {
		<-came
		cancel()
	}()
	if a := client(addr).Do(ctx, ask); a.End != EndCanceled {
		t.Errorf("in the middle: %s %s", a.End, a.Err)
	}
	if a := client(addr).Do(ctx, ask); a.End != EndCanceled || !strings.Contains(a.Err, "interrupted") {
		t.Errorf("before: %s %s", a.End, a.Err)
	}
	late, stop := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
	defer stop()
	if a := client(addr).Do(late, ask); a.End != EndTimeout {
		t.Errorf("after the deadline: %s %s", a.End, a.Err)
	}
}

func TestRefused(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone := l.Addr().String()
	l.Close()
	a := client(gone).Do(within(t, 5*time.Second), ask)
	if a.End != EndRefused || a.Err != "connection refused: nothing listens on "+gone || a.SentAt.IsZero() || a.DoneAt.Before(a.SentAt) {
		t.Errorf("%s %q %v %v", a.End, a.Err, a.SentAt, a.DoneAt)
	}
}

func TestConnectWords(t *testing.T) {
	b := Base{Host: "gw.invalid:80"}
	for _, c := range []struct {
		err  error
		want string
	}{
		{&net.DNSError{Err: "no such host", IsNotFound: true}, `the host "gw.invalid" has no address: check the URL`},
		{&net.DNSError{Err: "server misbehaving"}, `the address of "gw.invalid" could not be looked up: server misbehaving`},
		{&net.OpError{Op: "dial", Err: errors.New("no route to host")}, "no connection to gw.invalid:80: no route to host"},
	} {
		end, words := dialWords(context.Background(), c.err, b)
		if end != EndRefused || words != c.want {
			t.Errorf("%s %q, want %q", end, words, c.want)
		}
	}
}
