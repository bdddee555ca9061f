package check

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/wire"
)

// tierCap is a runner that knows one row, and the row.
func tierCap(t *testing.T) (*runner, Row) {
	t.Helper()
	m, err := fixture.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	row := Row{Fixture: m.Get("tier_cap"), Mode: fixture.Plain, Dialect: dialects.Anthropic}
	r := &runner{c: Config{Matrix: m, Rows: []Row{row}}, seen: map[Row][]*seen{}, expected: map[Row]evidence.Evidence{}, directs: map[Row]evidence.Evidence{}}
	r.expected[row] = evidence.Of(row.Fixture.Expected(fixture.NoID, false), row.Dialect.Layout, fixture.NoID)
	return r, row
}

// observation is one answer to a row that is as it was sent, from so many hits.
func (r *runner) observation(row Row, pass string, v compare.Verdict, hits int) *seen {
	return &seen{
		row: row, pass: pass, from: compare.OwnHit, hits: make([]ledger.Hit, hits), layer: r.expected[row],
		probe: &probe{answer: row.Fixture.Expected(fixture.NoID, false)}, judged: compare.Judged{Verdict: v, Class: row.Fixture.Class},
	}
}

// TestHitsOfARow: a row tells the fewest and the most hits of its observations, and which of them decided.
func TestHitsOfARow(t *testing.T) {
	for _, c := range []struct {
		why        string
		hits       []int
		least, top int
	}{
		{"one", []int{2}, 2, 2},
		{"fewer later", []int{2, 1, 3}, 1, 3},
		{"fewest first", []int{1, 2}, 1, 2},
		{"fewest last", []int{3, 1}, 1, 3},
	} {
		r, row := tierCap(t)
		for i, n := range c.hits {
			v := compare.Preserved
			if i == len(c.hits)-1 {
				v = compare.Retried
			}
			r.seen[row] = append(r.seen[row], r.observation(row, passAlone, v, n))
		}
		out := r.row(row)
		if out.HitsMin != c.least || out.HitsMax != c.top {
			t.Errorf("%s: %d to %d, want %d to %d", c.why, out.HitsMin, out.HitsMax, c.least, c.top)
		}
		for i, o := range out.Observations {
			if o.Decided != (i == len(c.hits)-1) {
				t.Errorf("%s: observation %d decided: %v", c.why, i, o.Decided)
			}
		}
	}
}

// TestRepeatsAreListedUpToABound: but for the one that decides, which a reader must see.
func TestRepeatsAreListedUpToABound(t *testing.T) {
	const more = 3
	r, row := tierCap(t)
	r.seen[row] = append(r.seen[row], r.observation(row, passAlone, compare.Preserved, 1))
	for i := range maxRepeats + more {
		v := compare.Preserved
		if i == maxRepeats+more-1 {
			v = compare.Different
		}
		r.seen[row] = append(r.seen[row], r.observation(row, passRepeat, v, 1))
	}
	out := r.row(row)
	if n := len(out.Observations); n != 1+maxRepeats+1 || !out.Observations[n-1].Decided {
		t.Errorf("%d observations: %+v", n, out.Observations[n-1])
	}
	r.seen[row] = append(r.seen[row], r.observation(row, passAlone, compare.Preserved, 1))
	if n := len(r.row(row).Observations); n != 1+maxRepeats+2 {
		t.Errorf("what is no repeat is listed in any case: %d", n)
	}
}

// TestClassThroughTheLayer: what an answer became for a client is told when it is known whose answer it is.
func TestClassThroughTheLayer(t *testing.T) {
	for _, c := range []struct {
		why     string
		from    compare.Provenance
		verdict compare.Verdict
		want    bool
	}{
		{"its own hit's", compare.OwnHit, compare.Different, true},
		{"by elimination", compare.Attributed, compare.Different, true},
		{"nobody knows whose", compare.Unattached, compare.Different, false},
		{"the layer's own words are what a client gets", compare.NoHit, compare.LayerMade, true},
		{"what could not be told has none", compare.OwnHit, compare.Inconclusive, false},
	} {
		r, row := tierCap(t)
		s := r.observation(row, passAlone, c.verdict, 1)
		s.from = c.from
		out := record.Row{Verdict: string(c.verdict)}
		r.decided(&out, row, s)
		if told := out.Class.Layer == string(classify.TierSpendCap); told != c.want || !told && out.Class.Layer != "" {
			t.Errorf("%s: %q", c.why, out.Class.Layer)
		}
	}
}

// TestFieldsOfARow: what differs comes first and is bounded, then what is the same, and nothing twice.
func TestFieldsOfARow(t *testing.T) {
	keys := func(prefix string, n int, value string) (e evidence.Evidence) {
		for i := range n {
			e = append(e, evidence.Entry{Key: fmt.Sprintf("header/%s%03d", prefix, i), Value: evidence.Value{Kind: evidence.Text, Text: value}})
		}
		return e
	}
	for _, c := range []struct {
		why                   string
		differ, same          int
		out, omitted, notNews int
	}{
		{"both", 2, 3, 5, 0, 3},
		{"as many as are kept", maxDifferences, 1, maxDifferences + 1, 0, 1},
		{"one more", maxDifferences + 1, 1, maxDifferences + 1, 1, 1},
		{"more of the same than is shown", 1, maxFields + 5, maxFields, 0, maxFields - 1},
	} {
		r, row := tierCap(t)
		r.expected[row] = append(keys("a", c.differ, "sent"), keys("b", c.same, "x")...)
		s := r.observation(row, passAlone, compare.Different, 1)
		s.layer = append(keys("a", c.differ, "came"), keys("b", c.same, "x")...)
		for _, d := range evidence.Diff(r.expected[row], s.layer) {
			s.judged.Differences = append(s.judged.Differences, compare.Difference{Difference: d})
		}
		fields, omitted := r.fields(row, s)
		same, seen := 0, map[string]bool{}
		for _, f := range fields {
			if f.Dir == "" {
				same++
			}
			if seen[f.Key] {
				t.Errorf("%s: %s is told twice", c.why, f.Key)
			}
			seen[f.Key] = true
		}
		if len(fields) != c.out || omitted != c.omitted || same != c.notNews {
			t.Errorf("%s: %d fields, %d of them the same, %d left out; want %d, %d, %d", c.why, len(fields), same, omitted, c.out, c.notNews, c.omitted)
		}
	}
}

// TestValuesAreCut: from one byte over the bound, and what is cut is counted.
func TestValuesAreCut(t *testing.T) {
	for n, cut := range map[int]int{maxText: 0, maxText + 1: 1, maxText + 7: 7} {
		b := make([]byte, n)
		for i := range b {
			b[i] = 'x'
		}
		e := evidence.Evidence{{Key: "body", Value: evidence.Value{Kind: evidence.Text, Text: string(b)}}}
		if v := (&runner{}).value(e, "body"); v.Cut != cut || len(v.Text) != n-cut {
			t.Errorf("%d bytes: %d kept, %d cut", n, len(v.Text), v.Cut)
		}
	}
}

// TestTold: an observer is given the answer that a row rests on and the ids of its hits, or that there is none.
func TestTold(t *testing.T) {
	r, row := tierCap(t)
	var got []Decided
	r.c.Decided = func(d Decided) { got = append(got, d) }
	r.row(row)
	s := r.observation(row, passAlone, compare.Preserved, 1)
	s.hits[0].ID = "9f3c1b7e02d4a658"
	r.seen[row] = []*seen{s}
	r.row(row)
	if len(got) != 2 || got[0].Layer != nil || got[1].Layer != s.probe.answer || !slices.Equal(got[1].IDs, []string{"9f3c1b7e02d4a658"}) {
		t.Errorf("%+v", got)
	}
}

// TestTraced: whose answer it is, from what is surest to what can't be told.
func TestTraced(t *testing.T) {
	sent := time.Unix(100, 0)
	at := func(ms int) time.Time { return sent.Add(time.Duration(ms) * time.Millisecond) }
	answered := wire.Answer{Status: 429, SentAt: sent, FirstAt: at(20)}
	hit := func(came, began int) ledger.Hit {
		return ledger.Hit{At: at(came), Served: ledger.Served{AnswerAt: at(began)}}
	}
	never := hit(0, 0)
	never.Served.AnswerAt = time.Time{}
	for _, c := range []struct {
		why     string
		a       wire.Answer
		own     bool
		other   bool
		crowded bool
		hits    []ledger.Hit
		want    compare.Provenance
	}{
		{"the run was ended", wire.Answer{End: wire.EndCanceled}, true, false, false, nil, compare.NotObserved},
		{"this machine could not ask", wire.Answer{End: wire.EndLocal}, false, false, false, nil, compare.NotObserved},
		{"its own id stands in it, beside another's", answered, true, true, true, nil, compare.OwnHit},
		{"another's id alone", answered, false, true, false, []ledger.Hit{hit(5, 10)}, compare.OtherHit},
		{"no answer", wire.Answer{}, false, false, false, nil, compare.NoAnswer},
		{"no hit", answered, false, false, false, nil, compare.NoHit},
		{"the only hit lies in between", answered, false, false, false, []ledger.Hit{hit(5, 10)}, compare.Attributed},
		{"at the very edges, too", answered, false, false, false, []ledger.Hit{hit(0, 20)}, compare.Attributed},
		{"the hit came before the request", answered, false, false, false, []ledger.Hit{hit(-1, 10)}, compare.Unattached},
		{"the answer came before the stub began one", answered, false, false, false, []ledger.Hit{hit(5, 21)}, compare.Unattached},
		{"the stub never began one", answered, false, false, false, []ledger.Hit{never}, compare.Unattached},
		{"of two hits of its own one lies in between", answered, false, false, false, []ledger.Hit{hit(5, 10), hit(6, 31)}, compare.Attributed},
		{"neither does", answered, false, false, false, []ledger.Hit{hit(5, 30), hit(6, 31)}, compare.Unattached},
		{"other requests were under way", answered, false, false, true, []ledger.Hit{hit(5, 10)}, compare.Unattached},
	} {
		var other *ledger.Hit
		if c.other {
			other = &ledger.Hit{}
		}
		if got := traced(&probe{answer: &c.a, crowded: c.crowded}, c.own, other, c.hits); got != c.want {
			t.Errorf("%s: %s, want %s", c.why, got, c.want)
		}
	}
}

// TestEachID: an id is found wherever it stands, and what only looks like one costs no more than its length.
func TestEachID(t *testing.T) {
	const id = "0f9a1b7e02d4a65f"
	for _, c := range []struct {
		why, text string
		want      []string
	}{
		{"alone", id, []string{id}},
		{"in a word", "req_" + id + "_x", []string{id}},
		{"two", id + "-" + id, []string{id, id}},
		{"too short", id[1:], nil},
		{"glued to another digit: both may be meant", id + "7", []string{id, id[1:] + "7"}},
		{"capital letters are none of ours", "0F9A1B7E02D4A65F", nil},
		{"what stands beside the digits and letters ends a run", "/" + id[1:] + ":`" + id[1:] + "g", nil},
	} {
		var got []string
		eachID(c.text, func(s string) { got = append(got, s) })
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (- want, + have):\n%s", c.why, d)
		}
	}
	n, long := 0, make([]byte, 2*maxRun)
	for i := range long {
		long[i] = '0'
	}
	eachID(string(long), func(string) { n++ })
	if n != maxRun-fixture.IDLen+1 {
		t.Errorf("%d candidates in a run without end", n)
	}
}
