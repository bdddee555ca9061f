package ledger

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"sync"
)

// random hands out random bytes from a buffer: one system call serves 64 ids.
var random struct {
	sync.Mutex
	buf  [512]byte
	left int
}

// randomBits returns 64 random bits. They are random rather than counted, because a counter would repeat from run to
// run, and an old answer from a cache would look fresh.
func randomBits() uint64 {
	random.Lock()
	defer random.Unlock()
	if random.left == 0 {
		_, _ = rand.Read(random.buf[:]) // documented never to fail (crypto/rand, Go 1.24)
		random.left = len(random.buf)
	}
	at := len(random.buf) - random.left
	random.left -= 8
	return binary.LittleEndian.Uint64(random.buf[at:])
}

// appendHex16 appends a number as 16 hex digits.
func appendHex16(b []byte, v uint64) []byte {
	return hex.AppendEncode(b, binary.BigEndian.AppendUint64(make([]byte, 0, 8), v))
}

func hex16(v uint64) string { return string(appendHex16(make([]byte, 0, NonceLen), v)) }

// parse16 reads 16 hex digits; ok is false for anything else.
func parse16(s string) (v uint64, ok bool) {
	if len(s) != NonceLen {
		return 0, false
	}
	for i := range NonceLen {
		if !isHex(s[i]) {
			return 0, false
		}
		v = v<<4 | uint64(unhex(s[i]))
	}
	return v, true
}

// NewNonce returns 64 random bits as 16 hex digits, for one client request.
func NewNonce() string { return hex16(randomBits()) }

// NewID returns 64 random bits as 16 hex digits, for one hit.
func NewID() string { return hex16(randomBits()) }

// NewRun returns 8 random hex digits that name a run.
func NewRun() string { return hex16(randomBits())[:RunLen] }
