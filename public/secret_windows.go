package public

import "io/fs"

// readableByOthers can't be told from the bits that Go shows of a file on Windows.
func readableByOthers(fs.FileMode) bool { return false }
