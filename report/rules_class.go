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
	var common *record.Action
	never := true
	for i, m := range r.MayBe {
		a, told := x.actions[m.Class]
		never = never && told && a.Retry == "never"
		switch {
		case !told:
			sure = false
		case i == 0:
			common = &a
		case common != nil && (a.Retry != common.Retry || a.Outcome != common.Outcome || a.Alert != common.Alert):
			common = nil
		}
	}
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

// unruled names what no rule can mend, because the answer does not say that there is anything to mend.
func (x *ruling) unruled() (out []unruled) {
	success := unruled{Why: "an error came through as a success, and no rule can tell it from one: do not use this layer for it"}
	cut := unruled{Why: "what came through is no error and no whole answer; a worker can only hold such a job"}
	none := unruled{Why: "no answer came through; a worker sees a connection that hangs or breaks off"}
	again := unruled{Why: "the layer sends the request again by itself, which a worker can neither see nor stop"}
	varies := unruled{Why: "these did not always come out alike; a rule knows the answer that decided, and no other"}
	for i := range x.doc.Rows {
		r := &x.doc.Rows[i]
		if r.Varies != nil {
			varies.add(r)
		}
		switch {
		case passes(r) || r.Verdict == "inconclusive" || r.Verdict == "untestable":
		case r.Verdict == "retried":
			again.add(r)
		case r.InventedSuccess:
			success.add(r)
		case isError(r) || r.Class.Layer == r.Class.Fixture:
		case r.Layer == nil || r.Layer.Status == 0:
			none.add(r)
		case r.Class.Layer == "truncated" || r.Class.Layer == "":
			cut.add(r)
		case strings.HasPrefix(r.Class.Layer, "ok") && !strings.HasPrefix(r.Class.Fixture, "ok"):
			success.add(r)
		}
	}
	state := unruled{rowNames: rowNames{Rows: []string{}}, Why: "after or beside these the layer answered by itself or in another way, and the record does not hold how such an answer looks"}
	for _, f := range moody(x.doc) {
		for _, name := range f.Rows {
			state.name(name)
		}
	}
	for _, u := range []unruled{success, none, cut, again, varies, state} {
		if len(u.Rows) > 0 || u.Why == state.Why && len(moody(x.doc)) > 0 {
			out = append(out, u)
		}
	}
	return out
}
