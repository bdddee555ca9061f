//go:build real && linux

package real_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	startWithin = 10 * time.Second
	stopWithin  = 5 * time.Second
)

// program is a proxy as Debian packages it.
type program struct {
	name string // of the binary and of the package
	args func(dir, conf string) []string
}

var (
	nginx = program{"nginx", func(dir, conf string) []string {
		globals := "daemon off; pid nginx.pid; error_log stderr warn; worker_processes 1;"
		if os.Getuid() == 0 {
			globals += " user root;" // or the worker could not write into the folder of the test
		}
		return []string{"-e", "stderr", "-p", dir, "-c", conf, "-g", globals}
	}}
	haproxy = program{"haproxy", func(_, conf string) []string { return []string{"-db", "-f", conf} }}
)

// path finds the program. A proxy that is not there fails the test: skipping would look like passing.
func (p program) path(t *testing.T) string {
	t.Helper()
	for _, name := range []string{p.name, "/usr/sbin/" + p.name} {
		if found, err := exec.LookPath(name); err == nil {
			return found
		}
	}
	t.Fatalf("%s is not installed: apt-get install --no-install-recommends %s", p.name, p.name)
	return ""
}

// start runs the proxy with a configuration until the test ends, and returns its base URL. In the configuration
// @LISTEN@ stands for the address of the proxy and @STUB@ for that of every upstream.
func (p program) start(t *testing.T, config, stub string) string {
	t.Helper()
	binary := p.path(t)
	var err error
	for range 3 { // somebody else may take the port between our look and the proxy's start
		listen := freeAddress(t)
		if err = p.tryStart(t, binary, strings.NewReplacer("@LISTEN@", listen, "@STUB@", stub).Replace(config), listen); err == nil {
			return "http://" + listen
		}
	}
	t.Fatal(err)
	return ""
}

func (p program) tryStart(t *testing.T, binary, config, listen string) error {
	t.Helper()
	dir := t.TempDir()
	conf := write(t, dir, "layer.conf", config)
	write(t, dir, "nginx-paths.inc", template(t, "nginx-paths.inc"))
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd := exec.Command(binary, p.args(dir, conf)...)
	cmd.Stdout, cmd.Stderr = log, log
	// A group of its own, to reach the workers; and should the test binary die, the proxy ends as well.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	if err := cmd.Start(); err != nil {
		t.Fatalf("%s: %v", binary, err)
	}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = cmd.Wait() }()
	t.Cleanup(func() {
		stop(cmd, ended)
		if t.Failed() {
			t.Logf("log of %s:\n%s", p.name, read(log.Name()))
		}
	})
	if err := listening(listen, ended); err != nil {
		return fmt.Errorf("%s: %w\n%s", p.name, err, read(log.Name()))
	}
	return nil
}

// template reads a file of testdata.
func template(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	to := filepath.Join(dir, name)
	if err := os.WriteFile(to, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return to
}

func read(name string) string {
	text, err := os.ReadFile(name)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// stop ends the proxy by its own pid, and what is left of its group after that.
func stop(cmd *exec.Cmd, ended <-chan struct{}) {
	_ = cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-ended:
	case <-time.After(stopWithin):
	}
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	<-ended
}

// listening waits until the address accepts a connection.
func listening(addr string, ended <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(context.Background(), startWithin)
	defer cancel()
	for {
		var d net.Dialer
		c, err := d.DialContext(ctx, "tcp", addr)
		if err == nil {
			return c.Close()
		}
		select {
		case <-ended:
			return fmt.Errorf("ended before it listened on %s", addr)
		case <-ctx.Done():
			return fmt.Errorf("does not listen on %s after %s: %w", addr, startWithin, err)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// freeAddress picks a loopback port below those that the kernel gives to outgoing connections, so that none of the
// many connections of a run takes it before its server does.
func freeAddress(t *testing.T) string {
	t.Helper()
	for range 50 {
		addr := fmt.Sprintf("127.0.0.1:%d", 20000+rand.IntN(10000))
		l, err := net.Listen("tcp", addr)
		if err != nil {
			continue
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		return addr
	}
	t.Fatal("no free port on the loopback interface in 50 tries")
	return ""
}
