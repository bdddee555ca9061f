package main

import (
	"bytes"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestSixtyColumns runs the commands that people read with their output in a pipe and COLUMNS=60, over a layer that writes a
// message of 200 characters, in words and in one.
func TestSixtyColumns(t *testing.T) {
	computes(t)
	if r := program(t, []string{"COLUMNS=60"}, "controls", "--stream", "off"); r.code != exitPass || tooWide(r.out, 60) != "" {
		t.Errorf("controls: exit %d, %s", r.code, tooWide(r.out, 60))
	}
	words := strings.Repeat("slow down a bit ", 12) + "and come"
	for name, message := range map[string]string{"words": words, "one word": strings.Repeat("x", 100) + strings.Repeat("y", 100)} {
		if len(message) != 200 {
			t.Fatalf("%s: %d characters", name, len(message))
		}
		stub, dir := findPort(), t.TempDir()
		layer := changing(t, stub, func(_ *http.Response, body []byte) []byte {
			return bytes.Replace(body, []byte(`"message": "`), []byte(`"message": "`+message), 1)
		})
		env := []string{"COLUMNS=60"}
		file := func(name string) string { return filepath.Join(dir, name) }
		check := func(at string, more ...string) []string {
			return append([]string{"check", "--layer", at, "--stub-listen", stub, "--stream", "off", "--fixture", "rate_limit", "--name", "gw"}, more...)
		}
		program(t, nil, check("control:identity", "-o", "json="+file("old.json"))...)
		saved := `{"type":"error","error":{"type":"rate_limit_error","message":"` + message + `"},"request_id":"r"}`
		for _, c := range []struct {
			code int
			args []string
		}{
			{exitFail, check(layer, "-o", "json="+file("new.json"))},
			{exitFail, check(layer, "-v")},
			{exitFail, check(layer, "--baseline", file("old.json"))},
			{exitFail, []string{"diff", file("old.json"), file("new.json")}},
			{exitFail, []string{"diff", "-v", file("old.json"), file("new.json")}},
			{exitUnknown, []string{"explain", "--status", "429", "-"}},
			{exitPass, []string{"fixtures", "list"}},
		} {
			r := programIn(t, env, saved, c.args...)
			if r.code != c.code {
				t.Errorf("%s, %s: exit %d, want %d\n%s%s", name, c.args, r.code, c.code, r.out, r.errors)
			}
			if wide := tooWide(r.out, 60); wide != "" {
				t.Errorf("%s, %s: %s", name, c.args[0], wide)
			}
		}
	}
}

// tooWide names the first line that has more columns, but for commands to type and for words that can't be broken.
func tooWide(text string, columns int) string {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if n := utf8.RuneCountInString(line); n > columns && !strings.HasPrefix(line, "next: ") && len(strings.Fields(line)) > 1 {
			return fmt.Sprintf("%d columns: %q", n, line)
		}
	}
	return ""
}
