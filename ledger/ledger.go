// Package ledger ties every request that reaches the stub to the client request it came from.
//
// A channel is how a request tells the stub which fixture it wants; its two ends, marking an ask and reading an
// arrival, stand side by side in channels.go. The ledger keeps no header value and no body of anybody's request. It knows no
// dialect, gives no verdict and serves nothing.
package ledger

import "time"

// Tag names one client request: the run, the fixture it wants and a nonce that is unique for every request.
type Tag struct {
	Run     string // 8 hex digits
	Fixture string
	Nonce   string // 16 hex digits; empty when the channel carried only the fixture
}

// Served is what the stub sent for a hit.
type Served struct {
	Fixture  string // "" when no fixture was selected and the stub answered for itself
	Proto    string // the request's HTTP version
	Status   int
	Encoding string    // gzip or ""
	Framing  string    // length, chunked or close
	AnswerAt time.Time // just before the first byte was written
	RestAt   time.Time // just before the first write that a pause came before; zero when there was none
	Finished bool      // the whole script was written
}

// Hit is one request that reached the stub.
type Hit struct {
	ID         string // 16 hex digits, random, written into the answer
	Tag        Tag    // resolved: an announced nonce is filled in for channels that carry none
	Channels   []Channel
	At         time.Time
	From       string // address of the connection, to recognise our own
	Method     string
	Path       string
	Query      []string // names of the query's parameters; values may be secret
	Header     []string // names, in order of arrival
	Model      string
	Stream     bool
	Agent      string   // family of the client by its user-agent, one of the stub's list; the value itself is not kept
	RetryCount string   // x-stainless-retry-count, "" when absent
	Marks      []string // keyed hashes of the watched parts, in the dialect's order, "" for one that is not there; nil: nothing was watched
	BodyHash   string   // keyed hash, to tell same from different
	Note       string   // why no fixture was served, or what was odd about the channels, in words; "" when all is well
	Doubt      string   // why it may be another's than its tag says, in words; "" when it is not
	Aside      bool     // asks for nothing that a provider answers with evidence (HEAD /, a list of models): no hit of a client request, never unexplained
	Served     Served

	// Slack is how far At and the times in Served may be off, either way, where they come from another machine's clock.
	Slack time.Duration
}

// Parts are the parts of a request of which a ledger keeps keyed hashes. The ledger has the key.
type Parts interface {
	Hashed(hash func([]byte) string) (body string, marks []string)
}
