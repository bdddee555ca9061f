package check

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/wire"
)

const (
	firstBackoff = 50 * time.Millisecond
	lastBackoff  = time.Second
	maxCanaries  = 20 // requests that a layer really got, a wait
)

// channels is how requests are marked: all that are sent, and the one whose tags decide ("" until a canary came through).
type channels struct {
	send    []ledger.Channel
	decides ledger.Channel
	arrived []ledger.Channel
}

var errSelf = errors.New("the layer is the stub itself")

// wanted gives the channels to send, by --channel.
func (c *Config) wanted() channels {
	switch ch := ledger.Channel(c.Channel); ch {
	case ledger.Armed, ledger.Path, ledger.Model:
		return channels{send: []ledger.Channel{ch}, decides: ch}
	case ledger.Marker, ledger.Header:
		return channels{send: []ledger.Channel{ch}}
	}
	send := []ledger.Channel{ledger.Marker, ledger.Header}
	if hasPlaceholder(c.Model) {
		send = append(send, ledger.Model)
	}
	return channels{send: send}
}

// ready sends canaries until one comes through, and picks the channel. It returns why none did, in words.
func (r *runner) ready(ctx context.Context, m fixture.Mode) (why string, err error) {
	ctx, cancel := context.WithTimeout(ctx, r.c.ReadyTimeout)
	defer cancel()
	ch := r.c.wanted()
	wait, sent := firstBackoff, 0
	for {
		unknown := len(r.c.Hits.Unexplained())
		p := r.through(ctx, fixture.Canary(m), m, ch)
		c := r.canary(p)
		c.stray = fresh(r.c.Hits.Unexplained(), unknown)
		switch {
		case c.self(r.c.Self):
			return "", errSelf
		case c.through:
			r.settleChannel(m, ch, c)
			return "", nil
		case c.realProvider():
			r.setTouched(m, false)
			return c.cause(r.c.Timeout), nil
		}
		if ch.decides == "" && r.c.Channel == "auto" {
			ch.decides = c.rowOnly()
		}
		if p.answer.End != wire.EndRefused {
			sent++
		}
		if p.answer.End != wire.EndCanceled || why == "" {
			why = c.cause(r.c.Timeout)
		}
		r.setTouched(m, len(c.hits) > 0 || len(c.stray) > 0)
		if sent >= maxCanaries || ctx.Err() != nil {
			return why, nil
		}
		r.progress("waiting for the layer", sent, 0, "")
		pause(ctx, wait)
		wait = min(2*wait, lastBackoff)
		if ctx.Err() != nil {
			return why, nil
		}
	}
}

func fresh(all []ledger.Hit, from int) []ledger.Hit {
	if from > len(all) {
		return nil
	}
	return all[from:]
}

// settleChannel takes the best channel that arrived, in DESIGN's order of preference.
func (r *runner) settleChannel(m fixture.Mode, ch channels, c canary) {
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
	r.channel[m] = ch
	r.canaryTime = max(r.canaryTime, c.probe.answer.Elapsed())
}

// canary is what came of one success fixture sent through the layer.
type canary struct {
	probe   *probe
	hits    []ledger.Hit
	stray   []ledger.Hit // hits that came meanwhile and that no tag explains
	from    compare.Provenance
	class   classify.Class
	through bool
}

// canary judges one canary. It is through when the stub was hit by it and the client got a success out of that hit.
func (r *runner) canary(p *probe) canary {
	c := canary{probe: p, hits: r.c.Hits.Of(p.tag.Nonce)}
	c.from, _ = r.trace(p, c.hits)
	c.class = r.c.Dialect.Classify(r.evidenceOf(p.answer, c.hits)).Class
	c.through = len(c.hits) > 0 && classify.Success(c.class) && c.from != compare.OtherHit && p.answer.End.Orderly()
	return c
}

func (c *canary) self(self func(ledger.Hit) bool) bool {
	if self == nil {
		return false
	}
	for _, hs := range [][]ledger.Hit{c.hits, c.stray} {
		for _, h := range hs {
			if self(h) {
				return true
			}
		}
	}
	return false
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
