package main

import (
	"context"
	"errors"
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
	w.on.mu.Lock()
	defer w.on.mu.Unlock()
	if a.End != wire.EndCanceled && (w.on.last == nil || !givenUp(ctx, a)) {
		w.on.last = a
	}
	return a
}

// givenUp: the time to become ready was over while this was under way, so the answer before it says more.
func givenUp(ctx context.Context, a *wire.Answer) bool {
	return a.End == wire.EndTimeout && errors.Is(context.Cause(ctx), check.ErrReadyTimeout)
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
