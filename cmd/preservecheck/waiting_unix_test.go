//go:build unix

package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestEnterOnATerminal: a person is shown the whole URL and asked for Enter; Ctrl-C instead of it is no wrong usage.
func TestEnterOnATerminal(t *testing.T) {
	screen, code := onTerminal(t, 200, nil, 1500*time.Millisecond, "check", "--layer", "http://127.0.0.1:1", "--stub-listen", "127.0.0.1:0",
		"--stub-url", "https://stub.example", "--secret-file", filepath.Join(t.TempDir(), "stub.secret"))
	if !regexp.MustCompile(`https://stub\.example/[0-9a-f]{32,}[ \r]`).MatchString(screen) || !strings.Contains(screen, "press Enter") {
		t.Errorf("a person can't tell what to do: %s", screen)
	}
	if code != exitUnknown || !strings.Contains(screen, "error: interrupted") || strings.Contains(screen, "1h0m0s") {
		t.Errorf("after Ctrl-C: exit %d: %s", code, screen)
	}
}
