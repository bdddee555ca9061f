package clients

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestLinesAreTheSame: each folder has all that is installed, so what drivers of a language share is in several of them.
func TestLinesAreTheSame(t *testing.T) {
	for name, least := range map[string]int{"lines.mjs": 5, "lines.py": 2} {
		files, err := filepath.Glob("*/" + name)
		if err != nil || len(files) < least {
			t.Fatalf("%d files %s, want at least %d: %v", len(files), name, least, err)
		}
		first, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files[1:] {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(first, b) {
				t.Errorf("%s is not %s; copy the one that you changed", f, files[0])
			}
		}
	}
}
