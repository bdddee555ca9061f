package remote

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/preservecheck/preservecheck/ledger"
)

// Limits of a call. What a check sends is far below them.
const (
	maxOpen  = 1 << 20  // bytes: the names and digests of all fixtures
	maxCall  = 64 << 10 // bytes
	pageHits = 200      // told at once
)

// ServerOptions configure the API's server. All are needed but Counts.
type ServerOptions struct {
	Hub      *ledger.Hub
	Token    string // that every call has to bear
	Settings Settings
	Counts   func() Counts // of the stub, since its start; nil: nothing ever goes wrong
}

// Server is the admin API as a handler.
type Server struct {
	opt   ServerOptions
	token [sha256.Size]byte
	mux   *http.ServeMux

	mu     sync.Mutex
	atOpen map[string]Counts
}

// ErrToken says that a server was to be made without a token.
var ErrToken = errors.New("remote: an admin API needs a token of 16 bytes or more")

// NewServer makes a server.
func NewServer(opt ServerOptions) (*Server, error) {
	if len(opt.Token) < 16 {
		return nil, ErrToken
	}
	if opt.Counts == nil {
		opt.Counts = func() Counts { return Counts{} }
	}
	s := &Server{opt: opt, token: sha256.Sum256([]byte(opt.Token)), mux: http.NewServeMux(), atOpen: map[string]Counts{}}
	for pattern, f := range map[string]func(http.ResponseWriter, *http.Request, call){
		"POST /" + Version + "/runs":              s.open,
		"POST /" + Version + "/runs/{run}/hits":   s.ofRun(s.hits),
		"POST /" + Version + "/runs/{run}/leases": s.ofRun(s.announce),
		"DELETE /" + Version + "/runs/{run}":      s.ofRun(s.close),
		"GET /" + Version + "/arrivals":           s.arrivals,
	} {
		s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			f(w, r, call{came: time.Now(), run: r.PathValue("run")})
		})
	}
	return s, nil
}

// call is what is known of every call.
type call struct {
	came time.Time
	run  string
}

// HTTP is a server for the API, with deadlines and without what net/http answers by itself. Its Handler is s.
func (s *Server) HTTP() *http.Server {
	return &http.Server{
		Handler: s, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 15 * time.Second,
		IdleTimeout: time.Minute, MaxHeaderBytes: 8 << 10, DisableGeneralOptionsHandler: true,
		TLSNextProto: noHTTP2, ErrorLog: quiet, ConnContext: withPlace,
	}
}

// ServeHTTP answers a call that bears the token. Anything else gets a bare 404.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("cache-control", "no-store")
	token, ok := strings.CutPrefix(r.Header.Get("authorization"), "Bearer ")
	sum := sha256.Sum256([]byte(token))
	if subtle.ConstantTimeCompare(sum[:], s.token[:]) != 1 || !ok {
		nothing(w)
		return
	}
	prove(r)
	if _, pattern := s.mux.Handler(r); pattern == "" || r.URL.Path != path.Clean(r.URL.Path) {
		nothing(w) // also where another method would do, or a redirect
		return
	}
	s.mux.ServeHTTP(w, r)
}

// nothing says that there is nothing, and ends the connection: nobody gets a second guess over it.
func nothing(w http.ResponseWriter) {
	w.Header().Set("connection", "close")
	w.Header().Set("content-length", "0")
	w.WriteHeader(http.StatusNotFound)
}

func (s *Server) open(w http.ResponseWriter, r *http.Request, c call) {
	var run Settings
	if !read(w, r, maxOpen, &run) {
		return
	}
	if code, words := s.opt.Settings.differs(run); code != "" {
		fail(w, http.StatusConflict, code, words)
		return
	}
	counts := s.opt.Counts()
	name, key, err := s.opt.Hub.Open()
	if err != nil {
		fail(w, http.StatusServiceUnavailable, CodeRuns, err.Error())
		return
	}
	s.mu.Lock()
	for old := range s.atOpen { // of runs that expired
		if !s.opt.Hub.Has(old) {
			delete(s.atOpen, old)
		}
	}
	s.atOpen[name] = counts
	s.mu.Unlock()
	l := s.opt.Hub.Limits()
	s.answer(w, &openReply{Clock: s.clock(c), Run: name, Key: key.String(), LeaseMS: l.Lease.Milliseconds(), QuietMS: l.Quiet.Milliseconds()})
}

// ofRun lets only the run's own checker in.
func (s *Server) ofRun(f func(http.ResponseWriter, *http.Request, call)) func(http.ResponseWriter, *http.Request, call) {
	return func(w http.ResponseWriter, r *http.Request, c call) {
		if !s.opt.Hub.Allowed(c.run, r.Header.Get(AccessHeader)) {
			noRun(w)
			return
		}
		f(w, r, c)
	}
}

func noRun(w http.ResponseWriter) {
	fail(w, http.StatusGone, CodeNoRun, "the stub does not know this run (any more): it was started anew meanwhile, or did not hear of the check for too long")
}

func (s *Server) hits(w http.ResponseWriter, r *http.Request, c call) {
	var in syncCall
	if !read(w, r, maxCall, &in) {
		return
	}
	hub := s.opt.Hub
	gone, err := hub.Renew(c.run, in.Renew)
	err = errors.Join(err, hub.Release(c.run, in.Release), hub.Forget(c.run, in.Forget))
	got, more := hub.Since(c.run, in.Seq, in.Stray, pageHits)
	if errors.Join(err, more) != nil {
		noRun(w)
		return
	}
	s.mu.Lock()
	at := s.atOpen[c.run]
	s.mu.Unlock()
	out := &syncReply{Seq: got.Seq, Stray: got.Stray, More: got.More, Gone: gone, Lost: got.Lost, Born: got.Born, Refused: got.Refused, Trouble: s.opt.Counts().minus(at)}
	out.Hits, out.Strays = s.all(got.Hits), s.all(got.Strays)
	out.Clock = s.clock(c)
	s.answer(w, out)
}

func (s *Server) all(page []ledger.Numbered) (out []hit) {
	for _, n := range page {
		out = append(out, told(s.opt.Hub.Begun(), n))
	}
	return out
}

func (s *Server) announce(w http.ResponseWriter, r *http.Request, c call) {
	var in announceCall
	if !read(w, r, maxCall, &in) {
		return
	}
	ch := ledger.Channel(in.Channel)
	if _, ok := s.opt.Settings.Fixtures[in.Fixture]; !ok || !isHex(in.Nonce, ledger.NonceLen) || !announced(ch) {
		fail(w, http.StatusBadRequest, CodeBad, "an announcement needs a channel without a tag, a fixture of the matrix and a nonce")
		return
	}
	id, err := s.opt.Hub.Announce(c.run, in.Release, ch, ledger.Tag{Run: c.run, Fixture: in.Fixture, Nonce: in.Nonce})
	switch {
	case errors.Is(err, ledger.ErrNoRun):
		noRun(w)
	case err != nil:
		fail(w, http.StatusConflict, CodeLeased, err.Error())
	default:
		s.answer(w, &announceReply{Clock: s.clock(c), Lease: id})
	}
}

// announced reports whether a channel is one that needs announcing.
func announced(ch ledger.Channel) bool {
	return ch == ledger.Model || ch == ledger.Path || ch == ledger.Armed
}

func (s *Server) close(w http.ResponseWriter, _ *http.Request, c call) {
	s.opt.Hub.Close(c.run)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.atOpen, c.run)
	w.WriteHeader(http.StatusNoContent)
}

func (s *Server) arrivals(w http.ResponseWriter, r *http.Request, c call) {
	after, err := strconv.ParseUint(r.URL.Query().Get("after"), 10, 64)
	if err != nil {
		fail(w, http.StatusBadRequest, CodeBad, "after has to be the number that the call before gave, or 0")
		return
	}
	page, next := s.opt.Hub.Arrivals(after, pageHits)
	s.answer(w, &arrivalsReply{Arrivals: s.all(page), Next: next, Refused: s.opt.Hub.Stats().Refused, Strangers: s.opt.Counts().Strangers, Clock: s.clock(c)})
}

func (s *Server) clock(c call) clock {
	begun := s.opt.Hub.Begun()
	return clock{Came: since(begun, c.came), Left: since(begun, time.Now())}
}

// read decodes a call's body. It answers by itself when that can't be done.
func read(w http.ResponseWriter, r *http.Request, most int64, to any) bool {
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		fail(w, http.StatusRequestEntityTooLarge, CodeBad, "the call is larger than "+strconv.FormatInt(most, 10)+" bytes")
		return false
	case err != nil || json.Unmarshal(b, to) != nil:
		fail(w, http.StatusBadRequest, CodeBad, "the call's body is not the JSON that it has to be: use the same release on both sides")
		return false
	}
	return true
}

func (s *Server) answer(w http.ResponseWriter, v any) { write(w, http.StatusOK, v) }

func fail(w http.ResponseWriter, status int, code, message string) {
	var e errorReply
	e.Error.Code, e.Error.Message = code, message
	write(w, status, &e)
}

func write(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil { // text, numbers and lists can't fail
		status, b = http.StatusInternalServerError, nil
	}
	w.Header().Set("content-type", "application/json")
	w.Header().Set("content-length", strconv.Itoa(len(b)))
	w.WriteHeader(status)
	_, _ = w.Write(b) // who does not read it asks again
}
