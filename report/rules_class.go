package report

import (
	"slices"
	"strings"

	"github.com/preservecheck/preservecheck/record"
)

// rule says what an answer of one look may be, and what a worker makes of it.
func (x *ruling) rule(l look) rule {
	out := rule{Route: l.route, Dialect: l.dialect, When: l.when, ReadsAs: []string{}, MayBe: []mayBe{}}
	for i := range x.doc.Rows {
		r := &x.doc.Rows[i]
		if !l.fits(x, r) {
			continue
		}
		if c := r.Class.Layer; c != "" && !slices.Contains(out.ReadsAs, c) {
			out.ReadsAs = append(out.ReadsAs, c)
		}
		if r.Verdict == "layer-made" {
			if out.Own == nil {
				out.Own = &rowNames{}
			}
			out.Own.add(r)
			continue
		}
		at := slices.IndexFunc(out.MayBe, func(m mayBe) bool { return m.Class == r.Class.Fixture })
		if at < 0 {
			at = len(out.MayBe)
			out.MayBe = append(out.MayBe, mayBe{Class: r.Class.Fixture})
		}
		out.MayBe[at].add(r)
	}
	x.decide(&out)
	return out
}

// decide chooses the class, never a more hopeful one than the rows allow. One class for all of them is claimed, unless
// something was not asked for that might look the same. Of several, or where the layer writes such an answer itself, the
// answer is unknown; where no class of them is ever retried, neither is the unknown one.
func (x *ruling) decide(r *rule) {
	sure := x.partial == "" && r.Own == nil && len(r.MayBe) > 0 && !(x.outages && r.When.Status >= 500)
	common, never, told := x.common(r.MayBe)
	sure = sure && told
	switch {
	case sure && len(r.MayBe) == 1:
		r.Class = r.MayBe[0].Class
	case r.When.Status == 429 && !(sure && never):
		r.Class = unknown429
	default:
		r.Class = unknownOther
	}
	a, told := x.actions[r.Class]
	if sure && common != nil {
		a, told = *common, true
	}
	if told {
		r.Retry, r.Outcome, r.Alert = a.Retry, a.Outcome, a.Alert
	}
	r.Why = x.why(r, sure)
}

// common is the action that all of some classes have, nil for none, whether none of them is ever retried, and whether the
// record tells of each what a worker does.
func (x *ruling) common(classes []mayBe) (action *record.Action, never, told bool) {
	never, told = true, true
	for i, m := range classes {
		a, ok := x.actions[m.Class]
		told, never = told && ok, never && ok && a.Retry == "never"
		switch {
		case i == 0 && ok:
			action = &a
		case action != nil && (a.Retry != action.Retry || a.Outcome != action.Outcome || a.Alert != action.Alert):
			action = nil
		}
	}
	return action, never, told
}

// why says it in a sentence, without names that come from a record.
func (x *ruling) why(r *rule, sure bool) string {
	var parts []string
	switch len(r.MayBe) {
	case 0:
	case 1:
		parts = append(parts, "every answer of the provider that looks like this through the layer was of one class")
	default:
		parts = append(parts, "answers of "+string(num(len(r.MayBe)))+" classes look like this through the layer")
	}
	if r.Own != nil {
		parts = append(parts, "the layer writes such an answer itself, without asking the provider")
	}
	switch {
	case sure:
	case x.partial != "":
		parts = append(parts, x.partial+", so others may look the same")
	case x.outages && r.When.Status >= 500:
		parts = append(parts, "outages were not asked for, and may look the same")
	case len(r.MayBe) == 1 && r.Own == nil:
		parts = append(parts, "the record does not say what a worker does about it")
	}
	return strings.Join(parts, "; ")
}

// moody are the findings of a layer that treats requests in different ways.
func moody(doc *record.Document) (out []record.Finding) {
	for _, f := range doc.Findings {
		switch f.Kind {
		case "layer-state", "crosstalk", "cached", "intermittent":
			out = append(out, f)
		}
	}
	return out
}

// beyond is why no rule can mend a row, by its number in unruledWhy; -1 for a row that a rule mends or that is as it should be.
func beyond(r *record.Row) int {
	success := strings.HasPrefix(r.Class.Layer, "ok") && !strings.HasPrefix(r.Class.Fixture, "ok")
	switch {
	case passes(r) || r.Verdict == "inconclusive" || r.Verdict == "untestable":
	case r.Verdict == "retried":
		return 3
	case r.InventedSuccess:
		return 0
	case isError(r) || r.Class.Layer == r.Class.Fixture:
	case r.Layer == nil || r.Layer.Status == 0:
		return 2
	case r.Class.Layer == "truncated" || r.Class.Layer == "":
		return 1
	case success:
		return 0
	}
	return -1
}

var unruledWhy = [...]string{
	"an error came through as a success, and no rule can tell it from one: do not use this layer for it",
	"what came through is no error and no whole answer; a worker can only hold such a job",
	"no answer came through; a worker sees a connection that hangs or breaks off",
	"the layer sends the request again by itself, which a worker can neither see nor stop",
	"these did not always come out alike; a rule knows the answer that decided, and no other",
	"after or beside these the layer answered by itself or in another way, and the record does not hold how such an answer looks",
}

// unruled names what no rule can mend, because the answer does not say that there is anything to mend.
func (x *ruling) unruled() (out []unruled) {
	var all [len(unruledWhy)]unruled
	for i := range x.doc.Rows {
		r := &x.doc.Rows[i]
		if at := beyond(r); at >= 0 {
			all[at].add(r)
		}
		if r.Varies != nil {
			all[4].add(r)
		}
	}
	for _, f := range moody(x.doc) {
		for _, name := range f.Rows {
			all[5].name(name)
		}
	}
	for i, u := range all {
		u.Why = unruledWhy[i]
		if u.Rows == nil && i == 5 && len(moody(x.doc)) > 0 {
			u.Rows = []string{}
		}
		if u.Rows != nil {
			out = append(out, u)
		}
	}
	return out
}
