package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/preservecheck/preservecheck/authors"
	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/record"
)

// slept is the finding of a layer that kept its client waiting.
const slept = "slept"

// patienceOfFull is what profile full allows a layer to add to the time of a canary: far more than any honest work, less
// than the shortest wait that a client would notice as one.
const patienceOfFull = 2 * time.Second

// claims are headers in which a layer says how often it asked again by itself (Portkey's and LiteLLM's documentation, read
// 2026-11-30; Portkey writes -1 when it gave up, which is no count).
var claims = []string{"x-portkey-retry-attempt-count", "x-litellm-attempted-retries"}

// behaviour says in words what the layer did besides answering: how it asked again, whom it asked, how long it took and
// what it says of that itself.
func (r *runner) behaviour(row Row, s *seen) (words []string) {
	for _, w := range []string{r.gaps(row, s.hits), fellBack(s.hits), r.waited(row, s), claimed(s)} {
		if w != "" {
			words = append(words, r.clean(w))
		}
	}
	return words
}

// gaps tells the time between the hits of one request, against what the fixture asks for.
func (r *runner) gaps(row Row, hits []ledger.Hit) string {
	if len(hits) < 2 {
		return ""
	}
	least, most := hits[1].At.Sub(hits[0].At), time.Duration(0)
	for i := 1; i < len(hits); i++ {
		gap := hits[i].At.Sub(hits[i-1].At)
		least, most = min(least, gap), max(most, gap)
	}
	what := "1 retry after " + seconds(least)
	switch n := len(hits) - 1; {
	case n > 1 && seconds(most) != seconds(least):
		what = fmt.Sprintf("%d retries %s to %s apart", n, seconds(least), seconds(most))
	case n > 1:
		what = fmt.Sprintf("%d retries %s apart", n, seconds(least))
	}
	asked := r.expected[row].Get(row.Dialect.Keys[classify.RetryAfter]).Text
	wait, err := strconv.ParseFloat(asked, 64)
	switch {
	case err != nil:
		return what
	case least.Seconds() < wait-0.05: // a timer may be early by a little
		return what + " although retry-after said " + asked
	}
	return what + ", as retry-after said"
}

// fellBack tells hits of one request that went to another model or path, or carried another body.
func fellBack(hits []ledger.Hit) string {
	var models, paths, bodies []string
	for _, h := range hits {
		models, paths, bodies = once(models, h.Model), once(paths, h.Path), once(bodies, h.BodyHash)
	}
	var words []string
	switch {
	case len(models) > 1:
		words = append(words, "asked for other models by itself: "+some(models))
	case len(bodies) > 1 && len(paths) < 2:
		words = append(words, "asked again with another body")
	}
	if len(paths) > 1 {
		words = append(words, "asked at other paths by itself: "+some(paths))
	}
	return strings.Join(words, "; ")
}

func once(list []string, s string) []string {
	if s == "" || slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// waited tells an answer that took longer than work takes, or that a row which may fail never got to its end.
func (r *runner) waited(row Row, s *seen) string {
	if s.layer.Get("end").Text == evidence.EndTimeout && r.expected[row].Get("end").Text != evidence.EndTimeout && len(s.hits) > 0 {
		what := "no answer"
		if s.probe.answer.Status != 0 {
			what = "no end of the answer"
		}
		return fmt.Sprintf("the client waits: %s by the row's deadline, after %s", what, seconds(s.probe.answer.Elapsed()))
	}
	if r.extra(row, s) <= r.canaryTime+patienceOfFull {
		return ""
	}
	return "answered after " + seconds(s.probe.answer.Elapsed()) + ": the layer slept"
}

// extra is how much longer an answer took than fetched directly. A row that may fail is not waited for by anybody.
func (r *runner) extra(row Row, s *seen) time.Duration {
	if row.Fixture.ExpectFailure || s.judged.Verdict == compare.Broken {
		return 0
	}
	return s.probe.answer.Elapsed() - r.directTime[row]
}

// claimed holds what the layer says of its retries against the count.
func claimed(s *seen) string {
	for _, name := range claims {
		for _, v := range s.probe.answer.Values(name) {
			if n, err := strconv.Atoi(strings.TrimSpace(v)); err == nil && n >= 0 && len(s.hits) > 0 && n != len(s.hits)-1 {
				return fmt.Sprintf("%s says %d, and the stub counted %s", name, n, plural(len(s.hits)-1, "retry", "retries"))
			}
		}
	}
	return ""
}

// longWait is the time that a layer may add to an answer, 0 for any.
func (r *runner) longWait() time.Duration {
	switch {
	case r.c.MaxLayerWait > 0:
		return r.c.MaxLayerWait
	case r.c.Rules.Profile.OneHit:
		return r.canaryTime + patienceOfFull
	}
	return 0
}

// sleepy are the answers that took longer than the layer may.
func (r *runner) sleepy() []record.Finding {
	limit := r.longWait()
	if limit <= 0 {
		return nil
	}
	var rows []string
	var longest time.Duration
	for _, row := range r.c.Rows {
		for _, s := range r.seen[row] {
			if r.extra(row, s) > limit {
				rows, longest = once(rows, r.label(row)), max(longest, s.probe.answer.Elapsed())
			}
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return []record.Finding{{
		Kind: slept, Rows: rows, Fails: true,
		Text:   fmt.Sprintf("%s after up to %s: the layer slept (allowed are %s more than the stub takes)", were(len(rows), "was answered", "were answered"), seconds(longest), seconds(limit)),
		Advice: "let the layer hand the refusal and its retry-after down at once: a client's own deadline may pass while it sleeps",
	}}
}

// deeds are notes on rows that pass although the layer did something of its own.
func (r *runner) deeds(rows []record.Row) (notes []string) {
	const most = 5
	var told []string
	for i := range rows {
		if len(rows[i].Behaviour) > 0 && rows[i].Verdict == string(compare.Preserved) {
			told = append(told, rows[i].Row+" ("+rows[i].Mode+"): "+strings.Join(rows[i].Behaviour, "; "))
		}
	}
	for i, t := range told {
		if i == most {
			return append(notes, fmt.Sprintf("and %s more whose layer did something of its own (-v shows them)", plural(len(told)-most, "passing row", "passing rows")))
		}
		notes = append(notes, t)
	}
	return notes
}

// seconds writes a time with one decimal while that tells something.
func seconds(d time.Duration) string {
	if s := d.Seconds(); s < 10 {
		return strconv.FormatFloat(s, 'f', 1, 64) + " s"
	}
	return fmt.Sprintf("%.0f s", d.Seconds())
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// author names who likely wrote an answer that is not the upstream's: by a sign that the fixture itself does not bear.
func (r *runner) author(row Row, s *seen) string {
	if s.judged.Verdict == compare.Preserved {
		return ""
	}
	return r.wrote(row, s)
}

// wrote names who wrote an answer by himself, "" when no sign tells.
func (r *runner) wrote(row Row, s *seen) string {
	if s.probe.answer.Status == 0 {
		return ""
	}
	served := row.Fixture.Expected(fixture.NoID, false)
	theirs := authors.Of(served, r.expected[row])
	for _, sign := range authors.Of(s.probe.answer, s.layer) {
		same := func(t authors.Sign) bool { return t.Name == sign.Name && t.Wrote() }
		if sign.Wrote() && (s.judged.Verdict == compare.LayerMade || !slices.ContainsFunc(theirs, same)) {
			return sign.String()
		}
	}
	return ""
}
