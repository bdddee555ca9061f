package attempts

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Variables of the protocol in docs/clients.md.
const (
	varPrefix  = "PRESERVECHECK_CLIENT_"
	VarBaseURL = varPrefix + "BASE_URL"
	VarKey     = varPrefix + "KEY"
	VarHeaders = varPrefix + "HEADERS"
	VarSkip    = varPrefix + "SKIP_WAITS"

	varModel, varPrompt      = varPrefix + "MODEL", varPrefix + "PROMPT"
	varMaxRetries, varStream = varPrefix + "MAX_RETRIES", varPrefix + "STREAM"
)

// Key is the API key that clients get. It is none, and says so.
const Key = "preservecheck-not-a-key"

// Driver is a program that makes calls with a client.
type Driver struct {
	Words []string // program and arguments
	Env   []string // all of its environment but for what a call adds, as NAME=value
	Lines bool     // one process for all calls
}

// Bounds of a process.
const (
	maxTail  = 2 << 10     // bytes of its standard error that are kept, the last ones
	maxExit  = time.Second // to end by itself once there is no more input
	maxDrain = time.Second // to close its outputs once it was killed
	side     = 4           // processes side by side where each call is one
)

// Start makes a client of a driver. Where one process takes all calls it is started here.
func (d Driver) Start() (Client, error) {
	if len(d.Words) == 0 {
		return nil, errors.New("no program is named")
	}
	if !d.Lines {
		return &once{driver: d, turns: make(chan struct{}, side)}, nil
	}
	return d.startLines()
}

func (d Driver) command(more ...string) (*exec.Cmd, *tail) {
	cmd := exec.Command(d.Words[0], d.Words[1:]...)
	last := &tail{}
	cmd.Env, cmd.Stderr, cmd.WaitDelay = append(append([]string{}, d.Env...), more...), last, maxDrain
	ownGroup(cmd)
	return cmd, last
}

// once is a client whose every call is a process.
type once struct {
	driver Driver
	turns  chan struct{}
}

// Call runs the program once and reads its one line.
func (o *once) Call(ctx context.Context, c Call) (Reply, error) {
	select {
	case o.turns <- struct{}{}:
		defer func() { <-o.turns }()
	case <-ctx.Done():
		return Reply{}, context.Cause(ctx)
	}
	stream := "0"
	if c.Stream {
		stream = "1"
	}
	cmd, last := o.driver.command(varModel+"="+c.Model, varPrompt+"="+c.Prompt, varMaxRetries+"="+strconv.Itoa(c.MaxRetries), varStream+"="+stream)
	out := &bounded{most: maxReply}
	cmd.Stdout = out
	if err := cmd.Start(); err != nil {
		return Reply{}, fmt.Errorf("it can't be started: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { killGroup(cmd) })
	err := cmd.Wait()
	stop()
	killGroup(cmd) // what it started and left
	if ctx.Err() != nil {
		return Reply{}, context.Cause(ctx)
	}
	return onlyLine(out, err, last)
}

// onlyLine reads what a process of one call wrote. How it ended says nothing where it gave its line: SDKs' own exits differ.
func onlyLine(out *bounded, ended error, last *tail) (Reply, error) {
	line := bytes.TrimSpace(out.kept.Bytes())
	switch {
	case out.more:
		return Reply{}, fmt.Errorf("it wrote more than %d bytes", maxReply)
	case len(line) == 0:
		return Reply{}, last.with(fmt.Errorf("it gave no result (%s)", howEnded(ended)))
	case bytes.ContainsRune(line, '\n'):
		return Reply{}, last.with(fmt.Errorf("it wrote several lines for one call, first %s", short(string(line))))
	}
	r, err := parseReply(line)
	return r, last.with(err)
}

func howEnded(err error) string {
	if err == nil {
		return "exit status 0"
	}
	return err.Error()
}

// Close does nothing: every process has ended with its call.
func (*once) Close() error { return nil }

// lines is a client that is one process for all calls.
type lines struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	last   *tail
	read   chan struct{} // closed when there is nothing more to read
	toSend sync.Mutex

	mu      sync.Mutex
	waiting map[string]chan Reply
	given   map[string]bool // ids whose call was given up
	broken  error           // why it can't be used any more
}

func (d Driver) startLines() (*lines, error) {
	cmd, last := d.command()
	l := &lines{cmd: cmd, last: last, read: make(chan struct{}), waiting: map[string]chan Reply{}, given: map[string]bool{}}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if l.stdin, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("it can't be started: %w", err)
	}
	go l.listen(out)
	return l, nil
}

// Call writes one line and waits for the one with its id.
func (l *lines) Call(ctx context.Context, c Call) (Reply, error) {
	line, err := json.Marshal(c)
	if err != nil {
		return Reply{}, err
	}
	answer := make(chan Reply, 1)
	l.mu.Lock()
	if l.broken != nil {
		defer l.mu.Unlock()
		return Reply{}, l.broken
	}
	l.waiting[c.ID] = answer
	l.mu.Unlock()
	go func() { // a program that does not read blocks this; its end ends it
		l.toSend.Lock()
		defer l.toSend.Unlock()
		_, _ = l.stdin.Write(append(line, '\n'))
	}()
	select {
	case r, open := <-answer:
		if !open {
			l.mu.Lock()
			defer l.mu.Unlock()
			return Reply{}, l.broken
		}
		return r, nil
	case <-ctx.Done():
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.waiting, c.ID)
		l.given[c.ID] = true
		return Reply{}, context.Cause(ctx)
	}
}

// listen hands results to the calls that wait for them. At the first line that can't be used the program is ended: what it
// counts can't be believed any more.
func (l *lines) listen(out io.Reader) {
	defer close(l.read)
	in := bufio.NewScanner(out)
	in.Buffer(nil, maxReply)
	var err error
	for err == nil && in.Scan() {
		if len(bytes.TrimSpace(in.Bytes())) > 0 {
			err = l.hand(in.Bytes())
		}
	}
	switch {
	case err != nil:
	case in.Err() != nil:
		err = fmt.Errorf("its output can't be read: %w", in.Err())
	default:
		err = errors.New("it ended")
	}
	killGroup(l.cmd)
	_, _ = io.Copy(io.Discard, out)
	l.fail(err)
}

func (l *lines) hand(line []byte) error {
	r, err := parseReply(line)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	answer, ok := l.waiting[r.ID]
	if !ok {
		if l.given[r.ID] {
			delete(l.given, r.ID)
			return nil
		}
		return fmt.Errorf("it gave a result for a call that nobody made, or a second one: %q", short(r.ID))
	}
	delete(l.waiting, r.ID)
	answer <- r
	return nil
}

// fail tells all calls that wait, and all that come.
func (l *lines) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.broken = l.last.with(err)
	for id, answer := range l.waiting {
		close(answer)
		delete(l.waiting, id)
	}
}

// Close ends the input, gives the program a moment, and ends it with all that it started.
func (l *lines) Close() error {
	_ = l.stdin.Close()
	timer := time.NewTimer(maxExit)
	defer timer.Stop()
	select {
	case <-l.read:
	case <-timer.C:
	}
	killGroup(l.cmd)
	<-l.read
	_ = l.cmd.Wait()
	return nil
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

// with adds the last words to an error; nil stays nil.
func (t *tail) with(err error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	words := strings.TrimSpace(string(t.kept))
	if err == nil || words == "" {
		return err
	}
	if at := strings.LastIndexByte(words, '\n'); at >= 0 {
		words = words[at+1:]
	}
	return fmt.Errorf("%w; its last words on stderr: %q", err, short(words))
}

// bounded keeps so many bytes and notes whether there were more.
type bounded struct {
	kept bytes.Buffer
	most int
	more bool
}

func (b *bounded) Write(p []byte) (int, error) {
	n := min(len(p), b.most-b.kept.Len())
	b.kept.Write(p[:n])
	b.more = b.more || n < len(p)
	return len(p), nil
}
