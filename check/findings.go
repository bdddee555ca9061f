package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/preservecheck/preservecheck/classify"
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
	dirtyWay        = "dirty-way"
)

const (
	tryRate = "canaries were refused as well, so the layer seems to limit requests by itself: try --rate, or a higher limit for this test (%s before the first that it refused)"
	mute    = "canaries got no answer either: the layer seems to have ended, or to hang; see what its log says of it"
	outage  = "canaries were refused as well, with a 5xx: the layer seems to take its upstream out of service after errors (max_fails, a circuit breaker); where it limits requests instead, try --rate"
)

// findings says what happened in the run that no single row tells.
func (r *runner) findings() []record.Finding {
	var out []record.Finding
	for _, row := range r.testable(r.c.Rows) {
		for _, s := range r.seen[row] {
			if s.pass != passLook && len(s.hits) == 0 || s.other != nil {
				r.unbacked = append(r.unbacked, unbacked{what: row.Fixture.Name, pass: s.pass, row: row, other: s.other, number: s.probe.number})
			}
		}
	}
	out = append(out, r.ended()...)
	out = append(out, r.foreign()...)
	out = append(out, r.silent()...)
	out = append(out, r.unsteady()...)
	out = append(out, r.dirtyWay()...)
	return append(out, r.unexplained()...)
}

// ended says that a layer which was started ended while it was asked: what its rows show after that is its absence.
func (r *runner) ended() []record.Finding {
	if len(r.seen) == 0 || r.gone() == "" {
		return nil
	}
	return []record.Finding{{
		Kind: layerState, Fails: true, Text: r.gone() + "; rows asked for after that had nobody to answer them",
		Advice: "its last lines have the cause; ask for the first broken row alone to see whether it ends the layer",
	}}
}

// gone says why the layer can't be asked any more, "" while it can.
func (r *runner) gone() string {
	if r.c.Gone == nil {
		return ""
	}
	return r.c.Gone()
}

// foreign are answers with another request's id.
func (r *runner) foreign() (out []record.Finding) {
	for _, kind := range []string{cached, crosstalk} {
		is := func(u unbacked) bool { return u.other != nil && r.foreignKind(u) == kind }
		var pairs []string
		for _, u := range r.unbacked {
			if is(u) {
				pairs = append(pairs, u.what+" got the answer to "+nameOf(u.other))
			}
		}
		if len(pairs) == 0 {
			continue
		}
		f := record.Finding{Kind: kind, Rows: r.unbackedRows(is), Fails: true}
		if kind == cached {
			f.Text = "the layer answered from memory: " + some(pairs)
			f.Advice = "switch off caching of POST requests, or key the cache by the whole request"
		} else {
			f.Text = "the layer mixed up answers of different requests: " + some(pairs)
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
func (r *runner) foreignKind(u unbacked) string {
	for _, s := range r.seen[u.row] {
		if s.other != nil && u.other.ID == s.other.ID && len(s.hits) > 0 {
			return crosstalk
		}
	}
	return cached
}

// silent are answers that no hit explains: rows first, looks and canaries with them.
func (r *runner) silent() (out []record.Finding) {
	rows := r.unbackedRows(func(u unbacked) bool { return u.other == nil && u.pass != passLook && u.what != "canary" })
	looks := r.unbackedRows(func(u unbacked) bool { return u.other == nil && u.pass == passLook })
	if len(rows) > 0 {
		out = append(out, record.Finding{
			Kind: layerState, Rows: rows, Fails: true, Soft: r.softly(rows),
			Text: fmt.Sprintf("%s without a call to the stub, though a canary had come through", were(len(rows), "was answered", "were answered")),
		})
	}
	if len(looks) > 0 {
		out = append(out, record.Finding{Kind: layerState, Rows: looks, Fails: true, Text: r.lookText()})
	}
	for _, reached := range []bool{false, true} {
		if after := r.shutAfter(reached); len(after) > 0 {
			out = append(out, record.Finding{Kind: layerState, Rows: after, Fails: true, Text: "after " + some(after) + " " + shutText("the next valid request", reached)})
		}
	}
	if len(out) > 0 {
		out[0].Advice = r.advice()
	}
	if why := cmp.Or(r.trouble, r.blinded(), r.anyUnsent(), r.wayLost); why != "" {
		for i := range out { // told, but nobody's fault for sure
			out[i].Fails, out[i].Soft, out[i].Advice = false, false, why
		}
	}
	return out
}

// shutText says what became of a valid request that did not come through.
func shutText(what string, reached bool) string {
	if reached {
		return what + " reached the stub, but no whole success came back"
	}
	return "the layer stopped calling the stub: " + what + " was not passed on"
}

// shutAfter names the rows after which, asked alone, a canary was refused, or reached the stub and came back broken.
func (r *runner) shutAfter(reached bool) (out []string) {
	for _, u := range r.unbacked {
		if u.other == nil && u.what == "canary" && u.after != "" && u.hits > 0 == reached && !slices.Contains(out, u.after) {
			out = append(out, u.after)
		}
	}
	return out
}

// advice says what to try when canaries were refused as well, "" when none was.
func (r *runner) advice() string {
	refused, outages, unanswered := 0, 0, 0
	for _, u := range r.unbacked {
		if u.what != "canary" || u.other != nil || u.hits > 0 {
			continue
		}
		refused++
		switch {
		case u.status == 0:
			unanswered++
		case u.status >= 500:
			outages++
		}
	}
	switch {
	case refused == 0 || r.gone() != "":
		return ""
	case unanswered*2 > refused: // no status came, so none may be named
		return mute
	case (outages+unanswered)*2 > refused:
		return outage
	}
	return fmt.Sprintf(tryRate, plural(r.beforeRefusal(), "request", "requests"))
}

// beforeRefusal counts the requests that were sent through the layer before the first that it answered by itself.
func (r *runner) beforeRefusal() int {
	first := 0
	for _, u := range r.unbacked {
		if u.other == nil && u.hits == 0 && u.number > 0 && (first == 0 || u.number < first) {
			first = u.number
		}
	}
	return max(0, first-1)
}

func (r *runner) lookText() string {
	for _, u := range r.unbacked {
		if u.pass != passLook || u.other != nil {
			continue
		}
		what := u.what + ", asked again,"
		if u.what == "canary" {
			what = "a valid request"
		}
		return u.when + " " + r.on(u.row) + shutText(what, u.hits > 0)
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
	for _, u := range r.unbacked {
		if u.pass == passLook || u.what == "canary" {
			return false
		}
	}
	for _, row := range r.c.Rows {
		if !slices.Contains(rows, r.label(row)) {
			continue
		}
		s := r.firstOf(row, passAlone)
		if s == nil || s.judged.Verdict != compare.Preserved && s.judged.Verdict != compare.Declared {
			return false
		}
	}
	return true
}

func (r *runner) unbackedRows(want func(unbacked) bool) (out []string) {
	for _, u := range r.unbacked {
		if name := r.label(u.row); want(u) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// unsteady are rows whose conclusive observations do not agree.
func (r *runner) unsteady() (out []record.Finding) {
	for _, row := range r.testable(r.c.Rows) {
		best := r.conclusive(row)
		odd := 0
		for _, s := range best {
			if !agree(s, best[0]) {
				odd++
			}
		}
		bad, all := 0, 0
		for _, s := range best {
			all += 1 + s.more
			if s.judged.Verdict != compare.Preserved {
				bad += 1 + s.more
			}
		}
		if odd == 0 || bad == 0 {
			continue
		}
		out = append(out, record.Finding{
			Kind: intermittent, Rows: []string{r.label(row)}, Fails: true,
			Text: fmt.Sprintf("%s differed in %d of %d observations%s", r.label(row), bad, all, variously(best)),
		})
	}
	return out
}

// variously says that differing observations do not differ alike.
func variously(all []*seen) string {
	var first *seen
	for _, s := range all {
		switch {
		case s.judged.Verdict == compare.Preserved:
		case first == nil:
			first = s
		case !agree(s, first):
			return ", and not always in the same way"
		}
	}
	return ""
}

// dirtyWay are rows whose answers differ though no layer was in between.
func (r *runner) dirtyWay() []record.Finding {
	var rows []string
	what := ""
	for _, row := range r.c.Rows {
		if d := r.dirty[row]; d != "" {
			rows = append(rows, r.label(row))
			what = d
		}
	}
	if len(rows) == 0 {
		return r.wayStains()
	}
	return []record.Finding{{
		Kind: dirtyWay, Rows: rows,
		Text:   fmt.Sprintf("%s otherwise the second time, fetched directly (%s): whatever stands between the check and its stub changes answers", were(len(rows), "was answered", "were answered"), what),
		Advice: "give --stub-url an address that leads to the stub without a tunnel or proxy, or --allow-untestable",
	}}
}

// unexplained are requests that reached the stub and that no request of this run explains.
func (r *runner) unexplained() []record.Finding {
	hits := append(r.c.Hits.Unexplained(), r.surplus()...)
	refused := r.c.Hits.Refused()
	if len(hits)+refused == 0 {
		return nil
	}
	seen := map[string]int{}
	var order, rows []string
	fails := r.c.Rules.Profile.OneHit
	for _, h := range hits {
		what := strings.TrimSpace(h.Method + " " + h.Path)
		if h.Tag.Fixture != "" {
			what += " for " + h.Tag.Fixture
			fails = fails || r.mustNotRepeat(h.Tag.Fixture)
			if !slices.Contains(rows, h.Tag.Fixture) {
				rows = append(rows, h.Tag.Fixture)
			}
		}
		if seen[what]++; seen[what] == 1 {
			order = append(order, what)
		}
	}
	for i, what := range order {
		order[i] = fmt.Sprintf("%d × %s", seen[what], what)
	}
	fails = fails && !r.wayRepeats()
	if refused > 0 {
		order = append([]string{fmt.Sprintf("%d × with a tag that this run never made", refused)}, order...)
	}
	shared := fails && r.c.Hits.Shared()
	advice := ""
	if shared {
		advice = "others have business at this stub, so nobody can tell whether the layer sent them: ask again when nobody else does, or with a stub of its own"
	}
	return []record.Finding{{
		Kind: unexplainedHits, Fails: fails, Soft: shared, Rows: rows, Advice: advice,
		Text: fmt.Sprintf("%s the stub that no request of this run explains (a health probe, another client, or a retry without its tag): %s", reached(len(hits)+refused), some(order)),
	}}
}

// surplus are hits of canaries and direct requests beyond the first. The first that came is the request's own.
func (r *runner) surplus() (hits []ledger.Hit) {
	for _, t := range r.helpers {
		if all := r.c.Hits.Of(t.Nonce); len(all) > 1 {
			hits = append(hits, all[1:]...)
		}
	}
	return hits
}

func reached(n int) string {
	if n == 1 {
		return "1 request reached"
	}
	return fmt.Sprintf("%d requests reached", n)
}

// mustNotRepeat: a hit without a tag that names such a row is a retry of what no retry can help.
func (r *runner) mustNotRepeat(name string) bool {
	f := r.c.Matrix.Get(name)
	return f != nil && slices.Contains(r.c.Matrix.Rows, f) && classify.ActionOf(f.Class).Retry == classify.RetryNever
}

// some joins the first few of a list.
func some(s []string) string {
	const most = 5
	if len(s) <= most {
		return strings.Join(s, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(s[:most], ", "), len(s)-most)
}
