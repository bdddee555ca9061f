package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

const readme = "../../README.md"

func readReadme(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestExitCodesAreThoseOfTheReadme keeps help and README alike.
func TestExitCodesAreThoseOfTheReadme(t *testing.T) {
	_, section, found := strings.Cut(readReadme(t), "\n## Exit codes\n")
	if !found {
		t.Fatal("README has no section Exit codes")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	var got []string
	for _, m := range regexp.MustCompile(`(?m)^\| (\d+) \| (.*) \|$`).FindAllStringSubmatch(section, -1) {
		got = append(got, m[1]+" "+m[2])
	}
	var want []string
	for i, e := range exitTable {
		if e.code != i {
			t.Errorf("line %d of the table is about code %d", i, e.code)
		}
		want = append(want, fmt.Sprintf("%d %s", e.code, e.meaning))
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("README says\n%s\nand help says\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// readmeCommands maps every command line in a sh block of README to the script that runs it, or to the reason
// why none does.
var readmeCommands = map[string]struct{ script, reason string }{
	"go run ./cmd/preservecheck demo":                     {script: "demo"},
	"go test ./...":                                       {reason: "this test is a part of it"},
	"go build -o preservecheck ./cmd/preservecheck":       {reason: "the tests build the same package"},
	"./preservecheck check --layer http://127.0.0.1:8080": {script: "check_layer"},
	"./preservecheck check --recipe nginx":                {reason: "needs nginx; TestResults in real/ runs it"},
	"./preservecheck check --recipe nginx/intercept":      {reason: "needs nginx; TestResults in real/ runs it"},
	"./preservecheck recipes list":                        {script: "recipes"},
}

// TestReadmeCommandsAreRun finds a script for each command of README.
func TestReadmeCommandsAreRun(t *testing.T) {
	seen := map[string]bool{}
	for _, line := range shellLines(readReadme(t)) {
		c, known := readmeCommands[line]
		if !known {
			t.Errorf("no script and no reason for %q", line)
			continue
		}
		seen[line] = true
		if c.script != "" {
			holdsCommand(t, c.script, line)
		}
	}
	for line := range readmeCommands {
		if !seen[line] {
			t.Errorf("README no longer says %q", line)
		}
	}
}

// shellLines are the command lines of all sh blocks, without the text of here-documents.
func shellLines(text string) []string {
	var lines []string
	for _, block := range regexp.MustCompile("(?ms)^```sh\n(.*?)^```$").FindAllStringSubmatch(text, -1) {
		end := ""
		for _, line := range strings.Split(strings.TrimSpace(block[1]), "\n") {
			switch m := regexp.MustCompile(`<<'?(\w+)'?`).FindStringSubmatch(line); {
			case end != "":
				if line == end {
					end = ""
				}
				continue
			case m != nil:
				end = m[1]
			}
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// holdsCommand looks for the command in a script, where the program is called preservecheck and ports are free ones.
func holdsCommand(t *testing.T, script, line string) {
	t.Helper()
	b, err := os.ReadFile("testdata/" + script + ".txtar")
	if err != nil {
		t.Errorf("the script for %q is missing: %v", line, err)
		return
	}
	command := strings.NewReplacer("go run ./cmd/preservecheck", "preservecheck", "./preservecheck", "preservecheck",
		"http://127.0.0.1:8080", "$LAYER").Replace(line)
	if !strings.Contains(string(b), "exec "+command) {
		t.Errorf("%s.txtar does not run %q", script, command)
	}
}

// TestReadmeShowsWhatCheckPrints holds the report in README against the command that it names; -update writes it anew.
func TestReadmeShowsWhatCheckPrints(t *testing.T) {
	const (
		rows  = "tier_cap,ramp_limit,unknown_code_429,rate_limit"
		intro = "This is what `preservecheck check --layer control:drop-details --fixture " + rows + "`\nprints (without `--fixture` it judges every row):\n\n```\n"
	)
	page := readReadme(t)
	_, shown, found := strings.Cut(page, intro)
	shown, _, closed := strings.Cut(shown, "```")
	if !found || !closed {
		t.Fatalf("README does not go on after %q", intro)
	}
	defer func(was string) { version = was }(version)
	version = "0.0.0" // whose length decides where the first line ends
	r := program(t, nil, "check", "--layer", "control:drop-details", "--fixture", rows)
	got := strings.Replace(r.out, "preservecheck "+toolVersion(), "preservecheck", 1)
	if *update {
		if err := os.WriteFile(readme, []byte(strings.Replace(page, intro+shown, intro+got, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if r.code != exitFail || got != shown {
		t.Errorf("exit %d; README shows\n%s\nand the command prints\n%s", r.code, shown, got)
	}
}
