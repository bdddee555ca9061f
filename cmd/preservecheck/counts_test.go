package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/controls"
	"github.com/preservecheck/preservecheck/record"
)

const controlsPage = "../../docs/controls.md"

// proven runs the proof as a user does.
func proven(t *testing.T, args ...string) (p record.Proof) {
	t.Helper()
	r := program(t, nil, append([]string{"controls", "--format", "json"}, args...)...)
	if err := json.Unmarshal([]byte(r.out), &p); err != nil || r.code != exitPass {
		t.Fatalf("exit %d, %v: %s", r.code, err, r.errors)
	}
	return p
}

// TestCountsInDocs holds the counts of pairs and keys that pages name to what the program says; -update writes them anew. What a
// page says of a measurement of its day (docs/performance.md) stays as it was measured.
func TestCountsInDocs(t *testing.T) {
	computes(t)
	all, each := proven(t, "--all"), proven(t)
	for _, c := range []struct{ file, at, is string }{
		{readme, "proves everything there is: `(.*?)`", fmt.Sprintf("%d of %d exactly", all.Exact, all.Pairs)},
		{"../../docs/known.md", `lets pass: .deciding (\d+ of \d+) keys`, fmt.Sprintf("%d of %d", each.Deciding, each.Keys)},
		{controlsPage, `(?s)<!-- from here on written by a test -->\n\n(.*)`, controlsTable(all)},
	} {
		b, err := os.ReadFile(c.file)
		if err != nil {
			t.Fatal(err)
		}
		at := regexp.MustCompile(c.at).FindSubmatchIndex(b)
		switch {
		case at == nil:
			t.Errorf("%s no longer says %q", c.file, c.at)
		case string(b[at[2]:at[3]]) == c.is:
		case *update:
			if err := os.WriteFile(c.file, []byte(string(b[:at[2]])+c.is+string(b[at[3]:])), 0o644); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s says %.300q, and the program %.300q (go test ./cmd/preservecheck -run CountsInDocs -update)", c.file, b[at[2]:at[3]], c.is)
		}
	}
}

// controlsTable lists the faults with their figures.
func controlsTable(p record.Proof) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d pairs are caught exactly, under profile core.\n\n| control | what it does | pairs | exactly | can't touch |\n|---|---|---|---|---|\n", p.Exact, p.Pairs)
	for _, c := range p.Controls {
		fmt.Fprintf(&b, "| `%s` | %s | %d | %d | %d |\n", c.Name, strings.NewReplacer("|", `\|`, "<", "&lt;", ">", "&gt;").Replace(c.Why), c.Pairs, c.Exact, c.Untouched)
	}
	return b.String()
}

// TestTheWholeProofOnATerminal: a line for each fault and one figure in the last line, however narrow the terminal is.
func TestTheWholeProofOnATerminal(t *testing.T) {
	p := record.Proof{Pairs: 31_581, Exact: 31_581, Keys: 26, Deciding: 26}
	for _, f := range controls.All() {
		p.Controls = append(p.Controls, record.Control{Name: f.Name, Why: f.Why, Pairs: 12_345, Exact: 12_345, Untouched: 494})
	}
	for _, columns := range []int{60, 100, 0} {
		for _, exit := range []int{exitPass, exitUnknown} {
			var b strings.Builder
			if err := wholeProofText(&b, p, exit, columns); err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
			if last := lines[len(lines)-1]; !strings.Contains(last, "31581 of 31581") || strings.Count(b.String(), " of 31581") != 1 {
				t.Errorf("%d columns: the last line is %q", columns, last)
			}
			for i, f := range controls.All() {
				if !strings.HasPrefix(lines[i+1], f.Name+" ") || strings.Count(lines[i+1], "12345") != 1 {
					t.Errorf("%d columns: line %d is not that of %s: %q", columns, i+1, f.Name, lines[i+1])
				}
			}
			for _, line := range lines {
				if columns > 0 && len(line) > columns {
					t.Errorf("%d columns: %d in %q", columns, len(line), line)
				}
			}
		}
	}
}
