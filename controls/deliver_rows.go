package controls

import (
	"slices"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/record"
)

// deliveredRows are the rows of a whole run over sockets: the source article's, and in each mode one that the fault touches where it touches
// none of these, such as an error inside a stream.
func (p *prover) deliveredRows(f *Fault, modes []fixture.Mode) []check.Row {
	rows := rowsOf(p.in, modes)
	if f.Finding != "" || slices.ContainsFunc(rows, func(r check.Row) bool { return f.touches(p.in.subject(r).seen) }) {
		return rows
	}
	for _, m := range modes {
		for _, x := range p.in.Matrix.Rows {
			r := check.Row{Fixture: x, Mode: m, Dialect: dialects.Anthropic}
			if x.Dialect == r.Dialect.Name && x.In(m) && f.touches(p.in.subject(r).seen) {
				rows = append(rows, r)
				break
			}
		}
	}
	return rows
}

// touches reports whether a fault says that it shows in a row.
func (f *Fault) touches(r Seen) bool {
	return len(f.Want(r)) > 0 || f.Hits != nil && f.Hits(r) != 1
}

// declares reports whether a fault with memory says that a row may show a difference.
func (p *prover) declares(f *Fault, row *record.Row, field *record.Field) bool {
	r := check.Row{Fixture: p.in.Matrix.Get(row.Row), Mode: fixture.Mode(row.Mode), Dialect: dialects.ByName(row.Asked)}
	return r.Fixture != nil && slices.Contains(f.Want(p.in.subject(r).seen), Sight{field.Key, evidence.Direction(field.Dir)})
}
