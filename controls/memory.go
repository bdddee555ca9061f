package controls

import (
	"sync"

	"github.com/preservecheck/preservecheck/wire"
)

// ownLimit is what a layer with a memory answers by itself. It looks native on purpose: for some rows it equals the
// fixture in every key that a classifier reads, and only the missing hit tells.
func ownLimit() *wire.Answer {
	return &wire.Answer{
		Proto: "HTTP/1.1", Status: 429, Reason: "Too Many Requests", Framing: wire.FramingLength, End: wire.EndComplete,
		Header: []wire.Field{{Name: "content-type", Value: "application/json"}},
		Body:   []byte(`{"type":"error","error":{"type":"rate_limit_error","message":"fixture: no header, no code"}}`),
	}
}

// remembers guards the state of a fault with memory; calls to the upstream are made outside of it.
type remembers struct {
	mu   sync.Mutex
	keys map[string]bool
}

func (r *remembers) has(key string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.keys[key]
}

func (r *remembers) set(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.keys == nil {
		r.keys = map[string]bool{}
	}
	r.keys[key] = true
}

// take forgets a key and reports whether it was set.
func (r *remembers) take(key string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	was := r.keys[key]
	delete(r.keys, key)
	return was
}
