package ledger

// Forget drops all that is kept of a client request, once nobody asks for it again. A hit that comes later is one that
// nothing explains.
func (l *Ledger) Forget(nonce string) {
	key, ok := parse16(nonce)
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.issued, key)
	s, ok := l.byNonce[key]
	if !ok {
		return
	}
	delete(l.byNonce, key)
	for n := s.first; ; {
		next := l.next[n]
		delete(l.next, n)
		l.drop(n)
		if n == s.last {
			return
		}
		n = next
	}
}

// drop forgets one hit. Its place stays empty: numbers of hits never move.
func (l *Ledger) drop(n int) {
	h := l.at(n)
	if id, ok := parse16(h.ID); ok {
		delete(l.byID, id)
	}
	l.text -= h.text()
	*h = Hit{}
	l.forgotten++
	s := &l.slabs[n/slabSize]
	if s.forgotten++; s.forgotten == slabSize {
		s.hits = nil
	}
}
