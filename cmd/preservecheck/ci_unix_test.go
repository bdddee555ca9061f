//go:build unix && real

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/preservecheck/preservecheck/controls"
)

// ciPage is docs/ci.md.
func ciPage(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("../../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// blocks are the fenced blocks of a page in a language, also those inside lists, without their indentation.
func blocks(page, language string) (found []string) {
	for _, m := range regexp.MustCompile("(?ms)^( *)```"+language+"\n(.*?)^ *```$").FindAllStringSubmatch(page, -1) {
		found = append(found, regexp.MustCompile("(?m)^"+m[1]).ReplaceAllString(m[2], ""))
	}
	return found
}

// site is a folder with the program and a layer, in which commands of the page are run as they stand there.
type site struct {
	t                 *testing.T
	dir, path, stub   string
	layer, layerNamed string
}

func newSite(t *testing.T) *site {
	s := &site{t: t, dir: t.TempDir(), path: filepath.Dir(self(t)), stub: findPort()}
	if err := os.Mkdir(filepath.Join(s.dir, "textfile"), 0o700); err != nil {
		t.Fatal(err)
	}
	return s
}

// put starts a control as the layer that the page has at 127.0.0.1:4000 or :8080.
func (s *site) put(control string) {
	l, err := controls.Start(control, "http://"+s.stub)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = l.Close() })
	s.layer, s.layerNamed = l.URL(), control
}

// run runs one command and demands an exit code. Where the page has a port, the test has a free one.
func (s *site) run(command string, code int) {
	s.t.Helper()
	for _, at := range []string{"http://127.0.0.1:4000", "http://127.0.0.1:8080"} {
		command = strings.ReplaceAll(command, at, s.layer)
	}
	cmd := exec.Command("bash", "-c", command)
	cmd.Dir = s.dir
	cmd.Env = append(withoutTerminal(), "PATH="+s.path+":"+os.Getenv("PATH"),
		"PRESERVECHECK_STUB_LISTEN="+s.stub, "PRESERVECHECK_FIXTURE=tier_cap,rate_limit,validation_400", "PRESERVECHECK_STREAM=off")
	if strings.Contains(command, " diff ") {
		cmd.Env = cmd.Env[:len(cmd.Env)-3]
	}
	out, err := cmd.CombinedOutput()
	if got := cmd.ProcessState.ExitCode(); got != code {
		s.t.Errorf("through %s, %s: exit %d, want %d: %v\n%s", s.layerNamed, command, got, code, err, out)
	}
}

// TestCommandsOfTheCIPage runs every command of the page that needs nothing but the program; those with nginx are run in real/.
func TestCommandsOfTheCIPage(t *testing.T) {
	s := newSite(t)
	s.put("identity")
	ran := 0
	run := func(command string) {
		if strings.Contains(command, "preservecheck check") && !strings.Contains(command, "nginx") {
			s.run(command, 0)
			ran++
		}
	}
	page := ciPage(t)
	for _, b := range blocks(page, "groovy") {
		for _, m := range regexp.MustCompile(`sh '(.*)'`).FindAllStringSubmatch(b, -1) {
			run(m[1])
		}
	}
	for _, b := range blocks(page, "yaml") {
		var gitlab map[string]struct{ Script []string }
		if yaml.Unmarshal([]byte(b), &gitlab) == nil {
			for _, command := range gitlab["gateway-errors"].Script {
				run(command)
			}
		}
		var job struct {
			Spec struct {
				Template struct {
					Spec struct{ Containers []struct{ Args []string } }
				}
			}
		}
		if yaml.Unmarshal([]byte(b), &job) == nil {
			for _, c := range job.Spec.Template.Spec.Containers {
				run("preservecheck " + strings.ReplaceAll(strings.Join(c.Args, " "), "/work/", ""))
			}
		}
	}
	if ran != 3 {
		t.Errorf("%d commands of Jenkins, GitLab and Kubernetes were run, want one of each", ran)
	}
	for _, b := range blocks(page, "sh") {
		if strings.Contains(b, "gateway.prom") {
			s.run("set -e\n"+b, exitPass)
			metrics, err := os.ReadFile(filepath.Join(s.dir, "textfile", "gateway.prom"))
			if err != nil || !strings.Contains(string(metrics), "\npreservecheck_run_exit_code 0\n") {
				t.Errorf("the collector gets %q, %v", metrics, err)
			}
			if said, _ := os.ReadFile(filepath.Join(s.dir, "last.txt")); strings.Contains(string(said), "\x1b") || !strings.Contains(string(said), "PASS") {
				t.Errorf("last.txt has %q", said)
			}
			ran++
		}
	}
	if ran != 4 {
		t.Error("the scheduled check was not run")
	}
}

// TestUpgradeOfTheCIPage takes the steps of the page: with the same layer, with one that loses more, and with one that is mended.
func TestUpgradeOfTheCIPage(t *testing.T) {
	_, section, _ := strings.Cut(ciPage(t), "\n## Gate the upgrade")
	var steps []string
	for _, b := range blocks(section, "sh") {
		if !strings.Contains(b, "nginx") {
			steps = append(steps, strings.TrimSpace(b))
		}
	}
	if len(steps) != 4 {
		t.Fatalf("the page has %d steps, the test knows 4: %q", len(steps), steps)
	}
	s := newSite(t)
	s.put("drop-details")
	s.run(steps[0], exitFail)
	s.run(steps[1], exitUsage) // an entry without a reason
	known := filepath.Join(s.dir, "known.yaml")
	b, err := os.ReadFile(known)
	if err != nil {
		t.Fatal(err)
	}
	b = []byte(strings.ReplaceAll(string(b), `reason: ""`, "reason: It builds errors anew; version 2 will not."))
	if err := os.WriteFile(known, b, 0o600); err != nil {
		t.Fatal(err)
	}
	s.run(steps[1], exitPass)
	for _, c := range []struct {
		control     string
		check, diff int
	}{
		{"drop-details", exitPass, exitPass},
		{"drop-envelope", exitFail, exitFail}, // loses more
		{"identity", exitFail, exitFail},      // mended: the entry is stale
	} {
		s.put(c.control)
		s.run(steps[2], c.check)
		s.run(steps[3], c.diff)
	}
}

// TestSnippetsOfTheCIPage: each YAML snippet is YAML, and gives the action only inputs that it has.
func TestSnippetsOfTheCIPage(t *testing.T) {
	a, uses := readAction(t), 0
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			if used, _ := v["uses"].(string); strings.HasPrefix(used, "preservecheck/") {
				uses++
				with, _ := v["with"].(map[string]any)
				for name := range with {
					if _, ok := a.Inputs[name]; !ok {
						t.Errorf("the action has no input %s", name)
					}
				}
				if len(with) == 0 {
					t.Error("the action is used without an input")
				}
			}
			for _, e := range v {
				walk(e)
			}
		}
	}
	for _, page := range []string{ciPage(t), readReadme(t)} {
		for i, b := range blocks(page, "yaml") {
			var v any
			if err := yaml.Unmarshal([]byte(b), &v); err != nil {
				t.Errorf("snippet %d: %s\n%s", i+1, err, b)
			}
			walk(v)
		}
	}
	if uses != 3 {
		t.Errorf("%d snippets use the action, want two of docs/ci.md and one of README", uses)
	}
}
