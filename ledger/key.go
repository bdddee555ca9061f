package ledger

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"sync/atomic"
)

// Key is the secret of one run at a stub with many. From it come the nonces of the run, the hashes of what its requests hold,
// and what its checker shows with each call; none of these tells anything of the others.
type Key [32]byte

// ErrKey says that a text is no key.
var ErrKey = errors.New("ledger: a key is 64 hex digits")

// NewKey returns 256 random bits.
func NewKey() (k Key) {
	_, _ = rand.Read(k[:]) // documented never to fail (crypto/rand, Go 1.24)
	return k
}

// ParseKey reads what String wrote.
func ParseKey(s string) (k Key, err error) {
	if len(s) != 2*len(k) {
		return Key{}, ErrKey
	}
	if _, err := hex.Decode(k[:], []byte(s)); err != nil {
		return Key{}, ErrKey
	}
	return k, nil
}

// String is the key in hex. It is as secret as the key.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// sum is the MAC of parts, which hold no NUL, for one use of the key.
func (k Key) sum(use string, parts ...string) (out [sha256.Size]byte) {
	m := hmac.New(sha256.New, k[:])
	m.Write([]byte(use)) // a hash never fails
	for _, p := range parts {
		m.Write([]byte{0})
		m.Write([]byte(p))
	}
	m.Sum(out[:0])
	return out
}

// Access is what the checker of a run shows to have its hits, in hex.
func (k Key) Access() string {
	sum := k.sum("access")
	return hex.EncodeToString(sum[:])
}

// Hash is a keyed hash of a part of a request, the same at the stub and at its checker.
func (k Key) Hash(part []byte) string {
	own := k.sum("hash")
	m := hmac.New(sha256.New, own[:])
	m.Write(part)
	return hex.EncodeToString(m.Sum(nil)[:NonceLen/2])
}

// The parts of a nonce that a stub knows as one of its run's: a counter, and the MAC of run, fixture and counter. Who can
// guess a billion times an hour finds one in a thousand hours, and the stub answers far less.
const (
	counterLen = 3 // bytes
	maxCounter = 1<<(8*counterLen) - 1
)

// Mint makes the nonces of one run and knows them again.
type Mint struct {
	run  string
	key  Key
	made atomic.Int64
}

// NewMint makes a mint of a run.
func NewMint(run string, k Key) *Mint { return &Mint{run: run, key: k} }

// Nonce returns a new nonce for a fixture; after 16,777,215 of them "", which no request may carry.
func (m *Mint) Nonce(fixture string) string {
	n := m.made.Add(1)
	if n > maxCounter {
		return ""
	}
	return m.nonce(fixture, uint64(n))
}

func (m *Mint) nonce(fixture string, n uint64) string {
	counter := [counterLen]byte{byte(n >> 16), byte(n >> 8), byte(n)}
	sum := m.key.sum("nonce", m.run, fixture, string(counter[:]))
	return hex.EncodeToString(append(counter[:], sum[:NonceLen/2-counterLen]...))
}

// Made reports whether a tag has a nonce of this mint.
func (m *Mint) Made(t Tag) bool {
	v, ok := parse16(t.Nonce)
	if !ok || t.Run != m.run {
		return false
	}
	return hmac.Equal([]byte(hex16(v)), []byte(m.nonce(t.Fixture, v>>(64-8*counterLen))))
}
