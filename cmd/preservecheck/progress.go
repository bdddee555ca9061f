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

// progressAfter is how long a run stays silent: most are over before anybody could read a line.
const progressAfter = time.Second

// progress is one line on a terminal that says how far a run is, and goes away with it.
type progress struct {
	mu     sync.Mutex
	w      io.Writer
	from   time.Time
	shown  bool
	closed bool
}

// newProgress returns nil unless stderr is a terminal; a nil progress shows nothing.
func newProgress(w io.Writer) *progress {
	if !isTerminal(w) {
		return nil
	}
	return &progress{w: w, from: time.Now()}
}

func (p *progress) show(at check.Progress) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || time.Since(p.from) < progressAfter {
		return
	}
	p.shown = true
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
	fmt.Fprintf(p.w, "\r\x1b[K%s", report.Plain(line))
}

// clear takes the line away for good.
func (p *progress) clear() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

// isTerminal reports whether what is written there is read by a person at once.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
