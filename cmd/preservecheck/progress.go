package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/report"
)

const (
	// progressAfter is how long a run stays silent: most are over before anybody could read a line.
	progressAfter = time.Second
	// waitingAfter is how long a wait for the layer stays unsaid where there is no line that goes away.
	waitingAfter = 3 * time.Second
	// waitingPhase is the name of that wait in check.Progress.
	waitingPhase = "waiting for the layer"
)

// progress is one line on a terminal that says how far a run is, and goes away with it. Elsewhere only a long wait is
// said, once.
type progress struct {
	mu       sync.Mutex
	w        io.Writer
	terminal bool
	columns  int // 0: not known
	from     time.Time
	ready    time.Duration            // the longest wait for the layer
	reason   func() string            // what the layer said last
	note     func(string, ...any)     // prints a line that stays
	hide     func(text string) string // removes secrets
	shown    bool
	closed   bool
}

func newProgress(a *app, p *plan) *progress {
	return &progress{
		w: a.err, terminal: isTerminal(a.err), columns: columns(a.err), from: time.Now(),
		ready: p.flags.readyTimeout, reason: p.watch.reason, note: a.note, hide: p.hide,
	}
}

func (p *progress) show(at check.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	since := time.Since(p.from)
	switch {
	case p.closed:
	case !p.terminal && at.Phase == waitingPhase && since > waitingAfter && !p.shown:
		p.shown = true
		p.note("%s", p.waiting(since))
	case p.terminal && since > progressAfter:
		p.shown = true
		line := p.line(at, since)
		if p.columns > 0 { // a line that breaks can't be taken away again
			line = report.Short(line, p.columns-1)
		}
		fmt.Fprintf(p.w, "\r\x1b[K%s", report.Plain(line))
	}
}

func (p *progress) line(at check.Progress, since time.Duration) string {
	if at.Phase == waitingPhase {
		return p.waiting(since)
	}
	line := at.Phase
	if at.Total > 0 {
		line += fmt.Sprintf(" %d/%d", at.Done, at.Total)
	}
	if at.Failed > 0 {
		line += fmt.Sprintf(", %d failed", at.Failed)
	}
	if at.Row != "" {
		line += ", " + at.Row
	}
	return line
}

// waiting says what came back last, how long the wait goes on at most, and how to end it. The reason is cut to what a
// terminal has room for.
func (p *progress) waiting(since time.Duration) string {
	end := fmt.Sprintf(", %.0f s left; Ctrl-C ends it", max(0, p.ready-since).Seconds())
	reason := p.hide(p.reason())
	if p.terminal && p.columns > 0 {
		reason = report.Short(reason, max(20, p.columns-1-len("waiting: ")-len(end)))
	}
	return "waiting: " + reason + end
}

// clear takes the line away for good.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	if p.terminal && p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

// isTerminal reports whether what is written there is read by a person at once.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
