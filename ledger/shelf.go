package ledger

import "container/list"

// Numbered is a hit with the number of its latest change. A checker that knows all changes up to a number asks for those after it.
type Numbered struct {
	Seq uint64
	Hit Hit
}

// shelf keeps a bounded number of hits in the order of their latest change.
type shelf struct {
	limit, maxText int
	evicts         bool // the one that was not changed for longest goes when the shelf is full; else the new one does

	order list.List // of *kept
	byID  map[uint64]*list.Element
	seq   uint64
	born  uint64 // of hits that were ever put here
	text  int
	lost  int // that did not fit
}

type kept struct {
	Numbered
	born uint64
	id   uint64
}

func newShelf(limit, text int, evicts bool) *shelf {
	return &shelf{limit: limit, maxText: text, evicts: evicts, byID: map[uint64]*list.Element{}}
}

// add keeps a hit and reports whether it did. What had to go for it is told to gone.
func (s *shelf) add(h Hit, gone func(id uint64)) bool {
	id, ok := parse16(h.ID)
	text := h.text()
	if s.byID[id] != nil {
		return false // two announcements of one run claimed it
	}
	if !ok || text > s.maxText {
		s.lost++
		return false
	}
	for s.evicts && (len(s.byID) >= s.limit || s.text+text > s.maxText) {
		old := s.order.Front().Value.(*kept).id
		s.drop(old)
		gone(old)
	}
	if len(s.byID) >= s.limit || s.text+text > s.maxText {
		s.lost++
		return false
	}
	s.seq++
	s.born++
	s.text += text
	s.byID[id] = s.order.PushBack(&kept{Numbered{s.seq, h}, s.born, id})
	return true
}

// change changes a hit that is kept.
func (s *shelf) change(id uint64, f func(*Hit)) {
	e := s.byID[id]
	if e == nil {
		return
	}
	k := e.Value.(*kept)
	s.text -= k.Hit.text()
	f(&k.Hit)
	s.text += k.Hit.text()
	s.seq++
	k.Seq = s.seq
	s.order.MoveToBack(e)
}

func (s *shelf) drop(id uint64) {
	e := s.byID[id]
	if e == nil {
		return
	}
	k := s.order.Remove(e).(*kept)
	s.text -= k.Hit.text()
	delete(s.byID, id)
}

// pageText bounds the text of the hits that are handed out at once, in bytes.
const pageText = 1 << 20

// since returns the hits that changed after a number, the oldest change first and at most so many, of those that were put
// here after the first born; to which number that is all, and whether there is more.
func (s *shelf) since(seq, born uint64, most int) (page []Numbered, to uint64, more bool) {
	e := s.order.Back()
	if e == nil || e.Value.(*kept).Seq <= seq {
		return nil, max(seq, s.seq), false
	}
	for p := e.Prev(); p != nil && p.Value.(*kept).Seq > seq; p = p.Prev() {
		e = p
	}
	to = seq
	for text := 0; e != nil; e = e.Next() {
		k := e.Value.(*kept)
		if k.born > born {
			if text += k.Hit.text(); len(page) == most || text > pageText && len(page) > 0 {
				return page, to, true
			}
			page = append(page, k.Numbered)
		}
		to = k.Seq
	}
	return page, s.seq, false
}
