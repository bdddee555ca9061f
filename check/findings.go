package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/record"
)

// The kinds of findings that a run makes.
const (
	layerState      = "layer-state"
	crosstalk       = "crosstalk"
	cached          = "cached"
	intermittent    = "intermittent"
	unexplainedHits = "unexplained-hits"
)

const (
	tryRate = "canaries were refused as well, so the layer seems to limit requests by itself: try --rate, or a higher limit for this test"
	outage  = "canaries were refused as well, with a 5xx: the layer seems to take its upstream out of service after errors (max_fails, a circuit breaker); where it limits requests instead, try --rate"
)

// findings says what happened in the run that no single row tells.
func (r *runner) findings() []record.Finding {
	var out []record.Finding
	for _, row := range r.c.Rows {
		for _, s := range r.seen[row] {
			if s.pass != passLook && (len(s.hits) == 0 || s.from == compare.OtherHit) {
				r.lost = append(r.lost, lost{what: row.Fixture.Name, pass: s.pass, row: row, from: s.from, other: s.other})
			}
		}
	}
	out = append(out, r.foreign()...)
	out = append(out, r.silent()...)
	out = append(out, r.unsteady()...)
	return append(out, r.unexplained()...)
}

// foreign are answers with another request's id.
func (r *runner) foreign() (out []record.Finding) {
	for _, kind := range []string{cached, crosstalk} {
		var rows []string
		for _, l := range r.lost {
			if l.other != nil && r.foreignKind(l) == kind {
				rows = append(rows, l.what+" got the answer to "+nameOf(l.other))
			}
		}
		if len(rows) == 0 {
			continue
		}
		f := record.Finding{Kind: kind, Rows: r.lostRows(func(l lost) bool { return l.other != nil && r.foreignKind(l) == kind }), Fails: true}
		if kind == cached {
			f.Text = "the layer answered from memory: " + some(rows)
			f.Advice = "switch off caching of POST requests, or key the cache by the whole request"
		} else {
			f.Text = "the layer mixed up answers of different requests: " + some(rows)
			f.Advice = "do not put this layer in front of anything: one client reads another's answer"
		}
		out = append(out, f)
	}
	return out
}

func nameOf(h *ledger.Hit) string {
	if h.Tag.Fixture == "" {
		return "another request"
	}
	return h.Tag.Fixture
}

// foreignKind tells a cache from crosstalk: a cache does not call the stub for the request it answers.
func (r *runner) foreignKind(l lost) string {
	for _, s := range r.seen[l.row] {
		if s.other != nil && l.other.ID == s.other.ID && len(s.hits) > 0 {
			return crosstalk
		}
	}
	return cached
}

// silent are answers that no hit explains: rows first, looks and canaries with them.
func (r *runner) silent() (out []record.Finding) {
	none := func(l lost) bool { return l.other == nil }
	rows := r.lostRows(func(l lost) bool { return none(l) && l.pass != passLook && l.what != "canary" })
	looks := r.lostRows(func(l lost) bool { return none(l) && l.pass == passLook })
	if len(rows) > 0 {
		out = append(out, record.Finding{
			Kind: layerState, Rows: rows, Fails: true, Soft: r.softly(rows),
			Text: fmt.Sprintf("%s without a call to the stub, though a canary had come through", were(len(rows), "was answered", "were answered")),
		})
	}
	if len(looks) > 0 {
		out = append(out, record.Finding{Kind: layerState, Rows: looks, Fails: true, Text: r.lookText()})
	}
	if after := r.lostAfter(); len(after) > 0 {
		out = append(out, record.Finding{
			Kind: layerState, Rows: after, Fails: true,
			Text: fmt.Sprintf("after %s the layer stopped calling the stub: the next valid request was not passed on", some(after)),
		})
	}
	if len(out) > 0 {
		out[0].Advice = r.advice()
	}
	return out
}

// lostAfter names the rows after which, asked alone, a canary was refused.
func (r *runner) lostAfter() (out []string) {
	for _, l := range r.lost {
		if l.other == nil && l.what == "canary" && l.after != "" && !slices.Contains(out, l.after) {
			out = append(out, l.after)
		}
	}
	return out
}

// advice says what to try when canaries were refused as well, "" when none was.
func (r *runner) advice() string {
	refused, outages := 0, 0
	for _, l := range r.lost {
		if l.what == "canary" && l.other == nil {
			refused++
			if l.status >= 500 || l.status == 0 {
				outages++
			}
		}
	}
	switch {
	case refused == 0:
		return ""
	case outages*2 > refused:
		return outage
	}
	return tryRate
}

func (r *runner) lookText() string {
	for _, l := range r.lost {
		if l.pass == passLook && l.other == nil {
			what := l.what + ", asked again,"
			if l.what == "canary" {
				what = "a valid request"
			}
			return fmt.Sprintf("after the rows of hazard %s the layer stopped calling the stub: %s was not passed on", l.stage, what)
		}
	}
	return ""
}

func were(n int, one, many string) string {
	if n == 1 {
		return "1 row " + one
	}
	return fmt.Sprintf("%d rows %s", n, many)
}

// softly reports whether the layer refused only what came side by side: every look passed, and every row that was refused
// passed alone.
func (r *runner) softly(rows []string) bool {
	for _, l := range r.lost {
		if l.pass == passLook || l.what == "canary" {
			return false
		}
	}
	for _, row := range r.c.Rows {
		if !slices.Contains(rows, label(row)) {
			continue
		}
		s := r.firstOf(row, passAlone)
		if s == nil || s.judged.Verdict != compare.Preserved {
			return false
		}
	}
	return true
}

func (r *runner) lostRows(want func(lost) bool) (out []string) {
	for _, l := range r.lost {
		if name := label(l.row); want(l) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

func label(row Row) string { return row.Fixture.Name + " (" + string(row.Mode) + ")" }

// unsteady are rows whose conclusive observations do not agree.
func (r *runner) unsteady() (out []record.Finding) {
	for _, row := range r.c.Rows {
		best := r.conclusive(row)
		odd := 0
		for _, s := range best {
			if !agree(s, best[0]) {
				odd++
			}
		}
		if odd == 0 {
			continue
		}
		bad := 0
		for _, s := range best {
			if s.judged.Verdict != compare.Preserved {
				bad++
			}
		}
		out = append(out, record.Finding{
			Kind: intermittent, Rows: []string{label(row)}, Fails: true,
			Text: fmt.Sprintf("%s differed in %d of %d observations, and not always in the same way", label(row), bad, len(best)),
		})
	}
	return out
}

// unexplained are requests that reached the stub and that no request of this run explains.
func (r *runner) unexplained() []record.Finding {
	hits := r.c.Hits.Unexplained()
	if len(hits) == 0 {
		return nil
	}
	paths := map[string]int{}
	var order []string
	for _, h := range hits {
		what := strings.TrimSpace(h.Method + " " + h.Path)
		if paths[what]++; paths[what] == 1 {
			order = append(order, what)
		}
	}
	for i, what := range order {
		order[i] = fmt.Sprintf("%s %d×", what, paths[what])
	}
	return []record.Finding{{
		Kind: unexplainedHits, Fails: r.c.Rules.Profile.OneHit,
		Text: fmt.Sprintf("%d requests reached the stub that no request of this run explains (a health probe, another client, or an untagged retry): %s", len(hits), some(order)),
	}}
}

// some joins the first few of a list.
func some(s []string) string {
	const most = 5
	if len(s) <= most {
		return strings.Join(s, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(s[:most], ", "), len(s)-most)
}
