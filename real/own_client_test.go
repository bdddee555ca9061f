//go:build real && linux

package real_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOwnClientOfTheDocs runs the worker of docs/clients.md as it stands there: the article's table, without an SDK of anybody's.
func TestOwnClientOfTheDocs(t *testing.T) {
	if err := watchSources(); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../docs/clients.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(page), "\n```python\n")
	code, _, ok2 := strings.Cut(rest, "\n```\n")
	if !ok || !ok2 || strings.Contains(rest, "\n```python\n") {
		t.Fatal("docs/clients.md has not one block of Python")
	}
	file := filepath.Join(t.TempDir(), "my_call.py")
	if err := os.WriteFile(file, []byte(code+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args  []string
		times int
	}{{nil, 1}, {[]string{"--layer", "control:retry-twice"}, 3}} {
		d := attempts(t, append(c.args, "--client-cmd", "python3 "+file)...)
		for _, j := range d.Jobs {
			row := articleTable[j.Fixture]
			want := row[2]
			if j.MaxRetries == 2 {
				want = row[3]
			}
			if have := fmt.Sprint(value(j.SDK)); j.Class != row[0] || fmt.Sprint(j.Worker) != row[1] || have != want {
				t.Errorf("%s at %d, %s: %s, worker %d, SDK %s; want %v", j.Fixture, j.MaxRetries, j.Way, j.Class, j.Worker, have, row)
			}
			if j.Way == "through" && j.Hits != c.times*value(j.SDK) {
				t.Errorf("%s at %d: %s", j.Fixture, j.MaxRetries, j.Costs)
			}
		}
		if n := 20 * (1 + len(c.args)/2); len(d.Jobs) != n {
			t.Errorf("%d jobs, want %d", len(d.Jobs), n)
		}
	}
}
