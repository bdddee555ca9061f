//go:build unix

package public

import (
	"io/fs"
	"os"
	"syscall"
)

// whoElse says who but the owner can read a file, "" for nobody.
func whoElse(info fs.FileInfo) string {
	switch mode := info.Mode().Perm(); {
	case mode&0o004 != 0:
		return "everybody on this machine"
	case mode&0o040 != 0:
		return "the file's group"
	}
	return ""
}

// whoWrites says who but the owner can change a file or folder, "" for nobody, and names an owner who is neither us nor root.
func whoWrites(info fs.FileInfo) string {
	if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Uid != 0 && int(st.Uid) != os.Geteuid() {
		return "another user, who owns it,"
	}
	switch mode := info.Mode().Perm(); {
	case mode&0o002 != 0:
		return "everybody on this machine"
	case mode&0o020 != 0:
		return "its group"
	}
	return ""
}
