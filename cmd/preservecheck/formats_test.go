package main

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// exitOf reads the exit code of a run out of each format, as its readers would see it; -1 where a format does not say it.
var exitOf = map[string]func(t *testing.T, out string) int{
	"junit": exitOfJUnit,
	"sarif": func(t *testing.T, out string) int {
		var log struct {
			Runs []struct {
				Invocations []struct {
					ExitCode            int  `json:"exitCode"`
					ExecutionSuccessful bool `json:"executionSuccessful"`
				} `json:"invocations"`
			} `json:"runs"`
		}
		if err := json.Unmarshal([]byte(out), &log); err != nil {
			t.Fatal(err)
		}
		return log.Runs[0].Invocations[0].ExitCode
	},
	"json": func(t *testing.T, out string) int {
		var d struct{ Result struct{ Exit int } }
		if err := json.Unmarshal([]byte(out), &d); err != nil {
			t.Fatal(err)
		}
		return d.Result.Exit
	},
	"prometheus": func(t *testing.T, out string) int { return numberBehind(t, out, "\npreservecheck_run_exit_code ") },
	"text":       func(t *testing.T, out string) int { return numberBehind(t, out, "\nexit ") },
	"markdown":   func(t *testing.T, out string) int { return numberBehind(t, out, "\nExit ") },
	"html":       exitOfHTML,
	"rules":      exitOfRules,
	"github": func(_ *testing.T, out string) int {
		return map[string]int{"::notice": 0, "::error": 1, "::warning": 3}[strings.Fields(out)[0]]
	},
}

func numberBehind(t *testing.T, out, before string) (n int) {
	t.Helper()
	_, rest, ok := strings.Cut(out, before)
	if !ok {
		t.Fatalf("no %q in %s", before, out)
	}
	if _, err := fmt.Sscanf(rest, "%d", &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// exitOfHTML is what the page says among the facts of its run.
func exitOfHTML(t *testing.T, out string) int {
	return numberBehind(t, out, "<dt>Exit code</dt><dd>")
}

// exitOfRules: a file of rules has no exit code, but a run that could not tell must not give any.
func exitOfRules(t *testing.T, out string) int {
	var file struct {
		Why   string `json:"why_none"`
		Rules []any
	}
	if err := json.Unmarshal([]byte(out), &file); err != nil {
		t.Fatal(err)
	}
	switch {
	case file.Why != "" && len(file.Rules) > 0:
		t.Errorf("rules from a run that could not tell: %s", out)
	case file.Why != "":
		return exitUnknown
	}
	return -1
}

// exitOfJUnit is what a CI system makes of the cases: failures are 1, errors without failures 3.
func exitOfJUnit(t *testing.T, out string) int {
	var s struct {
		Suites []struct {
			Failures int `xml:"failures,attr"`
			Errors   int `xml:"errors,attr"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(out), &s); err != nil {
		t.Fatal(err)
	}
	failures, errs := 0, 0
	for _, x := range s.Suites {
		failures, errs = failures+x.Failures, errs+x.Errors
	}
	switch {
	case failures > 0:
		return exitFail
	case errs > 0:
		return exitUnknown
	}
	return exitPass
}

// TestEveryFormatHasTheSameVerdict: neither the exit code of a command nor what its output says depends on the format, for
// a run, for a saved record and for joined ones.
func TestEveryFormatHasTheSameVerdict(t *testing.T) {
	computes(t)
	dir := t.TempDir()
	for _, c := range []struct {
		why   string
		code  int
		flags []string
	}{
		{"an honest layer", exitPass, []string{"--layer", "control:identity", "--name", "honest"}},
		{"a faulty one", exitFail, []string{"--layer", "control:drop-details", "--name", "faulty"}},
		{"a layer that retries", exitFail, []string{"--layer", "control:retry-twice", "--name", "again"}},
		{"what differs is allowed to", exitPass, []string{"--layer", "control:prefix-message", "--fail-on", "reclassified", "--name", "allowed"}},
		{"no layer at all", exitUnknown, []string{"--layer", "http://127.0.0.1:1", "--stub-listen", "127.0.0.1:0", "--ready-timeout", "100ms", "--name", "none"}},
	} {
		args := append([]string{"check", "--stream", "off", "--fixture", "tier_cap,rate_limit,ramp_limit", "--exclude", "ramp_limit"}, c.flags...)
		saved := filepath.Join(dir, c.flags[len(c.flags)-1]+".json")
		if r := program(t, nil, append(args, "-o", "json="+saved)...); r.code != c.code {
			t.Fatalf("%s: exit %d, want %d: %s%s", c.why, r.code, c.code, r.out, r.errors)
		}
		validRecords(t, dir)
		for _, format := range formatNames() {
			file := filepath.Join(dir, "out")
			for _, command := range [][]string{args, {"report", saved}, {"merge", saved}} {
				r := program(t, nil, append(append([]string{}, command...), "--format", format, "-o", format+"="+file)...)
				if r.code != c.code {
					t.Errorf("%s: %s --format %s exits with %d, want %d: %s", c.why, command[0], format, r.code, c.code, r.errors)
				}
				written, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				says := exitOf[format]
				if says == nil {
					continue
				}
				for where, out := range map[string]string{"stdout": r.out, "file": string(written)} {
					if got := says(t, out); got != c.code && (got >= 0 || c.code == exitUnknown) {
						t.Errorf("%s: %s as %s on %s says %d, and the exit code is %d", c.why, command[0], format, where, got, c.code)
					}
				}
			}
		}
	}
}
