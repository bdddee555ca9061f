package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/report"
	"github.com/preservecheck/preservecheck/stub"
)

// arrivals is a stub's book that also tells a person what arrives, in the order in which it was answered.
type arrivals struct {
	stub.Book

	mu      sync.Mutex
	waiting map[string]ledger.Hit // for their answer, by id
	order   []string              // of those
	done    []ledger.Hit
	missed  int  // that were answered while nobody read the lines
	over    bool // nobody looks any more
}

func newArrivals(b stub.Book) *arrivals {
	return &arrivals{Book: b, waiting: map[string]ledger.Hit{}}
}

// Arrived keeps a hit until it is answered.
func (a *arrivals) Arrived(h ledger.Hit, p ledger.Parts) (ledger.Tag, []ledger.Channel) {
	h.Tag, h.Channels = a.Book.Arrived(h, p)
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.over {
		a.waiting[h.ID] = h
		a.order = append(a.order, h.ID)
	}
	return h.Tag, h.Channels
}

// Note adds words to it.
func (a *arrivals) Note(id, note string) {
	a.Book.Note(id, note)
	a.mu.Lock()
	defer a.mu.Unlock()
	if h, ok := a.waiting[id]; ok {
		h.Note = note
		a.waiting[id] = h
	}
}

// Served takes it as answered.
func (a *arrivals) Served(id string, s ledger.Served) {
	a.Book.Served(id, s)
	a.mu.Lock()
	defer a.mu.Unlock()
	h, ok := a.waiting[id]
	if !ok {
		return
	}
	h.Served = s
	a.finish(id, h)
}

func (a *arrivals) finish(id string, h ledger.Hit) {
	delete(a.waiting, id)
	for i, other := range a.order {
		if other == id {
			a.order = append(a.order[:i], a.order[i+1:]...)
			break
		}
	}
	if len(a.done) == maxShown {
		a.missed++
		return
	}
	a.done = append(a.done, h)
}

// maxShown is how many hits wait to be shown: who sends many while the output is not read must not fill the memory.
const maxShown = 10_000

// lost returns how many were not kept since the last time.
func (a *arrivals) lost() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := a.missed
	a.missed = 0
	return n
}

// take returns what was answered since the last time, and at the end also what was not.
func (a *arrivals) take(last bool) []ledger.Hit {
	a.mu.Lock()
	defer a.mu.Unlock()
	for last && len(a.order) > 0 {
		a.finish(a.order[0], a.waiting[a.order[0]])
	}
	done := a.done
	a.done, a.over = nil, a.over || last
	return done
}

// followEvery is how often new hits are looked for; a person reads along.
const followEvery = 100 * time.Millisecond

// follow prints a line for each hit until the context ends; then for what is left.
func follow(ctx context.Context, w io.Writer, hits func(last bool) []ledger.Hit) error {
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for last := false; ; {
		for _, h := range hits(last) {
			if _, err := fmt.Fprintln(w, hitLine(h)); err != nil {
				return err
			}
		}
		if last {
			return nil
		}
		select {
		case <-ctx.Done():
			last = true
		case <-tick.C:
		}
	}
}

// redacted writes whole lines to the output, without secrets.
type redacted struct{ a *app }

func (r redacted) Write(b []byte) (int, error) {
	if _, err := io.WriteString(r.a.out, r.a.hide(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// hitLine is one request as a line. Nothing of it is trusted.
func hitLine(h ledger.Hit) string {
	got := h.Served.Fixture
	switch {
	case got != "":
	case h.Served.AnswerAt.IsZero():
		got = "not answered yet"
	case h.Note != "":
		got = "no fixture: " + h.Note
	default: // the list of models, or its greeting
		got = "an answer of the stub's own"
	}
	line := fmt.Sprintf("%s %s %s %d %s", h.At.Format(time.TimeOnly), h.Method, h.Path, h.Served.Status, got)
	if len(h.Channels) > 0 {
		line += " (" + strings.Join(texts(h.Channels), ", ") + ")"
	}
	if h.Agent != "" {
		line += " from " + h.Agent
	}
	return report.Plain(line)
}
