package main

import (
	"bytes"
	"testing"
)

func TestNotes(t *testing.T) {
	const text = "note: one two three four five six seven eight nine ten eleven twelve"
	for _, c := range []struct {
		why   string
		text  string
		width int
		want  string
	}{
		{"in a log a message is one line", text, 0, text + "\n"},
		{"on a terminal it hangs behind its first word", text, 60, "note: one two three four five six seven eight nine ten\n      eleven twelve\n"},
		{"a colon in the middle is a part of the text", "no --layer URL was given: nothing", 60, "no --layer URL was given: nothing\n"},
		{"control characters are not obeyed", "error: a\x1b[2Jb", 60, "error: a\\x1b[2Jb\n"},
		{"nor in a log", "error: a\x1b[2Jb", 0, "error: a\\x1b[2Jb\n"},
	} {
		var b bytes.Buffer
		if writeNote(&b, c.text, c.width); b.String() != c.want {
			t.Errorf("%s: %q, want %q", c.why, b.String(), c.want)
		}
	}
}
