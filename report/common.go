package report

import (
	"github.com/preservecheck/preservecheck/record"
)

// fewestAlike is from how many rows on it is worth saying what they have in common.
const fewestAlike = 3

// commonCause names what the layer does in most of the rows that differ, "" when there is no such thing: "the layer
// drops header/retry-after, in 10 of the 10 rows that differ". It tells of keys that decide, in the order of the rows.
func commonCause(doc *record.Document) safe {
	differ, rowsWith, order := 0, map[string]int{}, []*record.Field{}
	for i := range doc.Rows {
		fields := differences(&doc.Rows[i])
		if len(fields) > 0 {
			differ++
		}
		for _, f := range fields {
			if id := f.Dir + " " + f.Key; rowsWith[id] == 0 {
				order = append(order, f)
			}
			rowsWith[f.Dir+" "+f.Key]++
		}
	}
	var parts []safe
	for _, f := range order {
		n := rowsWith[f.Dir+" "+f.Key]
		if n < fewestAlike || 2*n <= differ || len(parts) == mostCauses {
			continue
		}
		in := num(n) + " of the " + num(differ)
		if n == differ {
			in = "each of the " + num(differ)
		}
		parts = append(parts, doing(f.Dir)+" "+cut(units(f.Key), 40)+" in "+in)
	}
	if len(parts) == 0 {
		return ""
	}
	return "the layer " + list(parts, ", ") + " rows that differ"
}

// mostCauses is how many common causes are named; with more there is no common one.
const mostCauses = 3

// differences are the keys that decide and differ in a row whose answer is the stub's, so that they tell what the layer
// does to an answer. What it wrote itself, or did not answer, has no common key.
func differences(r *record.Row) (out []*record.Field) {
	switch r.Verdict {
	case "reclassified", "changed", "retried", "declared":
	default:
		return nil
	}
	for i := range r.Fields {
		if f := &r.Fields[i]; f.Dir != "" && f.Decides {
			out = append(out, f)
		}
	}
	return out
}

func doing(dir string) safe {
	switch dir {
	case "lost":
		return "drops"
	case "invented":
		return "adds"
	case "changed":
		return "changes"
	}
	return brief(dir, 12)
}
