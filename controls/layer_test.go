package controls

import (
	"context"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/wire"
)

// writes is a connection that keeps each piece that is written to it.
type writes struct {
	net.Conn
	pieces []string
	at     []time.Time
}

func (w *writes) Write(b []byte) (int, error) {
	w.pieces, w.at = append(w.pieces, string(b)), append(w.at, time.Now())
	return len(b), nil
}

// TestSend: how an answer is written that a plain server could not write.
func TestSend(t *testing.T) {
	with := func(change func(*wire.Answer)) *wire.Answer {
		a := answer(400, "abc", "x-a", "1")
		a.Reason = "Bad Request"
		change(a)
		return a
	}
	const head = "HTTP/1.1 400 Bad Request\r\n"
	for _, c := range []struct {
		why    string
		answer *wire.Answer
		want   string
	}{
		{"none at all", with(func(a *wire.Answer) { a.Status = 0 }), ""},
		{"a plain one", with(func(*wire.Answer) {}), head + "x-a: 1\r\nContent-Length: 3\r\n\r\nabc"},
		{"one behind an interim one", with(func(a *wire.Answer) { a.Interim = []int{103, 102} }), "HTTP/1.1 103 Interim\r\n\r\nHTTP/1.1 102 Interim\r\n\r\n" + head + "x-a: 1\r\nContent-Length: 3\r\n\r\nabc"},
		{"both framings", with(func(a *wire.Answer) { a.Faults = []string{wire.FaultLengthAndCoding} }), head + "Content-Length: 3\r\nx-a: 1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"},
		{"bytes behind its end", with(func(a *wire.Answer) { a.Faults = []string{wire.FaultExcess} }), head + "x-a: 1\r\nContent-Length: 3\r\n\r\nabcexcess"},
		{"such without an end of their own", with(func(a *wire.Answer) { a.Faults, a.Framing = []string{wire.FaultExcess}, wire.FramingClose }), head + "x-a: 1\r\nContent-Length: 3\r\n\r\nabcexcess"},
		{"such in chunks", with(func(a *wire.Answer) { a.Faults, a.Framing = []string{wire.FaultExcess}, wire.FramingChunked }), head + "x-a: 1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\nexcess"},
		{"a trailer", with(func(a *wire.Answer) { a.Trailer = []wire.Field{{Name: "x-b", Value: "2"}, {Name: "x-c", Value: "3"}} }), head + "x-a: 1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nx-b: 2\r\nx-c: 3\r\n\r\n"},
		{"broken off, of a length", with(func(a *wire.Answer) { a.End = wire.EndShort }), head + "x-a: 1\r\nContent-Length: 67\r\n\r\nabc"},
		{"broken off, to the connection's end", with(func(a *wire.Answer) { a.End, a.Framing = wire.EndShort, wire.FramingClose }), head + "x-a: 1\r\nContent-Length: 67\r\n\r\nabc"},
		{"broken off, in chunks", with(func(a *wire.Answer) { a.End, a.Framing = wire.EndReset, wire.FramingChunked }), head + "x-a: 1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"},
		{"broken off, and no trailer either", with(func(a *wire.Answer) {
			a.End, a.Framing, a.Trailer = wire.EndShort, wire.FramingChunked, []wire.Field{{Name: "x-b", Value: "2"}}
		}), head + "x-a: 1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"},
	} {
		w := &writes{}
		send(w, c.answer)
		if got := strings.Join(w.pieces, ""); got != c.want {
			t.Errorf("%s:\n%q, want\n%q", c.why, got, c.want)
		}
	}
}

// TestPaced: where a stream was silent the answer is silent, behind its first event.
func TestPaced(t *testing.T) {
	const head, first, rest = "HTTP/1.1 200 OK\r\n\r\n", "data: 1\n\n", "data: 2\n\n"
	begin := time.Now()
	for _, c := range []struct {
		why    string
		text   string
		change func(*wire.Answer)
		want   []string
	}{
		{"silent for the time", head + first + rest, func(*wire.Answer) {}, []string{head + first, rest}},
		{"silent for less", head + first + rest, func(a *wire.Answer) { a.LastAt = a.LastAt.Add(-1) }, []string{head + first + rest}},
		{"held back by the fault", head + first + rest, func(a *wire.Answer) { a.Pace = wire.AtOnce }, []string{head + first + rest}},
		{"no stream", head + first + rest, func(a *wire.Answer) { a.Header = nil }, []string{head + first + rest}},
		{"no whole event", head + "data: 1\n", func(*wire.Answer) {}, []string{head, "data: 1\n"}},
		{"an empty line first", head + "\n\n" + first, func(*wire.Answer) {}, []string{head + "\n\n", first}},
		{"no head", first + rest, func(*wire.Answer) {}, []string{first + rest}},
		{"nothing but the end of a head", "\r\n\r\n" + first + rest, func(*wire.Answer) {}, []string{"\r\n\r\n" + first, rest}},
	} {
		a := events("")
		a.BodyAt, a.LastAt = begin, begin.Add(silence)
		c.change(a)
		w := &writes{}
		paced(w, []byte(c.text), a)
		if !slices.Equal(w.pieces, c.want) {
			t.Errorf("%s: %q, want %q", c.why, w.pieces, c.want)
		}
		if len(w.at) == 2 && w.at[1].Sub(w.at[0]) < silence {
			t.Errorf("%s: silent for %s only", c.why, w.at[1].Sub(w.at[0]))
		}
	}
}

// TestForward: what belongs to one connection is not passed on, and all else is.
func TestForward(t *testing.T) {
	in, err := http.NewRequest("PUT", "http://h/p?q=1", nil)
	if err != nil {
		t.Fatal(err)
	}
	in.Header = http.Header{"X-B": {"1", "2"}, "Connection": {"x"}, "Keep-Alive": {"x"}, "Content-Length": {"1"}, "Transfer-Encoding": {"chunked"}, "Expect": {"x"}, "A": {"3"}}
	got := forward(in, []byte("body"))
	if want := []wire.Field{{Name: "A", Value: "3"}, {Name: "X-B", Value: "1"}, {Name: "X-B", Value: "2"}}; !slices.Equal(got.Header, want) {
		t.Errorf("%v, want %v", got.Header, want)
	}
	if got.Method != "PUT" || got.Target != "/p?q=1" || string(got.Body) != "body" {
		t.Errorf("%+v", got)
	}
}

// TestLayerStarts: by a name that there is, in front of an address; and it is idle but for a request that is under way.
func TestLayerStarts(t *testing.T) {
	if _, err := Start("no such", "http://127.0.0.1:1"); err == nil || !strings.Contains(err.Error(), "no such") {
		t.Error("a fault that nobody wrote:", err)
	}
	if _, err := Start("drop-details", "no address"); err == nil {
		t.Error("no address was taken for one")
	}
	y, err := Start("drop-details", "http://127.0.0.1:1") // nobody answers there
	if err != nil {
		t.Fatal(err)
	}
	if !y.Idle() || y.honest {
		t.Errorf("idle %v, honest %v", y.Idle(), y.honest)
	}
	c, err := net.Dial("tcp", strings.TrimPrefix(y.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	for wait := 0; y.Idle() && wait < 5000; wait++ {
		time.Sleep(time.Millisecond)
	}
	if y.Idle() {
		t.Error("idle, with a connection open")
	}
	if _, err := io.WriteString(c, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}"); err != nil {
		t.Error(err)
	}
	if b, err := io.ReadAll(c); len(b) > 0 || err != nil { // no answer from upstream, no answer from us
		t.Errorf("%q, %v", b, err)
	}
	_ = c.Close()
	if err := y.Close(); err != nil || !y.Idle() {
		t.Errorf("%v, idle %v", err, y.Idle())
	}
	if _, err := net.Dial("tcp", strings.TrimPrefix(y.URL(), "http://")); err == nil {
		t.Error("it goes on listening")
	}
}

// TestCloseEndsTheSleep: nobody waits for a layer that is gone.
func TestCloseEndsTheSleep(t *testing.T) {
	y := &Layer{}
	y.ctx, y.stop = context.WithCancel(t.Context())
	begin := time.Now()
	if y.sleep(20 * time.Millisecond); time.Since(begin) < 20*time.Millisecond {
		t.Error("it did not sleep")
	}
	y.stop()
	if y.sleep(time.Minute); time.Since(begin) > 30*time.Second {
		t.Error("it slept on")
	}
}

// TestNames: each fault is found by its name, and by no other.
func TestNames(t *testing.T) {
	names := Names()
	if len(names) != len(All()) || names[0] != "identity" {
		t.Errorf("%d names of %d faults, %q first", len(names), len(All()), names[0])
	}
	for i, f := range All() {
		if why, ok := Describe(f.Name); ByName(f.Name) != f || names[i] != f.Name || why != f.Why || !ok || why == "" {
			t.Errorf("%s: found %v, %q, %v", f.Name, ByName(f.Name), why, ok)
		}
		if slices.Index(names, f.Name) != i {
			t.Errorf("two faults are called %s", f.Name)
		}
	}
	if why, ok := Describe("no such"); ByName("no such") != nil || why != "" || ok {
		t.Error("a fault that nobody wrote was found")
	}
}
