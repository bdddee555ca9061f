//go:build real && linux

package real_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestNginxUpgradeOfTheCIPage runs the commands of docs/ci.md that start nginx, with the configuration of docs/check.md: unchanged, and with a
// change that hides a header.
func TestNginxUpgradeOfTheCIPage(t *testing.T) {
	if err := watchSources(); err != nil {
		t.Fatal(err)
	}
	toTry, err := os.ReadFile("../docs/check.md")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	_, config, _ := strings.Cut(string(toTry), "cat > nginx.conf <<'CONF'\n")
	config, _, _ = strings.Cut(config, "\nCONF\n")
	steps := regexp.MustCompile(`(?m)^preservecheck check .*nginx.*$`).FindAllString(string(page), -1)
	if len(steps) != 2 || config == "" {
		t.Fatalf("docs/ci.md has %d commands with nginx, want 2; docs/check.md has the configuration %q", len(steps), config)
	}
	dir, stub := t.TempDir(), freeAddress(t)
	ports := strings.NewReplacer("127.0.0.1:8080", freeAddress(t), "127.0.0.1:8787", stub)
	step := func(command, conf string, want int) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "nginx.conf"), []byte(ports.Replace(conf)), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), "sh", "-c", ports.Replace(command))
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(binary)+":"+os.Getenv("PATH"), "PRESERVECHECK_STUB_LISTEN="+stub,
			"PRESERVECHECK_STREAM=off")
		out, err := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != want {
			t.Errorf("%s: exit %d, want %d: %v\n%s", command, got, want, err, out)
		}
	}
	step(steps[0], config, 0)
	step(steps[1], config, 0)
	step(steps[1], strings.Replace(config, "location / {", "location / { proxy_hide_header Retry-After;", 1), 1)
}
