//go:build linux

package hosted

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/record"
)

// patience bounds what a test waits for; it is only ever waited out when a test fails.
const patience = 60 * time.Second

// process is one that a test started.
type process struct {
	t        *testing.T
	cmd      *exec.Cmd
	out, err text
	ended    chan struct{}
}

// text is what a process prints, which may be read meanwhile.
type text struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (x *text) Write(b []byte) (int, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.b.Write(b)
}

func (x *text) String() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.b.String()
}

// start starts a command on a machine. It is ended with the test.
func start(t *testing.T, on machine, env []string, words ...string) *process {
	t.Helper()
	words = on.command(words...)
	p := &process{t: t, cmd: exec.Command(words[0], words[1:]...), ended: make(chan struct{})}
	p.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + scratch, "TMPDIR=" + scratch}, env...)
	p.cmd.Stdout, p.cmd.Stderr, p.cmd.Dir = &p.out, &p.err, t.TempDir()
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // should this test be killed
	p.cmd.WaitDelay = 5 * time.Second                                    // for whoever inherited its output
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		_ = p.cmd.Wait() // the exit code is asked for
	}()
	t.Cleanup(func() {
		p.stop()
		if t.Failed() {
			t.Logf("%s\n--- exit %d\n%s\n--- stderr\n%s", strings.Join(words, " "), p.cmd.ProcessState.ExitCode(), tail(p.out.String()), tail(p.err.String()))
		}
	})
	return p
}

func tail(s string) string {
	const most = 6000
	return s[max(0, len(s)-most):]
}

// preservecheck starts the program. Whatever it prints, no secret is in it.
func preservecheck(t *testing.T, on machine, args ...string) *process {
	t.Helper()
	return preservecheckWith(t, on, nil, args...)
}

// preservecheckWith starts it with variables of the environment.
func preservecheckWith(t *testing.T, on machine, env []string, args ...string) *process {
	t.Helper()
	p := start(t, on, env, append([]string{program()}, args...)...)
	t.Cleanup(func() {
		p.stop()
		private.hidden(t, "stdout", p.out.String())
		private.hidden(t, "stderr", p.err.String())
		files, _ := filepath.Glob(filepath.Join(p.cmd.Dir, "*")) // a fault of the pattern alone
		for _, f := range files {
			b, _ := os.ReadFile(f) // a folder holds nothing by itself
			private.hidden(t, filepath.Base(f), string(b))
		}
	})
	return p
}

// secrets are what nobody may find in what the program writes.
type secrets struct {
	mu  sync.Mutex
	all []string
}

var private secrets

func (s *secrets) add(all ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, all...)
}

func (s *secrets) hidden(t *testing.T, where, text string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, secret := range s.all {
		if strings.Contains(text, secret) {
			t.Errorf("a secret stands in %s", where)
		}
	}
}

// exit waits for the end and gives the code.
func (p *process) exit() int {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(patience):
		p.t.Fatalf("%s does not end", p.cmd.Args)
	}
	return p.cmd.ProcessState.ExitCode()
}

// wants waits for the end and holds the code to what it should be.
func (p *process) wants(code int) {
	p.t.Helper()
	if got := p.exit(); got != code {
		p.t.Fatalf("exit %d, want %d", got, code)
	}
}

// says waits until something is printed on stderr.
func (p *process) says(part string) {
	p.t.Helper()
	p.until("says "+part, func() bool { return strings.Contains(p.err.String(), part) })
}

func (p *process) until(what string, done func() bool) {
	p.t.Helper()
	for end := time.Now().Add(patience); !done(); time.Sleep(20 * time.Millisecond) {
		select {
		case <-p.ended:
			if !done() {
				p.t.Fatalf("ended, and never %s", what)
			}
			return
		default:
		}
		if time.Now().After(end) {
			p.t.Fatalf("never %s", what)
		}
	}
}

// interrupt is Ctrl-C.
func (p *process) interrupt() {
	p.t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGINT); err != nil {
		p.t.Fatal(err)
	}
}

// stop ends it.
func (p *process) stop() {
	_ = p.cmd.Process.Kill() // it may have ended
	<-p.ended
}

// read reads the record that a check wrote.
func read(t *testing.T, file string) (d record.Document) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	private.hidden(t, file, string(b))
	if err := json.Unmarshal(b, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// checking is a check with its record.
type checking struct {
	*process
	file string
}

// check starts one.
func check(t *testing.T, on machine, args ...string) *checking {
	t.Helper()
	file := filepath.Join(t.TempDir(), "record.json")
	return &checking{preservecheck(t, on, append([]string{"check", "-o", "json=" + file}, args...)...), file}
}

// record waits for the end and gives what was found.
func (c *checking) record(code int) record.Document {
	c.t.Helper()
	c.wants(code)
	return read(c.t, c.file)
}
