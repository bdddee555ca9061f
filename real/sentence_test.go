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

// sentences tell a layer as it comes in the first, and what its other variants do besides in those below.
func sentences(r *results) (first string, below []string) {
	var also, keep []string
	asItComes := ""
	for _, v := range r.Variants {
		text := tell(v)
		switch {
		case v.Variant == recipes.Default:
			asItComes = text
			first = fmt.Sprintf("**%s %s**: as it comes, %s.", plain(r.Recipe), plain(r.Version), text)
		case text == keepsWords:
			keep = append(keep, "`"+v.Variant+"`")
		case text == asItComes:
			also = append(also, "`"+v.Variant+"`")
		default:
			below = append(below, fmt.Sprintf("with `%s` %s.", v.Variant, text))
		}
	}
	if len(also) > 0 {
		below = append(below, "the same with "+list(also)+".")
	}
	if len(keep) > 0 {
		below = append(below, keepsWords+" with "+list(keep)+".")
	}
	return first, below
}

const keepsWords = "it keeps everything"

// tell says what a variant does, route by route where it has several.
func tell(v variantResult) string {
	if len(v.Routes) == 0 {
		return "it lets no success through, so no row could be asked for"
	}
	var out []string
	for _, route := range v.Routes {
		text := "it " + does(v, route)
		if len(v.Routes) > 1 {
			text = "on " + plain(cmp.Or(route.Path, route.Route)) + " " + text
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

func keepsAll(v variantResult, route routeResult) bool {
	return route.Rows > 0 && route.Verdicts["preserved"] == route.Rows && len(v.Findings) == 0
}

// does says what a layer does to answers, the worst kind first, and what becomes of the class that matters most.
func does(v variantResult, route routeResult) string {
	if keepsAll(v, route) {
		if route.Waits > 0 {
			return fmt.Sprintf("keeps everything, and leaves the client without an answer in %s", rowCount(route.Waits))
		}
		return "keeps everything"
	}
	out := append(deeds(route), rewrites(route)...)
	if keepsErrors(route) {
		out[0] = "keeps errors as they are, but " + out[0]
	}
	for _, kind := range sortedKeys(v.Findings) {
		out = append(out, cmp.Or(findingWords[kind], "shows "+kind))
	}
	if n := route.Verdicts["inconclusive"] + route.Verdicts["untestable"]; n > 0 {
		out = append(out, fmt.Sprintf("leaves %d of %d rows that can't be judged", n, route.Rows))
	}
	if route.Waits > 0 {
		out = append(out, fmt.Sprintf("leaves the client without an answer in %s", rowCount(route.Waits)))
	}
	text := list(out)
	if c := worst(route.Classes); c != nil {
		what, _, _ := strings.Cut(c.Consequence, ":")
		text += ": " + strings.ReplaceAll(cmp.Or(what, c.From+" becomes "+c.To), "now looks like", "becomes")
	}
	return cmp.Or(text, inWords(v, route))
}

// keepsErrors reports whether what a layer does wrong is about answers that broke off, and next to nothing else.
func keepsErrors(route routeResult) bool {
	few := route.Verdicts["changed"] <= route.Rows/100 && route.Verdicts["preserved"]+route.Verdicts["broken"]+route.Verdicts["changed"] == route.Rows
	return few && wholeNow(route) > 0 && worst(route.Classes) == nil
}

// rewrites says what became of errors, of headers and of streams, each in a phrase.
func rewrites(route routeResult) (out []string) {
	all := route.Differences
	say := func(verb string, found []difference, what string) {
		if len(found) == 0 {
			return
		}
		text := verb + " " + names(found, what)
		if n := found[0].Rows; n*10 < route.Rows {
			text += " in " + rowCount(n)
		}
		out = append(out, text)
	}
	own := rowsOf(all, "error", "lost") + rowsOf(all, "error", "changed")
	if parts := under(all, "error/", "lost", "changed"); own > 0 && (len(parts) == 0 || own > parts[0].Rows) {
		out = append(out, "puts an error of its own in place of the provider's")
	} else {
		say("drops", under(all, "error/", "lost"), "of the error")
		say("rewrites", under(all, "error/", "changed"), "of the error")
	}
	say("drops", under(all, "header/", "lost"), "headers")
	if invented := under(all, "header/", "invented"); len(invented) > 0 {
		say("invents", invented, "headers")
	} else if rowsOf(all, "header/retry-after", "lost") == 0 {
		say("changes", under(all, "header/", "changed"), "headers")
	}
	say("changes", under(all, "status", "changed"), "")
	if streams := under(all, "stream/", "lost", "changed", "invented"); len(out) == 0 && len(streams) > 0 {
		out = append(out, "changes the events of streams in "+rowCount(streams[0].Rows))
	}
	if bodies := under(all, "body", "lost", "changed", "invented"); len(out) == 0 && len(bodies) > 0 {
		out = append(out, "changes bodies that have no error object in "+rowCount(bodies[0].Rows))
	}
	return out
}

func rowsOf(all []difference, key, dir string) int {
	for _, d := range all {
		if d.Key == key && d.Dir == dir {
			return d.Rows
		}
	}
	return 0
}

// under are the differences of keys that begin so, those of most rows first.
func under(all []difference, prefix string, dirs ...string) (out []difference) {
	for _, d := range all {
		if strings.HasPrefix(d.Key, prefix) && slices.Contains(dirs, d.Dir) {
			out = append(out, d)
		}
	}
	return out
}

// names tells two keys by name and counts the others.
func names(all []difference, what string) string {
	var out []string
	for _, d := range all[:min(2, len(all))] {
		out = append(out, cmp.Or(map[string]string{"status": "the status"}[d.Key], plain(strings.ReplaceAll(strings.TrimPrefix(d.Key, "header/"), "/", "."))))
	}
	switch n := len(all) - 2; {
	case n == 1:
		out = append(out, "1 more "+strings.TrimSuffix(what, "s"))
	case n > 1:
		out = append(out, fmt.Sprintf("%d more %s", n, what))
	}
	return list(out)
}

// findingWords say what a finding is about, behind "it".
var findingWords = map[string]string{
	"layer-state": "stops passing requests on for a while", "crosstalk": "mixes answers up", "cached": "answers from a cache",
	"intermittent": "does not do the same each time", "unexplained-hits": "sends requests that nobody asked for", "slept": "holds answers back",
}

// deeds are what a layer does to an answer as a whole.
func deeds(route routeResult) (out []string) {
	cut := wholeNow(route)
	if cut > 0 {
		out = append(out, "ends "+answers(cut))
	}
	if n := route.Verdicts["broken"] - cut; n > 0 {
		out = append(out, "leaves no usable answer in "+rowCount(n))
	}
	if n := route.Verdicts["layer-made"]; n > 0 {
		out = append(out, fmt.Sprintf("answers %s by itself", rowCount(n)))
	}
	if n := route.Verdicts["retried"]; n > 0 {
		out = append(out, fmt.Sprintf("asks the provider again in %s where that does harm", rowCount(n)))
	}
	return out
}

// wholeNow counts the answers that broke off and arrive as whole ones.
func wholeNow(route routeResult) (n int) {
	for _, d := range route.Differences {
		if d.Key == "end" && slices.Equal(d.Nuances, []string{"arrives ok"}) {
			n = d.Rows
		}
	}
	return n
}

func answers(n int) string {
	if n == 1 {
		return "1 answer that broke off as if it were whole"
	}
	return fmt.Sprintf("%d answers that broke off as if they were whole", n)
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
	for _, kind := range sortedKeys(v.Findings) {
		out = append(out, cmp.Or(findingWords[kind], kind))
	}
	return strings.Join(out, "; ")
}

// list joins words as people do.
func list(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}

func TestSentences(t *testing.T) {
	keeps := routeResult{Route: "proxy", Path: "/v1/proxy", Rows: 3, Verdicts: map[string]int{"preserved": 3}}
	ends := routeResult{Route: "proxy", Path: "/v1/proxy", Rows: 100, Verdicts: map[string]int{"preserved": 97, "broken": 2, "changed": 1},
		Differences: []difference{{Key: "end", Dir: "changed", Nuances: []string{"arrives ok"}, Rows: 2}, {Key: "header/retry-after", Dir: "changed", Rows: 1}}}
	drops := routeResult{Route: "messages", Path: "/v1/messages", Rows: 3, Verdicts: map[string]int{"preserved": 1, "reclassified": 2},
		Differences: []difference{{Key: "error/details", Dir: "lost", Rows: 2}, {Key: "header/retry-after", Dir: "lost", Rows: 2}, {Key: "error", Dir: "changed", Rows: 1},
			{Key: "header/x-a", Dir: "lost", Rows: 1}, {Key: "header/x-b", Dir: "lost", Rows: 1}, {Key: "status", Dir: "changed", Rows: 1}},
		Classes: []classChange{{"overloaded", "other", 2, "an overloaded provider now looks like another error: x"},
			{"tier_spend_cap", "unknown_429", 1, "a spend cap now looks like an unclassified 429: the job is retried"}}}
	waits := keeps
	waits.Waits = 2
	own := routeResult{Route: "r", Rows: 3, Verdicts: map[string]int{"changed": 3}, Differences: []difference{{Key: "error", Dir: "lost", Rows: 3}, {Key: "error/type", Dir: "changed", Rows: 1},
		{Key: "header/retry-after", Dir: "changed", Rows: 2}, {Key: "header/retry-after", Dir: "invented", Rows: 1}}}
	made := routeResult{Route: "r", Rows: 3, Verdicts: map[string]int{"layer-made": 1, "inconclusive": 2}}
	def := func(routes ...routeResult) variantResult { return variantResult{Variant: "default", Routes: routes} }
	for _, c := range []struct {
		why, want string
		below     []string
		variants  []variantResult
	}{
		{"all is well", "**Thing 1**: as it comes, it keeps everything.", nil, []variantResult{def(keeps)}},
		{"one route loses, the other does not; the dearest class is named, not the most frequent",
			"**Thing 1**: as it comes, on /v1/messages it drops error.details, drops retry-after, x-a and 1 more header and changes the status: a spend cap becomes an unclassified 429; on /v1/proxy it keeps everything.",
			nil, []variantResult{def(drops, keeps)}},
		{"a client that waits", "**Thing 1**: as it comes, it keeps everything, and leaves the client without an answer in 2 rows.", nil, []variantResult{def(waits)}},
		{"an error of its own", "**Thing 1**: as it comes, it puts an error of its own in place of the provider's and invents retry-after.", nil, []variantResult{def(own)}},
		{"what broke off arrives as a whole", "**Thing 1**: as it comes, it keeps errors as they are, but ends 2 answers that broke off as if they were whole and changes retry-after in 1 row.", nil, []variantResult{def(ends)}},
		{"variants", "**Thing 1**: as it comes, it keeps errors as they are, but ends 2 answers that broke off as if they were whole and changes retry-after in 1 row.",
			[]string{"with `cooldown` it answers 1 row by itself, stops passing requests on for a while and leaves 2 of 3 rows that can't be judged.", "the same with `gzip`.", "it keeps everything with `flush` and `live`."},
			[]variantResult{def(ends), {Variant: "cooldown", Routes: []routeResult{made}, Findings: map[string]int{"layer-state": 2}},
				{Variant: "gzip", Routes: []routeResult{ends}}, {Variant: "flush", Routes: []routeResult{keeps}}, {Variant: "live", Routes: []routeResult{keeps}}}},
		{"nothing was run", "**Thing 1**: as it comes, it lets no success through, so no row could be asked for.", nil, []variantResult{{Variant: "default"}}},
		{"a finding alone is not everything kept", "**Thing 1**: as it comes, it answers from a cache.", nil,
			[]variantResult{{Variant: "default", Routes: []routeResult{keeps}, Findings: map[string]int{"cached": 1}}}},
	} {
		got, below := sentences(&results{Recipe: "Thing", Version: "1", Variants: c.variants})
		if got != c.want || !slices.Equal(below, c.below) {
			t.Errorf("%s\n got %s %q\nwant %s %q", c.why, got, below, c.want, c.below)
		}
	}
}
