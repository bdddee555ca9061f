package remote

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"

	"github.com/preservecheck/preservecheck/ledger"
)

// maxForget is how many hits are forgotten with one call, so that it stays below maxCall.
const maxForget = 1000

// Sync brings in what reached the stub until now, in one call where that has room. After an error hits may be missing for
// ever, so each later call gives it again.
func (c *Client) Sync() error {
	for {
		more, err := c.turn()
		if err != nil {
			c.fail(err)
		}
		c.mu.Lock()
		err = c.failed
		more = more || len(c.forget) > 0
		c.mu.Unlock()
		if err != nil || !more {
			return err
		}
	}
}

// turn makes one call and takes in what it told.
func (c *Client) turn() (more bool, err error) {
	c.mu.Lock()
	if err := c.failed; err != nil {
		c.mu.Unlock()
		return false, err
	}
	n := min(len(c.forget), maxForget)
	in := syncCall{Seq: c.seq, Stray: c.stray, Renew: slices.Clone(c.held), Release: c.release, Forget: slices.Clone(c.forget[:n])}
	c.forget, c.release = c.forget[n:], nil
	c.inFlight++
	c.mu.Unlock()

	var got syncReply
	err = c.call(context.Background(), http.MethodPost, "/runs/"+c.run+"/hits", &in, &got)

	c.mu.Lock()
	defer c.mu.Unlock()
	c.inFlight--
	if err != nil {
		return false, err
	}
	if err := c.take(&got); err != nil {
		return false, err
	}
	for _, id := range got.Gone {
		if slices.Contains(c.held, id) {
			return false, errors.New("an announcement ended before its time: the stub did not hear of this check for too long")
		}
	}
	if c.inFlight == 0 && len(c.forget) == 0 {
		clear(c.doomed) // the stub has dropped them, and no answer from before that is under way
	}
	return got.More, nil
}

// take takes in what changed. Answers of calls that were made at the same time may come in any order.
func (c *Client) take(got *syncReply) error {
	if len(got.Hits) > 2*pageHits || len(got.Strays) > 2*pageHits || got.Lost < 0 || got.Refused < 0 {
		return errStrange
	}
	now := c.times.now()
	for i := range got.Hits {
		h, err := c.times.hit(&got.Hits[i], c.run, now)
		if err != nil {
			return err
		}
		c.put(&got.Hits[i], h, false)
	}
	for i := range got.Strays {
		h, err := c.times.hit(&got.Strays[i], "", now)
		if err != nil || h.Tag.Nonce != "" {
			return errors.Join(errStrange, err)
		}
		c.put(&got.Strays[i], h, true)
	}
	if len(c.hits) > maxKept {
		return errStrange
	}
	c.seq, c.stray = max(c.seq, got.Seq), max(c.stray, got.Stray)
	c.lost, c.born, c.refused = max(c.lost, got.Lost), max(c.born, got.Born), max(c.refused, got.Refused)
	c.trouble = Counts{
		max(c.trouble.Overloaded, got.Trouble.Overloaded), max(c.trouble.Dropped, got.Trouble.Dropped),
		max(c.trouble.Panics, got.Trouble.Panics), max(c.trouble.Strangers, got.Trouble.Strangers),
	}
	return nil
}

func (c *Client) put(told *hit, h ledger.Hit, stray bool) {
	e, known := c.hits[h.ID]
	now := entry{told.Seq, h, told.At, told.Served.AnswerAt}
	switch {
	case c.doomed[h.ID] || known && e.seq >= now.seq:
		return
	case known:
		*e = now
		return
	}
	e = &now
	c.hits[h.ID] = e
	fixture, issued := c.issued[h.Tag.Nonce]
	switch {
	case stray:
		c.strays++
		c.unasked = append(c.unasked, e)
	case !issued || fixture != h.Tag.Fixture:
		c.unasked = append(c.unasked, e)
	default:
		c.byNonce[h.Tag.Nonce] = append(c.byNonce[h.Tag.Nonce], e)
	}
}

// Arrivals are what reached a stub without belonging to a run.
type Arrivals struct {
	Hits      []ledger.Hit
	Refused   int64 // requests so far whose tag is no open run's
	Strangers int64 // requests so far that did not know the stub's secret
}

// Arrivals returns what came or changed after a number, 0 for all that is kept, and the number to ask for the next with. It is
// for somebody who sets a gateway up, and has no part in a run.
func (c *Client) Arrivals(ctx context.Context, after uint64) (Arrivals, uint64, error) {
	var got arrivalsReply
	if err := c.call(ctx, http.MethodGet, "/arrivals?after="+strconv.FormatUint(after, 10), nil, &got); err != nil {
		return Arrivals{}, after, err
	}
	if len(got.Arrivals) > 2*pageHits {
		return Arrivals{}, after, errStrange
	}
	out := Arrivals{Refused: got.Refused, Strangers: got.Strangers}
	now := c.times.now()
	for i := range got.Arrivals {
		h, err := c.times.hit(&got.Arrivals[i], "", now)
		if err != nil {
			return Arrivals{}, after, err
		}
		out.Hits = append(out.Hits, h)
	}
	return out, got.Next, nil
}

func marshal(v any) []byte {
	b, _ := json.Marshal(v) // text, numbers and maps of them can't fail
	return b
}
