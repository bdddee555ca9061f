package main

import (
	"io"
	"os"
	"slices"
	"strconv"

	"golang.org/x/term"

	"github.com/preservecheck/preservecheck/report"
)

var colors = []string{"auto", "always", "never"}

// textOptions decides how a text report looks on standard output.
func (a *app) textOptions(color, from string, verbose bool) (report.TextOptions, error) {
	if !slices.Contains(colors, color) {
		return report.TextOptions{}, usage("write auto, always or never", "%s: %q is not a choice", from, color)
	}
	return report.TextOptions{Verbose: verbose, Color: colored(color, isTerminal(a.out), a.env), Width: a.columns()}, nil
}

// columns is the width of what is written to standard output: of the terminal, else what COLUMNS says, as pagers and many
// programs have it. 0 leaves the choice to the report.
func (a *app) columns() int {
	if width := columns(a.out); width > 0 {
		return width
	}
	width, err := strconv.Atoi(a.env.get("COLUMNS"))
	if err != nil || width < 0 {
		return 0
	}
	return width
}

// columns is the width of a terminal, 0 for anything else, which leaves the choice to the report.
func columns(w io.Writer) int {
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return width
		}
	}
	return 0
}

// colored decides about colour. Any value of NO_COLOR but an empty one means none: https://no-color.org, read
// 2026-11-30.
func colored(color string, terminal bool, env environ) bool {
	if color == "auto" {
		return terminal && env.get("NO_COLOR") == "" && env.get("TERM") != "dumb"
	}
	return color == "always"
}
