package attempts

import (
	"context"
	"fmt"
	"time"

	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/wire"
)

// Bounds of waiting for a layer.
const (
	firstBackoff = 50 * time.Millisecond
	lastBackoff  = time.Second
	maxCanaries  = 20
)

// Ready sends successes through a way, with no client between, until one comes back with a hit of its own. It returns why none
// did, "" once the way is open. Before that no job is worth anything: whatever a client then said would be about the way.
func (c *Config) Ready(ctx context.Context, s *Sdkless, w Way, canary *fixture.Fixture, within time.Duration) string {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	wait, why := firstBackoff, ""
	for sent := 0; sent < maxCanaries; sent++ {
		if c.Gone != nil {
			if gone := c.Gone(); gone != "" {
				return gone
			}
		}
		now, over := c.canary(ctx, s, w, canary)
		if over {
			return now
		}
		if why == "" || ctx.Err() == nil {
			why = now
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return why
		}
		wait = min(2*wait, lastBackoff)
	}
	return why
}

// canary sends one. It is over with them when one came through, and when one was answered as a success that the stub knows
// nothing of: that may be a real provider, who gets no second.
func (c *Config) canary(ctx context.Context, s *Sdkless, w Way, f *fixture.Fixture) (why string, over bool) {
	tag := c.tag(f.Name)
	ask := wire.Ask{Model: w.Model, Header: s.Header}
	ledger.Channels{}.Mark(&ask, tag, []ledger.Channel{ledger.Marker, ledger.Model})
	a := s.Wire.Do(ctx, s.Dialect.Request(s.Wire.Base.Path, ask))
	hits := c.Hits.Of(tag.Nonce)
	switch {
	case a.Status >= 200 && a.Status <= 299 && a.End.Orderly() && len(hits) > 0:
		return "", true
	case len(hits) > 0 && hits[0].Served.Fixture == "":
		return "the stub was reached and served nothing: " + hits[0].Note, false
	case len(hits) > 0:
		return fmt.Sprintf("the stub was reached and answered a success, but the layer answered %d", a.Status), false
	case a.Status == 0:
		return "no usable answer from the layer: " + a.Err, false
	case a.Status >= 200 && a.Status <= 299:
		return fmt.Sprintf("the layer answered %d while the stub saw no such request: it talks to another upstream, or drops the marker in the prompt; stopped after one request", a.Status), true
	}
	return fmt.Sprintf("the layer answered %d and the stub saw no such request", a.Status), false
}
