package attempts

import (
	"context"
	"math"
	"strconv"
	"time"

	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/wire"
)

// The worker is that of the source article "An Anthropic 429 without retry-after is not enough to diagnose a spend cap" (read
// 2026-11-30): three calls at most, and none more for a class whose action is not to retry.
const (
	workerCalls = 3
	workerWait  = 30 * time.Second // the longest that it waits by itself
)

// job is what the worker has to get done.
type job struct {
	client  Client
	dialect *dialects.Dialect
	fixture string
	model   string
	retries int
	stream  bool
	tag     func(fixture string) ledger.Tag // a new one for each call
	maxWait time.Duration                   // for one call
}

// made is one call that was made.
type made struct {
	nonce string
	reply Reply
	class classify.Class
	wait  time.Duration // that the worker would have waited behind it
	err   error
}

// run makes calls until the policy says to stop. It never waits: what it would have waited is noted.
func (j job) run(ctx context.Context) (calls []made) {
	for n := 1; ; n++ {
		c := j.call(ctx)
		again := c.err == nil && n < workerCalls && classify.ActionOf(c.class).Retry != classify.RetryNever
		if again {
			c.wait = waitAfter(c.reply, n)
		}
		calls = append(calls, c)
		if !again {
			return calls
		}
	}
}

// call makes one call, with a tag of its own in its prompt, so that the stub knows whose its hits are.
func (j job) call(ctx context.Context) made {
	ctx, cancel := context.WithTimeoutCause(ctx, j.maxWait, errLate)
	defer cancel()
	tag := j.tag(j.fixture)
	ask := wire.Ask{Model: j.model}
	ledger.Channels{}.Mark(&ask, tag, []ledger.Channel{ledger.Marker, ledger.Model})
	reply, err := j.client.Call(ctx, Call{ID: tag.Nonce, Model: ask.Model, Prompt: ask.Prompt, MaxRetries: j.retries, Stream: j.stream})
	m := made{nonce: tag.Nonce, reply: reply, err: err}
	if err == nil {
		m.class = classOf(j.dialect, reply)
	}
	return m
}

// classOf is what the worker makes of what the client shows.
func classOf(d *dialects.Dialect, r Reply) classify.Class {
	s := dialects.Shown{OK: r.OK(), Type: r.Type, Code: r.Code, Message: r.Message, RetryAfter: r.RetryAfter}
	if r.Status != nil {
		s.Status = *r.Status
	}
	return classify.Classify(d.Rules, d.FactsShown(s)).Class
}

// waitAfter is how long the article's worker waits: as the answer says, else a power of two.
func waitAfter(r Reply, n int) time.Duration {
	if r.RetryAfter != nil {
		if s, err := strconv.ParseFloat(*r.RetryAfter, 64); err == nil && s >= 0 && s < 1e6 {
			return time.Duration(s * float64(time.Second))
		}
	}
	return min(time.Duration(math.Pow(2, float64(n)))*time.Second, workerWait)
}
