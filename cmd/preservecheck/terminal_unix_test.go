//go:build unix

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// onTerminal runs the program with stderr on a terminal of so many columns, and returns what came there. interrupt, when it
// is not 0, is after how long Ctrl-C is pressed.
func onTerminal(t *testing.T, columns uint16, env []string, interrupt time.Duration, args ...string) (screen string, code int) {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	if err := pty.Setsize(master, &pty.Winsize{Rows: 24, Cols: columns}); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self(t), args...)
	cmd.Env = append(append(withoutTerminal(), "TERM=xterm"), env...)
	cmd.Stderr, cmd.Stdin = slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	slave.Close()
	if interrupt > 0 {
		time.AfterFunc(interrupt, func() { _, _ = master.Write([]byte{3}) })
	}
	var all bytes.Buffer
	_, _ = io.Copy(&all, master) // ends with EIO when the last one has closed the terminal
	_ = cmd.Wait()
	return all.String(), cmd.ProcessState.ExitCode()
}

// withoutTerminal is the environment without what the tests' own terminal or CI system says.
func withoutTerminal() (env []string) {
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); name != "CI" && name != "TERM" && name != "COLUMNS" && name != "NO_COLOR" {
			env = append(env, kv)
		}
	}
	return env
}

// self is a link to this test binary under the name by which it runs as the program.
func self(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	link := t.TempDir() + "/preservecheck"
	if err := os.Symlink(exe, link); err != nil {
		t.Fatal(err)
	}
	return link
}

// slowly are the arguments of a run that takes two seconds and more.
func slowly(t *testing.T) []string {
	return []string{"check", "--layer", "control:drop-details", "--fixture", "article/*", "--stream", "off", "--rate", "8",
		"-o", "json=" + t.TempDir() + "/record.json"}
}

// TestProgressOnATerminal looks at what a person at a real terminal gets to see, and what is left of it.
func TestProgressOnATerminal(t *testing.T) {
	for _, c := range []struct {
		why     string
		columns uint16
		env     []string
		want    string // a pattern, "" for nothing drawn
	}{
		{"rows, failures, time left and the row", 100, nil, `(rows|again, in reverse order) \d+/\d+, \d+ failed, \d+ s left, \w+`},
		{"a narrow one has no room for the row's name", 30, nil, `rows \d+/\d+`},
		{"a terminal that does not say its width", 0, nil, `rows \d+/\d+`},
		{"one that can't take anything away", 100, []string{"TERM=dumb"}, ""},
		{"a CI system's, which is a log", 100, []string{"CI=true"}, ""},
	} {
		screen, code := onTerminal(t, c.columns, c.env, 0, slowly(t)...)
		if code != exitFail {
			t.Fatalf("%s: exit %d: %q", c.why, code, screen)
		}
		drawn := strings.Contains(screen, "\x1b")
		if drawn != (c.want != "") || !regexp.MustCompile(c.want).MatchString(screen) {
			t.Errorf("%s: want %q, the screen got %q", c.why, c.want, screen)
		}
		if drawn && !strings.HasSuffix(screen, "\r\x1b[K") {
			t.Errorf("%s: the line stays: %q", c.why, screen)
		}
		width := int(c.columns)
		if width == 0 {
			width = unknownColumns
		}
		for line := range strings.SplitSeq(screen, "\r\x1b[K") {
			if !strings.Contains(line, "\n") && len([]rune(line)) >= width { // those with a break are notes, which stay
				t.Errorf("%s: a line of %d characters breaks on %d columns: %q", c.why, len([]rune(line)), width, line)
			}
		}
	}
}

// TestNoProgressElsewhere: nothing of the line is in a file or pipe.
func TestNoProgressElsewhere(t *testing.T) {
	r := program(t, nil, slowly(t)...)
	if r.code != exitFail || strings.ContainsAny(r.errors+r.out, "\x1b\r") || strings.Contains(r.errors, "rows ") {
		t.Errorf("exit %d: %q", r.code, r.errors)
	}
}

// TestCtrlCOnATerminal: the line is gone, and the run ends as "could not tell" or with what it found by then.
func TestCtrlCOnATerminal(t *testing.T) {
	screen, code := onTerminal(t, 100, nil, 1800*time.Millisecond, slowly(t)...)
	if code != exitFail && code != exitUnknown {
		t.Errorf("exit %d", code)
	}
	if !strings.HasSuffix(screen, "\r\x1b[K") || !strings.Contains(screen, "^C") {
		t.Errorf("the screen got %q", screen)
	}
}
