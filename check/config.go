// Package check is one run: it waits until a layer is ready, picks a channel, asks every row in stages, looks
// whether the layer's state changed, and settles verdicts and findings into a record.
//
// It judges nothing itself (compare does), starts no process and formats nothing.
package check

import (
	"context"
	"time"

	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/wire"
)

// Way sends one request and brings back the answer; it adds no hit of its own.
type Way interface {
	Do(ctx context.Context, r wire.Request) *wire.Answer
}

// Hits is what a run asks of the ledger.
type Hits interface {
	// Issue notes a tag that a request is about to carry.
	Issue(t ledger.Tag)
	// Announce says that requests which carry no nonce (row-only channels: of this fixture; armed: any) belong to
	// this tag until done is called. On an error nothing was announced, and the request must not be sent.
	Announce(ch ledger.Channel, t ledger.Tag) (done func(), err error)
	// Nonce returns a nonce that no other request has, for one that wants a fixture.
	Nonce(fixture string) string
	// Sync brings in what reached the stub until now; Of, ByID and Unexplained know nothing later. An error means that hits
	// are missing. It takes its time by itself.
	Sync() error
	// Shared reports whether others have business at the stub, so that a hit which nothing explains may be theirs.
	Shared() bool
	// Witness tells of an answer that surely came from a hit, by which a clock that is not ours can be told.
	Witness(hit string, sent, first time.Time)
	// Refused returns how many requests bore this run's name under a nonce that it never made, beside those in Unexplained.
	Refused() int
	// Of returns the hits of one client request in order of arrival.
	Of(nonce string) []ledger.Hit
	// ByID finds a hit by the id that stands in an answer.
	ByID(id string) (ledger.Hit, bool)
	// Hash is the keyed hash that the marks of hits are made with.
	Hash(b []byte) string
	// Forget drops what is kept of a client request; later hits of it are unexplained.
	Forget(nonce string)
	// Unexplained returns the hits that no tag of this run explains.
	Unexplained() []ledger.Hit
}

// Config is one run. All of it is decided before the run starts.
type Config struct {
	Run      string // 8 hex digits
	Matrix   *fixture.Matrix
	Rows     []Row // what to judge, in the matrix's order
	Layer    Way
	Base     string // path of the layer's base URL
	Direct   Way    // to the stub itself, as a layer reaches it: over its public URL where it has one
	Near     Way    // to the stub over loopback, beside a public Direct; nil: there is no such way
	Public   string // the public URL as it may be shown, "" for none; a Direct beside Near is public in any case
	Hits     Hits
	Rules    compare.Rules
	Channel  string // auto, marker, model, header, path, armed
	Channels ledger.Channels
	Routes   []Route                                // named ways into the layer; they replace Layer, Base, Channel, Model and Header
	Hops     bool                                   // the routes are points of one chain, client first
	Model    string                                 // model name; {fixture} stands for the fixture's name, which makes it a channel
	Header   []wire.Field                           // sent through the layer only
	Idle     func() bool                            // an embedded layer says when nothing is under way; nil: wait for late hits
	Gone     func() string                          // why the layer can't be asked any more; nil or "": it can
	WayGone  func() string                          // why the public way leads nowhere any more, as its tunnel knows; nil or "": it may
	Trouble  func() string                          // what went wrong at the stub so that hits may be missing; nil or "": nothing
	Proof    func(ctx context.Context) record.Proof // runs while the layer is waited for

	Strangers func() int64       // requests so far that came to the stub without its secret; nil: it has none
	OwnTag    func(nonce string) // is told of each request to the stub that does not go through the layer; nil: not wanted

	Repeat       int           // how often each row is asked for side by side; 0 is once
	MaxLayerWait time.Duration // that a layer may add to an answer; 0: the profile's rule

	Concurrency  int
	Rate         float64 // requests per second through the layer, 0: as fast as it goes
	Timeout      time.Duration
	Deadline     time.Duration
	ReadyTimeout time.Duration
	WayTimeout   time.Duration // for the public way to open, before the layer is waited for; 0: ReadyTimeout
	Settle       time.Duration
	Patient      time.Duration // pause between canaries while a person sets the layer up, without a bound on their number; 0: it is ready soon

	// Document is filled in by the caller with what the run does not know: tool, target, matrix, profile, settings.
	Document record.Document
	// Redact removes secrets from any text before it enters the record; nil: nothing is secret.
	Redact func(string) string
	// Progress is called after each probe through the layer; nil: not wanted.
	Progress func(Progress)
	// Decided is called for each row, in order, after all were settled; nil: not wanted.
	Decided func(Decided)
}

// Decided is what the verdict of a row rests on, for a classifier that is not ours.
type Decided struct {
	Row     Row
	Fixture *wire.Answer // as it is served, with fixture.NoID for the id of the hit
	Layer   *wire.Answer // of the observation that decided; nil when none did
	IDs     []string     // of the hits that belong to Layer
}

// Row is one fixture, asked for in one mode and dialect on one route.
type Row struct {
	Route   string // name of one of Config.Routes; "" when there are none
	Fixture *fixture.Fixture
	Mode    fixture.Mode
	Dialect *dialects.Dialect // asked in; the fixture has the one that is served
}

// lane is a way of asking that needs a canary of its own.
type lane struct {
	route   string
	dialect *dialects.Dialect
	mode    fixture.Mode
}

func (r Row) lane() lane { return lane{r.Route, r.Dialect, r.Mode} }

func (l lane) String() string {
	if l.route != "" {
		return "route " + l.route + ", " + l.dialect.Name + " " + string(l.mode)
	}
	return l.dialect.Name + " " + string(l.mode)
}

// Progress is how far a run has come.
type Progress struct {
	Phase  string // "waiting for the layer", "waiting for the way to the stub", "rows", "again", "alone", "late hits"
	Done   int    // of this phase
	Total  int    // of this phase, 0 where that is not known
	Row    string // that was asked for last
	Failed int    // rows that differed in any observation so far
	Why    string // what the way to the stub is waited for, in words; "" in other phases
}
