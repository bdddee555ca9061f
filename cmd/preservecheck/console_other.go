//go:build !windows

package main

import "os"

// escapes: terminals obey escape sequences.
func escapes(*os.File) bool { return true }
