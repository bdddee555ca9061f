package ledger

import (
	"hash/maphash"
	"slices"
	"sync"
	"time"
)

// DefaultLimit is how many hits a ledger keeps.
const DefaultLimit = 100_000

// maxText bounds the text of all hits together, in bytes: a server on the open internet must not be filled up with
// long header names.
const maxText = 64 << 20

// slabSize is how many hits are allocated at once: they are never moved, so a long run copies nothing.
const slabSize = 64

// Ledger is all hits of one stub, in memory. It is safe for use by many goroutines. The slices in the hits it
// returns are shared and must not be changed.
type Ledger struct {
	run   string
	seed  maphash.Seed
	hash  func([]byte) string // Hash, made once
	limit int

	mu        sync.Mutex
	slabs     []slab
	count     int // of hits that were added; their numbers begin at 0
	forgotten int
	lost      int
	text      int // bytes of all hits, roughly
	byID      map[uint64]int
	byNonce   map[uint64]span
	issued    map[uint64]string // nonce → the fixture that it was issued for
	next      map[int]int       // the next hit with the same nonce
	announced []*announcement
	shared    bool
}

// slab is some hits side by side. It goes when all of them are forgotten.
type slab struct {
	hits      []Hit
	forgotten int
}

// span is the first and the last hit of one nonce.
type span struct{ first, last int }

// announcement says whose the requests are that carry no nonce.
type announcement struct {
	channel Channel
	tag     Tag
	hits    []uint64 // ids; of a shared ledger
}

// New makes a ledger of one run that keeps DefaultLimit hits.
func New(run string) *Ledger { return NewLimited(run, DefaultLimit) }

// NewLimited makes a ledger that keeps so many hits; later ones are only counted.
func NewLimited(run string, limit int) *Ledger {
	l := &Ledger{run: run, seed: maphash.MakeSeed(), limit: limit, byID: map[uint64]int{}, byNonce: map[uint64]span{}, issued: map[uint64]string{}, next: map[int]int{}}
	l.hash = l.Hash
	return l
}

// Run returns the run whose tags explain hits.
func (l *Ledger) Run() string { return l.run }

// Hash returns a keyed hash of a body, to tell same from different. The key is random, unknown and this ledger's own,
// so that hashes of two runs can't be compared and guessed bodies can't be tried.
func (l *Ledger) Hash(body []byte) string {
	return string(l.AppendHash(make([]byte, 0, NonceLen), body))
}

// AppendHash is Hash for a buffer of the caller's.
func (l *Ledger) AppendHash(b, body []byte) []byte {
	return appendHex16(b, maphash.Bytes(l.seed, body))
}

// Announce says that requests which carry no nonce (row-only channels: of this fixture; armed: any) belong to this
// tag until done is called. Whole channels need no announcement, and done then does nothing. Where two announcements
// fit one hit, neither is believed. The error is always nil: nobody else can hold an announcement here.
func (l *Ledger) Announce(ch Channel, t Tag) (done func(), err error) {
	if ch.Whole() {
		return func() {}, nil
	}
	a := &announcement{channel: ch, tag: t}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.announced = append(l.announced, a)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.announced = slices.DeleteFunc(l.announced, func(b *announcement) bool { return a == b })
	}, nil
}

// Nonce returns a new nonce for a request that wants a fixture.
func (l *Ledger) Nonce(string) string { return NewNonce() }

// Sync does nothing: what reached the stub is here.
func (l *Ledger) Sync() error { return nil }

// Share says, before the first hit, that the stub is where others reach it: a hit without a tag of this run may be somebody else's then, so
// that a second one of an announcement is doubtful and no retry.
func (l *Ledger) Share() { l.shared = true }

// Shared reports whether others reach the stub.
func (l *Ledger) Shared() bool { return l.shared }

// Refused is 0: a hit with a tag that this run never made is unexplained here.
func (l *Ledger) Refused() int { return 0 }

// Witness does nothing: the stub's clock is this machine's.
func (l *Ledger) Witness(string, time.Time, time.Time) {}

// Arrived is Add for a stub: it fills in the hashes of the request's parts.
func (l *Ledger) Arrived(h Hit, p Parts) (Tag, []Channel) {
	h.BodyHash, h.Marks = p.Hashed(l.hash)
	return l.Add(h)
}

// Issue notes a tag that a request is about to carry. A hit with any other tag is explained by nothing: layers can make
// nonces up, and a retry under one must not vanish.
func (l *Ledger) Issue(t Tag) {
	if key, ok := parse16(t.Nonce); ok {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.issued[key] = t.Fixture
	}
}

// explained reports whether a hit's tag was issued by this run.
func (l *Ledger) explained(h *Hit) bool {
	key, ok := parse16(h.Tag.Nonce)
	fixture, issued := l.issued[key]
	return ok && issued && h.Tag.Run == l.run && h.Tag.Fixture == fixture
}

// Add keeps a hit and returns its tag and channels, with what was announced filled in: an armed request learns here
// which fixture it gets. The hit's slices must not be changed afterwards.
func (l *Ledger) Add(h Hit) (Tag, []Channel) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var of *announcement
	if h.Tag.Nonce == "" && !h.Aside && len(l.announced) > 0 {
		of = l.resolve(&h)
	}
	if h.Aside {
		h.Header, h.Query = nil, nil // nobody asks for them, and a flood must not use up what real hits need
	}
	text := h.text()
	if l.count-l.forgotten >= l.limit || l.text+text > maxText {
		l.lost++
		return h.Tag, h.Channels
	}
	l.text += text
	n := l.count
	l.put(h)
	if id, ok := parse16(h.ID); ok {
		l.byID[id] = n
		if of != nil && l.shared {
			l.doubt(of, id)
		}
	}
	if nonce, ok := parse16(h.Tag.Nonce); ok && h.Tag.Run == l.run && !h.Aside {
		s, again := l.byNonce[nonce]
		if !again {
			s.first = n
		} else {
			l.next[s.last] = n
		}
		s.last = n
		l.byNonce[nonce] = s
	}
	return h.Tag, h.Channels
}

// text is how many bytes of text a hit holds. Text that it shares with others counts each time.
func (h *Hit) text() int {
	n := len(h.Tag.Fixture) + len(h.Method) + len(h.Path) + len(h.Model) + len(h.RetryCount) + len(h.Note)
	for _, list := range [...][]string{h.Query, h.Header} {
		for _, s := range list {
			n += len(s)
		}
	}
	return n
}

func (l *Ledger) put(h Hit) {
	if l.count%slabSize == 0 {
		l.slabs = append(l.slabs, slab{hits: make([]Hit, 0, slabSize)})
	}
	last := &l.slabs[len(l.slabs)-1]
	last.hits = append(last.hits, h)
	l.count++
}

func (l *Ledger) at(n int) *Hit { return &l.slabs[n/slabSize].hits[n%slabSize] }

// resolve fills in the tag of the one announcement that fits a hit without a nonce, and returns it, nil for none.
func (l *Ledger) resolve(h *Hit) *announcement {
	var found *announcement
	for _, a := range l.announced {
		if a.channel != Armed && (a.tag.Fixture != h.Tag.Fixture || !slices.Contains(h.Channels, a.channel)) {
			continue
		}
		if found != nil {
			h.Note = addNote(h.Note, "two announcements fit this request, so it is nobody's")
			return nil
		}
		found = a
	}
	if found == nil {
		return nil
	}
	if h.Tag.Fixture != "" && h.Tag.Fixture != found.tag.Fixture {
		h.Note = addNote(h.Note, "the request says "+h.Tag.Fixture+", but "+found.tag.Fixture+" was armed")
		h.Channels = nil
		if l.shared {
			h.Doubt = otherFixture
		}
	}
	h.Tag = found.tag
	if found.channel == Armed {
		h.Channels = (setOf(h.Channels) | bitOf(Armed)).list()
	}
	return found
}

// doubt notes a hit of an announcement at a stub that others reach: of two nobody can tell which is the run's.
func (l *Ledger) doubt(a *announcement, id uint64) {
	if a.hits = append(a.hits, id); len(a.hits) == 1 {
		return
	}
	for _, id := range a.hits {
		if n, ok := l.byID[id]; ok { // else it is forgotten
			l.at(n).Doubt = secondRequest
		}
	}
	a.hits = a.hits[len(a.hits)-1:] // the others have it
}

// Served records what was sent for a hit; a hit that was not kept is passed over.
func (l *Ledger) Served(id string, s Served) {
	l.change(id, func(h *Hit) { h.Served = s })
}

// Note adds words to a hit.
func (l *Ledger) Note(id, note string) {
	l.change(id, func(h *Hit) { h.Note = addNote(h.Note, note) })
}

func (l *Ledger) change(id string, f func(*Hit)) {
	key, ok := parse16(id)
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if n, ok := l.byID[key]; ok {
		f(l.at(n))
	}
}

// Of returns the hits of one client request in order of arrival.
func (l *Ledger) Of(nonce string) []Hit {
	key, ok := parse16(nonce)
	if !ok {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s, ok := l.byNonce[key]
	if !ok {
		return nil
	}
	var hits []Hit
	for n := s.first; ; n = l.next[n] {
		hits = append(hits, *l.at(n))
		if n == s.last {
			break
		}
	}
	slices.SortStableFunc(hits, func(a, b Hit) int { return a.At.Compare(b.At) })
	return hits
}

// ByID finds a hit by the id that stands in an answer.
func (l *Ledger) ByID(id string) (Hit, bool) {
	key, ok := parse16(id)
	if !ok {
		return Hit{}, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	n, ok := l.byID[key]
	if !ok {
		return Hit{}, false
	}
	return *l.at(n), true
}

// Unexplained returns the hits that no tag of this run explains: no tag, half a tag that nothing announced, one that
// was never issued, or another run's.
func (l *Ledger) Unexplained() []Hit {
	return l.filter(func(h *Hit) bool { return !h.Aside && !l.explained(h) })
}

// All returns every hit that was kept, in the order in which they were added.
func (l *Ledger) All() []Hit { return l.filter(func(*Hit) bool { return true }) }

func (l *Ledger) filter(keep func(*Hit) bool) []Hit {
	l.mu.Lock()
	defer l.mu.Unlock()
	var hits []Hit
	for _, s := range l.slabs {
		for i := range s.hits {
			if h := &s.hits[i]; h.ID != "" && keep(h) {
				hits = append(hits, *h)
			}
		}
	}
	return hits
}

// Len returns how many hits are kept.
func (l *Ledger) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.count - l.forgotten
}

// Overflowed returns how many hits were not kept because the ledger was full.
func (l *Ledger) Overflowed() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lost
}
