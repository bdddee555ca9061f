package gateway

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// prSetChildSubreaper is PR_SET_CHILD_SUBREAPER of linux/prctl.h (since Linux 3.4).
const prSetChildSubreaper = 36

// adopt makes us the parent of every descendant whose own parent ends, also of one that left its group and session. So
// nobody of the family is left exactly when we have no child.
func adopt() error {
	if _, _, e := syscall.RawSyscall6(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0, 0, 0, 0); e != 0 {
		return fmt.Errorf("prctl PR_SET_CHILD_SUBREAPER: %w", e)
	}
	if _, err := os.ReadFile("/proc/self/stat"); err != nil {
		return fmt.Errorf("/proc is needed to find what a layer started: %w", err)
	}
	return nil
}

// ownGroup also asks the program to end when we are killed ourselves.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

func (f *family) noneLeft() bool { return true }

// signal asks each child once to end, or kills all children. Only children: nobody but us takes note of their end, so their
// numbers can't have been given to others. Grandchildren become children when their parents end.
func (f *family) signal(kill bool) {
	for _, pid := range children() {
		switch {
		case kill:
			_ = syscall.Kill(pid, syscall.SIGKILL)
		case !f.asked[pid]:
			f.asked[pid] = true
			_ = syscall.Kill(pid, syscall.SIGTERM)
		}
	}
}

func (f *family) names() string {
	var all []string
	for _, pid := range children() {
		all = append(all, "process "+strconv.Itoa(pid))
	}
	return strings.Join(all, ", ")
}

// children finds the processes whose parent we are.
func children() (pids []int) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err == nil && parent(pid) == os.Getpid() {
			pids = append(pids, pid)
		}
	}
	return pids
}

// parent reads the fourth field of a process's stat, the second behind its name in parentheses, which may hold any
// character (proc_pid_stat(5)).
func parent(pid int) int {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	if len(fields) < 2 {
		return 0
	}
	n, err := strconv.Atoi(fields[1])
	if err != nil {
		return 0
	}
	return n
}
