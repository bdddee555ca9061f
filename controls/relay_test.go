package controls

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/wire"
)

const firstEvent = "data: 1\n\n"

// slowUpstream sends one event, and the rest once it was told that the first arrived at the client.
func slowUpstream(t *testing.T, arrived <-chan struct{}, end func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		r, err := http.ReadRequest(bufio.NewReader(c))
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n9\r\n"+firstEvent+"\r\n")
		select {
		case <-arrived:
			end(c)
		case <-time.After(5 * time.Second):
		}
	}()
	return "http://" + l.Addr().String()
}

// TestTheHonestLayerPassesStreamsOn: nothing but an event that arrived makes this upstream go on, so no clock decides.
func TestTheHonestLayerPassesStreamsOn(t *testing.T) {
	for _, c := range []struct {
		why  string
		end  func(net.Conn)
		want wire.End
	}{
		{"to its end", func(c net.Conn) { _, _ = io.WriteString(c, "9\r\ndata: 2\n\n\r\n0\r\n\r\n") }, wire.EndComplete},
		{"to where it breaks off", func(net.Conn) {}, wire.EndShort},
		{"to its reset", func(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0) }, wire.EndReset},
	} {
		arrived := make(chan struct{})
		layer, err := Start("identity", slowUpstream(t, arrived, c.end))
		if err != nil {
			t.Fatal(err)
		}
		base, err := wire.ParseBase(layer.URL())
		if err != nil {
			t.Fatal(err)
		}
		client := wire.Client{Base: base, Copy: &signal{until: firstEvent, done: arrived}}
		a := client.Do(t.Context(), wire.Request{Method: "POST", Target: "/", Body: []byte("{}")})
		if a.End != c.want || !strings.HasPrefix(string(a.Body), firstEvent) {
			t.Errorf("%s: %s (%s), %q", c.why, a.End, a.Err, a.Body)
		}
		if err := layer.Close(); err != nil {
			t.Error(err)
		}
	}
}

// signal closes a channel when a text went by.
type signal struct {
	until string
	seen  bytes.Buffer
	done  chan struct{}
}

func (s *signal) Write(b []byte) (int, error) {
	s.seen.Write(b)
	if s.done != nil && strings.Contains(s.seen.String(), s.until) {
		close(s.done)
		s.done = nil
	}
	return len(b), nil
}

// TestPaceOverSockets: each layer shows on the silent row what it declares and nothing else, and the one that buffers is seen.
func TestPaceOverSockets(t *testing.T) {
	in := input(t, "claude-code", fixture.Stream)
	row := check.Row{Fixture: in.Matrix.Get(fixture.Paced), Mode: fixture.Stream, Dialect: dialects.Anthropic}
	in.Rows = []check.Row{row}
	for _, f := range []*Fault{identity, bufferStream, dropEventLines, retryTwice, dropBeta} {
		p := newProver(in, []*Fault{f})
		d, err := p.wholeRunOf(t.Context(), f, "auto", []check.Row{row})
		if err != nil {
			t.Fatal(err)
		}
		for _, wrong := range p.rowFaults(f, &d) {
			t.Errorf("%s: %s", f.Name, wrong)
		}
		if len(d.Rows) != 1 || (f == identity) != (d.Rows[0].Verdict == "preserved") && f != retryTwice {
			t.Errorf("%s: %d rows, %v", f.Name, len(d.Rows), d.Result)
		}
	}
}
