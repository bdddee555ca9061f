package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/check"
)

func testProgress(b *bytes.Buffer, terminal bool, began time.Duration) *progress {
	return &progress{
		w: b, terminal: terminal, columns: func() int { return 80 }, ended: make(chan struct{}), from: time.Now().Add(-began), ready: 30 * time.Second, way: 10 * time.Second,
		reason: func() string { return "connection refused on 127.0.0.1:1" }, hide: func(s string) string { return s },
		note: func(f string, a ...any) { fmt.Fprintf(b, f+"\n", a...) },
	}
}

func TestProgress(t *testing.T) {
	at := check.Progress{Phase: "rows", Done: 3, Total: 20, Row: "tier_cap\x1b[31m", Failed: 1}
	wait := check.Progress{Phase: waitingPhase}
	way := check.Progress{Phase: wayPhase, Why: "no connection: connection refused"}
	for _, c := range []struct {
		why      string
		terminal bool
		began    time.Duration
		at       check.Progress
		want     string // a part; "" is nothing at all
	}{
		{"a short run", true, 0, at, ""},
		{"a long one", true, time.Hour, at, "\r\x1b[Krows 3/20, 1 failed, tier_cap"},
		{"the reason of a wait", true, 3 * time.Second, wait, "waiting: connection refused on 127.0.0.1:1, 27 s left; Ctrl-C ends it"},
		{"a line longer than the terminal is cut", true, time.Hour, check.Progress{Phase: strings.Repeat("x", 200)}, "left out"},
		{"where no terminal is, rows are not said", false, time.Hour, at, ""},
		{"nor a short wait", false, 2 * time.Second, wait, ""},
		{"the way to the stub has a reason of its own", true, 3 * time.Second, way, "waiting: no way to the stu"},
		{"which is said at once", false, 0, way, "waiting: no way to the stub yet: no connection: connection refused, 10 s left"},
		{"but a long one", false, 4 * time.Second, wait, "waiting: connection refused on 127.0.0.1:1, 26 s left; Ctrl-C ends it\n"},
	} {
		var b bytes.Buffer
		p := testProgress(&b, c.terminal, c.began)
		p.show(c.at)
		got := b.String()
		if !strings.Contains(got, c.want) || (got == "") != (c.want == "") || strings.Contains(got, "\x1b[31m") || len(got) > 120 {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
		p.show(c.at)
		if !c.terminal && b.String() != got {
			t.Errorf("%s: said twice: %q", c.why, b.String())
		}
		p.clear()
		if c.terminal && c.want != "" && !strings.HasSuffix(b.String(), "\r\x1b[K") {
			t.Errorf("%s: the line is not taken away: %q", c.why, b.String())
		}
		n := b.Len()
		if p.show(c.at); b.Len() != n {
			t.Errorf("%s: shown after its end", c.why)
		}
	}
}

// TestTimeLeft: the estimate goes by the phase alone, and is not made of too little.
func TestTimeLeft(t *testing.T) {
	now := time.Now()
	for _, c := range []struct {
		why         string
		took        time.Duration
		begun, done int
		total       int
		want        string
	}{
		{"half is done in 10 s", 10 * time.Second, 0, 5, 10, ", 10 s left"},
		{"what was done before this phase was seen counts for nothing", 10 * time.Second, 4, 5, 10, ", 50 s left"},
		{"long runs are told in minutes", time.Minute, 0, 10, 100, ", 9 min left"},
		{"less than a second", time.Second, 0, 9, 10, ", 1 s left"},
		{"nothing is done yet", time.Minute, 0, 0, 10, ""},
		{"everything is", time.Minute, 0, 10, 10, ""},
		{"no total", time.Minute, 0, 3, 0, ""},
		{"too early to tell", 100 * time.Millisecond, 0, 1, 10, ""},
	} {
		p := &progress{since: now.Add(-c.took), begun: c.begun}
		if got := p.left(check.Progress{Done: c.done, Total: c.total}, now); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

// TestLineOnNarrowTerminals: what matters most stands first and is not cut.
func TestLineOnNarrowTerminals(t *testing.T) {
	at := check.Progress{Phase: "rows", Done: 3, Total: 20, Row: "unknown_code_429", Failed: 1}
	wait := check.Progress{Phase: waitingPhase}
	for _, c := range []struct {
		columns int
		at      check.Progress
		want    string
	}{
		{100, at, "rows 3/20, 1 failed, unknown_code_429"},
		{32, at, "rows 3/20, 1 failed, unkno…_429"},
		{22, at, "rows 3/20, 1 failed"},
		{44, wait, "waiting: connection re…7.0.0.1:1, 30 s left"},
	} {
		var b bytes.Buffer
		p := testProgress(&b, true, 0)
		p.since = p.from
		if got := p.line(c.at, p.from, c.columns); got != c.want || c.columns > len("waiting: , 30 s left") && len([]rune(got)) >= c.columns {
			t.Errorf("%d columns: %q, want %q", c.columns, got, c.want)
		}
	}
}
