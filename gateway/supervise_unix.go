//go:build unix

package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

const supported = true

// apart puts the supervisor into a process group of its own, which Ctrl-C at a terminal does not reach.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// Supervise is the whole life of a supervisor: it reads one order, starts the program, says on out what happens, and ends
// the program with all that it started when in ends. It returns an exit code. It takes over the signals and children of the
// process, so nothing else may run there.
func Supervise(in io.Reader, out io.Writer) int {
	// Noted and not ignored, because what is ignored stays so in the program that is started. Writing to somebody who is
	// gone must not end us, either.
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	defer signal.Stop(signals)
	children := make(chan os.Signal, 1)
	signal.Notify(children, syscall.SIGCHLD)
	defer signal.Stop(children)
	runtime.LockOSThread() // what dies with its parent dies with the thread that started it

	say := json.NewEncoder(out)
	said := json.NewDecoder(in)
	var o order
	if err := said.Decode(&o); err != nil {
		return 1
	}
	f, err := start(o)
	if err != nil {
		_ = say.Encode(report{Refused: err.Error()})
		return 1
	}
	_ = say.Encode(report{Started: f.main})
	closed := make(chan farewell, 1)
	go func() {
		var bye farewell
		_ = said.Decode(&bye) // none comes from a tool that was killed
		closed <- bye
	}()
	for told := false; ; {
		alone := f.reap()
		if f.how != "" && !told && (alone || f.failed) { // one that put itself into the background has not ended
			told = true
			_ = say.Encode(report{Ended: f.how})
		}
		select {
		case url := <-f.urls:
			_ = say.Encode(report{URL: url})
		case <-children:
		case <-signals:
		case <-time.After(time.Second): // a signal of a child may be one of several
		case bye := <-closed:
			left := f.end(time.Duration(o.GraceMS) * time.Millisecond)
			f.closeLog()
			if !bye.Stop && o.Scrap != "" {
				_ = os.RemoveAll(o.Scrap)
			}
			_ = say.Encode(report{Done: true, Left: left})
			return 0
		}
	}
}

// family is a program and all that it started.
type family struct {
	main   int
	how    string // how it ended; "" while it runs
	failed bool
	asked  map[int]bool // to end
	copied chan struct{}
	pipe   *os.File
	urls   chan string // that it printed, if anybody asked
}

// start starts the program of an order. What it prints goes through us, so that its log stays small.
func start(o order) (*family, error) {
	if err := adopt(); err != nil {
		return nil, err
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer w.Close()
	pid, err := syscall.ForkExec(o.Command[0], o.Command, &syscall.ProcAttr{
		Dir: o.Dir, Env: o.Env, Files: []uintptr{null.Fd(), w.Fd(), w.Fd()}, Sys: ownGroup(),
	})
	if err != nil {
		r.Close()
		return nil, fmt.Errorf("%s can't be started: %w", o.Command[0], err)
	}
	f := &family{main: pid, asked: map[int]bool{}, copied: make(chan struct{}), pipe: r, urls: make(chan string, maxURLs)}
	go func() {
		defer close(f.copied)
		log := &bounded{name: o.Log, limit: o.LogLimit}
		defer log.Close()
		if !o.URLs {
			_, _ = io.Copy(log, r)
			return
		}
		find := &finder{tell: func(url string) { f.urls <- url }, seen: map[string]bool{}}
		_, _ = io.Copy(io.MultiWriter(log, find), r)
		find.finish()
	}()
	return f, nil
}

// closeLog waits for the last words. Whoever still holds the other end could not be ended.
func (f *family) closeLog() {
	select {
	case <-f.copied:
	case <-time.After(time.Second):
	}
	f.pipe.Close()
}

// reap takes note of the children that ended, and reports whether nobody of the family is left.
func (f *family) reap() bool {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil: // there are no children
			return f.noneLeft()
		case pid == 0:
			return false
		default:
			delete(f.asked, pid)
			if pid == f.main {
				f.how, f.failed = ending(status), status != 0
			}
		}
	}
}

// ending says how a process ended.
func ending(s syscall.WaitStatus) string {
	if s.Signaled() {
		return "signal: " + s.Signal().String()
	}
	return fmt.Sprintf("exit status %d", s.ExitStatus())
}

// end asks everybody to end, once each, and kills who is left after the grace. It returns who could not be ended.
func (f *family) end(grace time.Duration) string {
	const pause = 5 * time.Millisecond
	soft := time.Now().Add(grace)
	hard := soft.Add(afterKill)
	for !f.reap() {
		now := time.Now()
		if now.After(hard) {
			return f.names()
		}
		f.signal(now.After(soft))
		time.Sleep(pause)
	}
	return ""
}
