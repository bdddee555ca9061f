package main

import (
	"errors"
	"strings"
	"testing"
)

// TestNoteIsOneLine: what a user's file or variable is called can't forge a line of ours, nor show a secret.
func TestNoteIsOneLine(t *testing.T) {
	var s secrets
	s.add("NAME", "tok\n0123456789")
	var b strings.Builder
	a := &app{err: &b, redact: redactorOf(&s)}
	a.note("error: %s: %s %d", "x\nhint: run this\r\x1b[31m", errors.New("y\nz tok\n0123456789 tok\\n0123"), 7)
	got := b.String()
	if strings.Count(got, "\n") != 1 || !strings.HasSuffix(got, " 7\n") || strings.ContainsAny(got, "\r\x1b") || strings.Contains(got, "0123") {
		t.Errorf("%q", got)
	}
	b.Reset()
	if a.fail(usage("look\nhint: forged", "no %s", "a\nhint: forged")); strings.Count(b.String(), "\n") != 2 {
		t.Errorf("%q", b.String())
	}
}
