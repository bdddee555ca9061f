package report

import (
	"slices"

	"github.com/preservecheck/preservecheck/record"
)

// declaredBy names the entries of known files that declare differences of a group, and says when they do not declare all.
func (p *page) declaredBy(g group) {
	var by []string
	for _, e := range g {
		for _, r := range e {
			for i := range r.Fields {
				for _, d := range r.Fields[i].Declared {
					if r.Fields[i].Decides && !slices.Contains(by, d) {
						by = append(by, d)
					}
				}
			}
		}
	}
	if len(by) == 0 {
		return
	}
	text := safe("declared by ")
	if g[0][0].Verdict != "declared" {
		text = "only in part declared, by "
	}
	p.para(text + list(plains(by), ", "))
}

// known tells which entries of known files fail the run.
func (p *page) known(k *record.Known) {
	if k == nil || len(k.Problems) == 0 {
		return
	}
	p.gap()
	p.line(word{}, "known differences")
	for _, problem := range k.Problems {
		p.block(word{text: "entry", tone: bad}, p.whole(problem))
	}
}
