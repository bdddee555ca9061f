package controls

import "strings"

// firstLine imitates layers that keep the first line of a message (a public report of 2026).
var firstLine = &Fault{
	Name:      "first-line-of-message",
	Why:       "of a message only the first line is kept: what to do about the error stood in the second",
	Mechanism: OfBody,
	Change: editMessage(func(m string) string {
		line, _, _ := strings.Cut(m, "\n")
		return line
	}),
	Want: inMessage(func(m string) bool { return strings.Contains(m, "\n") }),
}
