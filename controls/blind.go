package controls

import (
	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/record"
)

// blindness switches one comparison off. It is a seam for tests, which then want the proof to miss something: a proof that does not
// notice a blind check proves nothing. The zero blindness, which every run has, sees all.
type blindness struct {
	key     func(key string) bool         // keys that are not compared
	verdict compare.Verdict               // the verdict that is not given
	hits    func(h check.Hits) check.Hits // what the ledger of a whole run tells
	finding string                        // the kind of finding that is not made
}

// read gives what is left of an answer: what is not compared is as it was expected.
func (b *blindness) read(got, want evidence.Evidence) evidence.Evidence {
	if b.key == nil {
		return got
	}
	var out evidence.Evidence
	for _, e := range want {
		if v := got.Get(e.Key); b.key(e.Key) {
			out = append(out, e)
		} else if v.Kind != evidence.Absent {
			out = append(out, evidence.Entry{Key: e.Key, Value: v})
		}
	}
	for _, e := range got {
		if want.Get(e.Key).Kind == evidence.Absent && !b.key(e.Key) {
			out = append(out, e)
		}
	}
	return out
}

func (b *blindness) judge(j *compare.Judged) {
	if b.verdict != "" && j.Verdict == b.verdict {
		j.Verdict = compare.Preserved
	}
}

// ledger is what a whole run reads its hits from.
func (b *blindness) ledger(h check.Hits) check.Hits {
	if b.hits == nil {
		return h
	}
	return b.hits(h)
}

// run takes out of a whole run what was not seen.
func (b *blindness) run(d *record.Document) {
	if b.verdict == "" && b.finding == "" {
		return
	}
	for i := range d.Rows {
		row := &d.Rows[i]
		if row.Verdict == string(b.verdict) {
			row.Verdict = string(compare.Preserved)
		}
		for j := range row.Observations {
			if row.Observations[j].Verdict == string(b.verdict) {
				row.Observations[j].Verdict = string(compare.Preserved)
			}
		}
	}
	var keep []record.Finding
	for _, f := range d.Findings {
		if f.Kind != b.finding {
			keep = append(keep, f)
		}
	}
	d.Findings = keep
	compare.Settle(d)
}
