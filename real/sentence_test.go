package real_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/recipes"
)

// sentence tells the worst of a layer, variant by variant and route by route, and where it keeps all.
func sentence(r *results) string {
	var bad, good []string
	for _, v := range r.Variants {
		for _, route := range v.Routes {
			where := place(v, route)
			if keepsAll(v, route) {
				good = append(good, cmp.Or(where, "as it comes"))
			} else {
				bad = append(bad, cmp.Or(where, "as it comes")+" it "+does(v, route))
			}
		}
		if len(v.Routes) == 0 {
			bad = append(bad, cmp.Or(place(v, routeResult{}), "as it comes")+" no row was run")
		}
	}
	if len(good) > 0 {
		bad = append(bad, strings.Join(good, ", ")+" it keeps everything")
	}
	return fmt.Sprintf("**%s %s**: %s.", plain(r.Recipe), plain(r.Version), plain(strings.Join(bad, "; ")))
}

// place says where in a layer something was seen; "" for the default variant of one with one route.
func place(v variantResult, route routeResult) string {
	var out []string
	if len(v.Routes) > 1 {
		out = append(out, "on "+route.Route)
	}
	if v.Variant != recipes.Default {
		out = append(out, "with "+v.Variant)
	}
	return strings.Join(out, " ")
}

func keepsAll(v variantResult, route routeResult) bool {
	return route.Rows > 0 && route.Verdicts["preserved"] == route.Rows && len(v.Findings) == 0
}

// does says what a layer does to answers, the worst kind first, and what becomes of the class that matters most.
func does(v variantResult, route routeResult) string {
	var out []string
	for _, w := range []struct{ verdict, verb string }{
		{"broken", "breaks %s"}, {"layer-made", "answers %s by itself"}, {"retried", "asks again for %s that nobody should"},
	} {
		if n := route.Verdicts[w.verdict]; n > 0 {
			out = append(out, fmt.Sprintf(w.verb, rowCount(n)))
		}
	}
	for _, w := range []struct{ dir, verb string }{{"lost", "drops"}, {"changed", "changes"}, {"invented", "invents"}} {
		if keys := top(route.Differences, w.dir, 2); keys != "" {
			out = append(out, w.verb+" "+keys)
		}
	}
	if len(v.Findings) > 0 {
		out = append(out, "shows "+counted(v.Findings))
	}
	if c := worst(route.Classes); c != nil {
		what, _, _ := strings.Cut(c.Consequence, ":")
		out = append(out, strings.ReplaceAll(cmp.Or(what, c.From+" becomes "+c.To), "now looks like", "becomes"))
		return strings.Join(out[:len(out)-1], ", ") + ": " + out[len(out)-1]
	}
	return cmp.Or(strings.Join(out, ", "), inWords(v, route))
}

// top names the keys that differ in most rows.
func top(all []difference, dir string, n int) string {
	var keys []string
	more := 0
	for _, d := range all {
		switch key := strings.ReplaceAll(strings.TrimPrefix(d.Key, "header/"), "/", "."); {
		case d.Dir != dir:
		case len(keys) < n:
			keys = append(keys, key)
		default:
			more++
		}
	}
	s := strings.Join(keys, " and ")
	if more > 0 {
		s = fmt.Sprintf("%s and %d more", strings.Join(keys, ", "), more)
	}
	return s
}

// worst is the change of the class that costs most when it is mistaken: money before limits, limits before the rest, in the
// order in which the classes are written.
func worst(all []classChange) *classChange {
	order := classify.All()
	rank := func(c classChange) int { return slices.Index(order, classify.Class(c.From)) }
	var w *classChange
	for i := range all {
		if c := &all[i]; !classify.Success(classify.Class(c.From)) && (w == nil || rank(*c) < rank(*w)) {
			w = c
		}
	}
	return w
}

// inWords is the verdict of a route in the overview.
func inWords(v variantResult, route routeResult) string {
	if keepsAll(v, route) {
		return "keeps everything"
	}
	var out []string
	for _, w := range []struct{ verdict, words string }{
		{"broken", "breaks %d"}, {"layer-made", "makes %d itself"}, {"reclassified", "another class for %d"}, {"changed", "changes %d, the class stays"},
		{"retried", "asks again for %d"}, {"inconclusive", "can't tell for %d"}, {"untestable", "can't test %d"},
	} {
		if n := route.Verdicts[w.verdict]; n > 0 {
			out = append(out, fmt.Sprintf(w.words, n))
		}
	}
	if len(v.Findings) > 0 {
		out = append(out, "findings: "+counted(v.Findings))
	}
	return strings.Join(out, "; ")
}

func TestSentence(t *testing.T) {
	keeps := routeResult{Route: "/v1/proxy", Rows: 3, Verdicts: map[string]int{"preserved": 3}}
	drops := routeResult{Route: "/v1/messages", Rows: 3, Verdicts: map[string]int{"preserved": 1, "reclassified": 2},
		Differences: []difference{{Key: "error/details", Dir: "lost", Rows: 2}, {Key: "status", Dir: "changed", Rows: 1}},
		Classes: []classChange{{"overloaded", "other", 2, "an overloaded provider now looks like another error: x"},
			{"tier_spend_cap", "unknown_429", 1, "a spend cap now looks like an unclassified 429: the job is retried"}}}
	made := routeResult{Route: "r", Rows: 3, Verdicts: map[string]int{"layer-made": 3}}
	for _, c := range []struct {
		why, want string
		variants  []variantResult
	}{
		{"all is well", "**Thing 1**: as it comes it keeps everything.", []variantResult{{Variant: "default", Routes: []routeResult{keeps}}}},
		{"one route loses, the other does not; the dearest class is named, not the most frequent",
			"**Thing 1**: on /v1/messages it drops error.details, changes status: a spend cap becomes an unclassified 429; on /v1/proxy it keeps everything.",
			[]variantResult{{Variant: "default", Routes: []routeResult{drops, keeps}}}},
		{"a variant that answers by itself", "**Thing 1**: with cooldown it answers 3 rows by itself, shows 2 layer-state; as it comes it keeps everything.",
			[]variantResult{{Variant: "default", Routes: []routeResult{keeps}}, {Variant: "cooldown", Routes: []routeResult{made}, Findings: map[string]int{"layer-state": 2}}}},
		{"nothing was run", "**Thing 1**: as it comes no row was run.", []variantResult{{Variant: "default"}}},
		{"a finding alone is not everything kept", "**Thing 1**: as it comes it shows 1 cached.",
			[]variantResult{{Variant: "default", Routes: []routeResult{keeps}, Findings: map[string]int{"cached": 1}}}},
	} {
		if got := sentence(&results{Recipe: "Thing", Version: "1", Variants: c.variants}); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.why, got, c.want)
		}
	}
}
