package ledger

import "testing"

// What is forgotten is gone by every door, and nobody else's hits with it.
func TestForget(t *testing.T) {
	l := NewLimited("00000001", 3*slabSize)
	var tags []Tag
	for range 2 * slabSize {
		tag := Tag{Run: "00000001", Fixture: "a", Nonce: NewNonce()}
		tags = append(tags, tag)
		l.Issue(tag)
		l.Add(Hit{ID: NewID(), Tag: tag, Path: "/v1"})
	}
	twice := Hit{ID: NewID(), Tag: tags[0], Path: "/again"}
	l.Add(twice)
	for _, tag := range tags[:slabSize] {
		l.Forget(tag.Nonce)
	}
	l.Forget("no nonce")
	l.Forget(NewNonce())
	if _, there := l.ByID(twice.ID); there || len(l.Of(tags[0].Nonce)) != 0 || l.Len() != slabSize || len(l.All()) != slabSize {
		t.Errorf("%d hits are left: %d by all, %d by the first nonce", l.Len(), len(l.All()), len(l.Of(tags[0].Nonce)))
	}
	if l.slabs[0].hits != nil || l.slabs[1].hits == nil {
		t.Error("a slab lives as long as one of its hits")
	}
	for _, tag := range tags[slabSize:] {
		if len(l.Of(tag.Nonce)) != 1 {
			t.Errorf("%s went, too", tag.Nonce)
		}
	}
	if len(l.Unexplained()) != 0 {
		t.Errorf("unexplained: %v", l.Unexplained())
	}
	late := Hit{ID: NewID(), Tag: tags[1]}
	l.Add(late)
	if un := l.Unexplained(); len(un) != 1 || un[0].ID != late.ID {
		t.Errorf("a hit later than that must not vanish: %v", un)
	}
	for range 10 * slabSize { // what was forgotten makes room
		tag := Tag{Run: "00000001", Fixture: "a", Nonce: NewNonce()}
		l.Issue(tag)
		l.Add(Hit{ID: NewID(), Tag: tag, Path: "/v1"})
		l.Forget(tag.Nonce)
	}
	if l.Overflowed() > 0 || l.Len() != slabSize+1 || len(l.next) > 0 || len(l.issued) != slabSize {
		t.Errorf("%d overflowed, %d kept, %d followers, %d issued", l.Overflowed(), l.Len(), len(l.next), len(l.issued))
	}
}
