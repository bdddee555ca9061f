//go:build real && linux

package real_test

import (
	"bufio"
	"cmp"
	"flag"
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

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/preservecheck/preservecheck/recipes"
)

var ends = flag.Int("ends", 1, "how often TestNothingIsLeft ends the program in each way")

// began is a program that has started its layer.
type began struct {
	cmd    *exec.Cmd
	family []int // the supervisor, the layer and its workers
	port   string
}

var startedLine = regexp.MustCompile(`^layer: started \S+ \S+ at http://(\S+), process (\d+)`)

// begin runs the program with a recipe until the layer runs.
func begin(t *testing.T, recipe string, more ...string) *began {
	t.Helper()
	cmd := exec.Command(binary, append([]string{"check", "--recipe", recipe}, more...)...)
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

// accepted are the recipes that a release has to run again and again, and in each way to end leave nothing behind.
var accepted = []string{"nginx", "nginx/intercept", "haproxy", "caddy", "apache", "portkey", "claude-code-router"}

// acceptedHere are those among the chosen recipes.
func acceptedHere(t *testing.T) (names []string) {
	t.Helper()
	list, err := chosenRecipes()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range accepted {
		recipe, variant, _ := strings.Cut(name, "/")
		if slices.ContainsFunc(list, func(c choice) bool { return c.Name == recipe && (c.whole || c.has(cmp.Or(variant, recipes.Default))) }) {
			names = append(names, name)
		}
	}
	return names
}

// TestNothingIsLeft ends the program in each way: in the middle of a run, and after a whole one.
func TestNothingIsLeft(t *testing.T) {
	if err := watchSources(); err != nil {
		t.Fatal(err)
	}
	for _, recipe := range acceptedHere(t) {
		t.Run(strings.ReplaceAll(recipe, "/", "-"), func(t *testing.T) {
			t.Parallel()
			for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGINT, syscall.SIGTERM, 0} {
				more := []string{"--rate", "2"}
				if signal == 0 {
					more = []string{"--fixture", "tier_cap", "--stream", "off"}
				}
				for range *ends {
					b := begin(t, recipe, more...)
					if signal != 0 {
						if err := b.cmd.Process.Signal(signal); err != nil {
							t.Fatal(err)
						}
					}
					_ = b.cmd.Wait()
					b.left(t)
				}
			}
		})
	}
}

// TestKilledMaster: nginx's worker goes on listening when its master is killed.
func TestKilledMaster(t *testing.T) {
	b := begin(t, "nginx", "--rate", "2")
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

// TestTenTimes: a recipe gives the same result each time, in under ten seconds. These are the article's rows alone; with
// -times the whole matrix is asked for again and again by TestResults.
func TestTenTimes(t *testing.T) {
	for _, recipe := range acceptedHere(t) {
		t.Run(strings.ReplaceAll(recipe, "/", "-"), func(t *testing.T) {
			t.Parallel()
			first := map[string]string{}
			for i := range 10 {
				waitForPorts(t)
				began := time.Now()
				doc, exit := checkWithPorts(t, recipe, "--stream", "off", "--fixture", "article/*")
				took := time.Since(began)
				now := map[string]string{"exit": strconv.Itoa(exit)}
				for _, r := range doc.Rows {
					now[r.Route+" "+r.Row] = r.Verdict + " " + r.Class.Layer
				}
				if i == 0 {
					first = now
				}
				if d := gocmp.Diff(first, now); d != "" || len(doc.Rows) == 0 {
					t.Fatalf("run %d (-first +now): %s\n%s", i, doc.Result.Why, d)
				}
				if took > 10*time.Second {
					t.Errorf("run %d took %s", i, took)
				}
			}
		})
	}
}
