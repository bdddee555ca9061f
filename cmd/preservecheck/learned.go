package main

import (
	"slices"
	"strings"
	"sync"

	"github.com/preservecheck/preservecheck/record"
)

// learned are the credentials that a layer sends its upstream, the stub: keys that nobody told us, and that the layer may tell its clients
// in an error. They are known while the run goes on, and only so that nothing of them is written. A stub elsewhere tells no values, so there
// they stay unknown.
type learned struct {
	own    *secrets // that the user gave, whose names are better
	public []string

	mu     sync.Mutex
	names  map[string]bool // of headers → carries a credential
	found  secrets
	redact func(string) string
	stale  bool // found has more than redact knows
}

const (
	// learnedMost is how many values are kept: a layer has a key or two, and one that sends something else each time must not fill the memory.
	learnedMost = 64
	// learnedNames is how many names of headers are kept.
	learnedNames = 1000
	// atStub marks their names in reports.
	atStub = " at the stub"
)

func newLearned(own *secrets, public []string) *learned {
	return &learned{own: own, public: public, names: map[string]bool{}}
}

// saw takes note of a header, or of a parameter of a query, that reached the stub.
func (l *learned) saw(name, value []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	carries, known := l.names[string(name)]
	if !known {
		carries = credential(string(name))
		if len(l.names) < learnedNames {
			l.names[strings.Clone(string(name))] = carries
		}
	}
	if !carries || len(value) < minSecret || len(l.found.names) >= learnedMost {
		return
	}
	before := len(l.found.names)
	var parts secrets
	parts.addHeader(strings.ToLower(string(name)), string(value))
	for text, of := range parts.names {
		if _, given := l.own.names[text]; !given {
			l.found.add(of+atStub, text)
		}
	}
	if len(l.found.names) > before {
		l.found.words = append(l.found.words, parts.words...)
		l.stale = true
	}
}

// over is what removes the secrets that were given, and then those that were learned until then.
func (l *learned) over(given func(string) string) func(string) string {
	return func(text string) string {
		if given != nil {
			text = given(text)
		}
		if redact := l.current(); redact != nil {
			text = redact(text)
		}
		return text
	}
}

func (l *learned) current() func(string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stale {
		l.redact, _ = l.found.redactor(l.public)
		l.stale = false
	}
	return l.redact
}

// learn makes a run forget what its stub will see of credentials, before anything is written.
func (a *app) learn(p *plan) *learned {
	l := newLearned(&p.secrets, publicTexts(p.matrix))
	p.redact = l.over(p.redact)
	a.redact = p.redact
	if p.known != nil {
		p.known.Hide = p.redact
	}
	return l
}

// noteLearned says in the record that the layer tells what it sends its upstream.
func noteLearned(d *record.Document) {
	rows := rowsWith(d, atStub+"]")
	if len(rows) > 0 {
		d.Notes = append(d.Notes, "the layer tells its clients a credential that it sends its upstream, in "+strings.Join(rows, ", ")+": a real provider's key would leak like this")
	}
}

// rowsWith are the rows in whose answers through the layer a text stands.
func rowsWith(d *record.Document, text string) (rows []string) {
	for _, r := range d.Rows {
		if slices.ContainsFunc(r.Fields, func(f record.Field) bool { return f.Layer != nil && strings.Contains(f.Layer.Text, text) }) {
			rows = append(rows, r.Row+" ("+r.Mode+")")
		}
	}
	return rows
}
