//go:build linux

package hosted

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The network: two machines and a wire between them. The stub's has the authority and the strangers as well, since both only ever come to
// its public ports; the other has the gateways and who checks them.
const (
	stubAddr    = "10.77.0.1"
	gatewayAddr = "10.77.0.2"
	stubName    = "stub.example.org"    // what certificates are ordered for
	frontName   = "front.example.org"   // a proxy before a stub, on the stub's machine
	gatewayName = "gateway.example.net" // the hosted gateways
)

// hosts is what both machines know of names. There is no other resolver that they could reach.
const hosts = "127.0.0.1 localhost\n" + stubAddr + " " + stubName + " " + frontName + "\n" + gatewayAddr + " " + gatewayName + "\n"

// scratchVariable is how the test tells its second self what there is.
const scratchVariable = "HOSTED_SCRATCH"

// scratch is a folder for all tests, with the program in it.
var scratch = os.Getenv(scratchVariable)

// program is the built binary, as users have it.
func program() string { return filepath.Join(scratch, "preservecheck") }

// TestMain starts the test again in namespaces of its own: names then lead where we say, ports 80 and 443 are free, and nothing can get out.
func TestMain(m *testing.M) {
	code, err := 0, error(nil)
	if scratch == "" {
		code, err = outside()
	} else if err = errors.Join(inside(), flag.Set("test.parallel", "5")); err == nil { // most of a test is waiting
		if code = m.Run(); code == 0 {
			err = errors.Join(nothingLeft(), noFolderLeft())
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "hosted:", err)
		code = 1
	}
	os.Exit(code)
}

// outside builds the program and runs the test again. That one ends with us, however we end.
func outside() (code int, err error) {
	for _, tool := range []string{"nginx", "ip", "nsenter"} {
		if _, err := exec.LookPath(tool); err != nil {
			return 0, fmt.Errorf("this test needs nginx, iproute2 and util-linux: %w", err)
		}
	}
	dir, err := os.MkdirTemp("", "hosted-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "preservecheck"), "./cmd/preservecheck")
	build.Dir = "../../.."
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as it is released
	if out, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%w: %s", err, out)
	}
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	again := exec.Command(self, os.Args[1:]...)
	again.Stdin, again.Stdout, again.Stderr = os.Stdin, os.Stdout, os.Stderr
	again.Env = append(os.Environ(), scratchVariable+"="+dir, "PEBBLE_VA_NOSLEEP=1", "PEBBLE_AUTHZREUSE=0", "PEBBLE_WFE_NONCEREJECT=0")
	again.SysProcAttr = namespaces()
	runtime.LockOSThread() // the kernel ends the child with the thread that started it
	defer runtime.UnlockOSThread()
	if err = again.Start(); err != nil {
		return 0, fmt.Errorf("the test makes a network of its own, for which root or user namespaces are needed: %w", err)
	}
	var exit *exec.ExitError
	if err = again.Wait(); errors.As(err, &exit) {
		return max(exit.ExitCode(), 1), nil
	}
	return 0, err
}

func namespaces() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET | syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	if os.Getuid() != 0 {
		a.Cloneflags |= syscall.CLONE_NEWUSER
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	return a
}

// inside sets the names and the network up.
func inside() error {
	if err := syscall.Mount("", "/", "", syscall.MS_PRIVATE|syscall.MS_REC, ""); err != nil {
		return fmt.Errorf("mounts of our own: %w", err)
	}
	file := filepath.Join(scratch, "hosts")
	if err := os.WriteFile(file, []byte(hosts), 0o644); err != nil {
		return err
	}
	if err := syscall.Mount(file, "/etc/hosts", "", syscall.MS_BIND, ""); err != nil {
		return fmt.Errorf("/etc/hosts of our own: %w", err)
	}
	if err := secondMachine(); err != nil {
		return err
	}
	for _, line := range []string{
		"link set lo up", "link add wire type veth peer name far", "link set far netns " + second.name(),
		"address add " + stubAddr + "/24 dev wire", "link set wire up",
	} {
		if err := run("ip", strings.Fields(line)...); err != nil {
			return err
		}
	}
	for _, line := range []string{"link set lo up", "address add " + gatewayAddr + "/24 dev far", "link set far up"} {
		words := second.command(append([]string{"ip"}, strings.Fields(line)...)...)
		if err := run(words[0], words[1:]...); err != nil {
			return err
		}
	}
	return nil
}

func run(name string, args ...string) error {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// nothingLeft looks for processes on our machines but for ourselves. What was killed with its run may take a moment.
func nothingLeft() error {
	var left []string
	for range 50 {
		if left = others(); len(left) == 0 {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("left running: %s", strings.Join(left, ", "))
}

// noFolderLeft looks for folders of runs that are over, in what the program takes for the place of temporary files.
func noFolderLeft() error {
	left, err := filepath.Glob(filepath.Join(scratch, "preservecheck-*"))
	if err != nil || len(left) > 0 {
		return errors.Join(fmt.Errorf("left behind: %v", left), err)
	}
	return nil
}

// others are the processes in our two namespaces that are neither we nor the holder.
func others() (left []string) {
	ours := map[string]bool{}
	mine := []string{"self", second.name()}
	for _, pid := range mine {
		ns, _ := os.Readlink("/proc/" + pid + "/ns/net")
		ours[ns] = true
	}
	mine = append(mine, fmt.Sprint(os.Getpid()))
	all, _ := filepath.Glob("/proc/[0-9]*/ns/net")
	for _, link := range all {
		pid := strings.Split(link, "/")[2]
		if ns, err := os.Readlink(link); err == nil && ours[ns] && !slices.Contains(mine, pid) { // an error: it has ended
			name, _ := os.ReadFile("/proc/" + pid + "/comm")
			left = append(left, pid+" "+strings.TrimSpace(string(name)))
		}
	}
	return left
}

// machine is a network namespace: of the test itself, or that of a process which holds it.
type machine struct{ holder *exec.Cmd }

// here is the stub's machine, second the other.
var here, second machine

// secondMachine makes a namespace that lasts as long as we do: its holder reads from a pipe whose other end is ours.
func secondMachine() error {
	second.holder = exec.Command("cat")
	second.holder.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	if _, err := second.holder.StdinPipe(); err != nil {
		return err
	}
	return second.holder.Start()
}

func (m machine) name() string { return fmt.Sprint(m.holder.Process.Pid) }

// command says how to run something on the machine. It becomes that process; none stays between.
func (m machine) command(words ...string) []string {
	if m.holder == nil {
		return words
	}
	return append([]string{"nsenter", "--net=/proc/" + m.name() + "/ns/net", "--"}, words...)
}
