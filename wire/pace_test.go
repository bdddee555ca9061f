package wire

import (
	"io"
	"testing"
	"time"
)

// bits gives its parts one by one, each after a pause.
type bits struct {
	parts []string
	pause time.Duration
}

func (b *bits) Read(p []byte) (int, error) {
	if len(b.parts) == 0 {
		return 0, io.EOF
	}
	time.Sleep(b.pause)
	n := copy(p, b.parts[0])
	b.parts = b.parts[1:]
	return n, nil
}

// TestWhenABodyBegan: the parts come 20 ms apart, and a body began with the part that is named. Machines only make gaps longer.
func TestWhenABodyBegan(t *testing.T) {
	const head, events = "HTTP/1.1 200 OK\r\n", "Content-Type: text/event-stream\r\n"
	for _, c := range []struct {
		why   string
		parts []string
		gaps  int // at least, between the beginning and the last byte
		most  int // at most, by what came in the same read; -1: it never began
	}{
		{"a body that comes with its head", []string{head + "Content-Length: 2\r\n\r\na", "b"}, 1, 9},
		{"a head alone is no beginning", []string{head + "Content-Length: 2\r\n\r\n", "ab"}, 0, 0},
		{"an event that comes with the head", []string{head + events + "\r\ndata: 1\n\n", "data: 2\n\n"}, 1, 9},
		{"an event in a chunk of its own", []string{head + events + "Transfer-Encoding: chunked\r\n\r\n", "9\r\ndata: 1\n\n\r\n", "9\r\ndata: 2\n\n\r\n0\r\n\r\n"}, 1, 9},
		{"a comment keeps a connection alive and is no event", []string{head + events + "\r\n: wait\n\n", "data: 1\n\ndata: 2\n\n"}, 0, 0},
		{"the beginning may be cut anywhere", []string{head + events + "\r\nda", "ta: 1\n\n", "data: 2\n\n"}, 1, 9},
		{"compressed events can't be looked into", []string{head + events + "Content-Encoding: gzip\r\n\r\nx", "y"}, 1, 9},
		{"no event at all", []string{head + events + "\r\n: wait\n\n"}, 0, -1},
		{"no body at all", []string{head + "Content-Length: 0\r\n\r\n"}, 0, -1},
	} {
		a := Read(&bits{c.parts, 20 * time.Millisecond}, Default)
		if c.most < 0 {
			if !a.BodyAt.IsZero() {
				t.Errorf("%s: it began", c.why)
			}
			continue
		}
		got := a.LastAt.Sub(a.BodyAt)
		if a.BodyAt.IsZero() || got < time.Duration(c.gaps)*20*time.Millisecond || c.most == 0 && got != 0 {
			t.Errorf("%s: %s between the beginning and the last byte, want %d gaps of 20 ms", c.why, got, c.gaps)
		}
		if a.FirstAt.After(a.BodyAt) {
			t.Errorf("%s: the body began before the answer", c.why)
		}
	}
}
