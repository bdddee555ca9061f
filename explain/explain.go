// Package explain reads one saved answer, however a person on call came by it, and says what it means: class, action,
// why, what is missing to be sure, and what looks as if a layer had touched it.
//
// It sees one answer and no other, so it can only suspect: that a layer changed something is shown by a check, not
// here. It sends nothing, prints nothing, reads no environment, and what it returns is as untrusted as what it read.
package explain

import (
	"fmt"

	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// MaxInput is the most bytes that are read; a longer input is not one answer.
const MaxInput = 1 << 20

// Options are what the input itself may not say.
type Options struct {
	Status  int               // HTTP status of a bare body; 0: unknown
	Dialect *dialects.Dialect // nil: Anthropic
}

// Found is one role that the answer holds.
type Found struct {
	Role classify.Role
	Key  string
	Kind string // evidence's kind of the value
	Text string // canonical text, from the wire
}

// Result is one answer explained. Sentences have no period.
type Result struct {
	Form       string // what the input was taken for
	Status     int    // 0: unknown
	Class      classify.Class
	Action     classify.Action
	Worker     string   // what a worker does, one sentence
	Why        []string // what the class rests on
	Missing    []string // what would make it sure
	Suspicions []string
	Evidence   []Found
	Embedded   bool           // the provider's answer stood inside the message of another
	Outer      classify.Class // with Embedded: what a worker makes of the answer as it stands
	Source     string         // of the rule that gave the class, and when it was read
}

// Classified reports whether the class is one that a worker can act on, and not a way to say "unknown".
func (r Result) Classified() bool {
	return r.Class != classify.Unknown429 && r.Class != classify.Other && r.Class != classify.NoAnswer
}

// Explain reads one saved answer. It takes any bytes, and always returns a class and a form.
func Explain(in []byte, opt Options) Result {
	d := opt.Dialect
	if d == nil {
		d = dialects.Anthropic
	}
	if len(in) > MaxInput {
		return settle(Result{
			Form: "too much input", Class: classify.Other,
			Why:     []string{fmt.Sprintf("the input has %d bytes, and only %d are read", len(in), MaxInput)},
			Missing: []string{"one answer alone"},
		})
	}
	s := recognise(in)
	if s.silent {
		return settle(Result{Form: s.form, Class: classify.NoAnswer, Why: []string{"the text says that no answer came"}})
	}
	s.chooseStatus(opt.Status, d)
	inner, depth := unwrap(s.body, d)
	if depth == 0 {
		return explainOne(s, d)
	}
	return explainEmbedded(s, inner, depth, d)
}

// explainOne explains an answer as it stands.
func explainOne(s *saved, d *dialects.Dialect) Result {
	v := newView(s, d)
	rule := classify.Classify(d.Rules, v.facts)
	r := Result{
		Form: s.form, Status: s.status, Class: rule.Class, Evidence: v.found(),
		Why: append([]string{rule.Why}, s.notes...), Source: rule.From + ", read " + rule.Read,
	}
	if v.facts.InStream {
		r.Why = append(r.Why, "it came after the stream had begun, so that no official SDK retries it")
	}
	if s.status == 0 { // a rule would take it for an answer that never came
		r.Class, r.Source = classify.Other, ""
		r.Why[0] = "neither a status nor a type that tells it is there"
	}
	if v.facts.InStream {
		r.Why = append(r.Why, classify.LateError)
	}
	v.class = r.Class
	r.Missing = missing(v, rule)
	r.Suspicions = suspect(v)
	return settle(r)
}

// explainEmbedded explains the innermost answer, and what a worker makes of the one around it.
func explainEmbedded(s *saved, inner []byte, depth int, d *dialects.Dialect) Result {
	in := *s
	s.quotes = true
	outer := explainOne(s, d)
	in.body, in.notes = inner, append([]string(nil), s.notes...)
	in.stream = false
	if st := documentedStatus(inner, d); st != 0 && st != s.status {
		in.status, in.assumed = st, true
		in.notes = append(in.notes, fmt.Sprintf("status %d is the one documented for the inner error's type; the answer around it has %s", st, statusText(s.status)))
	}
	r := explainOne(&in, d)
	r.Embedded, r.Outer, r.Status = true, outer.Class, s.status
	r.Why = append(r.Why, fmt.Sprintf("the provider's answer stands inside the message of another (%s), and that inner answer was classified", levels(depth)))
	r.Suspicions = append(outer.Suspicions, r.Suspicions...)
	text := "a layer put the provider's answer into a message of its own: no SDK and no worker reads a code in there"
	if c := classify.Consequence(r.Class, r.Outer); c != "" {
		text += "; " + c
	}
	r.Suspicions = unique(append([]string{text}, r.Suspicions...))
	return r
}

func levels(depth int) string {
	if depth == 1 {
		return "one level deep"
	}
	return fmt.Sprintf("%d levels deep", depth)
}

func statusText(status int) string {
	if status == 0 {
		return "none that is known"
	}
	return fmt.Sprint(status)
}

// settle adds what follows from the class.
func settle(r Result) Result {
	r.Action, r.Worker = classify.ActionOf(r.Class), classify.Worker(r.Class)
	return r
}

// view is what suspicions and missing things are found in.
type view struct {
	saved *saved
	d     *dialects.Dialect
	ev    evidence.Evidence
	facts classify.Facts
	class classify.Class
}

func newView(s *saved, d *dialects.Dialect) *view {
	ev := evidence.Of(s.answer(), d.Layout, "")
	return &view{saved: s, d: d, ev: ev, facts: d.Facts(ev)}
}

// role returns the value of a role.
func (v *view) role(r classify.Role) evidence.Value { return v.ev.Get(v.d.Keys[r]) }

// found lists the roles that an answer holds, in a fixed order.
func (v *view) found() []Found {
	var out []Found
	for _, r := range []classify.Role{
		classify.Status, classify.Type, classify.Code, classify.Details, classify.Message, classify.RetryAfter,
		classify.RetryAfterMS, classify.ShouldRetry, classify.Body,
	} {
		val := v.role(r)
		switch {
		case val.Kind == evidence.Absent, val.Kind == evidence.Object: // an object's members speak for it
		case r == classify.Status && v.saved.assumed:
		default:
			out = append(out, Found{Role: r, Key: v.d.Keys[r], Kind: string(val.Kind), Text: val.Text})
		}
	}
	return out
}

// answer is the saved answer as if it had just come whole.
func (s *saved) answer() *wire.Answer {
	h := s.header
	if s.stream && len(h) == 0 {
		h = []wire.Field{{Name: "content-type", Value: "text/event-stream"}}
	}
	return &wire.Answer{
		Proto: "HTTP/1.1", Status: s.status, Header: h, Body: s.body, Framing: wire.FramingClose, End: wire.EndComplete,
	}
}

func unique(in []string) []string {
	seen := map[string]bool{}
	out := in[:0:0]
	for _, s := range in {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}
