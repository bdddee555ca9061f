//go:build !unix

package gateway

import (
	"io"
	"os/exec"
)

// supported: ending a process here does not end what it started.
const supported = false

func apart(*exec.Cmd) {}

// Supervise does nothing here; see ErrUnsupported.
func Supervise(io.Reader, io.Writer) int { return 1 }
