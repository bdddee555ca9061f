//go:build real && linux

package real_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// loaders ask the loaders of docs/rules.md: rules.json and answers.json in, a class a line out.
var loaders = []struct{ language, program, file, ask string }{
	{"python", "python3", "loader.py", `
import sys
rules = load(sys.argv[1])
for a in json.load(open(sys.argv[2])):
    rule = rule_for(rules, a["status"], a["headers"], a["body"])
    print(rule["class"] + " " + rule["retry"] if rule else "none")
`},
	{"js", "node", "loader.mjs", `
const rules = load(process.argv[2]);
for (const a of JSON.parse(readFileSync(process.argv[3], "utf8"))) {
  const rule = ruleFor(rules, a.status, a.headers, a.body);
  console.log(rule ? rule.class + " " + rule.retry : "none");
}
`},
}

// TestLoadersOfTheDocs lets a layer lose the codes, writes its rules, and asks them about answers as a worker would get them.
func TestLoadersOfTheDocs(t *testing.T) {
	if err := watchSources(); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../docs/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	rules, weak := filepath.Join(dir, "rules.json"), filepath.Join(dir, "weak.json")
	if out, err := exec.Command(binary, "check", "--layer", "control:drop-details", "-o", "rules="+rules).CombinedOutput(); err == nil {
		t.Fatalf("a layer that drops details passes: %s", out)
	}
	_ = exec.Command(binary, "check", "--layer", "http://127.0.0.1:1", "--stub-listen", "127.0.0.1:0", "--ready-timeout", "100ms", "-o", "rules="+weak).Run()
	answers, want := workersAnswers(t, dir)
	for _, l := range loaders {
		t.Run(l.program, func(t *testing.T) {
			_, code, found := strings.Cut(string(page), "```"+l.language+"\n")
			code, _, ended := strings.Cut(code, "```")
			if !found || !ended || strings.Count(code, "\n") > 25 {
				t.Fatalf("docs/rules.md has no short loader in %s", l.language)
			}
			file := filepath.Join(dir, l.file)
			if err := os.WriteFile(file, []byte(code+l.ask), 0o600); err != nil {
				t.Fatal(err)
			}
			out, err := exec.Command(l.program, file, rules, answers).CombinedOutput()
			if got := strings.TrimSpace(string(out)); err != nil || got != want {
				t.Errorf("%v, got\n%s\nwant\n%s", err, got, want)
			}
			if out, err := exec.Command(l.program, file, weak, answers).CombinedOutput(); err == nil || !strings.Contains(string(out), "through the layer") {
				t.Errorf("a file without rules is taken: %s", out)
			}
		})
	}
}

// workersAnswers are answers, and what the rules of a layer that drops details have to say of each.
func workersAnswers(t *testing.T, dir string) (file, want string) {
	t.Helper()
	type object = map[string]any
	limit := func(more object) object {
		e := object{"type": "rate_limit_error", "message": "anything"}
		for k, v := range more {
			e[k] = v
		}
		return object{"type": "error", "error": e}
	}
	wait, bare := object{"retry-after": "7"}, object{}
	var answers []object
	var lines []string
	for _, c := range []struct {
		why, want string
		status    int
		headers   object
		body      any
	}{
		{"a bare 429 may be a spend cap", "unknown_429 bounded", 429, bare, limit(nil)},
		{"so may one that says when to come back", "unknown_429 bounded", 429, wait, limit(nil)},
		{"a blank header says nothing", "unknown_429 bounded", 429, object{"retry-after": " "}, limit(nil)},
		{"details that are null hold no code", "unknown_429 bounded", 429, bare, limit(object{"details": nil})},
		{"with a code the worker's own classifier decides", "none", 429, bare, limit(object{"details": object{"error_code": "x"}})},
		{"another type", "none", 429, bare, object{"error": object{"type": "overloaded_error"}}},
		{"no JSON", "none", 429, bare, nil},
		{"a success", "none", 200, bare, object{"type": "message"}},
	} {
		answers = append(answers, object{"why": c.why, "status": c.status, "headers": c.headers, "body": c.body})
		lines = append(lines, c.want)
	}
	raw, err := json.Marshal(answers)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(dir, "answers.json")
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return file, strings.Join(lines, "\n")
}
