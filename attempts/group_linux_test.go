package attempts

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestGroupIsEnded: what a driver started ends with it, and its open outputs hold nothing up.
func TestGroupIsEnded(t *testing.T) {
	c, err := driver("child", true).Start()
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Call(t.Context(), Call{ID: "1"})
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(*r.Text)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	_ = c.Close()
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
