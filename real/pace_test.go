//go:build real && linux

package real_test

import (
	"testing"

	"github.com/preservecheck/preservecheck/record"
)

// TestPace: nginx as most people have it asks its upstream in HTTP/1.0 and gathers the answer; with HTTP/1.1 it passes a chunk
// on when it comes, and so it does without proxy_buffering. HAProxy keeps a chunk for 200 ms. Measured with a script on
// the same configurations, with 300 ms between two events, 2026-11-30: the first came 0 ms before the rest through default, 309
// through keepalive, 301 through live, and 98 through HAProxy.
func TestPace(t *testing.T) {
	for _, c := range []struct {
		program program
		config  string
		gathers bool
	}{{nginx, "default", true}, {nginx, "keepalive", false}, {nginx, "live", false}, {haproxy, "default", false}} {
		t.Run(c.program.name+"-"+c.config, func(t *testing.T) {
			t.Parallel()
			doc, exit := checkThrough(t, c.program, c.program.config(t, c.config), "--profile", "claude-code", "--stream", "on", "--fixture", "stream_*")
			for _, r := range doc.Rows {
				if pace := c.gathers && r.Row == "stream_paced"; pace != (r.Verdict == "changed") || pace != differsIn(r, "stream/pace") {
					t.Errorf("%s: %s: %s", r.Row, r.Verdict, r.Reason)
				}
			}
			if want := map[bool]int{true: 1}[c.gathers]; exit != want || len(doc.Rows) < 10 {
				t.Errorf("exit %d, want %d, %d rows: %s", exit, want, len(doc.Rows), doc.Result.Why)
			}
		})
	}
}

func differsIn(r record.Row, key string) bool {
	for _, f := range r.Fields {
		if f.Key == key && f.Dir != "" {
			return true
		}
	}
	return false
}
