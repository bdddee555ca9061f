package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/ledger"
)

// askEvery is the longest pause between two requests through a layer that a person is setting up.
const askEvery = 5 * time.Second

// await lets a person set the layer up: until Enter where one sits at the terminal, or else, with --wait-for-gateway, as long as the stub may be
// public. What arrives meanwhile is shown.
func (a *app) await(ctx context.Context, p *plan, s *source, c *check.Config, bar *progress) (stop func(), err error) {
	if p.open.way == wayLocal {
		return func() {}, nil
	}
	c.WayTimeout = c.ReadyTimeout // --wait-for-gateway is about what comes after it
	stop = func() {}
	if s.arrivals != nil {
		stop = a.showArrivals(ctx, s, c, bar)
	}
	if p.flags.wait {
		c.Patient = askEvery
		c.ReadyTimeout = min(max(c.ReadyTimeout, p.flags.open.maxDuration-p.flags.deadline), p.flags.open.maxDuration)
		c.Deadline = p.flags.open.maxDuration
		bar.ready = c.ReadyTimeout
		a.note("waiting: a request goes through the layer every few seconds, until one reaches the stub; Ctrl-C ends it")
		return stop, nil
	}
	if most := p.flags.open.maxDuration; most < c.Deadline {
		c.Deadline = most
		a.note("note: the run ends after %s (--max-duration)", most)
	}
	if !a.attended() {
		return stop, nil
	}
	a.note("next: register it in the gateway's console, then press Enter (--wait-for-gateway goes on by itself)")
	limit, cancel := context.WithTimeout(ctx, p.flags.open.maxDuration)
	defer cancel()
	select {
	case <-lineFrom(a.in):
	case <-limit.Done():
		stop()
		if ctx.Err() != nil {
			return nil, a.interrupted()
		}
		return nil, usage("", "nothing was tested: nobody pressed Enter in %s", p.flags.open.maxDuration)
	}
	bar.restart()
	return stop, nil
}

// attended reports whether a person sits there who can press Enter.
func (a *app) attended() bool {
	in, ok := a.in.(*os.File)
	return ok && term.IsTerminal(int(in.Fd())) && isTerminal(a.err)
}

// lineFrom is closed once a line was read, or nothing more can be.
func lineFrom(r io.Reader) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = bufio.NewReader(r).ReadString('\n')
	}()
	return done
}

// withoutSecret tells how many were turned away.
const withoutSecret = "without the secret: %d, answered by a bare 404"

// showArrivals prints what reaches the stub, and how many are turned away, until it is stopped.
func (a *app) showArrivals(ctx context.Context, s *source, c *check.Config, bar *progress) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	own := ownTags{}
	c.OwnTag = own.note
	ended := make(chan struct{})
	var strangers int64
	go func() {
		defer close(ended)
		out := &above{bar: bar}
		defer out.more()
		_ = follow(ctx, out, func(last bool) []ledger.Hit { // an error: stderr is gone, and nobody to tell
			if n := s.strangers(); n > strangers {
				fmt.Fprintf(out, "%s "+withoutSecret, time.Now().Format(time.TimeOnly), n-strangers)
				strangers = n
			}
			return slices.DeleteFunc(s.arrivals(last), own.has)
		})
	}()
	return func() {
		cancel()
		<-ended
	}
}

// ownTags are the nonces of requests by which we try the way to the stub ourselves. Shown among the arrivals, they would pass for the gateway's.
type ownTags struct {
	mu     sync.Mutex
	nonces map[string]bool
}

func (o *ownTags) note(nonce string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.nonces == nil {
		o.nonces = map[string]bool{}
	}
	o.nonces[nonce] = true
}

func (o *ownTags) has(h ledger.Hit) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.nonces[h.Tag.Nonce]
}

// above writes whole lines above the line of progress. The same thing again is counted, since a gateway that is not set up yet makes it happen
// every few seconds.
type above struct {
	bar   *progress
	kinds map[string]int // how often each came, by the line without its time
	again int            // of those that were not told
}

// mostKinds bounds what is remembered of lines; beyond it all are printed.
const mostKinds = 1000

func (l *above) Write(b []byte) (int, error) {
	line := strings.TrimRight(string(b), "\n")
	_, kind, _ := strings.Cut(line, " ")
	if l.kinds == nil {
		l.kinds = map[string]int{}
	}
	if l.kinds[kind] > 0 || len(l.kinds) < mostKinds {
		l.kinds[kind]++
	}
	if n := l.kinds[kind]; n > alikeShown && n%alikeThen != 0 {
		l.again++
		return len(b), nil
	}
	l.more()
	l.bar.say("arrived: %s", line)
	return len(b), nil
}

// How many lines that differ in their time alone are printed, and then one of how many.
const (
	alikeShown = 3
	alikeThen  = 10
)

// more says how many were not told.
func (l *above) more() {
	if l.again > 0 {
		l.bar.say("arrived: %d more like those above", l.again)
	}
	l.again = 0
}

// say prints a line that stays, above the one that goes away.
func (p *progress) say(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.terminal && p.shown && !p.closed {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
	p.note(format, args...)
}
