package gate

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/record"
)

// Saved is a record with the name of its file.
type Saved struct {
	File string
	Doc  *record.Document
}

// Expect says which parts a merge has to have. The zero value expects nothing.
type Expect struct {
	Count  int      // 0: any number
	Layers []string // names of targets; one that stands here twice has to be there twice
}

// ErrBaseline is why a run that was judged by its news alone is no part of a merge: what failed in it before is accepted
// there, and would fail in the whole.
var ErrBaseline = errors.New("it was judged against a baseline; merge runs that were not, and use diff or --baseline with the merged record")

// Mergeable refuses what can't be a part.
func Mergeable(d *record.Document) error {
	if err := Usable(d); err != nil {
		return err
	}
	if d.News != nil {
		return ErrBaseline
	}
	if len(d.Parts) > 0 {
		return errors.New("it was made by merge; merge its parts instead")
	}
	return nil
}

// Merge joins runs of a fleet or of a matrix of jobs into one record, whose result is as green as its worst part. Every part
// is judged anew from its rows. What is missing, given twice, incomplete or not to be trusted is a part with a problem;
// what was run by other versions or rules is named in a note. The parts themselves are not changed.
func Merge(saved []Saved, expect Expect) record.Document {
	m := &merge{labels: labels(saved), ids: map[id]string{}}
	for i, s := range saved {
		m.add(s, m.labels[i])
	}
	m.duplicates(saved)
	m.missing(saved, expect)
	m.mixed(saved)
	compare.Settle(&m.doc)
	return m.doc
}

type merge struct {
	doc    record.Document
	labels []string
	ids    map[id]string // of a row: the file that it came from
}

// labels tells parts apart: by the layer's name where they have several, and by the file where one layer has the same row
// twice. Parts of one layer that share no row, as a matrix of jobs makes them, need none.
func labels(saved []Saved) []string {
	layers := map[string]bool{}
	for _, s := range saved {
		layers[s.Doc.Target.Name] = true
	}
	out := make([]string, len(saved))
	seen := map[string]map[id]bool{}
	for i, s := range saved {
		label := ""
		if len(layers) > 1 {
			label = s.Doc.Target.Name
		}
		before := seen[s.Doc.Target.Name]
		if before == nil {
			before = map[id]bool{}
			seen[s.Doc.Target.Name] = before
		}
		again := false
		for k := range rowsOf(s.Doc) {
			again = again || before[k]
			before[k] = true
		}
		if again {
			label = strings.TrimSpace(label + " " + filepath.Base(s.File) + " (" + strconv.Itoa(i+1) + ")")
		}
		out[i] = label
	}
	return out
}

// add puts one part in.
func (m *merge) add(s Saved, label string) {
	part := record.Part{File: filepath.Base(s.File), Layer: s.Doc.Target.Name, Version: s.Doc.Target.Version,
		Started: s.Doc.Started, Rows: len(s.Doc.Rows), Claimed: s.Doc.Result.Exit}
	again := *s.Doc
	switch doubt := Recompute(&again); {
	case doubt != nil:
		part.Problem = "disagrees with itself: " + doubt.Error()
	case s.Doc.Incomplete:
		part.Problem = "is incomplete: the run was interrupted"
	}
	part.Result = again.Result
	part.Result.Next = ""
	m.doc.Parts = append(m.doc.Parts, part)
	if len(m.doc.Parts) == 1 {
		m.first(s.Doc)
	}
	m.settings(s.Doc)
	m.rows(s.Doc, label)
	m.run(s.Doc, label)
	m.beside(s, label)
}

// first takes over from the first part what one value stands for all; where others differ, a note says so.
func (m *merge) first(d *record.Document) {
	m.doc.Format, m.doc.Command, m.doc.Tool, m.doc.Started = record.Format, d.Command, d.Tool, d.Started
	m.doc.Target = record.Target{Name: d.Target.Name, Version: d.Target.Version, Control: d.Target.Control}
	m.doc.Matrix.Version, m.doc.Profile, m.doc.Settings, m.doc.Channel = d.Matrix.Version, d.Profile, d.Settings, d.Channel
	m.doc.Profile.Keys = slices.Clone(d.Profile.Keys)
	s := &m.doc.Settings
	s.Modes, s.Dialects, s.Hazards, s.HeadersSent = nil, nil, nil, nil
}

func (m *merge) settings(d *record.Document) {
	s := &m.doc.Settings
	s.Modes, s.Dialects = union(s.Modes, d.Settings.Modes), union(s.Dialects, d.Settings.Dialects)
	s.Hazards, s.HeadersSent = union(s.Hazards, d.Settings.Hazards), union(s.HeadersSent, d.Settings.HeadersSent)
	s.Repeat = min(s.Repeat, d.Settings.Repeat)
	s.AllowUntestable = s.AllowUntestable && d.Settings.AllowUntestable
	if s.FailOn != d.Settings.FailOn {
		s.FailOn = "changed" // the stricter one, under which nothing passes that one of them does not let pass
	}
	m.doc.Channels = union(m.doc.Channels, d.Channels)
	m.doc.Incomplete = m.doc.Incomplete || d.Incomplete
	m.doc.DurationMS += d.DurationMS
	if d.Started.Before(m.doc.Started) {
		m.doc.Started = d.Started
	}
	x := &m.doc.Matrix
	x.Selected, x.Total = x.Selected+d.Matrix.Selected, x.Total+d.Matrix.Total
	x.Narrowed = strings.Join(union(filled(x.Narrowed), filled(d.Matrix.Narrowed)), ", ")
}

func (m *merge) rows(d *record.Document, label string) {
	for _, r := range d.Rows {
		r.Route = within(label, r.Route)
		m.doc.Rows = append(m.doc.Rows, r)
	}
	for _, e := range d.Excluded {
		e.Route = within(label, e.Route)
		m.doc.Excluded = append(m.doc.Excluded, e)
	}
	switch {
	case len(d.Target.Routes) > 0:
		for _, r := range d.Target.Routes {
			r.Name = within(label, r.Name)
			if !slices.ContainsFunc(m.doc.Target.Routes, func(x record.Route) bool { return x.Name == r.Name }) {
				m.doc.Target.Routes = append(m.doc.Target.Routes, r)
			}
		}
	case label != "" && !slices.ContainsFunc(m.doc.Target.Routes, func(x record.Route) bool { return x.Name == label }):
		m.doc.Target.Routes = append(m.doc.Target.Routes, record.Route{Name: label, URL: d.Target.URL,
			Dialect: strings.Join(d.Settings.Dialects, ", "), Channel: d.Channel})
	}
}

// run adds what a part says beside its rows.
func (m *merge) run(d *record.Document, label string) {
	for _, f := range d.Findings {
		f.Rows = renamed(f.Rows, label)
		if label != "" {
			f.Text = label + ": " + f.Text
		}
		m.doc.Findings = append(m.doc.Findings, f)
	}
	for _, h := range d.Hops {
		h.At, h.Rows = within(label, h.At), renamed(h.Rows, label)
		if h.Next != "" {
			h.Next = within(label, h.Next)
		}
		m.doc.Hops = append(m.doc.Hops, h)
	}
	p := &m.doc.Proof
	p.Pairs, p.Exact, p.Silenced = p.Pairs+d.Proof.Pairs, p.Exact+d.Proof.Exact, p.Silenced+d.Proof.Silenced
	// The keys of each part are the profile's, so they are not added up; the part with the most undecided ones counts.
	undecided := max(p.Keys-p.Deciding, d.Proof.Keys-d.Proof.Deciding)
	p.Keys, p.Shown = max(p.Keys, d.Proof.Keys), max(p.Shown, d.Proof.Shown)
	p.Deciding = p.Keys - undecided
	for _, x := range d.Proof.Missed {
		if label != "" {
			x = label + ": " + x
		}
		p.Missed = append(p.Missed, x)
	}
	for _, s := range d.Sources {
		if !slices.Contains(m.doc.Sources, s) {
			m.doc.Sources = append(m.doc.Sources, s)
		}
	}
}

// beside adds known files, the user's own classifier and notes.
func (m *merge) beside(s Saved, label string) {
	d, from := s.Doc, cmp.Or(label, filepath.Base(s.File))
	if d.Known != nil {
		if m.doc.Known == nil {
			m.doc.Known = &record.Known{}
		}
		for _, f := range d.Known.Files {
			if !slices.Contains(m.doc.Known.Files, f) {
				m.doc.Known.Files = append(m.doc.Known.Files, f)
			}
		}
		for _, p := range d.Known.Problems {
			m.doc.Known.Problems = append(m.doc.Known.Problems, from+": "+p)
		}
	}
	if c := d.Classifier; c != nil {
		if m.doc.Classifier == nil {
			m.doc.Classifier = &record.Classifier{Command: c.Command, Rows: []record.OwnClass{}}
		}
		if c.Failed != "" {
			m.doc.Classifier.Failed = from + ": " + c.Failed
		}
		for _, r := range c.Rows {
			r.Route = within(label, r.Route)
			m.doc.Classifier.Rows = append(m.doc.Classifier.Rows, r)
		}
	}
	for _, n := range d.Notes {
		m.doc.Notes = append(m.doc.Notes, from+": "+n)
	}
}

// duplicates names parts that are one run given twice: a part that is missing would not be noticed.
func (m *merge) duplicates(saved []Saved) {
	first := map[string]string{}
	for i, s := range saved {
		key := fmt.Sprint(s.Doc.Target.Name, "\x00", s.Doc.Started.UnixNano(), "\x00", len(s.Doc.Rows), "\x00", s.Doc.DurationMS)
		if before, ok := first[key]; ok && m.doc.Parts[i].Problem == "" {
			m.doc.Parts[i].Problem = "is the same run as " + before
		}
		first[key] = cmp.Or(first[key], filepath.Base(s.File))
	}
	overlap := map[string]int{}
	for i, s := range saved {
		for k := range rowsOf(s.Doc) {
			k.route = s.Doc.Target.Name + "\x00" + k.route
			if before, ok := m.ids[k]; ok {
				overlap[fmt.Sprintf("%s repeats rows of %s", m.doc.Parts[i].File, before)]++
				continue
			}
			m.ids[k] = m.doc.Parts[i].File
		}
	}
	for _, text := range slices.Sorted(maps.Keys(overlap)) {
		m.doc.Notes = append(m.doc.Notes, fmt.Sprintf("%s (%d); both count", text, overlap[text]))
	}
}

// missing adds a part for each that was expected and is not there.
func (m *merge) missing(saved []Saved, expect Expect) {
	left := map[string]int{}
	for _, s := range saved {
		left[s.Doc.Target.Name]++
	}
	for _, name := range expect.Layers {
		if left[name]--; left[name] < 0 {
			m.doc.Parts = append(m.doc.Parts, record.Part{Layer: name, Problem: "is missing"})
		}
	}
	if n := len(saved); expect.Count > 0 && n != expect.Count {
		m.doc.Parts = append(m.doc.Parts, record.Part{Problem: fmt.Sprintf("of %d that were expected, %d were given", expect.Count, n)})
	}
}

// mixed names what parts were run with that is not the same in all.
func (m *merge) mixed(saved []Saved) {
	for _, x := range []struct {
		what string
		of   func(*record.Document) string
	}{
		{"matrix", func(d *record.Document) string { return d.Matrix.Version }},
		{"profile", func(d *record.Document) string { return d.Profile.Name }},
		{"version of the tool", func(d *record.Document) string { return d.Tool.Version }},
		{"--fail-on", func(d *record.Document) string { return d.Settings.FailOn }},
		{"--allow-untestable", func(d *record.Document) string { return strconv.FormatBool(d.Settings.AllowUntestable) }},
		{"version of the layer", func(d *record.Document) string { return d.Target.Version }},
	} {
		files := map[string][]string{}
		for _, s := range saved {
			v := cmp.Or(x.of(s.Doc), "none")
			files[v] = append(files[v], filepath.Base(s.File))
		}
		if len(files) < 2 {
			continue
		}
		var parts []string
		for _, v := range slices.Sorted(maps.Keys(files)) {
			parts = append(parts, v+" ("+strings.Join(files[v], ", ")+")")
		}
		m.doc.Notes = append(m.doc.Notes, "mixed "+x.what+": "+strings.Join(parts, "; "))
	}
	m.names(saved)
}

// names says in the head of the record what all parts have, or that they have several.
func (m *merge) names(saved []Saved) {
	join := func(of func(*record.Document) string) string {
		var all []string
		for _, s := range saved {
			all = union(all, filled(of(s.Doc)))
		}
		const most = 3
		if len(all) > most {
			return strings.Join(all[:most], ", ") + " and " + strconv.Itoa(len(all)-most) + " more"
		}
		return strings.Join(all, ", ")
	}
	m.doc.Target.Name = join(func(d *record.Document) string { return d.Target.Name })
	m.doc.Target.Version = join(func(d *record.Document) string { return d.Target.Version })
	if len(union(nil, m.labels)) > 1 {
		m.doc.Target.Control = ""
	}
	m.doc.Matrix.Version = join(func(d *record.Document) string { return d.Matrix.Version })
	m.doc.Profile.Name = join(func(d *record.Document) string { return d.Profile.Name })
	m.doc.Tool.Version = join(func(d *record.Document) string { return d.Tool.Version })
	m.doc.Channel = join(func(d *record.Document) string { return d.Channel })
}

// within names something of a part: its label, and behind it the name that it had.
func within(label, name string) string {
	switch {
	case label == "":
		return name
	case name == "":
		return label
	}
	return label + "/" + name
}

// renamed gives rows, as findings name them, the route that they have in the whole.
func renamed(rows []string, label string) []string {
	if label == "" {
		return rows
	}
	out := make([]string, len(rows))
	for i, r := range rows {
		name, how, _ := strings.Cut(strings.TrimSuffix(r, ")"), " (")
		mode, route, _ := strings.Cut(how, "; route ")
		out[i] = name + " (" + mode + "; route " + within(label, route) + ")"
	}
	return out
}

func union(a, b []string) []string {
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(slices.Clip(a), s)
		}
	}
	return a
}

func filled(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}
