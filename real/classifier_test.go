//go:build real && linux

package real_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestClassifiersOfTheDocs runs the two programs that docs/classifier.md tells people to start from. Both interpreters
// have to be installed.
func TestClassifiersOfTheDocs(t *testing.T) {
	if err := watchSources(); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../docs/classifier.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ language, program, file string }{{"python", "python3", "my_classify.py"}, {"js", "node", "my_classify.js"}} {
		t.Run(c.program, func(t *testing.T) {
			t.Parallel()
			_, code, found := strings.Cut(string(page), "```"+c.language+"\n")
			code, _, ended := strings.Cut(code, "```")
			if !found || !ended || strings.Count(code, "\n") > 12 {
				t.Fatalf("docs/classifier.md has no short example in %s", c.language)
			}
			file := filepath.Join(t.TempDir(), c.file)
			if err := os.WriteFile(file, []byte(code), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, layer := range []struct {
				name string
				exit int
				want string
			}{
				{"identity", 0, "changes its class in 0 of"},
				{"drop-details", 1, "tier_cap (plain, stream)"},
			} {
				cmd := exec.Command(binary, "check", "--layer", "control:"+layer.name, "--classifier", c.program+" '"+file+"'")
				out, _ := cmd.CombinedOutput()
				if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != layer.exit ||
					!strings.Contains(strings.Join(strings.Fields(string(out)), " "), layer.want) {
					t.Errorf("%s: want exit %d and %q, have %v\n%s", layer.name, layer.exit, layer.want, cmd.ProcessState, out)
				}
				if layer.exit == 1 && !strings.Contains(string(out), "spend_cap -> wait") {
					t.Errorf("%s: the class does not change\n%s", layer.name, out)
				}
			}
		})
	}
}
