//go:build unix

package main

import (
	"os"
	"strings"
	"syscall"
	"testing"
)

func TestReadRegular(t *testing.T) {
	dir := t.TempDir()
	pipe, small, large := dir+"/pipe", dir+"/small", dir+"/large"
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, size := range map[string]int{small: 10, large: 11} {
		if err := os.WriteFile(name, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ why, file, err string }{
		{"as large as may be", small, ""},
		{"larger", large, "larger than"},
		{"a pipe that nobody writes to", pipe, "a pipe or socket, not a regular file"},
		{"a device without an end", "/dev/zero", "a device, not a regular file"},
		{"a directory", dir, "a directory, not a regular file"},
		{"none", dir + "/none", "no such file"},
	} {
		b, err := readRegular(c.file, 10)
		if c.err == "" && (err != nil || len(b) != 10) || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s: %d bytes, error %v, want %q", c.why, len(b), err, c.err)
		}
	}
}
