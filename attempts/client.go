// Package attempts counts what a job costs at each place that may send it again: the worker, the SDK, the layer, and the stub,
// which sees all. Each hides the next.
//
// A worker of its own (the source article's) makes jobs with a client, each call with a tag of its own. The package judges
// nothing and compares nothing: a count is no verdict. It installs nothing, prints nothing and reads no environment.
package attempts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Call is one call that the worker makes with a client.
type Call struct {
	ID         string `json:"id"`
	Model      string `json:"model"`
	Prompt     string `json:"prompt"`
	MaxRetries int    `json:"max_retries"`
	Stream     bool   `json:"stream"`
}

// Reply is what a client shows of a call: the line of the protocol in docs/clients.md. What it does not show is nil.
type Reply struct {
	ID         string     `json:"id"`
	Outcome    string     `json:"outcome"`
	Exception  *string    `json:"exception"`
	Status     *int       `json:"status"`
	Type       *string    `json:"type"`
	Code       *string    `json:"code"`
	Message    *string    `json:"message"`
	RetryAfter *string    `json:"retry_after"`
	Requests   *int       `json:"requests"`
	WaitsMS    []*float64 `json:"waits_ms"`
	Text       *string    `json:"text"`
}

// OK reports whether the client takes the call for a success.
func (r *Reply) OK() bool { return r.Outcome == outcomeOK }

// The outcomes of a call.
const (
	outcomeOK    = "ok"
	outcomeError = "error"
)

// Client makes calls. It is safe for use by several goroutines. An error means that nothing is known of the call: the client
// hung, ended, or said what can't be read.
type Client interface {
	Call(ctx context.Context, c Call) (Reply, error)
	Close() error
}

// Bounds of what a client may say.
const (
	maxReply    = 1 << 20 // bytes of one line
	maxRequests = 10_000
)

// parseReply reads one line of a client. It is strict where a mistake could pass for a count.
func parseReply(line []byte) (r Reply, err error) {
	if err := json.Unmarshal(line, &r); err != nil {
		return r, fmt.Errorf("it wrote a line that is no result: %s", short(string(line)))
	}
	switch {
	case r.Outcome != outcomeOK && r.Outcome != outcomeError:
		return r, fmt.Errorf("it gave the outcome %q, which is neither ok nor error", short(r.Outcome))
	case r.Requests != nil && (*r.Requests < 0 || *r.Requests > maxRequests):
		return r, fmt.Errorf("it counts %d requests", *r.Requests)
	case r.Status != nil && *r.Status != 0 && (*r.Status < 100 || *r.Status > 999):
		return r, fmt.Errorf("it shows the status %d", *r.Status)
	}
	return r, nil
}

// short is the beginning of a text in one line.
func short(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "�")), " ")
	if len(s) > 120 {
		s = strings.ToValidUTF8(s[:120], "") + " …"
	}
	return s
}

// errLate is the cause with which a call is given up.
var errLate = errors.New("it was still waiting")
