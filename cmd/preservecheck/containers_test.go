package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/preservecheck/preservecheck/fixture"
)

var flagWord = regexp.MustCompile("(?:^|[\\s`\\[])--([a-z][a-z-]+)")

// TestContainerDocs: the files in docs/containers.md and docs/kubernetes.md are YAML, and their arguments are flags of check.
func TestContainerDocs(t *testing.T) {
	a := &app{out: io.Discard, err: io.Discard}
	check, _, err := newRoot(a).Find([]string{"check"})
	if err != nil {
		t.Fatal(err)
	}
	for name, blocks := range map[string]int{"containers.md": 1, "kubernetes.md": 4} {
		page, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
		if err != nil {
			t.Fatal(err)
		}
		parts := strings.Split(string(page), "\n```")
		found := 0
		for _, part := range parts {
			text, ok := strings.CutPrefix(part, "yaml\n")
			if !ok {
				continue
			}
			found++
			var root fixture.Node
			if err := fixture.Strict(name, []byte(text+"\n"), &root); err != nil {
				t.Error(err)
			}
			for _, line := range strings.Split(text, "\n") {
				for _, m := range flagWord.FindAllStringSubmatch(strings.ReplaceAll(line, ", ", " "), -1) {
					if f := check.Flags().Lookup(m[1]); f == (*pflag.Flag)(nil) && !strings.HasPrefix(line, "#") {
						t.Errorf("%s: check has no flag --%s: %s", name, m[1], line)
					}
				}
			}
		}
		if found != blocks {
			t.Errorf("%s has %d files, want %d", name, found, blocks)
		}
	}
}
