package remote

import (
	"sync"
	"time"
)

// drift is how fast two clocks may part: computers' are off by less than 100 parts in a million, and a clock that is being set
// right is slewed by up to 500 (adjtimex(2)).
const drift = 500e-6

const maxSamples = 32

// offset is how far the stub's clock is ahead of ours, as bounds that causality gives: it was no earlier there than when our
// call left, and no later than when the answer came.
type offset struct{ low, high time.Duration }

func (o offset) valid() bool { return o.low <= o.high }

func (o offset) with(p offset) offset { return offset{max(o.low, p.low), min(o.high, p.high)} }

// timeline turns the stub's times into ours. Its own times are since its start, so that it has no part in clocks that are set.
type timeline struct {
	begun time.Time

	mu      sync.Mutex
	samples []sample
}

type sample struct {
	offset
	at time.Duration // since begun
}

func newTimeline() *timeline { return &timeline{begun: time.Now()} }

// note takes a call whose request left and whose answer came at these times. It reports whether that can be: a stub that
// answers before it was asked is none.
func (t *timeline) note(left, came time.Time, stub clock) bool {
	s := sample{offset{time.Duration(stub.Left) - came.Sub(t.begun), time.Duration(stub.Came) - left.Sub(t.begun)}, came.Sub(t.begun)}
	if stub.Came <= 0 || stub.Left < stub.Came || !s.valid() {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.samples) == maxSamples {
		t.samples = append(t.samples[:0], t.samples[1:]...)
	}
	t.samples = append(t.samples, s)
	return true
}

// now is the offset as well as all calls together tell it. Where they contradict each other a clock was set after all, and
// only the last call counts.
func (t *timeline) now() offset {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := time.Since(t.begun)
	all := offset{-1 << 62, 1 << 62}
	for _, s := range t.samples {
		wider := time.Duration(float64(at-s.at) * drift)
		all = all.with(offset{s.low - wider, s.high + wider})
	}
	if !all.valid() {
		t.samples = append(t.samples[:0], t.samples[len(t.samples)-1])
		return t.samples[0].offset
	}
	return all
}

// slack is how far a time that ours gives may be off, either way.
func (o offset) slack() time.Duration { return (o.high - o.low + 1) / 2 }

// ours is a time of the stub's, zero for none.
func (t *timeline) ours(o offset, stub int64) time.Time {
	if stub == 0 {
		return time.Time{}
	}
	return t.begun.Add(time.Duration(stub) - o.low - (o.high-o.low)/2)
}
