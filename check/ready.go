package check

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/wire"
)

const (
	firstBackoff = 50 * time.Millisecond
	lastBackoff  = time.Second
	maxCanaries  = 20 // requests that a layer really got, a wait

	// patience is how long a refusal is waited out that does not heal by itself: a missing key, a wrong path. A gateway
	// that is still loading its configuration answers such things, too, so it is not none.
	patience = 3 * time.Second
)

// channels is how requests are marked: all that are sent, and the one whose tags decide ("" until a canary came through).
type channels struct {
	send    []ledger.Channel
	decides ledger.Channel
	arrived []ledger.Channel
}

// wanted gives the channels to send, by --channel.
func (t *Route) wanted() channels {
	switch ch := ledger.Channel(t.Channel); ch {
	case ledger.Armed, ledger.Path, ledger.Model:
		return channels{send: []ledger.Channel{ch}, decides: ch}
	case ledger.Marker, ledger.Header:
		return channels{send: []ledger.Channel{ch}}
	}
	send := []ledger.Channel{ledger.Marker, ledger.Header}
	if hasPlaceholder(t.Model) {
		send = append(send, ledger.Model)
	}
	return channels{send: send}
}

// ErrReadyTimeout is the cause with which a request to a layer that is not ready yet is given up when the time for that is
// over. Such a request says less of the layer than the one before it.
var ErrReadyTimeout = errors.New("the time that a layer has to become ready is over")

// ready sends canaries until one comes through, and picks the channel. It returns why none did, in words.
func (r *runner) ready(ctx context.Context, l lane) (why string, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, r.c.ReadyTimeout, ErrReadyTimeout)
	defer cancel()
	began, ch := time.Now(), r.routes[l.route].wanted()
	wait, sent, selves, alone := firstBackoff, 0, 0, false
	for {
		if why := cmp.Or(r.gone(), r.blinded()); why != "" {
			return why, nil
		}
		c := r.attempt(ctx, l, ch, alone)
		if why := r.blinded(); why != "" {
			return why, nil
		}
		if c.self() {
			selves++
		}
		switch {
		case selves > 1: // once may be chance: ports are used again
			return "", selfError{l.route}
		case c.self():
		case c.through:
			r.settleChannel(l, ch, c)
			return "", nil
		case c.realProvider():
			r.setTouched(l, false)
			return c.cause(&r.c, r.routes[l.route]), nil
		}
		if r.routes[l.route].Channel == "auto" && len(c.hits) == 0 && len(c.stray) > 0 {
			if alone { // now nothing else can have been meant
				ch.decides = c.rowOnly()
			}
			alone = true
		}
		if c.connected() {
			sent++
		}
		why = r.because(ctx, &c, l, why)
		r.setTouched(l, len(c.hits) > 0 || len(c.stray) > 0)
		if ctx.Err() != nil || r.c.Patient == 0 && c.enough(sent, time.Since(began)) {
			return why, nil
		}
		r.progress("waiting for the layer", sent, 0, "")
		pause(ctx, wait)
		wait = min(2*wait, max(lastBackoff, r.c.Patient))
		if ctx.Err() != nil {
			return why, nil
		}
	}
}

// enough reports whether another canary would tell no more.
func (c *canary) enough(sent int, since time.Duration) bool {
	return sent >= maxCanaries || c.lasting() && since > patience
}

// because says why a canary did not come through. One that was given up says nothing that an earlier one did not.
func (r *runner) because(ctx context.Context, c *canary, l lane, before string) string {
	if before != "" && c.givenUp(ctx) {
		return before
	}
	return c.cause(&r.c, r.routes[l.route])
}

// attempt sends one canary. One whose tag did not arrive is sent again with no other canary under way, since only then the
// hits that no tag explains can be its own.
func (r *runner) attempt(ctx context.Context, l lane, ch channels, alone bool) canary {
	if alone {
		r.quiet.Lock()
		defer r.quiet.Unlock()
		r.turns.end() // what another lane announced must not claim this one's hit
	} else {
		r.quiet.RLock()
		defer r.quiet.RUnlock()
	}
	r.sync()
	unknown := len(r.c.Hits.Unexplained())
	strangers := r.strangers()
	c := r.canary(r.sendCanary(ctx, l, ch))
	c.strangers = r.strangers() - strangers
	c.stray = fresh(r.c.Hits.Unexplained(), unknown)
	return c
}

func (r *runner) strangers() int64 {
	if r.c.Strangers == nil {
		return 0
	}
	return r.c.Strangers()
}

func fresh(all []ledger.Hit, from int) []ledger.Hit {
	if from > len(all) {
		return nil
	}
	return all[from:]
}

// settleChannel takes the best channel that arrived, in DESIGN's order of preference.
func (r *runner) settleChannel(l lane, ch channels, c canary) {
	ch.arrived = c.hits[0].Channels
	if ch.decides == "" {
		for _, want := range []ledger.Channel{ledger.Marker, ledger.Header, ledger.Model, ledger.Path} {
			if slices.Contains(ch.arrived, want) {
				ch.decides = want
				break
			}
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.channel[l] = ch
	r.canaryTime = max(r.canaryTime, c.probe.answer.Elapsed())
}

// canary is what came of one success fixture sent through the layer.
type canary struct {
	probe *probe
	hits  []ledger.Hit
	stray []ledger.Hit // hits that came meanwhile and that no tag explains

	strangers int64       // requests that came meanwhile without the stub's secret
	other     *ledger.Hit // another request's hit whose id stands in the answer
	from      compare.Provenance
	class     classify.Class
	through   bool
}

// sendCanary sends the success fixture of a lane.
func (r *runner) sendCanary(ctx context.Context, l lane, ch channels) *probe {
	return r.through(ctx, r.c.Matrix.Canary(l.dialect.Name, l.mode).Name, l, ch)
}

// canary judges one canary. It is through when the stub was hit by it and the client got a success out of that hit.
func (r *runner) canary(p *probe) canary {
	if len(p.answer.Body) > heavy {
		r.reading.Lock()
		defer r.reading.Unlock()
	}
	r.helper(p.tag)
	return r.canaryOf(p)
}

// canaryOf judges a canary whose second hit is told elsewhere.
func (r *runner) canaryOf(p *probe) canary {
	r.sync()
	c := canary{probe: p, hits: r.c.Hits.Of(p.tag.Nonce)}
	own, other := r.idsIn(p.answer, c.hits)
	c.from, c.other = traced(p, own, other, c.hits), other
	c.class = p.lane.dialect.Classify(p.evidence(c.hits)).Class
	c.through = len(c.hits) > 0 && classify.Success(c.class) && c.from != compare.OtherHit && p.answer.End.Orderly()
	return c
}

// connected reports whether there was a connection, so that the layer may have had the canary.
func (c *canary) connected() bool {
	return c.probe.answer.End != wire.EndRefused && c.probe.answer.End != wire.EndLocal
}

// givenUp reports whether the end of the wait, or of the run, cut the canary off: then it tells nothing.
func (c *canary) givenUp(ctx context.Context) bool {
	end := c.probe.answer.End
	return end == wire.EndCanceled || end == wire.EndTimeout && ctx.Err() != nil
}

// self reports whether a hit came from the very socket that the canary left by: then the layer is the stub.
func (c *canary) self() bool {
	from := c.probe.answer.Local
	return from != "" && slices.ContainsFunc(append(slices.Clone(c.hits), c.stray...), func(h ledger.Hit) bool { return h.From == from })
}

// realProvider: a success that the stub knows nothing of. Whatever answered, it was not the stub.
func (c *canary) realProvider() bool {
	return len(c.hits) == 0 && len(c.stray) == 0 && classify.Success(c.class)
}

// rowOnly gives the channel to try next when the stub was reached without a whole tag: the one that carried the row, or
// armed when none did.
func (c *canary) rowOnly() ledger.Channel {
	if len(c.hits) > 0 || len(c.stray) == 0 {
		return ""
	}
	for _, ch := range []ledger.Channel{ledger.Model, ledger.Path} {
		if slices.Contains(c.stray[0].Channels, ch) {
			return ch
		}
	}
	return ledger.Armed
}
