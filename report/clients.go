package report

import (
	"slices"

	"github.com/preservecheck/preservecheck/record"
)

// mostLines is how many lines of the model of clients stand below a row, unless all was asked for; those of which only waits differ
// stand there only then.
const mostLines = 5

// modelKey stands before what rests on a model and not on the run.
const modelKey safe = "(model)"

// clientFacts are the lines that say what changes for which clients, worst first; one that not all rows share says how many do.
func (p *page) clientFacts(g group) (out []fact) {
	rows := g.all()
	lines, with, minor := []string{}, map[string]int{}, map[string]bool{}
	for _, r := range rows {
		for _, c := range r.Consequences {
			line := clientLine(c)
			if with[line]++; !slices.Contains(lines, line) {
				lines, minor[line] = append(lines, line), c.Minor
			}
		}
	}
	for _, line := range lines {
		if !p.verbose && (len(out) == mostLines || minor[line]) {
			continue
		}
		text := brief(line, 3*p.width)
		if with[line] < len(rows) {
			text += " [" + num(with[line]) + " of " + count(len(rows), "row") + "]"
		}
		out = append(out, fact{key: modelKey, remark: text})
	}
	if left := len(lines) - len(out); left > 0 {
		out = append(out, fact{key: modelKey, remark: "and " + num(left) + " more with -v"})
	}
	return out
}

func clientLine(c record.Consequence) string { return c.Who + ": " + c.Text }

// modelled says once what the lines of the model are.
func (p *page) modelled(doc *record.Document) {
	if slices.ContainsFunc(doc.Rows, func(r record.Row) bool { return len(r.Consequences) > 0 }) {
		p.block(word{}, "(model) lines are what clients do by docs/reactions.md, as served → through the layer; preservecheck attempts measures it")
	}
}
