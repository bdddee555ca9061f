package ledger

import (
	"errors"
	"slices"
	"time"
)

// ErrLeased says that another run holds an announcement which would claim the same requests.
var ErrLeased = errors.New("another run at this stub has announced requests of the same kind, so that nobody could tell whose they are: wait until it is over, or use a channel that carries the tag")

// ErrLeases says that a run holds as many announcements as it may.
var ErrLeases = errors.New("the run holds too many announcements")

const (
	maxLeases     = 1024 // of a run: a fixture each
	maxLeaseHits  = 8    // kept of one announcement: after the second nothing new can be learned
	secondRequest = "a second request came while only one was announced, and over this channel nobody can tell which of them is the layer's: a retry of its own, or somebody else's"
	otherFixture  = "a request for another fixture came while this one was announced, so it may be somebody else's"
	twoRuns       = "two runs had announced such a request, so nobody can tell whose it is"
)

// lease is an announcement that ends by itself when its holder no longer says that it is there.
type lease struct {
	id      uint64
	run     *hubRun
	channel Channel
	tag     Tag
	ends    time.Time
	hits    []uint64 // ids
	over    int      // hits beyond those that are kept
}

// fits reports whether a request without a whole tag may be the announced one.
func (l *lease) fits(h *Hit) bool {
	return l.channel == Armed || l.tag.Fixture == h.Tag.Fixture && slices.Contains(h.Channels, l.channel)
}

// bars reports whether nobody could tell requests of two announcements apart.
func (l *lease) bars(ch Channel, t Tag) bool {
	return l.channel == Armed || ch == Armed || l.channel == ch && l.tag.Fixture == t.Fixture
}

// claim is a hit as the lease's own.
func (l *lease) claim(h Hit) Hit {
	if h.Tag.Fixture != "" && h.Tag.Fixture != l.tag.Fixture {
		h.Note = addNote(h.Note, "the request says "+h.Tag.Fixture+", but "+l.tag.Fixture+" was armed")
		h.Doubt = otherFixture
		h.Channels = nil
	}
	h.Tag = l.tag
	if l.channel == Armed {
		h.Channels = (setOf(h.Channels) | bitOf(Armed)).list()
	}
	return h
}

// Announce is Ledger.Announce for one of many runs. It first releases other announcements of the run. The announcement
// ends by itself unless Renew is called in time.
func (u *Hub) Announce(run string, release []uint64, ch Channel, t Tag) (id uint64, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	r, err := u.heard(run)
	if err != nil {
		return 0, err
	}
	u.release(r, release)
	if ch.Whole() {
		return 0, nil
	}
	own := 0
	for _, l := range u.leases {
		switch {
		case l.run == r && l.channel == ch && l.tag == t:
			l.ends = u.now().Add(u.limits.Lease)
			return l.id, nil // asked again because the answer was lost
		case l.run == r:
			own++
		case l.bars(ch, t) && u.now().Before(l.ends):
			return 0, ErrLeased
		}
	}
	if own >= maxLeases {
		return 0, ErrLeases
	}
	u.leaseID++
	u.leases = append(u.leases, &lease{id: u.leaseID, run: r, channel: ch, tag: t, ends: u.now().Add(u.limits.Lease)})
	return u.leaseID, nil
}

// Renew lengthens announcements of a run, and returns those that are gone.
func (u *Hub) Renew(run string, ids []uint64) (gone []uint64, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	r, err := u.heard(run)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		i := slices.IndexFunc(u.leases, func(l *lease) bool { return l.id == id && l.run == r })
		if i < 0 {
			gone = append(gone, id)
			continue
		}
		u.leases[i].ends = u.now().Add(u.limits.Lease)
	}
	return gone, nil
}

// Release ends announcements of a run.
func (u *Hub) Release(run string, ids []uint64) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	r, err := u.heard(run)
	if err == nil {
		u.release(r, ids)
	}
	return err
}

func (u *Hub) release(r *hubRun, ids []uint64) {
	u.leases = slices.DeleteFunc(u.leases, func(l *lease) bool { return l.run == r && slices.Contains(ids, l.id) })
}
