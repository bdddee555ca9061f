//go:build !unix

package attempts

import "os/exec"

// Without process groups only the program itself is ended; what it started sees its input end.
func ownGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
