package wire

import (
	"context"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// without is a machine that lacks what a connection needs.
func without(err error) Client {
	op := &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", err)}
	return Client{Base: Base{Scheme: "http", Host: "127.0.0.1:9"}, connect: func(context.Context, string) (net.Conn, error) { return nil, op }}
}

// TestOurOwnMachine: what this machine lacks is never said of the other side.
func TestOurOwnMachine(t *testing.T) {
	for _, c := range []struct {
		why  string
		err  error
		end  End
		says string
	}{
		{"the ports of short connections are used up", syscall.EADDRNOTAVAIL, EndLocal, "no free local port"},
		{"and what else is said of that", syscall.EADDRINUSE, EndLocal, "no free local port"},
		{"the limit of open files of the process", syscall.EMFILE, EndLocal, "ulimit -n"},
		{"and of the system", syscall.ENFILE, EndLocal, "the system may open no more files"},
		{"no memory for sockets", syscall.ENOBUFS, EndLocal, "no memory"},
		{"the other side says no", syscall.ECONNREFUSED, EndRefused, "nothing listens"},
		{"a network that is not there may be the layer's", syscall.ENETUNREACH, EndRefused, "no connection to"},
	} {
		a := without(c.err).Do(within(t, time.Second), ask)
		if a.End != c.end || !strings.Contains(a.Err, c.says) {
			t.Errorf("%s: %s: %s", c.why, a.End, a.Err)
		}
		if c.end == EndLocal && (!strings.Contains(a.Err, "this machine") || !strings.Contains(a.Err, "--repeat") || a.End.Orderly()) {
			t.Errorf("%s: no remedy in %q", c.why, a.Err)
		}
	}
}

// TestRefusedAtTheDeadline: a refusal is one, even if the time was up when it was looked at.
func TestRefusedAtTheDeadline(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if a := without(syscall.ECONNREFUSED).Do(ctx, ask); a.End != EndRefused {
		t.Errorf("%s: %s", a.End, a.Err)
	}
}
