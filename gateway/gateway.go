// Package gateway starts a layer and ends it, together with all that it started.
//
// The layer is a child of a supervisor, which is this program under a hidden command. The supervisor ends its family when
// the pipe to us closes, which the kernel does for us however we end. It is no service manager: it starts one program for
// one run, and never a second time. It knows no layer by name, reads no environment and prints nothing.
package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// Options say what to start. All of it is used as it is; there is no shell.
type Options struct {
	Supervisor []string      // command that runs Supervise
	Command    []string      // the program, as a path, and its arguments
	Env        []string      // all that the program gets
	Dir        string        // its working directory
	Log        string        // file for what it prints; a second one, with .1 behind its name, may come into being
	LogLimit   int64         // bytes of each of the two; 0 is 1 MiB
	Grace      time.Duration // between asking it to end and killing it
	URLs       bool          // tell of the https URLs in what it prints; see Gateway.URLs
	Scrap      string        // folder that is removed when we end without Stop, which is who else would; "" is none
}

// order is what the supervisor is told.
type order struct {
	Command, Env []string
	Dir, Log     string
	LogLimit     int64
	GraceMS      int64
	Scrap        string
	URLs         bool
}

// farewell follows an order when Stop is called. Without it, we were killed.
type farewell struct {
	Stop bool `json:"stop"`
}

// report is one line of what the supervisor says: one of these.
type report struct {
	Started int    `json:"started,omitempty"` // process id
	Refused string `json:"refused,omitempty"` // why nothing was started
	URL     string `json:"url,omitempty"`     // that the program printed
	Ended   string `json:"ended,omitempty"`   // how the program ended by itself
	Done    bool   `json:"done,omitempty"`    // nothing is left, or Left says what
	Left    string `json:"left,omitempty"`    // what could not be ended
}

// Gateway is a layer that was started.
type Gateway struct {
	pid   int
	grace time.Duration
	in    io.WriteCloser
	cmd   *exec.Cmd
	urls  chan string
	ended chan struct{} // closed when how is written
	over  chan struct{} // closed when the supervisor has said its last word
	how   string
	last  report
}

// ErrUnsupported says that this system offers no sound way to end all that a layer started.
var ErrUnsupported = errors.New("a layer can't be started on this system, because ending it would leave what it started")

// Supported reports whether layers can be started on this system; if not, Start says ErrUnsupported.
func Supported() bool { return supported }

// Start starts a layer. An error means that nothing runs.
func Start(o Options) (*Gateway, error) {
	if !supported {
		return nil, ErrUnsupported
	}
	if o.LogLimit <= 0 {
		o.LogLimit = 1 << 20
	}
	cmd := exec.Command(o.Supervisor[0], o.Supervisor[1:]...)
	cmd.Env, cmd.Dir = o.Env, o.Dir
	apart(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("the supervisor: %w", err)
	}
	g := &Gateway{grace: o.Grace, in: in, cmd: cmd, urls: make(chan string, maxURLs), ended: make(chan struct{}), over: make(chan struct{})}
	said := json.NewDecoder(out)
	var first report
	err = json.NewEncoder(in).Encode(order{o.Command, o.Env, o.Dir, o.Log, o.LogLimit, o.Grace.Milliseconds(), o.Scrap, o.URLs})
	if err == nil {
		err = said.Decode(&first)
	}
	if err == nil && first.Started == 0 {
		err = errors.New(first.Refused)
	}
	if err != nil {
		_ = in.Close()
		_ = cmd.Wait()
		return nil, err
	}
	g.pid = first.Started
	go g.listen(said)
	return g, nil
}

// listen hears the supervisor until it ends.
func (g *Gateway) listen(said *json.Decoder) {
	defer close(g.over)
	told := false
	for {
		var r report
		if err := said.Decode(&r); err != nil {
			r = report{Ended: "its supervisor ended"}
		}
		switch {
		case r.URL != "":
			select {
			case g.urls <- r.URL:
			default: // the supervisor tells of no more than there is room for
			}
		case r.Done:
			g.last = r
			return
		case r.Ended != "" && !told:
			g.how, told = r.Ended, true
			close(g.ended)
		}
		if r.Ended == "its supervisor ended" {
			return
		}
	}
}

// PID is the process that was started. It may have ended since.
func (g *Gateway) PID() int { return g.pid }

// URLs gives the https URLs that the program prints, each once, up to 64 of them. It is never closed.
func (g *Gateway) URLs() <-chan string { return g.urls }

// Ended is closed once the layer has ended by itself.
func (g *Gateway) Ended() <-chan struct{} { return g.ended }

// How says how the layer ended by itself; "" while it runs.
func (g *Gateway) How() string {
	select {
	case <-g.ended:
		return g.how
	default:
		return ""
	}
}

// EndedError says that the layer ended by itself.
type EndedError struct{ How string }

func (e *EndedError) Error() string { return "it ended by itself: " + e.How }

// Ready asks a question until there is no error, and gives up when the layer ends or the context does. The error is then
// an *EndedError, or the last answer.
func (g *Gateway) Ready(ctx context.Context, ask func(context.Context) error) error {
	const first, most = 10 * time.Millisecond, 200 * time.Millisecond
	for pause := first; ; pause = min(2*pause, most) {
		err := ask(ctx)
		if how := g.How(); how != "" {
			return &EndedError{how}
		}
		if err == nil {
			return nil
		}
		select {
		case <-g.ended:
			return &EndedError{g.how}
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

// afterKill bounds the wait for what was killed: a process in the middle of a system call dies when that returns.
const afterKill = 5 * time.Second

// Stop ends the layer and all that it started, and waits for that. An error names what may still run.
func (g *Gateway) Stop() error {
	_ = json.NewEncoder(g.in).Encode(farewell{Stop: true})
	_ = g.in.Close()
	select {
	case <-g.over:
	case <-time.After(g.grace + 2*afterKill):
		return fmt.Errorf("the supervisor (process %d) does not end", g.cmd.Process.Pid)
	}
	_ = g.cmd.Wait()
	switch {
	case !g.last.Done:
		return errors.New("the supervisor ended before its work was done; the layer may still run")
	case g.last.Left != "":
		return errors.New("what the layer started could not be ended: " + g.last.Left)
	}
	return nil
}
