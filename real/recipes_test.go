//go:build real && linux

package real_test

import (
	"bufio"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/recipes"
	"github.com/preservecheck/preservecheck/record"
)

// recipeRuns are recipes with what they must show. Every variant whose program is expected on the machine is here.
var recipeRuns = []struct {
	recipe string
	exit   int
	rows   map[string]want // of the article; the others are preserved
	advice string          // part of a cause
}{
	{"nginx", 0, nil, ""},
	{"nginx/intercept", 1, rowsOf("nginx", "intercept"), "proxy_intercept_errors"},
	{"nginx/hide-retry-after", 1, noRetryAfter, "proxy_hide_header"},
	{"haproxy", 0, nil, ""},
	{"haproxy/set-status", 1, rowsOf("haproxy", "setstatus"), "set-status"},
	{"haproxy/del-header", 1, noRetryAfter, "del-header"},
}

// rowsOf is what the same configuration shows when a test of ours starts it.
func rowsOf(program, config string) map[string]want {
	for _, c := range statelessCases {
		if c.program.name == program && c.config == config {
			return c.rows
		}
	}
	panic("no case " + program + "-" + config)
}

func TestRecipes(t *testing.T) {
	for _, c := range recipeRuns {
		t.Run(strings.ReplaceAll(c.recipe, "/", "-"), func(t *testing.T) {
			t.Parallel()
			doc, exit := check(t, freeAddress(t), "--recipe", c.recipe, "--stream", "off")
			if exit != c.exit || len(doc.Findings) > 0 {
				t.Errorf("exit %d, want %d: %s, %v", exit, c.exit, doc.Result.Why, doc.Findings)
			}
			sameRows(t, c.rows, doc)
			if doc.Target.Version == "" || !strings.HasPrefix(doc.Recipe+"/", c.recipe+"/") {
				t.Errorf("recipe %q, version %q", doc.Recipe, doc.Target.Version)
			}
			if (c.advice != "") != slices.ContainsFunc(doc.Advice, func(a record.Advice) bool { return strings.Contains(a.Cause, c.advice) && len(a.Rows) > 0 }) {
				t.Errorf("advice %v", doc.Advice)
			}
		})
	}
}

// TestRecipesAreRun: a variant of these recipes that nobody runs may show anything.
func TestRecipesAreRun(t *testing.T) {
	for _, name := range []string{"nginx", "haproxy", "apache", "caddy", "varnish", "squid", "lighttpd"} {
		r, err := recipes.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range r.Variants {
			good := false
			for _, c := range recipeRuns {
				if c.recipe == name+"/"+v.Name || c.recipe == name && v.Name == recipes.Default {
					good = c.exit == map[bool]int{true: 0, false: 1}[v.Good]
				}
			}
			for _, c := range variantRuns {
				if c.recipe == name+"/"+v.Name || c.recipe == name && v.Name == recipes.Default {
					good = v.Good == (c.exit == 0)
				}
			}
			if !good {
				t.Errorf("%s/%s is not run, or another result is expected than the recipe says", name, v.Name)
			}
		}
	}
}

// began is a program that has started its layer.
type began struct {
	cmd    *exec.Cmd
	family []int // the supervisor, the layer and its workers
	port   string
}

var startedLine = regexp.MustCompile(`^layer: started \S+ \S+ at http://(\S+), process (\d+)`)

// begin runs the program with a recipe until the layer runs.
func begin(t *testing.T, recipe string) *began {
	t.Helper()
	cmd := exec.Command(binary, "check", "--recipe", recipe, "--rate", "2")
	cmd.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if m := startedLine.FindStringSubmatch(lines.Text()); m != nil {
			go func() {
				for lines.Scan() {
				}
			}()
			return &began{cmd, descendants(cmd.Process.Pid), m[1]}
		}
	}
	_ = cmd.Wait()
	t.Fatalf("the layer was not started: %v", cmd.ProcessState)
	return nil
}

// descendants are the children of a process and theirs.
func descendants(of int) (all []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if _, parent := stat(pid); parent == of {
			all = append(append(all, pid), descendants(pid)...)
		}
	}
	return all
}

// stat is the state and the parent of a process, "" for one that is no more.
func stat(pid int) (state string, parent int) {
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return "", 0
	}
	fields := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	parent, _ = strconv.Atoi(fields[1])
	return fields[0], parent
}

// left waits until nothing of a family runs or listens.
func (b *began) left(t *testing.T) {
	t.Helper()
	if len(b.family) < 2 {
		t.Errorf("the family is %v", b.family)
	}
	for end := time.Now().Add(15 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		var alive []int
		for _, pid := range b.family {
			if state, _ := stat(pid); state != "" && state != "Z" {
				alive = append(alive, pid)
			}
		}
		c, err := net.Dial("tcp", b.port)
		if err == nil {
			c.Close()
		}
		if len(alive) == 0 && err != nil {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("processes %v are left, listening: %v", alive, err == nil)
		}
	}
}

// TestNothingIsLeft ends the program in the middle of a run, ten times in each way.
func TestNothingIsLeft(t *testing.T) {
	if err := watchSources(); err != nil {
		t.Fatal(err)
	}
	for _, recipe := range []string{"nginx", "haproxy"} {
		for name, signal := range map[string]syscall.Signal{"killed": syscall.SIGKILL, "interrupted": syscall.SIGINT, "asked to end": syscall.SIGTERM} {
			t.Run(recipe+" "+name, func(t *testing.T) {
				t.Parallel()
				for range 10 {
					b := begin(t, recipe)
					if err := b.cmd.Process.Signal(signal); err != nil {
						t.Fatal(err)
					}
					_ = b.cmd.Wait()
					b.left(t)
				}
			})
		}
	}
}

// TestKilledMaster: nginx's worker goes on listening when its master is killed.
func TestKilledMaster(t *testing.T) {
	b := begin(t, "nginx")
	for _, pid := range b.family {
		if line, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline")); err == nil && strings.HasPrefix(string(line), "nginx: master") {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	time.Sleep(50 * time.Millisecond)
	_ = b.cmd.Process.Signal(syscall.SIGINT)
	_ = b.cmd.Wait()
	b.left(t)
}

// TestTenTimes: a recipe gives the same result each time.
func TestTenTimes(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), runWithin)
	defer cancel()
	for _, recipe := range []string{"nginx", "nginx/intercept", "haproxy"} {
		for i := range 10 {
			began := time.Now()
			out, err := exec.CommandContext(ctx, binary, "check", "--recipe", recipe, "--stream", "off", "--fixture", "article/*").CombinedOutput()
			exit := 0
			if err != nil {
				exit = 1
			}
			if exit != map[bool]int{true: 1}[recipe == "nginx/intercept"] || time.Since(began) > 10*time.Second {
				t.Fatalf("%s, run %d after %s: %v\n%s", recipe, i, time.Since(began), err, out)
			}
		}
	}
}
