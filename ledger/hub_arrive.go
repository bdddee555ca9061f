package ledger

import "strings"

// Arrived keeps a hit for the run whose it is. A stub calls it.
func (u *Hub) Arrived(h Hit, p Parts) (Tag, []Channel) {
	if h.Aside {
		h.Header, h.Query = nil, nil
		h.Tag, h.Channels = Tag{}, nil // everybody may see it, and a tag of a run is that run's
	}
	switch {
	case h.Tag.Nonce != "" && !h.Aside:
		u.tagged(h, p)
		return h.Tag, h.Channels
	case h.Aside:
		u.stray(h)
		return h.Tag, h.Channels
	}
	claims := u.claims(&h)
	for _, c := range claims {
		c.hit.BodyHash, c.hit.Marks = p.Hashed(c.lease.run.hash)
	}
	return u.settle(h, claims)
}

// tagged keeps a hit that says whose it is, if it proves that.
func (u *Hub) tagged(h Hit, p Parts) {
	u.mu.Lock()
	u.sweep()
	r := u.runs[h.Tag.Run]
	u.mu.Unlock()
	made := r != nil && r.mint.Made(h.Tag)
	if made {
		h.BodyHash, h.Marks = p.Hashed(r.hash)
		h.Tag.Nonce = strings.ToLower(h.Tag.Nonce) // some layers write hex in another case
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case made && u.runs[h.Tag.Run] == r:
		u.keep(r, h)
	case r != nil:
		r.refused++
		fallthrough
	default:
		u.refused++
	}
}

func (u *Hub) keep(r *hubRun, h Hit) (key uint64, ok bool) {
	key, _ = parse16(h.ID)
	if ok = r.shelf.add(h, nil); ok { // nothing goes for it
		u.where[key] = append(u.where[key], r.shelf)
	}
	return key, ok
}

func (u *Hub) stray(h Hit) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.sweep()
	u.putStray(h)
}

func (u *Hub) putStray(h Hit) {
	key, _ := parse16(h.ID)
	if !h.Aside {
		u.tagless++
	}
	if u.strays.add(h, func(id uint64) { u.leave(id, u.strays) }) {
		u.where[key] = append(u.where[key], u.strays)
	}
}

// claimed is a hit as one of the announcements that fit it would have it.
type claimed struct {
	lease *lease
	hit   Hit
}

// claims finds the announcements that fit a hit which does not say whose it is.
func (u *Hub) claims(h *Hit) (all []*claimed) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.sweep()
	now := u.now()
	for _, l := range u.leases {
		if now.Before(l.ends) && l.fits(h) {
			all = append(all, &claimed{l, l.claim(*h)})
		}
	}
	return all
}

// settle keeps a hit for those who claim it. Where several do, it is doubtful for each of them, and none gets its fixture; where
// one does, it may be the only request that is.
func (u *Hub) settle(h Hit, claims []*claimed) (Tag, []Channel) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(claims) > 1 {
		h.Note = addNote(h.Note, "two announcements fit this request, so it is nobody's")
	}
	kept := 0
	for _, c := range claims {
		if u.runs[c.hit.Tag.Run] != c.lease.run {
			continue
		}
		kept++
		if len(claims) > 1 {
			c.hit.Note, c.hit.Doubt = h.Note, twoRuns
		}
		u.book(c)
	}
	switch {
	case kept == 0:
		u.putStray(h)
	case len(claims) == 1:
		return claims[0].hit.Tag, claims[0].hit.Channels
	}
	return h.Tag, h.Channels
}

// book keeps a hit under an announcement.
func (u *Hub) book(c *claimed) {
	l := c.lease
	if len(l.hits)+l.over > 0 {
		c.hit.Doubt = secondRequest
		for _, id := range l.hits {
			l.run.shelf.change(id, func(h *Hit) { h.Doubt = secondRequest })
		}
	}
	if len(l.hits) == maxLeaseHits {
		l.over++ // whose they all are is unknown as it is; a stranger must not fill the ledger
		return
	}
	if key, ok := u.keep(l.run, c.hit); ok {
		l.hits = append(l.hits, key)
	}
}

// Served records what was sent for a hit; a hit that was not kept is passed over.
func (u *Hub) Served(id string, s Served) { u.change(id, func(h *Hit) { h.Served = s }) }

// Note adds words to a hit.
func (u *Hub) Note(id, note string) { u.change(id, func(h *Hit) { h.Note = addNote(h.Note, note) }) }

func (u *Hub) change(id string, f func(*Hit)) {
	key, ok := parse16(id)
	if !ok {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, s := range u.where[key] {
		s.change(key, f)
	}
}
