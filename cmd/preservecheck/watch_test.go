package main

import (
	"context"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/wire"
)

// scripted answers one after the other.
type scripted []*wire.Answer

func (s *scripted) Do(context.Context, wire.Request) *wire.Answer {
	a := (*s)[0]
	*s = (*s)[1:]
	return a
}

// TestWatchKeepsWhatTellsMost: the last request of a wait is cut off by the end of the wait, at whatever point a loaded
// machine has reached. The advice must not depend on that.
func TestWatchKeepsWhatTellsMost(t *testing.T) {
	refused, late := &wire.Answer{End: wire.EndRefused}, &wire.Answer{End: wire.EndTimeout}
	over, cancel := context.WithTimeoutCause(t.Context(), time.Nanosecond, check.ErrReadyTimeout)
	defer cancel()
	<-over.Done()
	for _, c := range []struct {
		why  string
		last context.Context
		want *wire.Answer
	}{
		{"cut off by the end of the wait", over, refused},
		{"its own time was over: the layer is silent now", t.Context(), late},
	} {
		w := new(watch)
		way := w.over(&scripted{refused, late})
		way.Do(t.Context(), wire.Request{})
		way.Do(c.last, wire.Request{})
		if w.answer() != c.want {
			t.Errorf("%s: it keeps %s", c.why, w.answer().End)
		}
	}
	w := new(watch)
	w.over(&scripted{late}).Do(over, wire.Request{})
	if w.answer() != late {
		t.Error("the only answer is kept, however it ended")
	}
}
