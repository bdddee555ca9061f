package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/preservecheck/preservecheck/record"
)

// roleNames are the roles that a difference may have: the labels of a metric are a closed list, whatever a record says.
var roleNames = []string{"status", "type", "code", "details", "limit-source", "message", "retry-after", "retry-after-ms", "x-should-retry", "headroom", "body"}

// sample is one line of a metric: its labels, written by us, and its value.
type sample struct {
	labels string
	value  float64
}

// Prometheus writes a run as metrics in the text format, for the textfile collector or a push gateway. Every label's
// value is from a closed list, so that no layer can make series without end or write a line of its own; which layer it
// is has to be said by whoever collects. Samples have no time stamps, which the textfile collector refuses.
// Source: Prometheus docs, "Exposition formats", text format 0.0.4, read 2026-11-30.
func Prometheus(w io.Writer, doc record.Document) error {
	var b bytes.Buffer
	writeRunMetrics(&b, &doc)
	writeRowMetrics(&b, &doc)
	writeProofMetrics(&b, &doc)
	_, err := b.WriteTo(w)
	return err
}

func one(v float64) []sample { return []sample{{"", v}} }

func metric(b *bytes.Buffer, name, help string, samples []sample) {
	fmt.Fprintf(b, "# HELP preservecheck_%s %s\n# TYPE preservecheck_%s gauge\n", name, help, name)
	for _, s := range samples {
		labels := s.labels
		if labels != "" {
			labels = "{" + labels + "}"
		}
		fmt.Fprintf(b, "preservecheck_%s%s %s\n", name, labels, strconv.FormatFloat(s.value, 'g', -1, 64))
	}
}

func writeRunMetrics(b *bytes.Buffer, doc *record.Document) {
	r := &doc.Result
	results := []sample{}
	word := r.Word
	if unended(doc) || !slices.Contains([]string{"pass", "fail"}, word) {
		word = "could not tell"
	}
	for _, x := range []struct{ word, label string }{{"pass", "pass"}, {"fail", "fail"}, {"could not tell", "could_not_tell"}} {
		results = append(results, sample{`result="` + x.label + `"`, bit(word == x.word)})
	}
	metric(b, "run_result", "1 for the result of the last run, 0 for the others.", results)
	metric(b, "run_exit_code", "Exit code of the last run: 0 pass, 1 fail, 2 usage, 3 could not tell.", one(float64(r.Exit)))
	metric(b, "run_incomplete", "1 if the last run was interrupted or has not ended yet.", one(bit(doc.Incomplete)))
	if !doc.Started.IsZero() {
		metric(b, "run_timestamp_seconds", "When the last run started, in seconds since 1970.", one(float64(doc.Started.UnixMilli())/1000))
	}
	metric(b, "run_duration_seconds", "How long the last run took.", one(doc.DurationMS/1000))
}

func writeRowMetrics(b *bytes.Buffer, doc *record.Document) {
	verdicts, diffs := map[string]int{}, map[string]int{}
	var hits, again int
	var slowest float64
	for i := range doc.Rows {
		r := &doc.Rows[i]
		verdicts[verdictName(r.Verdict)]++
		hits += r.HitsMax
		if r.HitsAllowed > 0 && r.HitsMax > r.HitsAllowed {
			again++
		}
		slowest = max(slowest, elapsed(r))
		for j := range r.Fields {
			if f := &r.Fields[j]; f.Dir != "" {
				diffs[differenceLabels(f)]++
			}
		}
	}
	metric(b, "rows", "Rows of the last run by verdict.", counted("verdict", append(slices.Clone(worstFirst), "other"), verdicts))
	metric(b, "rows_excluded", "Rows that were not run because they were excluded.", one(float64(len(doc.Excluded))))
	metric(b, "differences", "Differences between what was sent and what came through, by role of the key.", differenceSamples(diffs))
	metric(b, "hits", "Requests at the stub for the rows of the last run.", one(float64(hits)))
	metric(b, "rows_sent_again", "Rows for which the layer asked the stub more often than allowed.", one(float64(again)))
	metric(b, "slowest_answer_seconds", "The slowest answer through the layer.", one(slowest/1000))
	metric(b, "findings", "Findings about the run by kind, and whether they fail it.", findingSamples(doc.Findings))
}

func writeProofMetrics(b *bytes.Buffer, doc *record.Document) {
	p := doc.Proof
	metric(b, "proof_pairs", "Pairs of control and row in the proof of the last run.", one(float64(p.Pairs)))
	metric(b, "proof_pairs_exact", "Of these, pairs that were caught exactly.", one(float64(p.Exact)))
	metric(b, "proof_keys", "Keys of the profile.", one(float64(p.Keys)))
	metric(b, "proof_keys_deciding", "Of these, keys that a control turned red.", one(float64(p.Deciding)))
}

// counted gives a sample for every name of a list, 0 where there is none: a series that comes and goes can't be alerted on.
func counted(label string, names []string, n map[string]int) (out []sample) {
	for _, name := range names {
		out = append(out, sample{label + `="` + name + `"`, float64(n[name])})
	}
	return out
}

func differenceLabels(f *record.Field) string {
	dir, role := f.Dir, f.Role
	if !slices.Contains([]string{"lost", "changed", "invented"}, dir) {
		dir = "other"
	}
	if !slices.Contains(roleNames, role) {
		role = "other"
	}
	return `direction="` + dir + `",role="` + role + `",decides="` + strconv.FormatBool(f.Decides) + `"`
}

func differenceSamples(n map[string]int) (out []sample) {
	for _, dir := range []string{"lost", "changed", "invented", "other"} {
		for _, role := range append(slices.Clone(roleNames), "other") {
			for _, decides := range []bool{true, false} {
				labels := differenceLabels(&record.Field{Dir: dir, Role: role, Decides: decides})
				out = append(out, sample{labels, float64(n[labels])})
			}
		}
	}
	return out
}

func findingSamples(fs []record.Finding) (out []sample) {
	n := map[string]int{}
	labels := func(kind string, fails bool) string {
		return `kind="` + kind + `",fails="` + strconv.FormatBool(fails) + `"`
	}
	for _, f := range fs {
		n[labels(findingKind(f.Kind), f.Fails)]++
	}
	for _, k := range []string{"layer-state", "crosstalk", "cached", "intermittent", "unexplained-hits", "dirty-way", "slept", "other"} {
		for _, fails := range []bool{true, false} {
			out = append(out, sample{labels(k, fails), float64(n[labels(k, fails)])})
		}
	}
	return out
}

func bit(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
