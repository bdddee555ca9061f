// Package classify says what an error means to a worker: its class, and what the worker then does.
//
// Rules are data over roles (status, type, code, message …). Where a role stands on the wire is the business of a
// dialect. Nothing here guesses: an error that no rule names is Unknown429 or Other. The package imports nothing of
// ours, prints nothing and reads no environment.
package classify

import "strings"

// Class is what an answer means to a worker.
type Class string

// Role is a place in an answer that a rule may read, whatever the dialect calls it.
type Role string

// The roles that rules and profiles speak of.
const (
	Status       Role = "status"
	Type         Role = "type"
	Code         Role = "code"
	Details      Role = "details"
	Limit        Role = "limit-source" // whose limit was reached, where an error says so beside its code
	Message      Role = "message"
	RetryAfter   Role = "retry-after"
	RetryAfterMS Role = "retry-after-ms"
	ShouldRetry  Role = "x-should-retry"
	HeadroomLeft Role = "headroom" // several headers, which a dialect lists
	Body         Role = "body"
)

// Fact is what stands in a role. The zero Fact is absent.
type Fact struct {
	State State
	Text  string
}

// State tells absent from text from a value of a kind that the role should not have.
type State uint8

// The states of a fact.
const (
	Absent State = iota // not there, or null
	Text                // there, as text (a number for Status)
	Odd                 // there, but a list, a number or an object where text belongs
)

// Facts are the roles of one answer.
type Facts struct {
	Status     int  // 0: no answer at all
	InStream   bool // the error came as an event after a 200; Status then is the status documented for its type
	HasError   bool // the answer holds an error object of the dialect
	Truncated  bool // a stream ended without its terminal event and without an error
	Type, Code Fact
	Limit      Fact
	Message    Fact
	RetryAfter Fact
	Headroom   Headroom
}

// Headroom is what an answer says of the limits that its requests count against. The zero value says nothing.
type Headroom struct {
	Told bool
	Left float64 // of the limit that is nearest to its end: 1 untouched, 0 used up
}

// LateError is true of every error that came as an event after a 200, whatever its class, and changes its action: the
// official SDKs raise it at once (runs of seven builds, 2026-11-30).
const LateError = "it came after the stream had begun, where no SDK retries, so only the worker can"

// CodeMatch is what a rule demands of the code.
type CodeMatch struct {
	Absent bool     // no code
	OneOf  []string // one of these
	Odd    bool     // there, but no text
}

// Rule gives a class to the answers that fit all its conditions. An empty condition fits everything.
type Rule struct {
	Class         Class
	Status        []int // exact statuses
	Success       bool  // any 2xx
	NoError       bool  // no error object of the dialect in the answer
	Type          []string
	HasError      bool      // an error object of the dialect is in the answer
	Code          CodeMatch // the zero value fits any code
	Limit         []string
	MessagePrefix []string
	RetryAfter    bool    // retry-after must be present and not empty
	Headroom      bool    // the answer must tell its headroom
	HeadroomUnder float64 // and it must be under this share; 0: any
	Truncated     bool    // only answers that broke off
	NoAnswer      bool    // only a missing answer
	Why           string  // the evidence, in words a person on call understands
	From, Read    string  // source of the fact and the date it was read
}

// Classify returns the first rule that fits, or nil; the caller's rules must end in one that fits everything.
func Classify(rules []Rule, f Facts) *Rule {
	for i := range rules {
		if rules[i].fits(f) {
			return &rules[i]
		}
	}
	return nil
}

func (r *Rule) fits(f Facts) bool {
	switch {
	case r.Truncated && !f.Truncated || r.NoAnswer && f.Status != 0:
		return false
	case r.Success && (f.Status < 200 || f.Status > 299 || f.InStream):
		return false
	case r.NoError && f.HasError || r.HasError && !f.HasError:
		return false
	case r.readsHeadroom() && !r.fitsHeadroom(f.Headroom):
		return false
	case r.RetryAfter && (f.RetryAfter.State != Text || strings.TrimSpace(f.RetryAfter.Text) == ""):
		return false
	}
	return oneOfInt(r.Status, f.Status) && r.fitsText(f)
}

// fitsText checks the conditions on what the error says.
func (r *Rule) fitsText(f Facts) bool {
	return oneOf(r.Type, f.Type) && r.Code.fits(f.Code) && oneOf(r.Limit, f.Limit) && prefix(r.MessagePrefix, f.Message)
}

// Reads lists the roles that a rule looks at, so that a profile can be held to compare them all.
func (r *Rule) Reads() []Role {
	var out []Role
	add := func(role Role, reads bool) {
		if reads {
			out = append(out, role)
		}
	}
	add(Status, len(r.Status) > 0 || r.Success || r.NoAnswer)
	add(Type, len(r.Type) > 0)
	add(Details, r.Code.reads())
	add(Code, r.Code.reads())
	add(Limit, len(r.Limit) > 0)
	add(Message, len(r.MessagePrefix) > 0)
	add(RetryAfter, r.RetryAfter)
	add(HeadroomLeft, r.readsHeadroom())
	return out
}

func (r *Rule) readsHeadroom() bool { return r.Headroom || r.HeadroomUnder > 0 }

func (r *Rule) fitsHeadroom(h Headroom) bool {
	return h.Told && (r.HeadroomUnder == 0 || h.Left < r.HeadroomUnder)
}

func (m CodeMatch) reads() bool { return m.Absent || m.Odd || len(m.OneOf) > 0 }

func (m CodeMatch) fits(f Fact) bool {
	switch {
	case m.Absent:
		return f.State == Absent
	case m.Odd:
		return f.State == Odd
	case len(m.OneOf) > 0:
		return oneOf(m.OneOf, f)
	}
	return true
}

func oneOfInt(want []int, got int) bool {
	for _, w := range want {
		if w == got {
			return true
		}
	}
	return len(want) == 0
}

func oneOf(want []string, got Fact) bool {
	for _, w := range want {
		if got.State == Text && got.Text == w {
			return true
		}
	}
	return len(want) == 0
}

func prefix(want []string, got Fact) bool {
	for _, w := range want {
		if got.State == Text && strings.HasPrefix(got.Text, w) {
			return true
		}
	}
	return len(want) == 0
}
