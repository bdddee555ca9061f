package dialects

import "github.com/preservecheck/preservecheck/classify"

// Shown is what a client library shows of an answer. What it does not show is nil; a library that leaves the type out hides it
// from whoever uses it, so that is no type.
type Shown struct {
	OK                              bool // a success, as far as the library says
	Status                          int  // 0: it shows none
	Type, Code, Message, RetryAfter *string
}

// FactsShown reads the roles of an answer as far as a client library shows them, for the same rules as an answer off the wire.
func (d *Dialect) FactsShown(s Shown) classify.Facts {
	f := classify.Facts{Status: s.Status, Type: shownFact(s.Type), Code: shownFact(s.Code), Message: shownFact(s.Message), RetryAfter: shownFact(s.RetryAfter)}
	if s.OK {
		return classify.Facts{Status: 200}
	}
	f.HasError = s.Type != nil || s.Code != nil
	if f.Status < 200 || f.Status > 299 {
		if f.Status != 0 || !f.HasError {
			return f
		}
	}
	// An error behind a status of success, or with no status at all, came as an event of a stream: there the libraries show
	// the 200, or nothing.
	f.InStream = true
	if status := d.statusOf(f); status != 0 {
		f.Status = status
	}
	f.Truncated = !f.HasError
	return f
}

func shownFact(s *string) classify.Fact {
	if s == nil {
		return classify.Fact{}
	}
	return classify.Fact{State: classify.Text, Text: *s}
}
