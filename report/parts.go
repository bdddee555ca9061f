package report

import (
	"github.com/preservecheck/preservecheck/record"
)

// parts names the runs that were joined and do not pass. Those that do are only counted.
func (p *page) parts(doc *record.Document) {
	if len(doc.Parts) == 0 {
		return
	}
	p.gap()
	green := 0
	for i := range doc.Parts {
		x := &doc.Parts[i]
		if x.Problem == "" && x.Result.Exit == 0 {
			green++
			continue
		}
		w := word{text: "run", tone: unsure}
		if x.Result.Exit == 1 {
			w.tone = bad
		}
		p.block(w, p.whole(partText(x)))
	}
	if green > 0 || p.verbose {
		p.block(word{}, num(green)+" of "+count(len(doc.Parts), "run")+" pass")
	}
	if !p.verbose {
		return
	}
	for i := range doc.Parts {
		if x := &doc.Parts[i]; x.Problem == "" && x.Result.Exit == 0 {
			p.para(p.whole(partText(x)))
		}
	}
}

// partText is one of the joined runs in a sentence.
func partText(x *record.Part) string {
	name := x.File
	if name == "" {
		name = x.Layer
	} else if x.Layer != "" {
		name += " (" + x.Layer + ")"
	}
	switch {
	case name == "":
		return x.Problem
	case x.Problem != "" && x.Result.Exit == 1:
		return name + " fails: " + x.Result.Why + "; it " + x.Problem
	case x.Problem != "":
		return name + " " + x.Problem
	case x.Result.Exit == 1:
		return name + " fails: " + x.Result.Why
	case x.Result.Exit == 0:
		return name + " passes: " + x.Result.Why
	}
	return name + " can't be told: " + x.Result.Why
}

// partItems are the joined runs that say nothing. What fails in the others is told by their rows.
func partItems(doc *record.Document) (out []item) {
	for i := range doc.Parts {
		if x := &doc.Parts[i]; x.Problem != "" || x.Result.Exit > 1 {
			out = append(out, item{kind: "run", standing: unclear, text: partText(x)})
		}
	}
	return out
}
