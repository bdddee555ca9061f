// Package controls holds layers with one known fault each, and proves with them that the check can fail: it must
// report exactly that fault, no more and no less.
//
// A fault is one small file. It changes an answer, or how the upstream is called; it chooses its rows by the answer
// it got, never by what the test asked for; and it declares from the fixture, not from the comparison, what must be seen. The
// package gives no verdict of its own and formats nothing.
package controls

import (
	"time"

	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// Mechanism is what a fault works on. Delivery is proven once for each.
type Mechanism string

// The mechanisms.
const (
	Nothing   Mechanism = "nothing" // the honest layer
	OfStatus  Mechanism = "status"
	OfHeader  Mechanism = "header"
	OfBody    Mechanism = "body"
	OfEvent   Mechanism = "event"
	OfEnd     Mechanism = "end"
	OfRetry   Mechanism = "retry"
	LayerMade Mechanism = "layer-made"
	OfMemory  Mechanism = "memory"
	OfRequest Mechanism = "request"
)

// Fault is one known fault.
type Fault struct {
	Name      string
	Why       string // what it imitates, and what that does
	Mechanism Mechanism
	// Change alters an answer in place. stream says whether the client asked for one.
	Change func(a *wire.Answer, stream bool)
	// Send alters the request on its way to the upstream, in memory of its own.
	Send func(r wire.Request) wire.Request
	// New makes the behaviour of one layer, with a state of its own; nil where Change says it all.
	New func() Behaviour
	// Want declares what must be seen of a row; nothing when the fault can't touch it.
	Want func(r Seen) []Sight
	// Hits declares how often a row is asked for; nil: once.
	Hits func(r Seen) int
	// Breaks says that no client can use the answer on the rows that the fault touches.
	Breaks bool
	// Finding is the kind of finding that a fault with memory must cause. Such a fault is proven by whole runs only.
	Finding string
	// Repeat is how often a whole run must ask for each row to see the fault; 0 is once.
	Repeat int
	// MaxWait is what a whole run must allow the layer to add to an answer to see the fault; 0: what the profile does. Such
	// a fault is proven by a run in memory, whose clock is turned on.
	MaxWait time.Duration
}

// Seen is what a fault may look at to declare what it will show: the fixture, as evidence.
type Seen struct {
	Evidence evidence.Evidence
	Stream   bool
}

// Sight is one thing that the check must report of a row.
type Sight struct {
	Key string
	Dir evidence.Direction
}

// Behaviour is how a layer answers one call.
type Behaviour func(c *Call) *wire.Answer

// Call is one request to a layer.
type Call struct {
	Request wire.Request
	Stream  bool
	Model   string
	Ask     func(wire.Request) *wire.Answer // asks the upstream
	Sleep   func(time.Duration)             // keeps the client waiting
}

// behaviour gives a fault's way to answer, with fresh state.
func (f *Fault) behaviour() Behaviour {
	if f.New != nil {
		return f.New()
	}
	return func(c *Call) *wire.Answer {
		r := c.Request
		if f.Send != nil {
			r = f.Send(r)
		}
		a := c.Ask(r)
		if f.Change != nil {
			f.Change(a, c.Stream)
		}
		return a
	}
}

// All lists the faults; a new one is a new file and a line here.
func All() []*Fault {
	return []*Fault{
		identity, rewriteUserLimit,
		changeStatus, errorToSuccess, errorAsEvent, finishStream, dropEventLines, changeText, bufferStream,
		typeNil, dropDetails, stringifyDetails, alterCode, prefixMessage, flattenError,
		dropRetryAfter, addRetryAfter, changeRetryAfter, secondRetryAfter, addShouldRetry, addRetryAfterMS,
		addHeadroom, dropHeadroom, addPlanLimit,
		dropRequestID, changeContentType, dropEnvelope,
		emptyBody, cutBody, mislabelGzip, bothFramings, excessBytes, earlyHints, addTrailer,
		retryTwice,
		dropBeta, addToPrompt, dropUnknownMember, dropQuery,
		answerOnce, cooldown, cache, poison,
		suffixMessage, replaceMessage, firstLine, bodyInMessage, garble,
		typeNone, typeAPIError, nullDetails, flattenDetails,
		envelopeOpenAI, envelopeDetail, htmlToJSON, otherPage, jsonToHTML, gzipAsText, dropEncodingLabel,
		overloadTo503, overloadTo429, overloadTo500, billingTo400, requestTo429, refusalTo502, limitTo200, keyTo500,
		renameRetryAfter, duplicateRetryAfter, retryAfterDecimal, retryAfterDate,
		addShouldNotRetry, addOpenAILimits, allowList, changeCharset,
		prefixStreamMessage, dropStreamDetails, retypeStreamError, renameErrorEvent, swallowStreamError, doneForError, dropStreamError, lineForError, closeCleanly,
		retryByText, retryAtOnce, fallBack,
		cooldownWait, cooldownText, disableKey, flaky, sleep,
	}
}

// ByName returns a fault, or nil.
func ByName(name string) *Fault {
	for _, f := range All() {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// Names lists the faults' names, the honest layer first.
func Names() []string {
	var out []string
	for _, f := range All() {
		out = append(out, f.Name)
	}
	return out
}

// Describe says what a control does.
func Describe(name string) (why string, ok bool) {
	if f := ByName(name); f != nil {
		return f.Why, true
	}
	return "", false
}
