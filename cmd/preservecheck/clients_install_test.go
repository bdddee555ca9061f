package main

import (
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/clients"
)

// TestToolsThatAreMissing: what an installation needs is named before anything is done.
func TestToolsThatAreMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for name, want := range map[string]string{
		"anthropic-go": "anthropic-go needs go 1.26 or newer, and there is no go in PATH",
		"openai-node":  "openai-node needs node 20.0 or newer, and there is no node in PATH",
		"openai-py":    "openai-py needs python3 3.10 or newer, and there is no python3 in PATH",
	} {
		c, err := clients.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := (&app{}).haveTools(t.Context(), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}
