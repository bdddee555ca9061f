package record

import "time"

// AttemptsFormat is the name of the JSON form of Attempts.
const AttemptsFormat = "preservecheck.attempts/v1"

// Attempts is what jobs cost: who made how many requests of one job, directly and through a layer. It has no verdict, since a
// count is none; it only knows whether every count could be told.
type Attempts struct {
	Format      string           `json:"format"`
	Tool        Tool             `json:"tool"`
	Started     time.Time        `json:"started"`
	DurationMS  float64          `json:"duration_ms"`
	Incomplete  bool             `json:"incomplete,omitempty"` // interrupted, or the deadline passed
	NotReady    string           `json:"not_ready,omitempty"`  // why nothing was asked through the layer
	Target      *Target          `json:"target"`               // null: jobs were done directly alone
	Recipe      string           `json:"recipe,omitempty"`
	RealDelays  bool             `json:"real_delays"`
	MaxWaitMS   float64          `json:"max_wait_ms"`
	WorkerCalls int              `json:"worker_calls"` // that the worker makes at most
	Clients     []AttemptsClient `json:"clients"`
	Jobs        []AttemptsJob    `json:"jobs"`
	Unexplained int              `json:"unexplained_hits"` // that no call of a job explains
	Notes       []string         `json:"notes,omitempty"`
	Exit        int              `json:"exit"`
	Word        string           `json:"word"` // measured, could not tell
	Why         string           `json:"why"`
	Next        string           `json:"next,omitempty"`
}

// AttemptsClient is a client that jobs were done with.
type AttemptsClient struct {
	Name     string            `json:"name"`
	Title    string            `json:"title"`
	Dialect  string            `json:"dialect"`
	Packages map[string]string `json:"packages,omitempty"` // with their versions
	Retries  *int              `json:"default_retries"`    // its own; null: not known
	Skipped  bool              `json:"waits_skipped"`      // it noted waits instead of waiting
}

// AttemptsJob is one job: a fixture, asked for by the worker with one client, until it gave up.
type AttemptsJob struct {
	Fixture    string `json:"fixture"`
	Client     string `json:"client"`
	MaxRetries int    `json:"max_retries"` // that the client was allowed
	Mode       string `json:"mode"`        // plain, stream
	Way        string `json:"way"`         // direct, through
	Route      string `json:"route,omitempty"`

	Class    string `json:"class"`    // that the worker gave the last call
	Expected string `json:"expected"` // the fixture's
	Outcome  string `json:"outcome"`  // what became of the job
	Alert    string `json:"alert"`

	Worker int    `json:"worker"`   // calls by the worker
	SDK    *int   `json:"sdk"`      // requests by the client, null: could not tell
	Layer  *int   `json:"layer"`    // requests by the layer; null: could not tell, or there was none
	Own    *int   `json:"answered"` // requests that the layer answered without asking the stub
	Hits   int    `json:"hits"`     // requests that reached the stub
	Told   string `json:"told"`     // how requests of client and layer were told apart: see the constants
	Costs  string `json:"costs"`    // in words: "one job = 27 requests: worker 3 × SDK 3 × layer 3"

	// TookMS is how long it takes until the worker stops, and whoever Alert names is told: the time between hits, and the waits that
	// worker and client noted instead of waiting. Null where a wait is not known.
	TookMS *float64 `json:"took_ms"`

	Failed string `json:"failed,omitempty"`

	Calls []AttemptsCall `json:"calls"`
}

// How requests of the client were told from those of the layer, the surest first.
const (
	ToldDirect   = "direct"   // there was no layer
	ToldBoth     = "both"     // the client counted, and x-stainless-retry-count agrees
	ToldCounted  = "counted"  // the client counted
	ToldHeader   = "header"   // x-stainless-retry-count alone
	ToldInferred = "inferred" // by the waits between hits, and by what the client did directly
	ToldNot      = "not"      // could not tell
)

// AttemptsCall is one call by the worker.
type AttemptsCall struct {
	Class       string     `json:"class"`
	Exception   *string    `json:"exception"` // the error as the client shows it
	Status      *int       `json:"status"`
	Type        *string    `json:"type"`
	Code        *string    `json:"code"`
	RetryAfter  *string    `json:"retry_after"`
	Requests    *int       `json:"requests"` // that the client counted; null: it can't
	WaitsMS     []*float64 `json:"waits_ms"` // between them, as the client noted; null: not known
	Hits        int        `json:"hits"`
	RetryCounts []string   `json:"retry_counts,omitempty"` // x-stainless-retry-count of the hits, in order
	GapsMS      []float64  `json:"gaps_ms,omitempty"`      // between hits
	WorkerWait  float64    `json:"worker_wait_ms"`         // that the worker would have waited behind this call
}
