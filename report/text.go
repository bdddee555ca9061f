package report

import (
	"io"
	"slices"
	"strings"
	"time"

	"github.com/preservecheck/preservecheck/record"
)

// TextOptions are the caller's choices for a text report. The zero value is for a file: no colour, 100 columns.
type TextOptions struct {
	Color   bool
	Width   int  // terminal columns; 0 is 100, and it is held between 60 and 160
	Verbose bool // preserved rows, keys that do not decide, every pass, whole values
	Part    bool // the report stands inside the output of a command that has its own end: no next command, no exit code
}

// Text writes a run for a person: what makes it untrustworthy first, then the result, the rows worst first, the
// findings, and what green covers. All text of the record is made plain, so the report can be printed anywhere.
func Text(w io.Writer, doc record.Document, o TextOptions) error {
	p := newPage(o)
	routeless(&doc)
	p.missed(doc.Proof.Missed)
	p.head(&doc)
	p.headline(&doc)
	p.news(doc.News)
	p.parts(&doc)
	if doc.News == nil || o.Verbose {
		p.rows(&doc)
	}
	p.hops(&doc)
	p.known(doc.Known)
	p.findings(doc.Findings, doc.Advice)
	p.classifier(doc.Classifier)
	p.gap()
	p.alsoSeen(&doc)
	p.modelled(&doc)
	p.notJudged(&doc)
	p.proof(&doc)
	for _, n := range doc.Notes {
		p.block(word{}, "note: "+p.whole(n))
	}
	p.tail(&doc, o.Part)
	_, err := p.buf.WriteTo(w)
	return err
}

func writeText(w io.Writer, doc record.Document) error { return Text(w, doc, TextOptions{}) }

func (p *page) missed(missed []string) {
	if len(missed) == 0 {
		return
	}
	p.block(word{text: "PROOF FAILED", tone: bad}, "this run could not have told: "+count(len(missed), "fault")+" went unseen")
	for _, m := range missed {
		p.para(p.whole(m))
	}
}

// head names the tool, what was checked and against what.
func (p *page) head(doc *record.Document) {
	p.gap()
	parts := []safe{p.name(doc.Tool.Name) + " " + p.name(doc.Tool.Version)}
	for _, named := range []struct {
		what safe
		name string
	}{
		{"layer ", target(doc.Target)}, {"matrix ", doc.Matrix.Version}, {"profile ", doc.Profile.Name}, {"channel ", doc.Channel},
	} {
		if named.name != "" {
			parts = append(parts, named.what+p.name(named.name))
		}
	}
	if routes := p.routes(doc.Target); routes != "" {
		parts = append(parts, routes)
	}
	if doc.Matrix.Narrowed != "" {
		parts = append(parts, num(doc.Matrix.Selected)+" of "+count(doc.Matrix.Total, "row")+" selected by "+p.name(doc.Matrix.Narrowed))
	}
	p.items(0, "   ", parts)
	if p.verbose {
		p.settings(doc)
	}
}

// target is name, version and address, each said once.
func target(t record.Target) string {
	where := t.URL
	if t.Control != "" {
		where = "control:" + t.Control
	}
	if t.Name == t.URL || t.Name == t.Control || t.Name == where {
		return strings.TrimSpace(where + " " + t.Version)
	}
	return strings.TrimSpace(strings.TrimSpace(t.Name+" "+t.Version) + " " + where)
}

func (p *page) settings(doc *record.Document) {
	s := doc.Settings
	parts := []safe{"modes " + p.names(s.Modes), "dialects " + p.names(s.Dialects), "hazards " + p.names(s.Hazards),
		"fails on " + p.name(s.FailOn), count(s.Concurrency, "request") + " at once", p.name(s.ClientProtocol)}
	if s.Rate > 0 {
		parts = append(parts, "at most "+decimal(s.Rate)+" a second")
	}
	if len(s.HeadersSent) > 0 {
		parts = append(parts, "headers sent "+p.names(s.HeadersSent))
	}
	parts = append(parts, "channels that arrived "+p.names(doc.Channels), "stub "+p.name(doc.Target.StubURL),
		"started "+safe(doc.Started.UTC().Format(time.RFC3339)), "took "+decimal(doc.DurationMS/1000)+" s",
		"deciding keys "+p.names(doc.Profile.Keys))
	p.para(list(parts, "; "))
}

// headline is the result of the run, as it was settled, how many rows have which verdict, what most of them have in
// common and what a finding advises.
func (p *page) headline(doc *record.Document) {
	p.gap()
	w, why := resultOf(doc)
	p.block(w, p.whole(why))
	if unended(doc) {
		return
	}
	if unready(doc) {
		p.para("A canary is a valid request that the stub answers with a success. No row is asked for before one came through the layer.")
		return
	}
	p.items(indent, ", ", p.counts(doc.Result.Counts))
	if common := commonCause(doc); common != "" {
		p.para(common)
	}
	if a := advice(doc.Findings); a != "" {
		p.hanging(pad("", indent)+"advice: ", p.whole(a))
	}
}

// unended reports whether a record was put in place before its run, and has not been replaced since.
func unended(doc *record.Document) bool { return doc.Incomplete && doc.DurationMS == 0 }

// unready reports whether the layer let nothing through, so that only the remedy is of interest.
func unready(doc *record.Document) bool { return doc.NotReady != "" && len(doc.Rows) == 0 }

// resultOf is the word of the result, in its colour, and the reason. A run that did not end says so there, too.
func resultOf(doc *record.Document) (w word, why string) {
	r := &doc.Result
	switch {
	case unended(doc):
		return word{text: "INCOMPLETE", tone: unsure}, "this run has not ended yet, or was ended by force; nothing was judged"
	case r.Word == "pass":
		return word{text: "PASS", tone: good}, r.Why
	case r.Word == "fail" && doc.Incomplete:
		return word{text: "FAIL", tone: bad}, r.Why + "; INCOMPLETE, the run was interrupted"
	case r.Word == "fail":
		return word{text: "FAIL", tone: bad}, r.Why
	case r.Word == "could not tell" && doc.Incomplete:
		return word{text: "INCOMPLETE", tone: unsure}, "could not tell: " + r.Why
	case r.Word == "could not tell":
		return word{text: "COULD NOT TELL", tone: unsure}, r.Why
	case r.Word == "":
		return word{text: "NO RESULT", tone: unsure}, r.Why
	}
	return word{text: brief(r.Word, 20), tone: unsure}, r.Why
}

// advice is what the first finding advises that fails the run. It stands at the top and is not said again below.
func advice(fs []record.Finding) string {
	for _, f := range fs {
		if f.Fails && f.Advice != "" {
			return f.Advice
		}
	}
	return ""
}

// counts lists verdicts worst first; the names that this version does not know come last.
func (p *page) counts(counts map[string]int) []safe {
	var names []string
	for n := range counts {
		if rank(n) < 0 {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	var parts []safe
	for _, n := range append(slices.Clone(worstFirst), names...) {
		if counts[n] == 0 {
			continue
		}
		part := num(counts[n]) + " " + p.name(n)
		if n == "reclassified" {
			part += " (a worker acts differently)"
		}
		parts = append(parts, part)
	}
	return parts
}

// name is a short text of the record inside a line, whole is one that may be long.
func (p *page) name(s string) safe     { return brief(s, p.width-2*indent) }
func (p *page) names(ss []string) safe { return list(plains(ss), ", ") }
func (p *page) whole(s string) safe {
	if p.verbose {
		return plain(s)
	}
	return brief(s, 6*p.width)
}
