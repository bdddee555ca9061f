//go:build unix

package gateway

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The test binary is also the supervisor, the layers that are started, and the tool that is killed.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "__supervise":
			os.Exit(Supervise(os.Stdin, os.Stdout))
		case "__layer":
			layer(os.Args[2:])
			os.Exit(0)
		case "__tool":
			tool(os.Args[2], os.Args[3])
			os.Exit(0)
		}
	}
	goleak.VerifyTestMain(m)
}

// layer plays a layer. Each process of it appends its number to a file first.
func layer(args []string) {
	kind, pids := args[0], args[1]
	if f, err := os.OpenFile(pids, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
		fmt.Fprintln(f, os.Getpid())
		f.Close()
	}
	child := func(kind string, attr *syscall.SysProcAttr) {
		cmd := exec.Command(os.Args[0], "__layer", kind, pids)
		cmd.SysProcAttr = attr
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Start(); err != nil {
			panic(err)
		}
	}
	switch kind {
	case "sleep":
		time.Sleep(time.Minute)
	case "deaf":
		signal.Ignore(syscall.SIGTERM)
		time.Sleep(time.Minute)
	case "fork": // a worker in a session of its own
		child("sleep", &syscall.SysProcAttr{Setsid: true})
		time.Sleep(time.Minute)
	case "daemon": // goes into the background by a double fork
		child("middle", &syscall.SysProcAttr{Setsid: true})
		time.Sleep(200 * time.Millisecond)
	case "middle":
		child("deaf", nil)
	case "deaf-fork":
		signal.Ignore(syscall.SIGTERM)
		child("deaf", &syscall.SysProcAttr{Setsid: true})
		child("deaf", nil)
		time.Sleep(time.Minute)
	case "fails-fork": // as a master that is killed and leaves its worker
		child("deaf", &syscall.SysProcAttr{Setsid: true})
		time.Sleep(100 * time.Millisecond)
		os.Exit(7)
	case "early":
		fmt.Println("starting")
		fmt.Fprintln(os.Stderr, "no \x1b[31mconfig")
		os.Exit(3)
	case "flood":
		w := bufio.NewWriter(os.Stdout)
		for i := 0; ; i++ {
			if _, err := fmt.Fprintln(w, "line", i, strings.Repeat("x", 1000)); err != nil {
				return
			}
		}
	case "env":
		fmt.Println(strings.Join(os.Environ(), "|"), len(os.Args))
		dir, _ := os.Getwd()
		n, err := os.Stdin.Read(make([]byte, 1))
		fmt.Println(filepath.Base(dir), n, err)
	}
}

func options(dir string, layer ...string) Options {
	return Options{
		Supervisor: []string{os.Args[0], "__supervise"}, Command: append([]string{os.Args[0], "__layer"}, layer...),
		Env: []string{"A=b"}, Dir: dir, Log: filepath.Join(dir, "log"), LogLimit: 64 << 10, Grace: 300 * time.Millisecond,
	}
}

// tool starts a layer and waits to be killed.
func tool(kind, dir string) {
	o := options(dir, kind, filepath.Join(dir, "pids"))
	o.Scrap = filepath.Join(dir, "scrap")
	if err := os.Mkdir(o.Scrap, 0o700); err != nil {
		panic(err)
	}
	g, err := Start(o)
	if err != nil {
		panic(err)
	}
	fmt.Println(g.PID())
	time.Sleep(time.Minute)
}

// started waits until a number of processes of the layer have written theirs.
func started(t *testing.T, dir string, n int) (pids []int) {
	t.Helper()
	within(t, "the layer to start", func() bool {
		b, _ := os.ReadFile(filepath.Join(dir, "pids"))
		pids = nil
		for _, line := range strings.Fields(string(b)) {
			pid, _ := strconv.Atoi(line)
			pids = append(pids, pid)
		}
		return len(pids) == n
	})
	return pids
}

func within(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited too long for %s", what)
		}
	}
}

// gone says of each process whether it is no more. A zombie of somebody else's is no more, either.
func gone(pids []int) bool {
	return !slices.ContainsFunc(pids, func(pid int) bool {
		b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err == nil {
			fields := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
			return fields[0] != "Z"
		}
		_, here := os.Stat("/proc/self")
		return here != nil && syscall.Kill(pid, 0) == nil
	})
}

var families = []struct {
	kind, why string
	n         int
	linux     bool // needs a subreaper
}{
	{"sleep", "one process that ends when it is asked", 1, false},
	{"deaf", "one that has to be killed", 1, false},
	{"fork", "a worker that left the group", 2, true},
	{"daemon", "a layer that went into the background", 3, true},
	{"deaf-fork", "a whole family that has to be killed", 3, true},
}

func TestStopEndsTheFamily(t *testing.T) {
	for _, c := range families {
		if c.linux && !reaps {
			continue
		}
		t.Run(c.kind, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			g, err := Start(options(dir, c.kind, filepath.Join(dir, "pids")))
			if err != nil {
				t.Fatal(err)
			}
			pids := started(t, dir, c.n)
			if c.kind == "daemon" {
				within(t, "the first process to end", func() bool { return gone(pids[:2]) })
			}
			if g.How() != "" {
				t.Errorf("%s: ended by itself: %s", c.why, g.How())
			}
			if err := g.Stop(); err != nil {
				t.Errorf("%s: %v", c.why, err)
			}
			if !gone(pids) {
				t.Errorf("%s: some of %v are left", c.why, pids)
			}
		})
	}
}

// TestKilledTool kills the tool, which can do nothing about it any more.
func TestKilledTool(t *testing.T) {
	for _, c := range families {
		if c.linux && !reaps {
			continue
		}
		t.Run(c.kind, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			cmd := exec.Command(os.Args[0], "__tool", c.kind, dir)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
				t.Error(err)
			}
			pids := started(t, dir, c.n)
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			within(t, c.why+" to end", func() bool { return gone(pids) })
			within(t, "its folder to be removed", func() bool {
				_, err := os.Stat(filepath.Join(dir, "scrap"))
				return errors.Is(err, os.ErrNotExist)
			})
		})
	}
}

// TestStopKeepsTheFolder: whoever stops a layer may still want to read its log.
func TestStopKeepsTheFolder(t *testing.T) {
	dir := t.TempDir()
	o := options(dir, "sleep", filepath.Join(dir, "pids"))
	o.Scrap = dir
	g, err := Start(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Stop(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Error(err)
	}
}

// TestSignals: what a terminal or an init sends does not end a supervisor before its work is done.
func TestSignals(t *testing.T) {
	dir := t.TempDir()
	g, err := Start(options(dir, "deaf", filepath.Join(dir, "pids")))
	if err != nil {
		t.Fatal(err)
	}
	pids := started(t, dir, 1)
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if err := g.cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(50 * time.Millisecond)
	if gone(pids) || g.How() != "" {
		t.Error("the layer ended")
	}
	if own, err := syscall.Getpgid(g.cmd.Process.Pid); err != nil || own == syscall.Getpgrp() {
		t.Errorf("the supervisor is in our group: %d, %v", own, err)
	}
	if err := g.Stop(); err != nil || !gone(pids) {
		t.Error(err)
	}
}

func TestEndsByItself(t *testing.T) {
	never := func(context.Context) error { return errors.New("not yet") }
	for _, c := range []struct{ kind, how, why string }{
		{"early", "exit status 3", "a bad configuration"},
		{"middle", "signal: terminated", "killed by somebody"},
		{"fails-fork", "exit status 7", "a master that leaves its worker"},
	} {
		if c.kind != "early" && !reaps {
			continue
		}
		t.Run(c.kind, func(t *testing.T) {
			dir := t.TempDir()
			kind := c.kind
			if kind == "middle" {
				kind = "sleep"
			}
			g, err := Start(options(dir, kind, filepath.Join(dir, "pids")))
			if err != nil {
				t.Fatal(err)
			}
			if c.kind == "middle" {
				started(t, dir, 1)
				_ = syscall.Kill(g.PID(), syscall.SIGTERM)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			var ended *EndedError
			if err := g.Ready(ctx, never); !errors.As(err, &ended) || ended.How != c.how {
				t.Errorf("%s: %v, want %s", c.why, err, c.how)
			}
			if ctx.Err() != nil {
				t.Error("it was told only after the time was up")
			}
			if err := g.Stop(); err != nil {
				t.Error(err)
			}
			b, _ := os.ReadFile(filepath.Join(dir, "pids"))
			for _, line := range strings.Fields(string(b)) {
				if pid, _ := strconv.Atoi(line); !gone([]int{pid}) {
					t.Errorf("process %d is left", pid)
				}
			}
			if c.kind == "early" {
				if got := Tail(filepath.Join(dir, "log"), 20); !slices.Equal(got, []string{"starting", "no \x1b[31mconfig"}) {
					t.Errorf("log %q", got)
				}
			}
		})
	}
}

func TestReady(t *testing.T) {
	dir := t.TempDir()
	g, err := Start(options(dir, "sleep", filepath.Join(dir, "pids")))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = g.Stop() }()
	asked := 0
	if err := g.Ready(t.Context(), func(context.Context) error {
		if asked++; asked < 3 {
			return io.EOF
		}
		return nil
	}); err != nil || asked != 3 {
		t.Errorf("%v after %d", err, asked)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := g.Ready(ctx, func(context.Context) error { return io.EOF }); !errors.Is(err, io.EOF) {
		t.Errorf("%v, want the last answer", err)
	}
}

func TestLogIsBounded(t *testing.T) {
	dir := t.TempDir()
	o := options(dir, "flood", filepath.Join(dir, "pids"))
	g, err := Start(o)
	if err != nil {
		t.Fatal(err)
	}
	within(t, "the log to turn", func() bool { _, err := os.Stat(o.Log + older); return err == nil })
	time.Sleep(100 * time.Millisecond)
	if err := g.Stop(); err != nil {
		t.Error(err)
	}
	for _, name := range []string{o.Log, o.Log + older} {
		if info, err := os.Stat(name); err != nil || info.Size() > o.LogLimit {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	tail := Tail(o.Log, 20)
	if len(tail) != 20 || len(tail[5]) > maxTailLine+3 || !strings.HasPrefix(tail[5], "line ") {
		t.Errorf("%d lines: %.60q", len(tail), tail)
	}
}

func TestWhatALayerGets(t *testing.T) {
	t.Setenv("SECRET_KEY", "hunter2")
	dir := t.TempDir()
	g, err := Start(options(dir, "env", filepath.Join(dir, "pids")))
	if err != nil {
		t.Fatal(err)
	}
	<-g.Ended()
	if err := g.Stop(); err != nil {
		t.Error(err)
	}
	want := []string{"A=b 4", filepath.Base(dir) + " 0 EOF"}
	if got := Tail(filepath.Join(dir, "log"), 20); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestNothingToStart(t *testing.T) {
	dir := t.TempDir()
	o := options(dir, "sleep", filepath.Join(dir, "pids"))
	o.Command = []string{filepath.Join(dir, "nosuch")}
	if _, err := Start(o); err == nil || !strings.Contains(err.Error(), "nosuch can't be started") {
		t.Error(err)
	}
	o.Supervisor = o.Command
	if _, err := Start(o); err == nil || !strings.Contains(err.Error(), "the supervisor") {
		t.Error(err)
	}
}
