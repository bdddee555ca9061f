// Package stub is the fake upstream: its own HTTP/1.0 and 1.1 loop that plays fixtures byte by byte and puts every
// request that reaches it into the ledger before it answers.
//
// It is not a web server: it serves no files, forwards nothing, speaks no HTTP/2, and answers every request that
// does not ask for a fixture with an error that names itself. It judges no layer. TLS may be wrapped around its
// listener from outside.
//
// There is one reader of requests, strict and without allocations, instead of net/http's: http.ReadRequest has no
// limit on the head, accepts bare line feeds and hides what it corrected. Tests hold the reader against it.
package stub

import (
	"errors"
	"net"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
)

// Options configure a stub. Matrix and Ledger are needed; a zero value elsewhere means the default.
type Options struct {
	Matrix   *fixture.Matrix
	Ledger   Book
	Channels ledger.Channels
	Dialects []*dialects.Dialect // all by default
	Watch    bool                // note whether the watched parts of requests arrive, for a profile that asks for it

	// Secret makes the stub one for the open internet, "" for none. Only a request that shows it is read and answered: as a segment
	// of its path, wherever that stands, or as its upstream API key (x-api-key, api-key, authorization: Bearer). It is taken out of
	// the path before anything of it is kept or said. Everything else gets one and the same 404, which does not say who answers, and
	// is counted in Stats.Strangers.
	Secret string

	// MaxConns is how many connections are served at a time, 256 by default. A few more are answered with a 503 of
	// the stub's own, so that the ledger knows whom it turned away; the rest are closed.
	MaxConns int

	// PerSource is how many of them one source address may have, where there is a secret: a quarter of MaxConns by default, below
	// zero as many as there are. Behind a proxy or a tunnel, where all come from one address, it has to be below zero.
	PerSource int

	// Rate is how many requests of those who know the secret are answered in a second, where there is one: 1000 by default, and as
	// many more at once; below zero all. A little more than that wait; the rest gets a 503.
	Rate int

	// Deadlines are absolute: a client that sends a byte now and then gains nothing. The second default is that with a secret.
	IdleTimeout  time.Duration // from one answer to the first byte of the next request, 60 s or 120 s
	HeadTimeout  time.Duration // from the first byte of a request to the end of its head, 10 s or 2 s; with a secret, the first from the connection's begin
	BodyTimeout  time.Duration // from there to the end of its body, 30 s or 5 s
	WriteTimeout time.Duration // for each write of a script, 30 s or 10 s

	// Saw is told the name and value of each header, and of each parameter of a query, of requests that are answered: who runs the stub may have to know
	// what must not be written. The stub itself keeps no value. The bytes are good until it returns; it may be called by several goroutines.
	Saw func(name, value []byte)

	// OnPanic is told of a panic in a connection, which is then closed. It may be called by several goroutines.
	OnPanic func(value any, stack []byte)
}

// Book is what a stub asks of the ledger. A *ledger.Ledger has one run, a *ledger.Hub many.
type Book interface {
	// Arrived keeps a hit before it is answered, and returns its tag and channels with what was announced filled in.
	Arrived(h ledger.Hit, p ledger.Parts) (ledger.Tag, []ledger.Channel)
	// Served records what was sent for a hit.
	Served(id string, s ledger.Served)
	// Note adds words to a hit.
	Note(id, note string)
}

// Limits that no option changes.
const (
	maxHead   = 16 << 10 // bytes of request line and header
	maxFields = 100
	maxBody   = 256 << 10 // many times what any client of a check sends; all connections together must not fill the memory
	extra     = 64        // connections beyond MaxConns that get a 503
	keepBuf   = 64 << 10
)

// Server is one stub.
type Server struct {
	opt      Options
	names    *ledger.Names
	rendered map[string]*rendered
	canaries map[string]canary
	known    []string      // names of the fixtures
	models   func() []byte // made when it is first asked for
	secret   *secret       // nil for none

	done   chan struct{} // closed by Close
	conns  sync.WaitGroup
	active atomic.Int64
	stats  counters

	mu     sync.Mutex
	closed bool
	open   map[net.Conn]*guest
	door   *door
	listen []net.Listener
	knocks map[string]bool // words of Knock that are waited for, and whether they came
}

// rendered is a fixture for each kind of request, HTTP/1.1 or not, gzip accepted or not; each made when it is first
// asked for, since a run serves a few of many.
type rendered struct {
	fixture *fixture.Fixture
	by      [2][2]atomic.Pointer[fixture.Rendered]
}

func (r *rendered) of(http11, gzipOK bool) *fixture.Rendered {
	p := &r.by[index(http11)][index(gzipOK)]
	if p.Load() == nil {
		p.Store(r.fixture.Render(http11, gzipOK)) // twice at worst, and alike
	}
	return p.Load()
}

func index(b bool) int {
	if b {
		return 1
	}
	return 0
}

type counters struct{ overloaded, dropped, panics, refused, strangers atomic.Int64 }

// Stats are counts since the start. Overloaded, Dropped and Panics concern the run: something of it may have been lost. Refused is what
// its requests were found to be. Strangers concerns no run: with a secret, whoever does not know it moves no other count.
type Stats struct {
	Open       int   // connections now
	Overloaded int64 // requests answered with 503 because MaxConns, PerSource or Rate was reached
	Dropped    int64 // connections closed unanswered because even those were too many
	Panics     int64
	Refused    int64 // requests that were no proper HTTP/1 request, too large or too slow
	Strangers  int64 // requests that did not show the secret, and connections without any that did
}

// ErrOptions says that a needed option is missing.
var ErrOptions = errors.New("stub: Matrix and Ledger are needed")

// New makes a stub that serves the matrix.
func New(opt Options) (*Server, error) {
	if opt.Matrix == nil || opt.Ledger == nil {
		return nil, ErrOptions
	}
	secret, err := newSecret(opt.Secret)
	if err != nil {
		return nil, err
	}
	s := &Server{opt: opt.withDefaults(), rendered: map[string]*rendered{}, done: make(chan struct{}), open: map[net.Conn]*guest{}, secret: secret}
	s.door = newDoor(s.opt)
	var names []string
	all := make([]rendered, 0, len(opt.Matrix.Rows)+len(opt.Matrix.Canaries)) // never grows: pointers into it are kept
	for _, list := range [][]*fixture.Fixture{opt.Matrix.Rows, opt.Matrix.Canaries} {
		for _, f := range list {
			names = append(names, f.Name)
			all = append(all, rendered{fixture: f})
			s.rendered[f.Name] = &all[len(all)-1]
		}
	}
	s.canaries = canaries(opt.Matrix)
	s.names = ledger.NewNames(names)
	s.known, s.models = names, sync.OnceValue(func() []byte { return modelList(names) })
	return s, nil
}

// canary names the success fixtures of one dialect.
type canary struct{ plain, stream string }

func canaries(m *fixture.Matrix) map[string]canary {
	out := map[string]canary{}
	for _, f := range m.Canaries {
		c := canary{plain: f.Name, stream: f.Name}
		if p := m.Canary(f.Dialect, fixture.Plain); p != nil {
			c.plain = p.Name
		}
		if s := m.Canary(f.Dialect, fixture.Stream); s != nil {
			c.stream = s.Name
		}
		out[f.Name] = c
	}
	return out
}

func (o Options) withDefaults() Options {
	if o.Dialects == nil {
		o.Dialects = dialects.All()
	}
	if o.MaxConns <= 0 {
		o.MaxConns = 256
	}
	idle, head, body, write := 60*time.Second, 10*time.Second, 30*time.Second, 30*time.Second
	if o.Secret != "" {
		// Gateways keep connections in a pool, Go's for 90 s and nginx for 60: one that is closed just as it is used again fails
		// a request, which would look like the gateway's own fault. Who has not shown the secret has HeadTimeout in all anyway.
		idle, head, body, write = 120*time.Second, 2*time.Second, 5*time.Second, 10*time.Second
	}
	for d, value := range map[*time.Duration]time.Duration{
		&o.IdleTimeout: idle, &o.HeadTimeout: head, &o.BodyTimeout: body, &o.WriteTimeout: write,
	} {
		if *d <= 0 {
			*d = value
		}
	}
	if o.PerSource == 0 {
		o.PerSource = max(1, o.MaxConns/4)
	}
	if o.Rate == 0 {
		o.Rate = 1000
	}
	return o
}

// Serve accepts connections until Close, and then returns nil. It may be called for several listeners, which it
// closes.
func (s *Server) Serve(l net.Listener) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return l.Close()
	}
	s.listen = append(s.listen, l)
	s.mu.Unlock()
	for pause := time.Duration(0); ; {
		c, err := l.Accept()
		if err == nil {
			pause = 0
			s.start(c)
			continue
		}
		select {
		case <-s.done:
			return nil
		default:
		}
		if !passes(err) {
			return errors.Join(err, l.Close())
		}
		pause = min(max(2*pause, 5*time.Millisecond), time.Second)
		s.sleep(pause)
	}
}

// passes reports whether accepting may work again soon: file descriptors ran out, or a client was gone already.
func passes(err error) bool {
	var t interface{ Temporary() bool }
	return errors.As(err, &t) && t.Temporary()
}

// start serves a connection on a goroutine of its own, if there is room.
func (s *Server) start(nc net.Conn) {
	what := turnedAway
	if s.secret != nil {
		what = s.admit(nc)
	} else {
		what = s.admitAny(nc)
	}
	if what == turnedAway {
		_ = nc.Close() // nobody to tell
		return
	}
	go func() {
		defer s.conns.Done()
		defer s.leave(nc)
		defer s.recoverPanic()
		newConn(s, nc, what == overloaded).serve()
	}()
}

// admitAny lets connections in where there is no secret.
func (s *Server) admitAny(nc net.Conn) admission {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.open)
	switch {
	case s.closed || n >= s.opt.MaxConns+extra:
		s.stats.dropped.Add(1)
		return turnedAway
	case n >= s.opt.MaxConns:
		s.enter(nc, &guest{})
		return overloaded
	}
	s.enter(nc, &guest{})
	return served
}

// enter notes a connection that is served. The caller holds the mutex.
func (s *Server) enter(nc net.Conn, g *guest) {
	s.open[nc] = g
	s.conns.Add(1)
}

func (s *Server) leave(nc net.Conn) {
	_ = nc.Close() // often closed already
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.secret != nil {
		s.door.farewell(s.open[nc])
	}
	delete(s.open, nc)
}

// recoverPanic keeps a bug that one request wakes from ending the run. The connection is closed by leave.
func (s *Server) recoverPanic() {
	if v := recover(); v != nil {
		s.stats.panics.Add(1)
		if s.opt.OnPanic != nil {
			s.opt.OnPanic(v, debug.Stack())
		}
	}
}

// Close ends all listeners and connections, and returns when every goroutine has ended.
func (s *Server) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		s.conns.Wait()
		return nil
	}
	s.closed = true
	close(s.done)
	var err error
	for _, l := range s.listen {
		err = errors.Join(err, l.Close())
	}
	for c := range s.open {
		_ = c.Close() // its goroutine notices
	}
	s.mu.Unlock()
	s.conns.Wait()
	return err
}

// Addr returns the address of the first listener, nil before Serve.
func (s *Server) Addr() net.Addr {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.listen) == 0 {
		return nil
	}
	return s.listen[0].Addr()
}

// Idle reports whether no request is under way: none whose first byte was read (with a secret: that has shown it) and whose hit is not
// yet complete.
func (s *Server) Idle() bool { return s.active.Load() == 0 }

// Stats returns the counts so far.
func (s *Server) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Stats{
		Open: len(s.open), Overloaded: s.stats.overloaded.Load(), Dropped: s.stats.dropped.Load(),
		Panics: s.stats.panics.Load(), Refused: s.stats.refused.Load(), Strangers: s.stats.strangers.Load(),
	}
}

// sleep waits, and reports false when the stub was closed meanwhile.
func (s *Server) sleep(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-s.done:
		return false
	}
}
