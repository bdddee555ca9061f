package ledger

import (
	"crypto/subtle"
	"errors"
	"slices"
	"sync"
	"time"
)

// HubLimits bound a hub. A zero value means the default.
type HubLimits struct {
	Runs   int           // open at once, 16
	Hits   int           // kept of a run, 10,000
	Text   int           // bytes of text of a run's hits, 4 MiB
	Strays int           // arrivals kept that are no run's, 256
	Lease  time.Duration // for which an announcement holds unless it is renewed, 15 s
	Quiet  time.Duration // after which a run ends whose checker was not heard of, 1 min
}

const strayText = 256 << 10 // bytes of text of all strays

var (
	// ErrNoRun says that a run is not open, or that its key was not shown.
	ErrNoRun = errors.New("no such run")
	// ErrRuns says that as many runs are open as may be.
	ErrRuns = errors.New("as many runs are open at this stub as it takes: wait until one is over")
)

// Hub is the ledgers of many runs at one stub. A run exists once it was opened, and only hits whose nonce was made with its
// key are its own, or those that an announcement claims. What carries another tag is only counted; what carries none is a
// stray, of which a few are kept. It is safe for use by many goroutines.
type Hub struct {
	limits HubLimits
	now    func() time.Time
	begun  time.Time

	mu      sync.Mutex
	runs    map[string]*hubRun
	leases  []*lease
	leaseID uint64
	strays  *shelf
	tagless uint64              // strays so far, without those that ask for no fixture
	where   map[uint64][]*shelf // of each hit that is kept
	refused int64
	swept   time.Time
}

// hubRun is one run that is open.
type hubRun struct {
	mint    *Mint
	key     Key
	access  string
	hash    func([]byte) string
	shelf   *shelf
	heard   time.Time
	born    uint64 // of strays before the run was opened
	tagless uint64 // the same, as Hub counts them
	refused int64  // tags that named this run and were not made with its key
}

// NewHub makes a hub without runs.
func NewHub(l HubLimits) *Hub {
	for p, value := range map[*int]int{&l.Runs: 16, &l.Hits: 10_000, &l.Text: 4 << 20, &l.Strays: 256} {
		if *p <= 0 {
			*p = value
		}
	}
	for p, value := range map[*time.Duration]time.Duration{&l.Lease: 15 * time.Second, &l.Quiet: time.Minute} {
		if *p <= 0 {
			*p = value
		}
	}
	return &Hub{
		limits: l, now: time.Now, begun: time.Now(), runs: map[string]*hubRun{}, strays: newShelf(l.Strays, strayText, true),
		where: map[uint64][]*shelf{},
	}
}

// Begun is when the hub was made, from which the times of its hits can be counted.
func (u *Hub) Begun() time.Time { return u.begun }

// Limits returns the limits in force.
func (u *Hub) Limits() HubLimits { return u.limits }

// Open opens a run and returns its name and key.
func (u *Hub) Open() (run string, k Key, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.sweep()
	if len(u.runs) >= u.limits.Runs {
		return "", Key{}, ErrRuns
	}
	for run = NewRun(); u.runs[run] != nil; run = NewRun() { // chance, but it would join two runs
	}
	k = NewKey()
	u.runs[run] = &hubRun{
		mint: NewMint(run, k), key: k, access: k.Access(), hash: k.Hash, shelf: newShelf(u.limits.Hits, u.limits.Text, false),
		heard: u.now(), born: u.strays.born, tagless: u.tagless,
	}
	return run, k, nil
}

// Close ends a run and drops all that is kept of it.
func (u *Hub) Close(run string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.end(run)
}

func (u *Hub) end(run string) {
	r := u.runs[run]
	if r == nil {
		return
	}
	delete(u.runs, run)
	u.leases = slices.DeleteFunc(u.leases, func(l *lease) bool { return l.run == r })
	for id := range r.shelf.byID {
		u.leave(id, r.shelf)
	}
}

func (u *Hub) leave(id uint64, s *shelf) {
	left := slices.DeleteFunc(u.where[id], func(o *shelf) bool { return o == s })
	if u.where[id] = left; len(left) == 0 {
		delete(u.where, id)
	}
}

// Allowed reports whether access is what the checker of a run shows. It takes as long for any wrong one.
func (u *Hub) Allowed(run, access string) bool {
	u.mu.Lock()
	u.sweep()
	r := u.runs[run]
	u.mu.Unlock()
	return r != nil && subtle.ConstantTimeCompare([]byte(r.access), []byte(access)) == 1
}

// heard returns a run and notes that its checker is there.
func (u *Hub) heard(run string) (*hubRun, error) {
	u.sweep()
	r := u.runs[run]
	if r == nil {
		return nil, ErrNoRun
	}
	r.heard = u.now()
	return r, nil
}

// sweepEvery is how often the hub looks for what has expired, at most: each request may be the first after a long time.
const sweepEvery = 100 * time.Millisecond

// Sweep drops what has expired. Every other call does so as well; a stub that nobody asks any more needs it.
func (u *Hub) Sweep() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.sweep()
}

func (u *Hub) sweep() {
	now := u.now()
	if now.Sub(u.swept) < sweepEvery {
		return
	}
	u.swept = now
	for run, r := range u.runs {
		if now.Sub(r.heard) > u.limits.Quiet {
			u.end(run)
		}
	}
	u.leases = slices.DeleteFunc(u.leases, func(l *lease) bool { return !now.Before(l.ends) })
}

// Increment is what of a run changed after the numbers that were asked for.
type Increment struct {
	Hits   []Numbered
	Strays []Numbered // arrivals without a whole tag that no announcement claimed, since the run was opened
	Seq    uint64     // to ask for the next hits with
	Stray  uint64     // to ask for the next strays with
	More   bool       // there is more already

	Lost    int    // hits of this run that were not kept
	Born    uint64 // strays since the run was opened, also those that are gone
	Refused int64  // requests with a tag of this run that was not made with its key
}

// Since returns what of a run changed, at most so many hits and as many strays.
func (u *Hub) Since(run string, seq, stray uint64, most int) (Increment, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	r, err := u.heard(run)
	if err != nil {
		return Increment{}, err
	}
	var in Increment
	var more bool
	in.Hits, in.Seq, in.More = r.shelf.since(seq, 0, most)
	in.Strays, in.Stray, more = u.strays.since(stray, r.born, most)
	in.Strays = slices.DeleteFunc(in.Strays, func(n Numbered) bool { return n.Hit.Aside })
	in.More = in.More || more
	in.Lost, in.Born, in.Refused = r.shelf.lost, u.tagless-r.tagless, r.refused
	return in, nil
}

// Arrivals returns the strays that changed after a number, for somebody who waits for a first request, and the number to ask
// for the next ones with. Requests aside from fixtures are among them.
func (u *Hub) Arrivals(seq uint64, most int) (page []Numbered, to uint64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	page, to, _ = u.strays.since(seq, 0, most)
	return page, to
}

// Forget drops hits of a run. What the stub has still to say of them is passed over.
func (u *Hub) Forget(run string, ids []string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	r, err := u.heard(run)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if key, ok := parse16(id); ok && r.shelf.byID[key] != nil {
			r.shelf.drop(key)
			u.leave(key, r.shelf)
		}
	}
	return nil
}

// HubStats are counts since the start.
type HubStats struct {
	Runs    int   // open now
	Hits    int   // kept now, strays with them
	Refused int64 // requests with a tag that is no open run's
}

// Stats returns the counts so far.
func (u *Hub) Stats() HubStats {
	u.mu.Lock()
	defer u.mu.Unlock()
	return HubStats{Runs: len(u.runs), Hits: len(u.where), Refused: u.refused}
}

// Has reports whether a run is open.
func (u *Hub) Has(run string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.sweep()
	return u.runs[run] != nil
}
