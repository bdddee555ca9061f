package report

import (
	"slices"

	"github.com/preservecheck/preservecheck/record"
)

// htmlMatrix is fixtures against modes and routes: those that differ somewhere, and those that were kept everywhere.
type htmlMatrix struct {
	Differ, Kept *htmlGrid
	KeptTitle    safe
	Legend       []htmlLine
}

type htmlGrid struct {
	Label   safe
	Columns []safe
	Lines   []htmlGridLine
}

type htmlGridLine struct {
	Name  safe
	Cells [][]htmlTile // by column; a cell has one tile, or none where a fixture has no such row
}

type htmlTile struct {
	ID    int
	Badge htmlBadge
}

// verdictMeans says in one sentence what each verdict is. The words are those of the vocabulary.
var verdictMeans = map[string]safe{
	"preserved":    "Every key of the profile came through as served, and so did the class.",
	"declared":     "It differs exactly as a known file says.",
	"changed":      "Keys differ, the class is the same: a worker acts as before.",
	"reclassified": "The class differs: a worker acts differently.",
	"retried":      "The layer sent the request again more often than its class allows.",
	"layer-made":   "The layer answered by itself, without a call to the stub, though a canary had come through.",
	"broken":       "No usable answer came, or a failure came as a success.",
	"untestable":   "The way to the layer, not the layer, can't carry this answer.",
	"inconclusive": "It can't be told, and what can't be told is never green.",
}

// matrix sorts rows into a table. A column is a mode, with route and dialect where there are several.
func (v *htmlView) matrix() *htmlMatrix {
	if len(v.order) == 0 {
		return nil
	}
	routes, asked := false, false
	for _, r := range v.order {
		routes = routes || r.Route != v.order[0].Route
		asked = asked || r.Asked != v.order[0].Asked
	}
	name := func(r *record.Row) safe {
		var parts []safe
		for _, part := range []struct {
			show bool
			text string
		}{{true, r.Mode}, {routes, r.Route}, {asked && !routes, r.Asked}} {
			if part.show && part.text != "" {
				parts = append(parts, brief(part.text, 40))
			}
		}
		return list(parts, " ")
	}
	columns := []safe{}
	for i := range v.doc.Rows { // in the order of the run, not worst first
		if c := name(&v.doc.Rows[i]); !slices.Contains(columns, c) {
			columns = append(columns, c)
		}
	}
	differ := &htmlGrid{Label: "Fixtures that differ", Columns: columns}
	kept := &htmlGrid{Label: "Fixtures that were kept", Columns: columns}
	seen := map[string]bool{}
	for _, rows := range collect(v.order, func(r *record.Row) string { return quoteAll([]string{r.Row, r.Served}) }) {
		line, same := htmlGridLine{Name: brief(rows[0].Row, 60), Cells: make([][]htmlTile, len(columns))}, true
		for _, r := range rows {
			at := slices.Index(columns, name(r))
			line.Cells[at] = append(line.Cells[at], htmlTile{v.ids[r], badgeOf(verdict(r.Verdict, v.doc))})
			same = same && passes(r)
			seen[r.Verdict] = true
		}
		if same {
			kept.Lines = append(kept.Lines, line)
		} else {
			differ.Lines = append(differ.Lines, line)
		}
	}
	out := &htmlMatrix{KeptTitle: count(len(kept.Lines), "fixture") + " preserved wherever asked"}
	if len(differ.Lines) > 0 {
		out.Differ = differ
	}
	if len(kept.Lines) > 0 {
		out.Kept = kept
	}
	for _, w := range worstFirst {
		if seen[w] {
			out.Legend = append(out.Legend, htmlLine{badgeOf(verdict(w, v.doc)), verdictMeans[w]})
		}
	}
	return out
}
