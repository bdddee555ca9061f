package stub

import (
	"math"
	"time"
)

// bucket is a token bucket: so many a second, and no more than its depth at once. The zero value is full. It has no lock of its own.
type bucket struct {
	spent float64 // tokens below the depth
	at    time.Time
}

// take takes a token, or as much of one as will be there after a wait that is short enough; wait is then how long that takes. Nothing is
// taken when it would take longer.
func (b *bucket) take(now time.Time, perSecond, depth float64, patience time.Duration) (wait time.Duration, ok bool) {
	if passed := now.Sub(b.at); !b.at.IsZero() && passed > 0 {
		b.spent = math.Max(0, b.spent-passed.Seconds()*perSecond)
	}
	if b.at.Before(now) {
		b.at = now
	}
	if missing := b.spent + 1 - depth; missing > 0 {
		wait = time.Duration(missing / perSecond * float64(time.Second))
	}
	if wait > patience {
		return wait, false
	}
	b.spent++
	return wait, true
}

// giveBack undoes a take.
func (b *bucket) giveBack() { b.spent = math.Max(0, b.spent-1) }
