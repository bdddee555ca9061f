//go:build unix && real

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"
)

// action is action.yml as far as a test runs it.
type action struct {
	Inputs  map[string]struct{ Default string }
	Outputs map[string]struct{ Value string }
	Runs    struct {
		Steps []actionStep
	}
}

type actionStep struct {
	ID, If, Uses, Run, Shell string
	Env, With                map[string]string
}

func readAction(t *testing.T) action {
	t.Helper()
	b, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	// What bash reads is unknown to the test cache, which would go on saying ok after a script had changed.
	scripts, err := filepath.Glob("../../action/*.sh")
	if err != nil || len(scripts) != 3 {
		t.Fatalf("the action has the scripts %q, %v", scripts, err)
	}
	for _, s := range scripts {
		if _, err := os.ReadFile(s); err != nil {
			t.Fatal(err)
		}
	}
	var a action
	if err := yaml.Unmarshal(b, &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// TestActionIsNoTemplate: what stands in a script before bash reads it is a program, so no script may hold an expression.
func TestActionIsNoTemplate(t *testing.T) {
	pinned := regexp.MustCompile(`^[\w./-]+@[0-9a-f]{40}$`)
	steps := readAction(t).Runs.Steps
	if len(steps) == 0 {
		t.Fatal("action.yml has no steps")
	}
	for _, s := range steps {
		if strings.Contains(s.Run, "${{") {
			t.Errorf("step %s: an expression in a script: %s", s.ID, s.Run)
		}
		if s.Uses != "" && !pinned.MatchString(s.Uses) {
			t.Errorf("%s is not pinned to a commit", s.Uses)
		}
	}
}

// runner is a runner of GitHub Actions as far as the action can tell.
type runner struct {
	t       *testing.T
	temp    string // RUNNER_TEMP
	work    string // the workspace
	inputs  map[string]string
	steps   map[string]map[string]string
	summary string
	log     string
	code    int // of the step that failed, or 0
}

func newRunner(t *testing.T, temp string) *runner {
	return &runner{t: t, temp: temp, work: t.TempDir(), inputs: map[string]string{}, steps: map[string]map[string]string{}}
}

var expression = regexp.MustCompile(`\$\{\{ (.*?) \}\}`)

// expand fills in expressions: inputs.NAME, steps.ID.outputs.NAME and literals, joined by ||.
func (r *runner) expand(text string) string {
	return expression.ReplaceAllStringFunc(text, func(e string) string {
		for term := range strings.SplitSeq(expression.FindStringSubmatch(e)[1], " || ") {
			parts := strings.Split(term, ".")
			value := strings.Trim(term, "'")
			switch {
			case term[0] == '\'':
			case parts[0] == "inputs" && len(parts) == 2:
				value = r.inputs[parts[1]]
			case parts[0] == "steps" && len(parts) == 4:
				value = r.steps[parts[1]][parts[3]]
			default:
				r.t.Fatalf("the test does not know the expression %s", e)
			}
			if value != "" {
				return value
			}
		}
		return ""
	})
}

// use runs the steps of the action and returns its outputs.
func (r *runner) use(a action, inputs map[string]string) map[string]string {
	for name, i := range a.Inputs {
		r.inputs[name] = i.Default
	}
	for name, v := range inputs {
		if _, known := a.Inputs[name]; !known {
			r.t.Fatalf("the action has no input %s", name)
		}
		r.inputs[name] = v
	}
	for _, s := range a.Runs.Steps {
		if s.Run != "" && r.code == 0 && r.steps[s.ID] == nil {
			r.step(s)
		}
	}
	outputs := map[string]string{}
	for name, o := range a.Outputs {
		outputs[name] = r.expand(o.Value)
	}
	return outputs
}

func (r *runner) step(s actionStep) {
	r.t.Helper()
	file := func(name string) string { return filepath.Join(r.t.TempDir(), name) }
	output, summary := file("output"), file("summary")
	root, err := filepath.Abs("../..")
	if err != nil {
		r.t.Fatal(err)
	}
	cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", s.Run) // as runners call bash
	cmd.Dir = r.work
	cmd.Env = append(os.Environ(), "GITHUB_ACTIONS=true", "GITHUB_OUTPUT="+output, "GITHUB_STEP_SUMMARY="+summary,
		"GITHUB_ACTION_PATH="+root, "GITHUB_ACTION_REF=v9.9.9", "RUNNER_TEMP="+r.temp, "RUNNER_OS=Linux")
	for name, value := range s.Env {
		cmd.Env = append(cmd.Env, name+"="+r.expand(value))
	}
	log, err := cmd.CombinedOutput()
	r.log += string(log)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		r.code = exit.ExitCode()
	} else if err != nil {
		r.t.Fatal(err)
	}
	r.steps[s.ID] = map[string]string{}
	set, _ := os.ReadFile(output)
	for line := range strings.Lines(string(set)) {
		name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		if !ok {
			r.t.Fatalf("step %s sets no output with %q", s.ID, line)
		}
		r.steps[s.ID][name] = value
	}
	b, _ := os.ReadFile(summary)
	r.summary += string(b)
}

// obeyed are the lines of the log that a runner obeys.
func (r *runner) obeyed() (lines []string) {
	token := ""
	for line := range strings.Lines(r.log) {
		line = strings.TrimRight(line, "\n")
		switch {
		case token != "":
			if line == "::"+token+"::" {
				token = ""
			}
		case strings.HasPrefix(line, "::stop-commands::"):
			token = strings.TrimPrefix(line, "::stop-commands::")
		case strings.HasPrefix(line, "::") || strings.Contains(line, "##["):
			lines = append(lines, line)
		}
	}
	return lines
}

// TestAction runs the action's own steps, in order, with the inputs that a workflow would give.
func TestAction(t *testing.T) {
	a, temp := readAction(t), t.TempDir()
	first := newRunner(t, temp)
	if first.use(a, nil); !strings.Contains(first.log, "preservecheck v9.9.9\n") {
		t.Errorf("the program does not have the version by which the action is used: %s", first.log)
	}
	few := "--fixture=tier_cap,rate_limit\n--stream=off\n"
	for _, c := range []struct {
		why     string
		inputs  map[string]string
		code    int
		verdict string
		counts  map[string]int
		log     string // a part
		obeyed  int
	}{
		{"an honest layer", map[string]string{"layer": "control:identity", "args": few}, 0, "pass",
			map[string]int{"preserved": 2}, "PASS", 1},
		{"a faulty one", map[string]string{"layer": "control:drop-details", "args": few}, 1, "fail",
			map[string]int{"preserved": 1, "reclassified": 1}, "FAIL", 2},
		{"a faulty one that may be so", map[string]string{"layer": "control:prefix-message", "args": few, "fail-on": "reclassified", "profile": "full"},
			0, "pass", map[string]int{"changed": 2}, "PASS", 1},
		{"nobody listens", map[string]string{"layer": "http://127.0.0.1:1", "args": few + "--ready-timeout=100ms\n--stub-listen=127.0.0.1:0"}, 3, "could-not-tell",
			map[string]int{}, "COULD NOT TELL", 2},
		{"no annotations, no summary", map[string]string{"layer": "control:drop-details", "args": few, "annotations": "false", "summary": "false"}, 1, "fail",
			map[string]int{"preserved": 1, "reclassified": 1}, "FAIL", 0},
		{"a target that is not there", map[string]string{"target": "nowhere.yaml"}, 2, "could-not-tell", nil, "nowhere.yaml", 0},
		{"nothing to check", nil, 2, "could-not-tell", nil, "hint: ", 0},
		{"a recipe that nobody knows", map[string]string{"recipe": "nginy"}, 2, "could-not-tell", nil, "nginx", 0},
		{"--help ends with 0 and has judged nothing", map[string]string{"layer": "control:identity", "args": "--help=true"}, 3, "could-not-tell", nil, "Usage:", 0},
		{"a flag that is none", map[string]string{"layer": "control:identity", "args": "-o"}, 2, "could-not-tell", nil, "--flag=value", 0},
		{"SARIF without a place", map[string]string{"layer": "control:identity", "upload-sarif": "true"}, 2, "could-not-tell", nil, "upload-sarif needs", 0},
		{"SARIF of a recipe that stands in no file of the repository", map[string]string{"recipe": "nginx", "upload-sarif": "true"}, 2, "could-not-tell", nil, "upload-sarif needs", 0},
		{"SARIF has its place in a folder with a recipe", map[string]string{"recipe": "./nowhere", "upload-sarif": "true"}, 2, "could-not-tell", nil, "error: --recipe", 0},
		{"or in a file with rows", map[string]string{"layer": "control:identity", "args": few + "--matrix=nowhere.yaml", "upload-sarif": "true"}, 2, "could-not-tell", nil, "error: --matrix", 0},
		{"a version that is a program", map[string]string{"layer": "control:identity", "version": "v1.0.0;touch made"}, 2, "could-not-tell", nil, "a release like", 0},
	} {
		r := newRunner(t, temp)
		out := r.use(a, c.inputs)
		if r.code != c.code || out["verdict"] != c.verdict || out["exit-code"] != fmt.Sprint(c.code) || !strings.Contains(r.log, c.log) {
			t.Errorf("%s: exit %d, outputs %v, want %d and %s; log: %s", c.why, r.code, out, c.code, c.verdict, r.log)
		}
		if got := countsOf(t, out["counts"]); !cmp.Equal(got, c.counts) && len(got)+len(c.counts) > 0 {
			t.Errorf("%s: counts %s, want %v", c.why, out["counts"], c.counts)
		}
		if got := r.obeyed(); len(got) != c.obeyed {
			t.Errorf("%s: the runner obeys %q, want %d lines", c.why, got, c.obeyed)
		}
		if judged := c.counts != nil; judged != (out["json"] != "") || judged && c.inputs["summary"] == "" != strings.Contains(r.summary, "preservecheck") {
			t.Errorf("%s: reports %v, summary %q", c.why, out, r.summary)
		}
		for _, name := range []string{"json", "junit", "html", "markdown", "sarif", "prometheus"} {
			if _, err := os.Stat(out[name]); out[name] != "" && err != nil {
				t.Errorf("%s: %s", c.why, err)
			}
		}
	}
}

// countsOf reads the output counts without those that are 0.
func countsOf(t *testing.T, text string) map[string]int {
	t.Helper()
	var all map[string]int
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		t.Fatalf("counts %q: %s", text, err)
	}
	for name, n := range all {
		if n == 0 {
			delete(all, name)
		}
	}
	return all
}

// TestActionWithHostileInputs: whatever stands in an input is a value, and none of these is a good one.
func TestActionWithHostileInputs(t *testing.T) {
	computes(t)
	a, temp := readAction(t), t.TempDir()
	first := newRunner(t, temp)
	first.use(a, map[string]string{"layer": "control:identity", "args": "--fixture=tier_cap"})
	for _, hostile := range []string{
		"$(touch made)", "`touch made`", "'; touch made; '", "\"; touch made; \"", "x\ntouch made", "x\n::error::made", "##[error]made",
		"x\nverdict=pass\nexit-code=0", "--help", "--layer=control:identity", "${IFS}", "%0A::error::made", "a\r\n::set-output name=verdict::pass",
	} {
		for name := range a.Inputs {
			switch name {
			case "cache", "summary", "annotations", "upload-sarif": // switches: anything but true is no
				continue
			}
			r := newRunner(t, temp)
			if name != "version" { // no other input reaches the steps before the check
				r.steps["begin"], r.steps["build"] = maps.Clone(first.steps["begin"]), first.steps["build"]
				r.steps["begin"]["reports"] = t.TempDir()
			}
			inputs := map[string]string{"layer": "control:identity", "args": "--fixture=tier_cap"}
			inputs[name] = hostile
			out := r.use(a, inputs)
			// A name may be anything. Of these values one is a good flag.
			good := name == "name" || name == "args" && hostile == "--layer=control:identity"
			if good != (out["verdict"] == "pass") || good != (out["exit-code"] == "0") || (r.code == 0) != good {
				t.Errorf("%s=%q: exit %d, %v", name, hostile, r.code, out)
			}
			for _, line := range r.obeyed() {
				if !strings.HasPrefix(line, "::notice title=preservecheck%3A PASS") || !good {
					t.Errorf("%s=%q: the runner obeys %q", name, hostile, line)
				}
			}
			if found, _ := filepath.Glob(filepath.Join(r.work, "*")); len(found) > 0 {
				t.Errorf("%s=%q: it made %q", name, hostile, found)
			}
		}
	}
}

// TestActionIsDocumented: docs/ci.md has each input and each output.
func TestActionIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	a := readAction(t)
	for name := range a.Inputs {
		if !strings.Contains(string(page), "| `"+name+"` |") {
			t.Errorf("docs/ci.md does not explain the input %s", name)
		}
	}
	for name := range a.Outputs {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("docs/ci.md does not name the output %s", name)
		}
	}
}
