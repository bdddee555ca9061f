package remote

import (
	"sync"
	"time"
)

// drift is how fast two clocks may part: computers' are off by less than 100 parts in a million, and a clock that is being set
// right is slewed by up to 500 (adjtimex(2), read 2026-11-30).
const drift = 500e-6

// offset is how far the stub's clock is ahead of ours, as bounds that causality gives: it was no earlier there than when our
// call left, and no later than when the answer came.
type offset struct{ low, high time.Duration }

func (o offset) valid() bool { return o.low <= o.high }

func (o offset) with(p offset) offset { return offset{max(o.low, p.low), min(o.high, p.high)} }

// after is what is still known of an offset so much later.
func (o offset) after(d time.Duration) offset {
	wider := time.Duration(float64(d) * drift)
	return offset{o.low - wider, o.high + wider}
}

// slack is how far a time that ours gives may be off, either way.
func (o offset) slack() time.Duration { return (o.high - o.low + 1) / 2 }

// timeline turns the stub's times into ours. Its own times are since its start, so that it has no part in clocks that are set.
type timeline struct {
	begun time.Time

	mu    sync.Mutex
	known offset // as well as all calls so far together tell it
	at    time.Duration
	any   bool
}

func newTimeline() *timeline { return &timeline{begun: time.Now()} }

// note takes a call whose request left and whose answer came at these times. It reports whether that can be: a stub that
// answers before it was asked is none.
func (t *timeline) note(left, came time.Time, stub clock) bool {
	at := came.Sub(t.begun)
	o := offset{time.Duration(stub.Left) - at, time.Duration(stub.Came) - left.Sub(t.begun)}
	if stub.Came <= 0 || stub.Left < stub.Came || stub.Left > int64(maxUptime) || !o.valid() {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	both := t.known.after(max(0, at-t.at)).with(o.after(max(0, t.at-at)))
	if !t.any || !both.valid() { // a clock was set after all: only the last call counts
		both = o
	}
	t.known, t.at, t.any = both, max(t.at, at), true
	return true
}

// witness takes an answer of the stub's that is known to have come from a hit: a way without net/http at its ends, so that it
// tells more than a call.
func (t *timeline) witness(sent, first time.Time, at, answered int64) {
	if at > 0 && answered >= at {
		t.note(sent, first, clock{at, answered})
	}
}

// now is the offset as it is known now.
func (t *timeline) now() offset {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.known.after(max(0, time.Since(t.begun)-t.at))
}

// ours is a time of the stub's, zero for none.
func (t *timeline) ours(o offset, stub int64) time.Time {
	if stub == 0 {
		return time.Time{}
	}
	return t.begun.Add(time.Duration(stub) - o.low - (o.high-o.low)/2)
}
