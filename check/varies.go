package check

import (
	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/record"
)

// maxSightings bounds what is kept of one row: a layer may write another text into every answer.
const maxSightings = 50

// varies gathers all that the observations of a row showed, nil when they all showed the same. The record has the fields of
// the one that decided; who declares what comes and goes has to know the others, too.
func (r *runner) varies(row Row) *record.Varies {
	all := r.conclusive(row)
	v := &record.Varies{Observations: len(all), Sightings: []record.Sighting{}}
	at := map[[5]string]int{}
	for _, s := range all {
		for _, d := range deciding(s.judged.Differences) {
			x := r.sighting(row, s, &d)
			id := [5]string{x.Field.Key, x.Field.Dir, x.Class}
			if v := x.Field.Layer; v != nil {
				id[3], id[4] = v.Kind, v.Text
			}
			i, known := at[id]
			switch {
			case known:
				v.Sightings[i].Times++
			case len(v.Sightings) == maxSightings:
				v.Omitted++
			default:
				at[id] = len(v.Sightings)
				v.Sightings = append(v.Sightings, x)
			}
		}
	}
	for _, x := range v.Sightings {
		if x.Times < v.Observations {
			return v
		}
	}
	return nil
}

func (r *runner) sighting(row Row, s *seen, d *compare.Difference) record.Sighting {
	key := d.Difference.Key
	x := record.Sighting{Times: 1, InventedSuccess: s.judged.InventedSuccess, Field: record.Field{
		Key: r.clean(key), Role: string(d.Role), Dir: string(d.Dir), Decides: true, Declared: d.Declared,
		Fixture: r.value(r.expected[row], key), Layer: r.value(s.layer, key),
	}}
	if s.judged.Class != row.Fixture.Class {
		x.Class = string(s.judged.Class)
	}
	return x
}
