//go:build !windows

package public

import "io/fs"

func readableByOthers(m fs.FileMode) bool { return m.Perm()&0o077 != 0 }
