// Package dialects holds one file per provider protocol: how to ask, where the error stands in an answer, which key
// each role has, and the class rules with their sources.
//
// A dialect is data and pure functions. It sends nothing, compares nothing and gives no verdict.
package dialects

import (
	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// Dialect is one provider protocol.
type Dialect struct {
	Name string
	// Path is where clients post, below the base URL.
	Path string
	// ModelsPath answers a GET with a list of models.
	ModelsPath string
	// Request turns an ask into a request below a base path ("" or "/anthropic").
	Request func(base string, a wire.Ask) wire.Request
	// Watched are the parts of a request that must arrive as they were sent, nil where no provider asks for that.
	Watched []Watched
	// Probe adds to a request what is watched; nil with Watched.
	Probe func(wire.Request) wire.Request
	// Model reads the model name out of a request body, "" when there is none.
	Model func(body []byte) string
	// Stream reports whether a request body asks for a stream.
	Stream func(body []byte) bool
	// Layout says where the error stands in an answer.
	Layout evidence.Layout
	// Keys gives each role its evidence key.
	Keys map[classify.Role]string
	// Ends are the success terminators, as Layout names them, of which one makes a stream whole: their first word.
	Ends []string
	// Headroom are the limits whose headers an answer's headroom is read from.
	Headroom []LimitKeys
	// StatusOf gives the documented status of an error's code or type, for errors that come as an event after a 200.
	StatusOf map[string]int
	// CodeIsStatus says that a code which is a number is the HTTP status that the error would have had.
	CodeIsStatus bool
	// Rules are tried in order; the last fits everything.
	Rules []classify.Rule
}

// LimitKeys are the evidence keys of one limit: how much it allows, and how much of that is left.
type LimitKeys struct{ Limit, Remaining string }

// All lists the dialects; a new one is a new file and a line here.
func All() []*Dialect { return []*Dialect{Anthropic, OpenAIChat, OpenAIResponses} }

// ByName returns a dialect, or nil.
func ByName(name string) *Dialect {
	for _, d := range All() {
		if d.Name == name {
			return d
		}
	}
	return nil
}

// Role returns the role that a key plays in this dialect, "" for none.
func (d *Dialect) Role(key string) classify.Role {
	for r, k := range d.Keys {
		if k == key {
			return r
		}
	}
	for _, h := range d.Headroom {
		if key == h.Limit || key == h.Remaining {
			return classify.HeadroomLeft
		}
	}
	return ""
}

// Marks are hashes of the watched parts of a request, in their order; "" for a part that is not there.
func (d *Dialect) Marks(a Arrived, hash func([]byte) string) []string {
	marks := make([]string, len(d.Watched))
	for i, w := range d.Watched {
		if part, ok := w.Part(a); ok {
			marks[i] = hash(part)
		}
	}
	return marks
}
