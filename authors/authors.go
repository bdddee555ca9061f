// Package authors holds the signs by which a layer gives itself away in an answer, as data: explain and check name the
// likely author of an answer with it.
//
// A sign only suspects. That no hit stands behind an answer is what shows that a layer wrote it; who that was, only a sign
// can tell. The package sends nothing, judges nothing and knows no fixture.
package authors

import (
	"bytes"
	"slices"
	"strings"

	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// What follows from a sign.
const (
	OwnPage   = " wrote this body itself: it is not the provider's answer, and the upstream may never have been asked"
	OwnAnswer = " wrote this error: it is not the provider's answer"
	Through   = " handled this answer on its way"
)

// Sign is one author and how he shows.
type Sign struct {
	Name string // "nginx"
	What string // which of his answers: "limit_req page"; "" when the sign does not tell
	Says string // what follows, to be put behind the name
}

// Wrote reports whether the author wrote the answer himself, and did not only pass it on.
func (s Sign) Wrote() bool {
	return strings.HasPrefix(s.Says, OwnPage) || strings.HasPrefix(s.Says, OwnAnswer)
}

// String is the sign in a few words: "nginx limit_req page".
func (s Sign) String() string { return strings.TrimSpace(s.Name + " " + s.What) }

// author is a sign with its conditions. An empty condition fits everything.
type author struct {
	Sign
	status []int    // one of these
	header string   // a response header's name begins so
	body   []string // the body holds all of these
	key    string   // evidence has this key
	kind   string   // error.type
}

// Of names the authors that an answer shows, the most telling first, each once.
func Of(a *wire.Answer, ev evidence.Evidence) (signs []Sign) {
	for i := range table {
		x := &table[i]
		known := func(s Sign) bool { return s.Name == x.Name && s.Says == x.Says }
		if x.shows(a, ev) && !slices.ContainsFunc(signs, known) {
			signs = append(signs, x.Sign)
		}
	}
	return signs
}

func (x *author) shows(a *wire.Answer, ev evidence.Evidence) bool {
	switch {
	case len(x.status) > 0 && !slices.Contains(x.status, a.Status),
		x.header != "" && !headed(a.Header, x.header),
		x.key != "" && ev.Get(x.key).Kind == evidence.Absent,
		x.kind != "" && ev.Get("error/type") != evidence.Value{Kind: evidence.String, Text: x.kind}:
		return false
	}
	for _, b := range x.body {
		if !bytes.Contains(a.Body, []byte(b)) {
			return false
		}
	}
	return true
}

func headed(header []wire.Field, prefix string) bool {
	return slices.ContainsFunc(header, func(f wire.Field) bool {
		return len(f.Name) >= len(prefix) && strings.EqualFold(f.Name[:len(prefix)], prefix)
	})
}
