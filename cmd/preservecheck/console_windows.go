package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// escapes makes a console obey escape sequences, and reports whether it does. Those before Windows 10 can't, and get
// neither colour nor a line that is drawn anew.
// Source: Microsoft, "Console Virtual Terminal Sequences", read 2026-11-30.
func escapes(f *os.File) bool {
	h := windows.Handle(f.Fd())
	var mode uint32
	if windows.GetConsoleMode(h, &mode) != nil {
		return false
	}
	const wanted = windows.ENABLE_PROCESSED_OUTPUT | windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING
	return mode&wanted == wanted || windows.SetConsoleMode(h, mode|wanted) == nil
}
