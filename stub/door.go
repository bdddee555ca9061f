package stub

import (
	"net"
	"net/netip"
	"time"
)

// A stub with a secret is open to everybody, and most who come are none of ours. What follows keeps them from being in the way of those
// who are.
//
// A connection has proven itself when one of its requests showed the secret. Until then it has HeadTimeout in all, from the moment it is
// served, for TLS, the first byte and the head. Of the slots one source address has a quarter at most (IPv6: one /64, which is one
// subnet, RFC 4291). Connections of a source that has proven nothing cost a token each, which it gets back with the proof;
// so a source without the secret opens strangersPerSecond connections in the long run, and slow ones of that kind hold some twenty slots.
// When all slots are taken and some by connections without a proof, the next one waits, since one of those is over soon: that is
// WorstDelay. When all are held by those who know the secret, nothing is over soon; whoever is one of them, too, is told with 503.
// So is who comes from a known source that has its quarter already. Strangers who share a gateway's address (some gateways let their
// customers' code out by the same one) take part of that quarter; then the run can't tell, and no layer is blamed.
//
// Behind a proxy or a tunnel all connections come from one address, often a loopback one, and a limit for a source would be one for all.
// Who runs a stub there sets PerSource below zero: then nothing is counted by source. What is left is what a proxy does for us: it
// passes on whole heads only, and a stranger's request is answered with its head, whatever its body does. X-Forwarded-For is not
// read: whoever reaches the stub past the proxy could write into it what he likes.
//
// Rate delays rather than refuses: a connection has one request under way, so with the defaults the last of 256 waits a quarter of a
// second, less than maxPace.

// The limits of strangers.
const (
	strangersPerSecond = 10.0                   // connections of a source that has proven nothing
	strangerLinger     = 200 * time.Millisecond // to write the 404 and see it read
	knownFor           = 10 * time.Minute       // after its last proof a source is believed to know the secret
	maxPace            = 500 * time.Millisecond // that a request waits for its turn
	maxSources         = 4096                   // source addresses that are remembered
)

// door lets connections in. Its fields are guarded by the server's mutex.
type door struct {
	perSource int // 0: no limit
	unproven  int // open connections that have not proven themselves
	over      int // open connections that get a 503; they take no slots
	sources   map[netip.Addr]*source
	requests  bucket // of those who have
	waiting   int
	room      chan struct{} // closed when something changes that somebody waits for
}

// source is what is remembered of an address.
type source struct {
	open, proven int // connections
	provenAt     time.Time
	strange      bucket
}

// guest is an open connection as the door sees it.
type guest struct {
	source *source // nil when sources are not counted
	paid   bool    // a token of the source
	proven bool
	over   bool
}

func newDoor(o Options) *door {
	return &door{perSource: max(o.PerSource, 0), sources: map[netip.Addr]*source{}, room: make(chan struct{})}
}

// WorstDelay is how long a full set of slow connections, from however many sources, keeps a good one waiting that comes next, at
// most. Each of the set has proven nothing, so it ends or proves itself within HeadTimeout of being served, TLS included; if it does
// neither, its 404 takes no longer than strangerLinger. Connections are served in the order in which they came, so a good one behind q
// others in the kernel's queue waits (1 + q/MaxConns) times as long; to keep q filled, slow sources need to be many, since each
// opens strangersPerSecond only: with the defaults twelve to hold 256 slots for ever. Not counted are connections of
// those who know the secret: a run that fills the slots by itself is told so with 503. Without a secret nobody waits, and the delay is 0.
func WorstDelay(o Options) time.Duration {
	if o.Secret == "" {
		return 0
	}
	return o.withDefaults().HeadTimeout + strangerLinger
}

// sourceOf is the key of an address: itself, or for IPv6 its /64.
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

// source returns what is known of an address, and makes room for it where too many are.
func (d *door) source(a netip.Addr) *source {
	if d.perSource == 0 {
		return nil
	}
	if s := d.sources[a]; s != nil {
		return s
	}
	if len(d.sources) >= maxSources {
		for other, s := range d.sources { // in an order that nobody can foresee
			if s.open == 0 {
				delete(d.sources, other)
				break
			}
		}
	}
	s := &source{}
	d.sources[a] = s
	return s
}

// known reports whether somebody at the source showed the secret lately.
func (s *source) known(now time.Time) bool {
	return s != nil && (s.proven > 0 || !s.provenAt.IsZero() && now.Sub(s.provenAt) < knownFor)
}

// admission is what becomes of a connection.
type admission uint8

const (
	served admission = iota
	overloaded
	turnedAway
)

// pace waits until one more request of those who know the secret may be answered, and reports false where that takes too long.
func (s *Server) pace() bool {
	if s.opt.Rate < 0 {
		return true
	}
	rate := float64(s.opt.Rate)
	s.mu.Lock()
	wait, ok := s.door.requests.take(time.Now(), rate, rate, maxPace)
	s.mu.Unlock()
	if ok && wait > 0 {
		s.sleep(wait)
	}
	return ok
}

// admit waits for a slot where one will be free soon, and takes it.
func (s *Server) admit(nc net.Conn) admission {
	give := time.NewTimer(WorstDelay(s.opt) + time.Second) // what can't be later than that may be a little
	defer give.Stop()
	v := visit{from: sourceOf(nc.RemoteAddr())}
	for {
		s.mu.Lock()
		what, room := s.decide(nc, &v)
		s.mu.Unlock()
		if room == nil {
			return what
		}
		select {
		case <-room:
		case <-give.C:
			v.late = true
		case <-s.done:
		}
		s.mu.Lock()
		s.door.waiting--
		s.mu.Unlock()
	}
}

// visit is a connection that is not let in yet.
type visit struct {
	from netip.Addr
	paid bool // with a token of its source
	late bool // it has waited for as long as it may have to
}

// pay takes a token of the source, once.
func (v *visit) pay(src *source, now time.Time, depth int) bool {
	if !v.paid {
		_, v.paid = src.strange.take(now, strangersPerSecond, float64(depth), 0)
	}
	return v.paid
}

// decide says what becomes of a connection, or what it has to wait for. A source pays before its connection waits: those that can't
// would keep good ones behind them from being looked at.
func (s *Server) decide(nc net.Conn, v *visit) (admission, <-chan struct{}) {
	d, now := s.door, time.Now()
	src := d.source(v.from)
	full, known := len(s.open)-d.over >= s.opt.MaxConns, src.known(now)
	crowded := src != nil && src.open >= d.perSource
	switch {
	case s.closed:
		return turnedAway, nil
	case src != nil && !known && (crowded || !v.pay(src, now, d.perSource)):
		s.stats.strangers.Add(1)
		return turnedAway, nil
	case full && !crowded && d.unproven > 0 && !v.late:
		d.waiting++
		return 0, d.room
	}
	g := &guest{source: src, paid: v.paid, over: full || crowded}
	if g.over && (d.over >= extra || src != nil && src.open >= d.perSource+extra/4) {
		s.turnAway(known)
		return turnedAway, nil
	}
	d.unproven++
	if src != nil {
		src.open++
	}
	s.enter(nc, g)
	if g.over {
		d.over++
		return overloaded, nil
	}
	return served, nil
}

// turnAway counts a connection for which there is no room at all. It concerns the run when it may have been one of the run's: its source
// is known, or those who know the secret have filled the house.
func (s *Server) turnAway(known bool) {
	if known || len(s.open)-s.door.unproven >= s.opt.MaxConns {
		s.stats.dropped.Add(1)
		return
	}
	s.stats.strangers.Add(1)
}

// welcome notes that a connection has proven itself.
func (s *Server) welcome(nc net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.open[nc]
	if g == nil || g.proven {
		return
	}
	g.proven = true
	s.door.unproven--
	if src := g.source; src != nil {
		if g.paid {
			src.strange.giveBack()
		}
		src.proven++
		src.provenAt = time.Now()
	}
	s.door.stir()
}

// farewell takes a connection out of the counts. The caller holds the mutex.
func (d *door) farewell(g *guest) {
	if !g.proven {
		d.unproven--
	}
	if g.over {
		d.over--
	}
	if src := g.source; src != nil {
		src.open--
		if g.proven {
			src.proven--
			src.provenAt = time.Now()
		}
	}
	d.stir()
}

// stir wakes whoever waits.
func (d *door) stir() {
	if d.waiting > 0 {
		close(d.room)
		d.room = make(chan struct{})
	}
}
