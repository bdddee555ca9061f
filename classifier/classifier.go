// Package classifier runs a classifier of the user's own: a program that is started once, without a shell, reads one
// answer a line as JSON and writes one class a line.
//
// It is not the classifier of this project (classify is) and judges nothing: what the program says is an untrusted word
// of at most MaxClass bytes. It reads no environment; the caller says which variables the program gets.
package classifier

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// MaxClass is the longest class that is taken, in bytes without the line's end.
const MaxClass = 200

// Bounds of what is kept and waited for.
const (
	maxTail  = 2 << 10                // bytes of stderr that are kept, the last ones
	maxExit  = 500 * time.Millisecond // to end by itself once there is no more input
	maxDrain = time.Second            // to close its outputs once it was killed
)

// Options say what to run.
type Options struct {
	Words   []string      // program and arguments, as Split gives them
	Env     []string      // the whole environment, as NAME=value
	Timeout time.Duration // for one answer, the start of the program included in the first
}

// Process is a classifier that runs. It is not safe for use by several goroutines.
type Process struct {
	opt   Options
	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines chan line
	tail  *tail
	ended bool
}

// line is a line of the program, or what is wrong with it.
type line struct {
	text string
	err  error
}

// Start starts the program. Close has to be called in any case.
func Start(opt Options) (*Process, error) {
	if len(opt.Words) == 0 {
		return nil, errors.New("no program is named")
	}
	p := &Process{opt: opt, cmd: exec.Command(opt.Words[0], opt.Words[1:]...), lines: make(chan line, 1), tail: &tail{}}
	p.cmd.Env, p.cmd.Stderr, p.cmd.WaitDelay = opt.Env, p.tail, maxDrain
	ownGroup(p.cmd)
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("it can't be started: %w", err)
	}
	go read(stdout, p.lines)
	return p, nil
}

// read hands out lines until the output ends or a line can't be used.
func read(r io.Reader, out chan<- line) {
	defer close(out)
	b := bufio.NewReaderSize(r, MaxClass+2) // CR and LF
	for {
		raw, err := b.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			out <- line{err: fmt.Errorf("it wrote a line of more than %d bytes", MaxClass)}
			return
		case err != nil && len(raw) == 0:
			return
		case err != nil:
			out <- line{err: errors.New("it ended in the middle of a line")}
			return
		}
		out <- usable(strings.TrimRight(string(raw), "\r\n"))
	}
}

func usable(text string) line {
	switch {
	case !utf8.ValidString(text):
		return line{err: errors.New("it wrote a line that is not UTF-8")}
	case strings.TrimSpace(text) == "":
		return line{err: errors.New("it wrote an empty line instead of a class")}
	case strings.ContainsFunc(text, unicode.IsControl):
		return line{err: errors.New("it wrote a line with control characters")}
	}
	return line{text: strings.TrimSpace(text)}
}

// Classify gives the program one answer and returns the class that it names. After an error the program can't be used
// any more; the error says what it did and what it last wrote to stderr.
func (p *Process) Classify(ctx context.Context, e Evidence) (string, error) {
	if p.ended {
		return "", errors.New("it has ended")
	}
	class, err := p.ask(ctx, append(e.line(), '\n'))
	if err != nil {
		return "", p.fault(err)
	}
	return class, nil
}

var errEnded = errors.New("it ended")

func (p *Process) ask(ctx context.Context, in []byte) (string, error) {
	select {
	case l, open := <-p.lines:
		switch {
		case !open:
			return "", errEnded
		case l.err != nil:
			return "", l.err
		}
		return "", fmt.Errorf("it wrote a line that nothing had asked for: %q", l.text)
	default:
	}
	// A program that does not read blocks this; killing it ends the write.
	go func() { _, _ = p.stdin.Write(in) }()
	timer := time.NewTimer(p.opt.Timeout)
	defer timer.Stop()
	select {
	case l, open := <-p.lines:
		if !open {
			return "", errEnded
		}
		return l.text, l.err
	case <-timer.C:
		return "", fmt.Errorf("it gave no class within %s", p.opt.Timeout)
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// fault ends the program and adds how it ended, where it did so by itself, and its last words.
func (p *Process) fault(err error) error {
	ended := p.end()
	if errors.Is(err, errEnded) {
		err = fmt.Errorf("%w (%s)", errEnded, ended)
	}
	if words := p.tail.String(); words != "" {
		err = fmt.Errorf("%w; its last words on stderr: %q", err, words)
	}
	return err
}

// Close ends the program, and its process group with it. A line that it wrote unasked is an error.
func (p *Process) Close() error {
	if p.ended {
		return nil
	}
	_ = p.stdin.Close()
	timer := time.NewTimer(maxExit)
	defer timer.Stop()
	var err error
	select {
	case l, open := <-p.lines:
		if open && l.err == nil {
			err = fmt.Errorf("it wrote a line that nothing had asked for: %q", l.text)
		} else if open {
			err = l.err
		}
	case <-timer.C:
	}
	p.end()
	return err
}

// end kills the whole group and waits; it says how the program ended. The group is killed before the program is
// waited for, as long as its number can't have been given to another.
func (p *Process) end() string {
	p.ended = true
	killGroup(p.cmd)
	_ = p.stdin.Close()
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		for range p.lines { // the reader must not be left waiting
		}
	}()
	err := p.cmd.Wait()
	<-drained
	if err != nil {
		return err.Error()
	}
	return "exit status 0"
}

// tail keeps the last bytes that were written to it.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b...)
	if n := len(t.kept) - maxTail; n > 0 {
		t.kept = append(t.kept[:0], t.kept[n:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.kept))
}
