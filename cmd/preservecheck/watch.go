package main

import (
	"context"
	"fmt"
	"sync"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/wire"
)

// watch keeps the last answer of the layer, so that whoever waits can be told what for.
type watch struct {
	mu   sync.Mutex
	last *wire.Answer
}

// over returns the way with the watch on it.
func (w *watch) over(way check.Way) check.Way { return watched{way, w} }

type watched struct {
	way check.Way
	on  *watch
}

func (w watched) Do(ctx context.Context, r wire.Request) *wire.Answer {
	a := w.way.Do(ctx, r)
	if a.End != wire.EndCanceled {
		w.on.mu.Lock()
		w.on.last = a
		w.on.mu.Unlock()
	}
	return a
}

// answer is nil before the first.
func (w *watch) answer() *wire.Answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.last
}

// reason says in a few words what came back last.
func (w *watch) reason() string {
	switch a := w.answer(); {
	case a == nil:
		return "no answer yet"
	case a.Status == 0 && a.Err != "":
		return a.Err
	case a.Status == 0:
		return "no usable answer"
	default:
		return fmt.Sprintf("it answers %d", a.Status)
	}
}
