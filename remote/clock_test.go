package remote

import (
	"testing"
	"time"
)

// TestTimeline: whatever the ways take, the true offset lies within the bounds, and the best of several calls counts.
func TestTimeline(t *testing.T) {
	const ms = time.Millisecond
	line := newTimeline()
	const ahead = 5 * time.Second
	call := func(left, there, back time.Duration) bool {
		at := left + there
		return line.note(line.begun.Add(left), line.begun.Add(at+back), clock{int64(at + ahead), int64(at + ahead)})
	}
	for _, c := range []struct {
		why               string
		left, there, back time.Duration
		low, high         time.Duration // of what is known of the offset
	}{
		{"one call", 0, 20 * ms, 10 * ms, -10 * ms, 20 * ms},
		{"a better way back", 0, 50 * ms, 3 * ms, -3 * ms, 20 * ms},
		{"a worse one tells nothing", 0, 90 * ms, 90 * ms, -3 * ms, 20 * ms},
		{"a better way there", 0, 1 * ms, 9 * ms, -3 * ms, 1 * ms},
	} {
		if !call(c.left, c.there, c.back) {
			t.Fatal(c.why)
		}
		const aged = ms / 4
		if got := line.known; got.low < ahead+c.low-aged || got.low > ahead+c.low || got.high > ahead+c.high+aged || got.high < ahead+c.high {
			t.Errorf("%s: %v to %v, want %v to %v", c.why, got.low-ahead, got.high-ahead, c.low, c.high)
		}
	}
	was := line.known.slack()
	if later := line.known.after(10 * time.Second).slack(); later-was < 4*ms || later-was > 6*ms {
		t.Errorf("clocks part: %v after %v", later, was)
	}
	if got := line.ours(offset{ahead - ms, ahead + ms}, int64(ahead+40*ms)); !got.Equal(line.begun.Add(40 * ms)) {
		t.Errorf("%v", got.Sub(line.begun))
	}
	if !line.ours(offset{}, 0).IsZero() {
		t.Error("no time is none")
	}
	for why, at := range map[string]clock{"no time": {}, "it went backwards": {10, 9}, "an answer before the call": {1, int64(time.Hour)}, "an age": {1, 1 << 62}} {
		if line.note(line.begun.Add(time.Second), line.begun.Add(time.Second+ms), at) {
			t.Error(why, "is taken")
		}
	}
	jump := clock{int64(time.Hour), int64(time.Hour)}
	if !line.note(line.begun.Add(time.Second), line.begun.Add(time.Second+ms), jump) || line.known != (offset{time.Hour - time.Second - ms, time.Hour - time.Second}) {
		t.Errorf("a clock that was set counts from then: %v", line.known)
	}
}
