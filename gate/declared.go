package gate

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/record"
)

// Declared is what known files say of one run: their entries for other layers and routes are left out.
type Declared struct {
	Hide func(string) string // takes the secrets of this run out of a text, as for its record; nil: there are none

	files   []*File
	entries []*Entry
	matrix  *fixture.Matrix
	holds   map[*fixture.Fixture]evidence.Evidence
}

// For picks the entries for a layer and its routes. The error names entries whose rows or keys don't exist.
func For(files []*File, layer string, routes []string, m *fixture.Matrix) (*Declared, error) {
	d := &Declared{files: files, matrix: m, holds: map[*fixture.Fixture]evidence.Evidence{}}
	var all []error
	for _, f := range files {
		for _, e := range f.Entries {
			if e.layer != "" && e.layer == layer && e.route != "" && len(routes) > 0 && !slices.Contains(routes, e.route) {
				all = append(all, e.problem(e.places.route, fmt.Sprintf("%s has no route %q", layer, e.route)))
				continue
			}
			if e.layer != "" && e.layer != layer || e.route != "" && !slices.Contains(routes, e.route) {
				continue
			}
			if err := d.exists(e); err != nil {
				all = append(all, err)
			}
			d.entries = append(d.entries, e)
		}
	}
	return d, joined(all)
}

// problem is an error at a place in the entry's file.
func (e *Entry) problem(n *fixture.Node, what string) error {
	return &fixture.Problem{File: e.where, Line: n.Line, Column: n.Column, What: e.id + ": " + what}
}

// exists refuses what is misspelt: such an entry would never fit, and never be stale.
func (d *Declared) exists(e *Entry) error {
	for i, p := range e.rows {
		fixtures := d.fixtures(p)
		if b, err := fixture.Builtin(); len(fixtures) == 0 && err == nil { // a matrix of the user's own may stand instead of it
			fixtures = (&Declared{matrix: b}).fixtures(p)
		}
		if len(fixtures) == 0 {
			return e.problem(e.places.rows.Content[i], fmt.Sprintf("there is no row %q", p))
		}
		if e.finding != "" || e.dir == evidence.Invented || strings.HasPrefix(e.key, "request/") {
			continue // what a request held is no part of a fixture
		}
		if !slices.ContainsFunc(fixtures, func(f *fixture.Fixture) bool { return d.has(f, e.key) }) {
			return e.problem(e.places.key, fmt.Sprintf("no row %q has the key %s, so that it can't be %s", p, e.key, e.dir))
		}
	}
	return nil
}

func (d *Declared) fixtures(pattern string) (out []*fixture.Fixture) {
	for _, f := range d.matrix.Rows {
		if ok, _ := path.Match(pattern, f.Name); ok {
			out = append(out, f)
		}
	}
	return out
}

func (d *Declared) has(f *fixture.Fixture, key string) bool {
	e, ok := d.holds[f]
	if !ok {
		e = evidence.Of(f.Expected(fixture.NoID, false), dialects.ByName(f.Dialect).Layout, fixture.NoID)
		d.holds[f] = e
	}
	return e.Get(key).Kind != evidence.Absent
}

// Known is what compare asks. It is safe for several goroutines.
func (d *Declared) Known(o *compare.Observed, x *compare.Difference) (out []compare.Declaration) {
	for _, e := range d.entries {
		if e.finding == "" && (e.route == "" || e.route == o.Route) && e.covers(o.Fixture.Name, o.Mode) && e.fits(o, x, d.Hide) {
			out = append(out, compare.Declaration{Entry: e.String(), From: e.from, To: e.to})
		}
	}
	return out
}

func (e *Entry) covers(row string, mode fixture.Mode) bool {
	return (e.mode == "" || e.mode == mode) && slices.ContainsFunc(e.rows, func(p string) bool { ok, _ := path.Match(p, row); return ok })
}

func (e *Entry) fits(o *compare.Observed, x *compare.Difference, hide func(string) string) bool {
	if e.key != x.Difference.Key || e.dir != x.Dir {
		return false
	}
	want, got := text(o.Expected, e.key), text(o.Layer, e.key)
	return e.value == nil || e.value.fits(want, got) || e.value.fitsHidden(want, got, hide)
}

// text is a value as a record shows it: an object with all that stands below it.
func text(e evidence.Evidence, key string) string {
	if v := e.Get(key); v.Kind != evidence.Object {
		return v.Text
	}
	return e.Subtree(key)
}

// Settle writes into a record which files were used, which findings they declare, and which entries no longer hold. The
// caller settles the result again.
func (d *Declared) Settle(doc *record.Document, now time.Time) {
	doc.Known = &record.Known{Files: []record.KnownFile{}}
	for _, f := range d.files {
		used := 0
		for _, e := range f.Entries {
			if slices.Contains(d.entries, e) {
				used++
			}
		}
		doc.Known.Files = append(doc.Known.Files, record.KnownFile{Name: f.Name, Digest: f.Digest, Entries: len(f.Entries), Used: used})
		if used == 0 && len(f.Entries) > 0 {
			doc.Notes = append(doc.Notes, fmt.Sprintf("no entry of %s is for layer %s", f.Name, doc.Target.Name))
		}
	}
	used := map[string]bool{}
	for i := range doc.Findings {
		for _, e := range d.findings(&doc.Findings[i]) {
			used[e] = true
		}
	}
	for _, e := range d.entries {
		if why := d.problem(e, doc, now, used); why != "" {
			doc.Known.Problems = append(doc.Known.Problems, e.String()+": "+why)
		}
	}
}

// findings marks a finding that is declared: by entries that together name all of its rows.
func (d *Declared) findings(f *record.Finding) (by []string) {
	open := slices.Clone(f.Rows)
	for _, e := range d.entries {
		if e.finding != f.Kind || len(e.rows) == 0 && len(f.Rows) > 0 {
			continue
		}
		n := len(open)
		open = slices.DeleteFunc(open, func(label string) bool {
			row, mode, route := rowOf(label)
			if e.route != "" && route != "" && e.route != route {
				return false
			}
			return e.covers(row, mode) || mode == "" && e.covers(row, e.mode)
		})
		if len(open) < n || len(f.Rows) == 0 {
			by = append(by, e.String())
		}
	}
	if len(by) > 0 && len(open) == 0 && f.Fails {
		f.Fails, f.Declared = false, by
	}
	return by
}

// rowOf reads how a finding names a row: "tier_cap", "tier_cap (plain)", "tier_cap (plain; route chat)".
func rowOf(label string) (row string, mode fixture.Mode, route string) {
	row, rest, _ := strings.Cut(label, " (")
	m, route, _ := strings.Cut(strings.TrimSuffix(rest, ")"), "; route ")
	return row, fixture.Mode(m), route
}

// problem says why an entry fails the run, "" when it does not.
func (d *Declared) problem(e *Entry, doc *record.Document, now time.Time, used map[string]bool) string {
	if now.UTC().Format(day) > e.expires.Format(day) {
		return "expired on " + e.expires.Format(day) + ": look at it again, and give it a new date or remove it"
	}
	var covered []*fixture.Fixture
	for _, p := range e.rows {
		for _, f := range d.fixtures(p) {
			if !slices.Contains(covered, f) {
				covered = append(covered, f)
			}
		}
	}
	if len(covered) > MaxFixtures && !e.wide {
		return fmt.Sprintf("too wide: it covers %d fixtures, more than %d; name fewer, or write wide: true", len(covered), MaxFixtures)
	}
	if e.intermittent || doc.Incomplete || doc.NotReady != "" || doc.Refused != "" {
		return ""
	}
	var stale []string
	for _, p := range e.rows {
		if d.stale(e, p, doc, used) {
			stale = append(stale, p)
		}
	}
	if len(stale) == 0 {
		return ""
	}
	where := strings.Join(stale, ", ")
	if other := d.instead(e, stale, doc); other != "" {
		return "stale: tested and seen otherwise in " + where + ", where now " + other + "; correct it or remove it"
	}
	return "stale: tested and no longer seen in " + where + "; remove it"
}
