//go:build unix && !linux

package gateway

import (
	"fmt"
	"syscall"
)

// adopt has nothing to do: these systems offer no way to become the parent of orphans. A program that leaves its process
// group escapes here.
func adopt() error { return nil }

func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// noneLeft reports whether the group is empty.
func (f *family) noneLeft() bool { return syscall.Kill(-f.main, 0) != nil }

// signal asks the group once to end, or kills it. A group that has members keeps its number.
func (f *family) signal(kill bool) {
	switch {
	case kill:
		_ = syscall.Kill(-f.main, syscall.SIGKILL)
	case !f.asked[f.main]:
		f.asked[f.main] = true
		_ = syscall.Kill(-f.main, syscall.SIGTERM)
	}
}

func (f *family) names() string { return fmt.Sprintf("process group %d", f.main) }
