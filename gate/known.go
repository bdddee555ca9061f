// Package gate tells news from what is known: it reads known files, says which differences of a run they declare and
// which of their entries no longer hold, and compares a record with an older one.
//
// It runs nothing, decides no exit code (compare does, from what is written here into the record) and prints nothing.
package gate

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/fixture"
)

// KnownFormat is the first line of a known file.
const KnownFormat = "preservecheck.known/1"

// MaxFixtures is how many fixtures an entry may cover without saying wide: true.
const MaxFixtures = 20

// day is how a date is written.
const day = "2006-01-02"

// File is a known file as it was read.
type File struct {
	Name    string // without its folders
	Digest  string // SHA-256 of its bytes, in hex
	Entries []*Entry
}

// Entry is one known difference, or one known finding.
type Entry struct {
	file, id     string
	layer, route string
	rows         []string
	mode         fixture.Mode // "" for both
	key          string
	dir          evidence.Direction
	value        *pattern // nil: any
	from, to     classify.Class
	finding      string
	reason       string
	expires      time.Time
	intermittent bool
	wide         bool

	where  string // the file as it was given, for errors with a place
	places places
}

// places are the nodes that an error found later points at.
type places struct{ route, rows, key *fixture.Node }

// String names an entry as a report does: file, number and what it declares.
func (e *Entry) String() string {
	what := e.key + " " + string(e.dir)
	if e.finding != "" {
		what = e.finding
	}
	return fmt.Sprintf("%s %s (%s)", e.file, e.id, what)
}

// shownErrors is how many errors of a file are told at once.
const shownErrors = 5

// joined puts errors into one line.
func joined(all []error) error {
	if len(all) == 0 {
		return nil
	}
	var flat []error
	for _, err := range all {
		if many, ok := err.(interface{ Unwrap() []error }); ok {
			flat = append(flat, many.Unwrap()...)
			continue
		}
		flat = append(flat, err)
	}
	all = flat
	var texts []string
	for i, err := range all {
		if i == shownErrors {
			texts = append(texts, fmt.Sprintf("and %d more", len(all)-i))
			break
		}
		texts = append(texts, err.Error())
	}
	return errors.New(strings.Join(texts, "; "))
}
