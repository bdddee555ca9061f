package stub

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
)

// knockBytes are random: a word can't be guessed while it is waited for.
const knockBytes = 16

// Knock makes a word for a path by which we find out whether a URL leads to this stub without giving it the secret: came reports
// whether a request's path ended in the word. It is answered like any stranger's, by the bare 404. Nothing is waited for after over.
func (s *Server) Knock() (word string, came func() bool, over func()) {
	var b [knockBytes]byte
	_, _ = rand.Read(b[:]) // documented never to fail (crypto/rand, Go 1.24)
	word = hex.EncodeToString(b[:])
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.knocks == nil {
		s.knocks = map[string]bool{}
	}
	s.knocks[word] = false
	return word, func() bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.knocks[word]
		}, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			delete(s.knocks, word)
		}
}

// knocked notes a word that is waited for, and reports whether the path ended in one.
func (s *Server) knocked(path []byte) bool {
	word := string(path[bytes.LastIndexByte(path, '/')+1:])
	if len(word) != 2*knockBytes {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, waited := s.knocks[word]
	if waited {
		s.knocks[word] = true
	}
	return waited
}
