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
		w: b, terminal: terminal, columns: func() int { return 80 }, ended: make(chan struct{}), from: time.Now().Add(-began), ready: 30 * time.Second,
		reason: func() string { return "connection refused on 127.0.0.1:1" }, hide: func(s string) string { return s },
		note: func(f string, a ...any) { fmt.Fprintf(b, f+"\n", a...) },
	}
}

func TestProgress(t *testing.T) {
	at := check.Progress{Phase: "rows", Done: 3, Total: 20, Row: "tier_cap\x1b[31m", Failed: 1}
	wait := check.Progress{Phase: waitingPhase}
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
		{"but a long one", false, 4 * time.Second, wait, "waiting: connection refused on 127.0.0.1:1, 26 s left; Ctrl-C ends it\n"},
	} {
		var b bytes.Buffer
		p := testProgress(&b, c.terminal, c.began)
		p.show(c.at)
		got := b.String()
		if !strings.Contains(got, c.want) || (got == "") != (c.want == "") || strings.Contains(got, "\x1b[31m") || len(got) > 90 {
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
