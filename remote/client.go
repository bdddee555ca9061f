package remote

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/preservecheck/preservecheck/ledger"
)

// Options say which stub a check uses.
type Options struct {
	URL      string        // of the admin API; http only to this machine
	Token    string        //
	TLS      *tls.Config   // roots of a private CA; the certificate is verified in any case
	Settings Settings      // of this check; the run is opened only if the stub has the same
	Patience time.Duration // how long a call that gets no answer is made again, 5 s by default
}

// maxKept bounds what is believed of a stub: hits of one run. A stub keeps fewer.
const maxKept = 50_000

// Client is a run at a stub elsewhere, and what a check takes for its ledger. It is safe for use by many goroutines.
type Client struct {
	*caller
	run    string
	key    ledger.Key
	mint   *ledger.Mint
	lease  time.Duration
	quiet  time.Duration
	stop   context.CancelFunc
	beaten sync.WaitGroup

	mu       sync.Mutex
	issued   map[string]string // nonce → fixture
	hits     map[string]*entry // by id
	byNonce  map[string][]*entry
	unasked  []*entry // hits that no request of this run explains, strays among them, in the order in which they became known
	seq      uint64
	stray    uint64
	strays   uint64 // different ones that became known
	born     uint64
	lost     int
	refused  int64
	trouble  Counts
	release  []uint64 // announcements that are over and were not yet called so
	held     []uint64
	forget   []string
	doomed   map[string]bool // ids of forgotten hits that an answer under way may still tell
	inFlight int
	failed   error
}

// entry is one hit as it was told last.
type entry struct {
	seq          uint64
	hit          ledger.Hit
	at, answerAt int64 // by the stub's clock
}

// Open opens a run. The stub must have the same matrix and settings; a *Refusal says what it has else.
func Open(ctx context.Context, opt Options) (*Client, error) {
	if opt.Patience <= 0 {
		opt.Patience = 5 * time.Second
	}
	calls, err := newCaller(opt)
	if err != nil {
		return nil, err
	}
	var open openReply
	if _, err := calls.once(ctx, http.MethodPost, "/runs", marshal(opt.Settings), &open); err != nil {
		calls.client.CloseIdleConnections()
		return nil, err
	}
	key, err := ledger.ParseKey(open.Key)
	c := blank(open.Run)
	c.caller, c.key, c.mint = calls, key, ledger.NewMint(open.Run, key)
	c.lease, c.quiet = time.Duration(open.LeaseMS)*time.Millisecond, time.Duration(open.QuietMS)*time.Millisecond
	if err != nil || !isHex(c.run, ledger.RunLen) || c.lease < minPeriod || c.quiet < minPeriod {
		calls.client.CloseIdleConnections()
		return nil, errStrange
	}
	c.access = key.Access()
	ctx, c.stop = context.WithCancel(context.WithoutCancel(ctx))
	for range firstSamples {
		if err := c.Sync(); err != nil {
			_ = c.Close() // the first error is the one to tell
			return nil, err
		}
	}
	c.beaten.Go(func() { c.beat(ctx) })
	return c, nil
}

// blank is a run of which nothing is known.
func blank(run string) *Client {
	return &Client{
		caller: &caller{times: newTimeline()}, run: run, issued: map[string]string{}, hits: map[string]*entry{}, byNonce: map[string][]*entry{}, doomed: map[string]bool{},
	}
}

const (
	firstSamples = 3 // calls from which the stub's clock is known before the first request
	minPeriod    = 20 * time.Millisecond
)

// beat lets the stub know that this check is there, also while it waits for a layer.
func (c *Client) beat(ctx context.Context) {
	for {
		select {
		case <-time.After(min(c.quiet, c.lease) / 4):
			_ = c.Sync() // is kept
		case <-ctx.Done():
			return
		}
	}
}

// Close ends the run at the stub. What was read stays.
func (c *Client) Close() error {
	c.stop()
	c.beaten.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), callFor)
	defer cancel()
	_, err := c.once(ctx, http.MethodDelete, "/runs/"+c.run, nil, nil)
	c.client.CloseIdleConnections()
	return err
}

// Run is the run's name, which its tags bear.
func (c *Client) Run() string { return c.run }

// Nonce returns a nonce that the stub knows as this run's.
func (c *Client) Nonce(fixture string) string {
	n := c.mint.Nonce(fixture)
	if n == "" {
		c.fail(errors.New("a run at a stub elsewhere has at most 16,777,215 requests"))
	}
	return n
}

// Hash is the keyed hash of the run, as the stub makes it.
func (c *Client) Hash(b []byte) string { return c.key.Hash(b) }

// Shared reports that others have business at the stub.
func (c *Client) Shared() bool { return true }

// Witness tells of an answer that surely came from a hit, by which the stub's clock can be told.
func (c *Client) Witness(hit string, sent, first time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.hits[hit]; e != nil {
		c.times.witness(sent, first, e.at, e.answerAt)
	}
}

// Issue notes a tag that a request is about to carry.
func (c *Client) Issue(t ledger.Tag) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.issued[t.Nonce] = t.Fixture
}

// Announce asks the stub to take requests of a kind for this tag's, until done is called or the check is gone.
func (c *Client) Announce(ch ledger.Channel, t ledger.Tag) (done func(), err error) {
	if ch.Whole() {
		return func() {}, nil
	}
	c.mu.Lock()
	over := c.release
	c.release = nil
	c.mu.Unlock()
	var got announceReply
	err = c.call(context.Background(), http.MethodPost, "/runs/"+c.run+"/leases", &announceCall{Channel: string(ch), Fixture: t.Fixture, Nonce: t.Nonce, Release: over}, &got)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.release = append(c.release, over...)
		return nil, err
	}
	c.held = append(c.held, got.Lease)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if i := slices.Index(c.held, got.Lease); i >= 0 {
			c.held = slices.Delete(c.held, i, i+1)
			c.release = append(c.release, got.Lease) // told with the next call, which a check makes before it asks anew
		}
	}, nil
}

// Of returns the hits of one client request that are known, in order of arrival.
func (c *Client) Of(nonce string) (hits []ledger.Hit) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.byNonce[nonce] {
		hits = append(hits, e.hit)
	}
	slices.SortStableFunc(hits, func(a, b ledger.Hit) int { return a.At.Compare(b.At) })
	return hits
}

// ByID finds a hit by the id that stands in an answer.
func (c *Client) ByID(id string) (ledger.Hit, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.hits[id]
	if !ok {
		return ledger.Hit{}, false
	}
	return e.hit, true
}

// Known returns all hits of the run that are known, and what reached the stub without a whole tag meanwhile, in order of arrival.
func (c *Client) Known() (hits []ledger.Hit) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.hits {
		hits = append(hits, e.hit)
	}
	slices.SortFunc(hits, func(a, b ledger.Hit) int { return a.At.Compare(b.At) })
	return hits
}

// Unexplained returns the hits that no request of this run explains: those of forgotten ones, and what reached the stub
// without a whole tag while the run was open.
func (c *Client) Unexplained() (hits []ledger.Hit) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.unasked {
		hits = append(hits, e.hit)
	}
	return hits
}

// Refused returns how many requests bore this run's name under a nonce that it never made.
func (c *Client) Refused() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return int(min(c.refused, 1<<30))
}

// Forget drops what is kept of a client request, here and at the stub.
func (c *Client) Forget(nonce string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.issued, nonce)
	for _, e := range c.byNonce[nonce] {
		delete(c.hits, e.hit.ID)
		c.doomed[e.hit.ID] = true
		c.forget = append(c.forget, e.hit.ID)
	}
	delete(c.byNonce, nonce)
}

// Strangers returns how many requests reached the stub without its secret since the run was opened.
func (c *Client) Strangers() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.trouble.Strangers
}

// Trouble says why hits of this run may be missing, "" when none can be.
func (c *Client) Trouble() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch t := c.trouble; {
	case c.failed != nil:
		return "the stub's ledger could not be read: " + c.failed.Error()
	case c.lost > 0:
		return fmt.Sprintf("%d requests of this run could not be recorded at the stub, because there were too many", c.lost)
	case c.born > c.strays:
		return fmt.Sprintf("%d requests without a tag reached the stub and could not be looked at, because there were too many", c.born-c.strays)
	case t.Overloaded+t.Dropped > 0:
		return fmt.Sprintf("the stub turned away %d requests, because too many connections were open", t.Overloaded+t.Dropped)
	case t.Panics > 0:
		return fmt.Sprintf("the stub met a bug of its own %d times", t.Panics)
	}
	return ""
}

func (c *Client) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed == nil {
		c.failed = err
	}
}
