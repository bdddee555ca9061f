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
	// drawEvery is how often the line is drawn anew while nothing happens: a row that hangs has to be seen hanging.
	drawEvery = 500 * time.Millisecond
	// waitingAfter is how long a wait for the layer stays unsaid where there is no line that goes away.
	waitingAfter = 3 * time.Second
	// waitingPhase is the name of that wait in check.Progress.
	waitingPhase = "waiting for the layer"
	// wayPhase is the name of the wait for a public way to the stub, which comes before it.
	wayPhase = "waiting for the way to the stub"
	// unknownColumns is the width of a terminal that does not say it.
	unknownColumns = 80
)

// progress is one line on a terminal that says how far a run is, and goes away with it. Elsewhere only a long wait is
// said, once.
type progress struct {
	mu       sync.Mutex
	w        io.Writer
	terminal bool
	columns  func() int // of the terminal now, 0: not known
	from     time.Time
	ready    time.Duration            // the longest wait for the layer
	way      time.Duration            // the longest wait for the way to the stub
	reason   func() string            // what the layer said last
	note     func(string, ...any)     // prints a line that stays
	hide     func(text string) string // removes secrets
	last     check.Progress
	since    time.Time // when the phase of last began
	begun    int       // how many were done then
	shown    bool
	wayTold  bool // that the way is waited for, where no line goes away
	closed   bool
	ended    chan struct{} // closed by clear
	drawn    sync.WaitGroup
}

func newProgress(a *app, p *plan) *progress {
	bar := &progress{
		w: a.err, terminal: a.redrawable(), columns: func() int { return columns(a.err) }, from: time.Now(),
		ready: p.flags.readyTimeout, way: p.flags.readyTimeout, reason: p.watch.reason, note: a.note, hide: p.hide, ended: make(chan struct{}),
	}
	if bar.terminal {
		bar.drawn.Go(bar.keepDrawing)
	}
	return bar
}

// redrawable reports whether a person watches stderr on something that can take a line away again. A CI system that gives
// its jobs a terminal keeps a log all the same; it says so by CI, which GitHub, GitLab and others set to "true".
func (a *app) redrawable() bool {
	if ci := a.env.get("CI"); ci != "" && ci != "false" && ci != "0" {
		return false
	}
	return isTerminal(a.err) && a.env.get("TERM") != "dumb"
}

// keepDrawing draws the line anew until clear.
func (p *progress) keepDrawing() {
	tick := time.NewTicker(drawEvery)
	defer tick.Stop()
	for {
		select {
		case <-p.ended:
			return
		case <-tick.C:
			p.mu.Lock()
			if p.last.Phase != "" {
				p.draw(time.Now())
			}
			p.mu.Unlock()
		}
	}
}

func (p *progress) show(at check.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if at.Phase != p.last.Phase {
		p.since, p.begun = now, max(0, at.Done-1)
	}
	if at.Phase == p.last.Phase && at.Done < p.last.Done { // requests side by side tell of their end in any order
		at.Done, at.Failed = p.last.Done, max(at.Failed, p.last.Failed)
	}
	p.last = at
	switch since := now.Sub(p.from); {
	case p.closed:
	case p.terminal:
		p.draw(now)
	case at.Phase == wayPhase && !p.wayTold: // what a person has to mend is said at once
		p.wayTold = true
		p.note("%s", p.waiting(at, since, 0))
	case at.Phase == waitingPhase && since > waitingAfter && !p.shown:
		p.shown = true
		p.note("%s", p.waiting(at, since, 0))
	}
}

// draw writes the line over the one before, once the run is old enough.
func (p *progress) draw(now time.Time) {
	since := now.Sub(p.from)
	if p.closed || since <= progressAfter {
		return
	}
	p.shown = true
	width := p.columns()
	if width == 0 {
		width = unknownColumns
	}
	fmt.Fprintf(p.w, "\r\x1b[K%s", report.Short(p.line(p.last, now, width), width-1)) // a line that breaks can't be taken away again
}

// line tells of what has the least room last, since its end is what a narrow terminal cuts.
func (p *progress) line(at check.Progress, now time.Time, width int) string {
	if waits(at.Phase) {
		return p.waiting(at, now.Sub(p.from), width)
	}
	line := at.Phase
	if at.Total > 0 {
		line += fmt.Sprintf(" %d/%d", at.Done, at.Total)
	}
	if at.Failed > 0 {
		line += fmt.Sprintf(", %d failed", at.Failed)
	}
	line += p.left(at, now)
	if room := width - 1 - len(line) - len(", "); at.Row != "" && room >= len("row") {
		line += ", " + report.Short(at.Row, room)
	}
	return line
}

// left estimates the time that the phase goes on, by what it took so far; "" before there is anything to go by.
func (p *progress) left(at check.Progress, now time.Time) string {
	done, took := at.Done-p.begun, now.Sub(p.since)
	if at.Total <= at.Done || done < 1 || took < progressAfter/2 {
		return ""
	}
	return remains(max(time.Second, time.Duration(float64(took)/float64(done)*float64(at.Total-at.Done))))
}

// remains says how long something goes on.
func remains(left time.Duration) string {
	if left < 2*time.Minute {
		return fmt.Sprintf(", %.0f s left", left.Seconds())
	}
	return fmt.Sprintf(", %.0f min left", left.Minutes())
}

// waiting says what came back last, how long the wait goes on at most, and how to end it. On a terminal of so many columns
// the reason is cut to what room there is; 0 is as much as it takes.
func (p *progress) waiting(at check.Progress, since time.Duration, width int) string {
	const label, least = "waiting: ", 20
	reason, limit := p.hide(p.reason()), p.ready
	if at.Phase == wayPhase {
		reason, limit = "no way to the stub yet: "+at.Why, p.way
	}
	left := remains(max(0, limit-since))
	end := left + "; Ctrl-C ends it"
	if width == 0 {
		return label + reason + end
	}
	room := width - 1 - len(label)
	if room-len(end) < least {
		end = left
	}
	return label + report.Short(reason, max(0, room-len(end))) + end
}

// waits reports whether a phase is a wait for what a person sets up.
func waits(phase string) bool { return phase == waitingPhase || phase == wayPhase }

// restart begins to count, once a person has said to go on.
func (p *progress) restart() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.from = time.Now()
}

// clear takes the line away for good.
func (p *progress) clear() {
	p.mu.Lock()
	if !p.closed {
		p.closed = true
		close(p.ended)
		if p.terminal && p.shown {
			fmt.Fprint(p.w, "\r\x1b[K")
		}
	}
	p.mu.Unlock()
	p.drawn.Wait()
}

// isTerminal reports whether what is written there is read by a person at once, on something that obeys escape sequences.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && escapes(f)
}
