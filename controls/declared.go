package controls

import (
	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/evidence"
)

// otherValue is what no known file names.
const otherValue = "preservecheck: another value"

// reopen looks at the keys in which the run's known file declares every fault of the proof. A key has but one or two faults,
// and a layer may well have just these; what counts is whether the file would let another value, another direction or
// another row pass as well.
func (p *prover) reopen() {
	for pattern, key := range p.declared {
		if !p.red[pattern] && p.undeclaredIn(key) {
			p.red[pattern] = true
		}
	}
}

// undeclaredIn reports whether some difference in a key decides a row and is not declared.
func (p *prover) undeclaredIn(key string) bool {
	for i := range p.rows {
		s := &p.rows[i]
		want := s.seen.Evidence.Get(key)
		other := evidence.Value{Kind: evidence.Text, Text: otherValue}
		tries := []evidence.Difference{{Key: key, Dir: evidence.Invented, Got: other}}
		if want.Kind != evidence.Absent {
			tries = []evidence.Difference{{Key: key, Dir: evidence.Lost, Want: want}, {Key: key, Dir: evidence.Changed, Want: want, Got: other}}
		}
		for _, d := range tries {
			o := compare.Observed{Fixture: s.row.Fixture, Mode: s.row.Mode, Dialect: s.row.Dialect, Expected: s.seen.Evidence,
				Layer: evidence.Evidence{{Key: key, Value: d.Got}}}
			decides := p.in.Rules.Profile.Decides(d, s.seen.Evidence, s.row.Dialect) != nil
			if decides && len(p.in.Rules.Known(&o, &compare.Difference{Difference: d})) == 0 {
				return true
			}
		}
	}
	return false
}
