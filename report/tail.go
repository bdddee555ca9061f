package report

import (
	"strings"

	"github.com/preservecheck/preservecheck/record"
)

// findings tells what the run showed about the layer rather than about a row.
func (p *page) findings(fs []record.Finding, causes []record.Advice) {
	if len(fs) == 0 {
		return
	}
	p.gap()
	p.line(word{}, "findings")
	kindW := 0
	for _, f := range fs {
		kindW = max(kindW, width(brief(f.Kind, 20)))
	}
	told, explained := advice(fs), map[string]bool{}
	for _, f := range fs {
		kind := word{text: brief(f.Kind, 20)}
		text := p.whole(f.Text)
		switch {
		case f.Fails && f.Soft:
			kind.tone = unsure
			text += " (only side by side: could not tell)"
		case f.Fails:
			kind.tone = bad
		case len(f.Declared) > 0:
			text += " (declared by " + list(plains(f.Declared), ", ") + ")"
		default:
			text += " (does not fail the run)"
		}
		if rows := untold(f); len(rows) > 0 {
			text += " [" + p.rowNames(rows) + "]"
		}
		p.finding(kind, kindW, text)
		if f.Advice != "" && f.Advice != told {
			p.hanging(pad("", indent+kindW+2)+"advice: ", p.whole(f.Advice))
		}
		if f.Fails {
			p.advisedOn(f.Kind, indent+kindW+2, causes, explained)
		}
	}
}

// rowNames lists rows that a finding names as "tier_cap (plain)" or "tier_cap (plain; route edge)", with the modes and
// routes said once: the first few, or with Verbose all.
func (p *page) rowNames(rows []string) safe {
	const most = 6
	named := make([]*record.Row, len(rows))
	for i, r := range rows {
		name, how, _ := strings.Cut(r, " (")
		mode, route, _ := strings.Cut(strings.TrimSuffix(how, ")"), "; route ")
		named[i] = &record.Row{Row: name, Mode: mode, Route: route}
	}
	g := group(entriesOf(named))
	if len(g) <= most || p.verbose {
		return g.names()
	}
	return g[:most].names() + " and " + count(g[most:].rows(), "row") + " more"
}

// untold gives the rows of a finding that its text does not name.
func untold(f record.Finding) (rows []string) {
	for _, r := range f.Rows {
		if name, _, _ := strings.Cut(r, " ("); !strings.Contains(f.Text, name) {
			rows = append(rows, r)
		}
	}
	return rows
}

// finding writes one behind its kind, which is the coloured word.
func (p *page) finding(kind word, kindW int, text safe) {
	in := indent + kindW + 2
	kind.text, kind.before = pad(kind.text, kindW), indent
	for _, l := range wrap(text, p.width-in, p.width-in) {
		p.line(kind, "  "+l)
		kind = word{text: pad("", kindW), before: indent}
	}
}

// alsoSeen tells of the keys outside the profile: how many, or with Verbose which.
func (p *page) alsoSeen(doc *record.Document) {
	kinds, rows := undecided(doc.Rows)
	if len(kinds) == 0 {
		return
	}
	start := "also seen, not deciding in profile " + p.name(doc.Profile.Name) + ": "
	if !p.verbose {
		p.block(word{}, start+count(len(kinds), "difference")+" in "+count(rows, "row")+" (-v shows them)")
		return
	}
	p.block(word{}, start)
	var facts []fact
	for _, k := range kinds {
		f := p.fieldFact(&record.Row{}, k[0])
		f.how += " in " + count(len(k), "row")
		facts = append(facts, f)
	}
	p.table(facts)
}

// undecided collects the differences that do not decide, by key and way, and counts their rows.
func undecided(all []record.Row) (kinds [][]*record.Field, rows int) {
	var fields []*record.Field
	for i := range all {
		if all[i].HitsMax == 0 { // the layer's own answer, which no key was lost from
			continue
		}
		before := len(fields)
		for j := range all[i].Fields {
			if f := &all[i].Fields[j]; f.Dir != "" && !f.Decides {
				fields = append(fields, f)
			}
		}
		if len(fields) > before {
			rows++
		}
	}
	return collect(fields, func(f *record.Field) string { return quoteAll([]string{f.Key, f.Dir}) }), rows
}

// notJudged counts the rows that say nothing about the layer.
func (p *page) notJudged(doc *record.Document) {
	untestable := doc.Result.Counts["untestable"]
	if len(doc.Excluded) == 0 && untestable == 0 {
		return
	}
	text := "not judged: excluded " + num(len(doc.Excluded))
	var whys []safe
	for _, es := range collect(doc.Excluded, func(e record.Excluded) string { return e.Why }) {
		why := p.name(es[0].Why)
		if len(es) != len(doc.Excluded) {
			why = num(len(es)) + " " + why
		}
		if p.verbose {
			var names []safe
			for _, e := range es {
				names = append(names, plain(e.Row)+" "+plain(e.Mode))
			}
			why += ": " + list(names, ", ")
		}
		whys = append(whys, why)
	}
	if len(whys) > 0 {
		text += " (" + list(whys, "; ") + ")"
	}
	p.block(word{}, text+", untestable "+num(untestable))
}

// proof says whether the run could have told. Where every fault was caught, the line on what green covers holds the
// figures, and the command controls shows each; so there is nothing to add.
func (p *page) proof(doc *record.Document) {
	f := doc.Proof
	switch {
	case f.Pairs == 0 && len(f.Controls) == 0:
		if !unready(doc) && !unended(doc) {
			p.block(word{}, "proof: the controls were not run")
		}
		return
	case proven(f) && doc.Command != "controls":
		return
	}
	p.block(word{}, "proof: controls "+num(f.Exact)+" of "+count(f.Pairs, "pair")+" caught exactly; deciding "+num(f.Deciding)+" of "+count(f.Keys, "key"))
	if p.verbose || doc.Command == "controls" {
		p.controls(doc)
	}
}

func proven(f record.Proof) bool {
	return len(f.Missed) == 0 && f.Exact == f.Pairs && f.Deciding == f.Keys
}

// controls writes a line for each control that was not caught exactly; for the command controls, for each.
func (p *page) controls(doc *record.Document) {
	nameW := 0
	for _, c := range doc.Proof.Controls {
		nameW = max(nameW, width(brief(c.Name, p.width/3)))
	}
	for _, c := range doc.Proof.Controls {
		wrong := c.Missed+c.Extra > 0
		if !wrong && doc.Command != "controls" {
			continue
		}
		text := num(c.Exact) + " of " + num(c.Pairs) + " exact"
		if wrong {
			text += ", missed " + num(c.Missed) + ", too much " + num(c.Extra)
		}
		text += ", " + num(c.Untouched) + " untouched: " + p.whole(c.Why)
		if wrong || p.verbose {
			text += difference(c)
		}
		p.hanging(pad("", indent)+pad(brief(c.Name, p.width/3), nameW)+"  ", text)
	}
}

func difference(c record.Control) safe {
	if len(c.Had) == 0 && len(c.Did) == 0 {
		return ""
	}
	return " [had to show " + orNothing(c.Had) + "; did show " + orNothing(c.Did) + "]"
}

func orNothing(ss []string) safe {
	if len(ss) == 0 {
		return "nothing"
	}
	return list(plains(ss), ", ")
}

// tail says what green covers, what to type next and the exit code. A command is never broken over lines, so that it
// can be copied.
func (p *page) tail(doc *record.Document, part bool) {
	r := &doc.Result
	if r.Covers != "" && !unready(doc) && !unended(doc) {
		p.block(word{}, p.whole(r.Covers))
	}
	if part {
		return
	}
	if r.Next != "" {
		p.line(word{}, "next: "+plain(r.Next))
	}
	p.line(word{}, "exit "+num(r.Exit))
}
