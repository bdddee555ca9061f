// Package gate tells news from what is known: it reads known files, says which differences of a run they declare and
// which of their entries no longer hold, and compares a record with an older one.
//
// It runs nothing, decides no exit code (compare does, from what is written here into the record) and prints nothing.
package gate

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
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
}

// String names an entry as a report does: file, number and what it declares.
func (e *Entry) String() string {
	what := e.key + " " + string(e.dir)
	if e.finding != "" {
		what = e.finding
	}
	return fmt.Sprintf("%s %s (%s)", e.file, e.id, what)
}

// written is a known file as YAML.
type written struct {
	Format  string         `yaml:"format"`
	Entries []writtenEntry `yaml:"entries"`
}

type writtenEntry struct {
	Layer        string   `yaml:"layer"`
	Route        string   `yaml:"route"`
	Rows         []string `yaml:"rows"`
	Mode         string   `yaml:"mode"`
	Key          string   `yaml:"key"`
	Direction    string   `yaml:"direction"`
	Value        *string  `yaml:"value"`
	Class        string   `yaml:"class"`
	Finding      string   `yaml:"finding"`
	Reason       string   `yaml:"reason"`
	Ticket       string   `yaml:"ticket"`
	Expires      string   `yaml:"expires"`
	Intermittent bool     `yaml:"intermittent"`
	Wide         bool     `yaml:"wide"`
}

// Load reads a known file. name is the file's, for messages. Each error says in which entry what is wrong.
func Load(name string, b []byte) (*File, error) {
	var w written
	if err := fixture.Strict(name, b, &w); err != nil {
		return nil, err
	}
	if w.Format != KnownFormat {
		return nil, fmt.Errorf("%s: the format is %q, not %q", name, w.Format, KnownFormat)
	}
	sum := sha256.Sum256(b)
	f := &File{Name: path.Base(filepath.ToSlash(name)), Digest: hex.EncodeToString(sum[:])}
	var all []error
	for i := range w.Entries {
		e, err := w.Entries[i].read()
		if err != nil {
			all = append(all, fmt.Errorf("%s: entry %d: %w", name, i+1, err))
			continue
		}
		e.file, e.id = f.Name, fmt.Sprintf("entry %d", i+1)
		f.Entries = append(f.Entries, e)
	}
	return f, joined(all)
}

// shownErrors is how many errors of a file are told at once.
const shownErrors = 5

// joined puts errors into one line.
func joined(all []error) error {
	if len(all) == 0 {
		return nil
	}
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

func (w *writtenEntry) read() (*Entry, error) {
	e := &Entry{layer: w.Layer, route: w.Route, rows: w.Rows, mode: fixture.Mode(w.Mode), reason: w.Reason,
		intermittent: w.Intermittent, wide: w.Wide, finding: w.Finding}
	for _, read := range []func(*Entry) error{w.common, w.what, w.class} {
		if err := read(e); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// common reads what every entry has.
func (w *writtenEntry) common(e *Entry) (err error) {
	switch {
	case w.Layer == "" && w.Route == "":
		return errors.New("it names neither a layer nor a route; write layer: and what --name says")
	case strings.TrimSpace(w.Reason) == "":
		return errors.New("the reason is empty; write why this may stay as it is")
	case w.Mode != "" && e.mode != fixture.Plain && e.mode != fixture.Stream:
		return fmt.Errorf("the mode %q is neither plain nor stream; leave it out for both", w.Mode)
	case w.Expires == "":
		return errors.New("it has no date in expires; a known difference is looked at again some day")
	}
	for _, p := range w.Rows {
		if _, err := path.Match(p, ""); err != nil || p == "" {
			return fmt.Errorf("%q in rows is no name and no pattern", p)
		}
	}
	if e.expires, err = time.Parse(day, w.Expires); err != nil {
		return fmt.Errorf("%q in expires is no date like 2027-02-28", w.Expires)
	}
	return nil
}

// findings are the kinds that can be declared. All others say that the run, or the layer, can't be trusted.
var findings = []string{"intermittent", "unexplained-hits"}

// what reads which difference or finding is declared.
func (w *writtenEntry) what(e *Entry) error {
	if w.Finding != "" {
		switch {
		case !slices.Contains(findings, w.Finding):
			return fmt.Errorf("the finding %q can't be declared; only %s can", w.Finding, strings.Join(findings, " and "))
		case w.Key != "" || w.Direction != "" || w.Value != nil || w.Class != "":
			return errors.New("it declares a finding and has key, direction, value or class; write an entry for each")
		case w.Finding == "intermittent" && len(w.Rows) == 0:
			return errors.New("it names no rows")
		}
		return nil
	}
	if len(w.Rows) == 0 {
		return errors.New("it names no rows")
	}
	e.key, e.dir = w.Key, evidence.Direction(w.Direction)
	switch {
	case !wellFormed(w.Key):
		return fmt.Errorf("there is no key %q; a key is written out, like header/retry-after, and has no wildcard", w.Key)
	case e.dir != evidence.Lost && e.dir != evidence.Changed && e.dir != evidence.Invented:
		return fmt.Errorf("the direction %q is none of lost, changed and invented", w.Direction)
	case e.key == "stream/terminal" && e.dir == evidence.Invented:
		return errors.New("a success terminator that nobody sent can't be declared")
	}
	return w.pattern(e)
}

// pattern reads the value. Where a class rests on it, it has to be there and exact, so that 429 to 503 does not excuse
// 429 to 200.
func (w *writtenEntry) pattern(e *Entry) error {
	strict := e.dir != evidence.Lost && needsValue(e.key)
	switch {
	case w.Value == nil && strict:
		return fmt.Errorf("%s %s needs a value: what a client gets", e.key, e.dir)
	case w.Value == nil:
		return nil
	case e.dir == evidence.Lost:
		return errors.New("what is lost has no value")
	case e.dir == evidence.Invented && strings.Contains(*w.Value, original):
		return fmt.Errorf("what is invented has no %s", original)
	case strict && isExact(e.key) && strings.Contains(*w.Value, anything):
		return fmt.Errorf("the value of %s has to be exact, without %s", e.key, anything)
	}
	e.value = &pattern{text: *w.Value}
	return nil
}

// class reads "rate_limit -> unknown_429".
func (w *writtenEntry) class(e *Entry) error {
	if w.Class == "" {
		return nil
	}
	from, to, ok := strings.Cut(w.Class, "->")
	e.from, e.to = classify.Class(strings.TrimSpace(from)), classify.Class(strings.TrimSpace(to))
	for _, c := range []classify.Class{e.from, e.to} {
		if !ok || !classify.Known(c) {
			return fmt.Errorf("the class %q is not written like rate_limit -> unknown_429, with classes that exist", w.Class)
		}
	}
	if classify.Success(e.to) && !classify.Success(e.from) {
		return fmt.Errorf("the class %q makes a success of an error, which can't be declared", w.Class)
	}
	return nil
}
