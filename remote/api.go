// Package remote lets a check run in one place and its stub in another: the admin API of a stub that serves many runs, and
// the client of it, which a check takes for its ledger.
//
// The API tells hits and takes announcements. It serves no fixture, judges nothing, and is no public interface: it has no
// page, no list and no banner, and whoever lacks the token learns from it that there is nothing. net/http carries it, since
// nothing here is evidence.
//
// Times in the API are nanoseconds of the stub's own clock since its start, so that no clock that is set has a part in them.
package remote

import (
	"fmt"
	"time"

	"github.com/preservecheck/preservecheck/ledger"
)

// Version is the version of the API. It stands in every path, and two programs must have the same.
const Version = "v1"

// AccessHeader carries what a run's checker shows beside the token: ledger.Key.Access.
const AccessHeader = "preservecheck-run"

// Codes of errors, as they stand in an answer.
const (
	CodeBad      = "bad-request"
	CodeMatrix   = "other-matrix"
	CodeChannels = "other-channels"
	CodeWatch    = "not-watching"
	CodeRuns     = "too-many-runs"
	CodeNoRun    = "no-run"
	CodeLeased   = "leased"
)

// Settings are what both ends of a run must agree on.
type Settings struct {
	Matrix   string            `json:"matrix"`           // version
	Fixtures map[string]string `json:"fixtures"`         // name → digest of what is served
	Header   string            `json:"header,omitempty"` // of the channel header, as ledger.Channels has it
	Watch    bool              `json:"watch,omitempty"`  // of a run: it asks for marks; of a stub: it makes them
}

// clock is when the stub got a call and when it answered, by which its clock can be told from ours.
type clock struct {
	Came int64 `json:"came"`
	Left int64 `json:"left"`
}

type openReply struct {
	Clock   clock  `json:"clock"`
	Run     string `json:"run"`
	Key     string `json:"key"`
	LeaseMS int64  `json:"lease_ms"` // an announcement holds so long
	QuietMS int64  `json:"quiet_ms"` // a run that is not heard of for so long ends
}

type syncCall struct {
	Seq     uint64   `json:"seq"`
	Stray   uint64   `json:"stray"`
	Renew   []uint64 `json:"renew,omitempty"`
	Release []uint64 `json:"release,omitempty"`
	Forget  []string `json:"forget,omitempty"` // ids of hits
}

type syncReply struct {
	Clock   clock    `json:"clock"`
	Hits    []hit    `json:"hits,omitempty"`
	Strays  []hit    `json:"strays,omitempty"`
	Seq     uint64   `json:"seq"`
	Stray   uint64   `json:"stray"`
	More    bool     `json:"more,omitempty"`
	Gone    []uint64 `json:"gone,omitempty"` // announcements to renew that are no more
	Lost    int      `json:"lost,omitempty"`
	Born    uint64   `json:"born,omitempty"` // strays since the run was opened
	Refused int64    `json:"refused,omitempty"`
	Trouble Counts   `json:"trouble"`
}

// Counts are what went wrong at a stub; in an answer, since the run was opened.
type Counts struct {
	Overloaded int64 `json:"overloaded,omitempty"` // requests answered with the stub's own 503
	Dropped    int64 `json:"dropped,omitempty"`    // connections closed unanswered
	Panics     int64 `json:"panics,omitempty"`
	Strangers  int64 `json:"strangers,omitempty"` // requests without the secret; no trouble
}

func (c Counts) minus(o Counts) Counts {
	return Counts{c.Overloaded - o.Overloaded, c.Dropped - o.Dropped, c.Panics - o.Panics, c.Strangers - o.Strangers}
}

type announceCall struct {
	Channel string   `json:"channel"`
	Fixture string   `json:"fixture"`
	Nonce   string   `json:"nonce"`
	Release []uint64 `json:"release,omitempty"`
}

type announceReply struct {
	Clock clock  `json:"clock"`
	Lease uint64 `json:"lease,omitempty"`
}

type arrivalsReply struct {
	Clock     clock  `json:"clock"`
	Arrivals  []hit  `json:"arrivals,omitempty"`
	Next      uint64 `json:"next"`
	Refused   int64  `json:"refused,omitempty"`   // requests with a tag that is no open run's, since the start
	Strangers int64  `json:"strangers,omitempty"` // requests without the secret, since the start
}

type errorReply struct {
	Error struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// hit is ledger.Hit as it is told.
type hit struct {
	Seq      uint64   `json:"seq"`
	ID       string   `json:"id"`
	Run      string   `json:"run,omitempty"`
	Fixture  string   `json:"fixture,omitempty"`
	Nonce    string   `json:"nonce,omitempty"`
	Channels []string `json:"channels,omitempty"`
	At       int64    `json:"at"`
	From     string   `json:"from,omitempty"`
	Method   string   `json:"method,omitempty"`
	Path     string   `json:"path,omitempty"`
	Query    []string `json:"query,omitempty"`
	Header   []string `json:"header,omitempty"`
	Model    string   `json:"model,omitempty"`
	Stream   bool     `json:"stream,omitempty"`
	Retries  string   `json:"retry_count,omitempty"`
	Marks    []string `json:"marks,omitempty"`
	BodyHash string   `json:"body_hash,omitempty"`
	Note     string   `json:"note,omitempty"`
	Doubt    string   `json:"doubt,omitempty"`
	Aside    bool     `json:"aside,omitempty"`
	Served   served   `json:"served"`
}

type served struct {
	Fixture  string `json:"fixture,omitempty"`
	Proto    string `json:"proto,omitempty"`
	Status   int    `json:"status,omitempty"`
	Encoding string `json:"encoding,omitempty"`
	Framing  string `json:"framing,omitempty"`
	AnswerAt int64  `json:"answer_at,omitempty"`
	RestAt   int64  `json:"rest_at,omitempty"`
	Finished bool   `json:"finished,omitempty"`
}

// since is a time in the API's form, 0 for none.
func since(begun, t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return max(1, int64(t.Sub(begun)))
}

func told(begun time.Time, n ledger.Numbered) hit {
	h, s := n.Hit, n.Hit.Served
	out := hit{
		Seq: n.Seq, ID: h.ID, Run: h.Tag.Run, Fixture: h.Tag.Fixture, Nonce: h.Tag.Nonce, At: since(begun, h.At), From: h.From,
		Method: h.Method, Path: h.Path, Query: h.Query, Header: h.Header, Model: h.Model, Stream: h.Stream, Retries: h.RetryCount,
		Marks: h.Marks, BodyHash: h.BodyHash, Note: h.Note, Doubt: h.Doubt, Aside: h.Aside,
		Served: served{
			Fixture: s.Fixture, Proto: s.Proto, Status: s.Status, Encoding: s.Encoding, Framing: s.Framing,
			AnswerAt: since(begun, s.AnswerAt), RestAt: since(begun, s.RestAt), Finished: s.Finished,
		},
	}
	for _, c := range h.Channels {
		out.Channels = append(out.Channels, string(c))
	}
	return out
}

// differs says what two settings do not agree on, with the code of the error; "" when they do.
func (s Settings) differs(run Settings) (code, words string) {
	switch {
	case s.Matrix != run.Matrix || len(s.Fixtures) != len(run.Fixtures) || s.another(run) != "":
		what := fmt.Sprintf("the stub serves matrix %s with %d fixtures, and the check asks for matrix %s with %d", shown(s.Matrix), len(s.Fixtures), shown(run.Matrix), len(run.Fixtures))
		if name := s.another(run); name != "" {
			what += " (the first that differs is " + shown(name) + ")"
		}
		return CodeMatrix, what + ": use the same release on both sides, and give both the same --matrix files"
	case headerOf(s) != headerOf(run):
		return CodeChannels, fmt.Sprintf("the stub reads the fixture from the header %s, and the check sends it in %s: give both the same --channel header:NAME", shown(headerOf(s)), shown(headerOf(run)))
	case run.Watch && !s.Watch:
		return CodeWatch, "the check's profile watches what becomes of requests, and the stub does not: start the stub with this release, or use another --profile"
	}
	return "", ""
}
