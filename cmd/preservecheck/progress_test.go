package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/check"
)

func TestProgress(t *testing.T) {
	at := check.Progress{Phase: "rows", Done: 3, Total: 20, Row: "tier_cap\x1b[31m", Failed: 1}
	var b bytes.Buffer
	if p := newProgress(&b); p != nil {
		t.Error("progress is shown to what is no terminal")
	}
	var none *progress
	none.show(at)
	none.clear()

	quick := &progress{w: &b, from: time.Now()}
	quick.show(at)
	quick.clear()
	if b.Len() != 0 {
		t.Errorf("a short run wrote %q", b.String())
	}

	slow := &progress{w: &b, from: time.Now().Add(-time.Hour)}
	slow.show(at)
	if got := b.String(); !strings.Contains(got, "rows 3/20, 1 failed, tier_cap") || strings.Contains(got, "\x1b[31m") {
		t.Errorf("a long run wrote %q", got)
	}
	slow.clear()
	slow.show(at)
	if got := b.String(); !strings.HasSuffix(got, "\r\x1b[K") {
		t.Errorf("the line is not taken away: %q", got)
	}
}
