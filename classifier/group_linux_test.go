package classifier

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"testing"
	"time"
)

// What the program started ends with it, and its open outputs hold nothing up.
func TestGroupIsKilled(t *testing.T) {
	p := start(t, "child", long)
	text, err := p.Classify(t.Context(), Evidence{})
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	for alive(pid) && time.Since(began) < long {
		time.Sleep(10 * time.Millisecond)
	}
	if alive(pid) {
		t.Errorf("process %d is still there", pid)
	}
}

// alive reports whether a process runs; one that waits for its new parent to notice its end does not.
func alive(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(b), ") Z ")
}
