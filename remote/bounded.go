package remote

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
)

// DefaultConns is how many connections an API serves at a time: a check has as many as rows side by side.
const DefaultConns = 128

// Bounded serves at most so many connections at a time, of which one source without the token has a quarter. Where there is no room, the
// oldest connection that has not shown the token makes it: nobody keeps a checker out by connections that say nothing, and a checker shows
// the token with its first request. Only where all have shown it, the new one is closed.
func Bounded(l net.Listener, most int) net.Listener {
	return &bounded{Listener: l, most: most, perSource: max(1, most/4)}
}

type bounded struct {
	net.Listener
	most, perSource int

	mu      sync.Mutex
	open    int
	strange []*placed // without the token, the oldest first
}

func (b *bounded) Accept() (net.Conn, error) {
	for {
		c, err := b.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if p := b.place(c); p != nil {
			return p, nil
		}
		_ = c.Close() // nobody to tell
	}
}

// place makes room for a connection, nil where there is none.
func (b *bounded) place(c net.Conn) *placed {
	p := &placed{Conn: c, of: b, from: sourceOf(c.RemoteAddr())}
	b.mu.Lock()
	var out *placed
	mine := 0
	for _, s := range b.strange {
		if s.from == p.from {
			mine++
		}
	}
	switch {
	case mine >= b.perSource:
		out = b.strange[slices.IndexFunc(b.strange, func(s *placed) bool { return s.from == p.from })]
	case b.open >= b.most && len(b.strange) > 0:
		out = b.strange[0]
	case b.open >= b.most:
		b.mu.Unlock()
		return nil
	}
	if out != nil {
		b.forget(out)
	}
	b.open++
	b.strange = append(b.strange, p)
	b.mu.Unlock()
	if out != nil {
		_ = out.Conn.Close() // its server notices
	}
	return p
}

// forget takes a connection out of the counts, once. The caller holds the mutex.
func (b *bounded) forget(p *placed) {
	if p.gone {
		return
	}
	p.gone = true
	b.open--
	b.strange = slices.DeleteFunc(b.strange, func(s *placed) bool { return s == p })
}

// sourceOf is an address without its port, and of IPv6 the subnet, which one machine has as a whole (RFC 4291).
func sourceOf(a net.Addr) netip.Addr {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.Addr{}
	}
	ip := tcp.AddrPort().Addr().Unmap().WithZone("")
	if ip.Is6() {
		p, _ := ip.Prefix(64) // fails for more than 128 bits only
		return p.Addr()
	}
	return ip
}

// placed is a connection that has a place.
type placed struct {
	net.Conn
	of   *bounded
	from netip.Addr
	gone bool // guarded by the mutex of its listener
}

func (p *placed) Close() error {
	p.of.mu.Lock()
	p.of.forget(p)
	p.of.mu.Unlock()
	return p.Conn.Close()
}

// proven notes that the token was shown.
func (p *placed) proven() {
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	p.of.strange = slices.DeleteFunc(p.of.strange, func(s *placed) bool { return s == p })
}

type placeKey struct{}

// withPlace lets a request find the place of its connection.
func withPlace(ctx context.Context, c net.Conn) context.Context {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	if p, ok := c.(*placed); ok {
		return context.WithValue(ctx, placeKey{}, p)
	}
	return ctx
}

// prove notes that a request bore the token.
func prove(r *http.Request) {
	if p, ok := r.Context().Value(placeKey{}).(*placed); ok {
		p.proven()
	}
}
