package report

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/preservecheck/preservecheck/record"
)

// htmlCount is how many rows have a verdict, and which part of the bar that is, in percent.
type htmlCount struct {
	N           safe
	Badge       htmlBadge
	Tone        safe
	From, Width safe
}

type htmlNews struct {
	Sides   []htmlPair
	Unequal []safe
	Changes []htmlLine
	Untold  []safe
	Same    safe
}

type htmlLine struct {
	Badge htmlBadge
	Text  safe
}

type htmlFinding struct {
	Badge        htmlBadge
	Text, Advice safe
	Rows         safe
}

type htmlControl struct {
	Wrong                bool
	Name, Why            safe
	Exact, Missed, Extra int
}

// head says what was checked and what came out.
func (v *htmlView) head(out *htmlPage) {
	d := v.doc
	w, why := resultOf(d)
	out.Result, out.Why = badgeOf(w), v.p.whole(why)
	out.Layer = v.p.name(target(d.Target))
	if out.Layer == "" {
		out.Layer = "no layer: the proof alone"
	}
	switch {
	case unended(d):
	case unready(d):
		out.Lead = []safe{"A canary is a valid request that the stub answers with a success. No row is asked for before one came through the layer."}
	default:
		out.Counts = v.counts()
		if common := commonCause(d); common != "" {
			out.Lead = append(out.Lead, capital(common)+".")
		}
	}
	if d.Incomplete && !unended(d) {
		out.Lead = append(out.Lead, "The run was interrupted: what is missing was not judged.")
	}
	out.Advice = v.p.whole(advice(d.Findings))
	out.Missed = v.all(d.Proof.Missed)
	out.Facts = v.facts()
}

// all makes a list of texts plain, each bounded.
func (v *htmlView) all(ss []string) (out []safe) {
	for _, s := range ss {
		out = append(out, v.p.whole(s))
	}
	return out
}

// facts are the settings that a verdict depends on.
func (v *htmlView) facts() []htmlPair {
	d := v.doc
	matrix := v.p.name(d.Matrix.Version)
	if d.Matrix.Narrowed != "" {
		matrix += " (" + num(d.Matrix.Selected) + " of " + count(d.Matrix.Total, "row") + ", selected by " + v.p.name(d.Matrix.Narrowed) + ")"
	}
	took := safe("")
	if d.DurationMS > 0 {
		took = span(d.DurationMS)
	}
	all := []htmlPair{
		{"Layer", v.p.name(target(d.Target))}, {"Routes", v.p.routes(d.Target)}, {"Stub", v.p.name(d.Target.StubURL)},
		{"Matrix", matrix}, {"Profile", v.p.name(d.Profile.Name) + " (" + count(len(d.Profile.Keys), "deciding key pattern") + ")"},
		{"Modes", v.p.names(d.Settings.Modes)}, {"Dialects", v.p.names(d.Settings.Dialects)}, {"Hazards", v.p.names(d.Settings.Hazards)},
		{"Channel", v.p.name(d.Channel)}, {"Client", v.p.name(d.Settings.ClientProtocol)}, {"Fails on", v.p.name(d.Settings.FailOn)},
		{"Headers sent", v.p.names(d.Settings.HeadersSent)}, {"Known files", v.knownFiles()},
		{"Started", safe(d.Started.UTC().Format(time.RFC3339))}, {"Took", took},
		{"Proof", v.proofFigure()}, {"Exit code", num(d.Result.Exit)},
	}
	return slices.DeleteFunc(all, func(x htmlPair) bool {
		return x.Text == "" || x.Key == "Profile" && d.Profile.Name == "" || x.Key == "Started" && d.Started.IsZero()
	})
}

func (v *htmlView) knownFiles() safe {
	if v.doc.Known == nil {
		return ""
	}
	var files []safe
	for _, f := range v.doc.Known.Files {
		files = append(files, v.p.name(f.Name)+" ("+num(f.Used)+" of its "+num(f.Entries)+" entries are for this layer)")
	}
	return list(files, ", ")
}

// proofFigure says in one line whether the run could have told.
func (v *htmlView) proofFigure() safe {
	f := v.doc.Proof
	if f.Pairs == 0 && len(f.Controls) == 0 {
		return "the controls were not run"
	}
	text := "controls " + num(f.Exact) + " of " + count(f.Pairs, "pair") + " caught exactly; deciding " + num(f.Deciding) + " of " + count(f.Keys, "key")
	if f.Shown > 0 {
		text += ", " + num(f.Shown) + " only shown"
	}
	if f.Silenced > 0 {
		text += "; " + count(f.Silenced, "fault") + " silenced by known files"
	}
	return text
}

// counts is the bar of verdicts, worst first; verdicts that this version does not know come last.
func (v *htmlView) counts() (out []htmlCount) {
	counts := v.doc.Result.Counts
	var names []string
	sum := 0
	for n, c := range counts {
		if c > 0 && !beside(n) {
			sum += c
		}
		if rank(n) < 0 {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	done := 0
	for _, n := range append(slices.Clone(worstFirst), names...) {
		c := counts[n]
		if c <= 0 {
			continue
		}
		w := verdict(n, v.doc)
		if beside(n) {
			w.tone = noTone
		}
		x := htmlCount{N: num(c), Badge: badgeOf(w)}
		if !beside(n) {
			x.Tone, x.From, x.Width = x.Badge.Tone, percent(done, sum), percent(c, sum)
			done += c
		}
		out = append(out, x)
	}
	return out
}

// beside tells what is counted beside the verdicts of rows: rows that have none, and a remark on some of them.
func beside(count string) bool { return count == "excluded" || count == "attributed" }

// percent is a part of a whole as SVG takes it, without the sign.
func percent(part, whole int) safe {
	if whole <= 0 {
		return "0"
	}
	return share(float64(part) / float64(whole))
}

// share is a number from 0 to 1 in percent.
func share(f float64) safe {
	return safe(strconv.FormatFloat(100*max(0, min(f, 1)), 'f', 2, 64))
}

func (v *htmlView) news() *htmlNews {
	n := v.doc.News
	if n == nil {
		return nil
	}
	out := &htmlNews{Sides: []htmlPair{{"Older", v.p.sideOf(n.Old)}, {"This", v.p.sideOf(n.New)}}, Unequal: v.all(n.Unequal)}
	for _, same := range collect(n.Changes, func(c record.Change) string { return quoteAll([]string{c.What, c.Text, strconv.FormatBool(c.Fails)}) }) {
		w := word{text: label(same[0])}
		if same[0].Fails {
			w.tone = bad
		}
		text := v.p.whole(same[0].Text)
		var rows []string
		for _, c := range same {
			if c.Row != "" {
				rows = append(rows, c.Row+" ("+c.Mode+")")
			}
		}
		if len(rows) > 0 {
			text += " in " + v.p.rowNames(rows)
		}
		out.Changes = append(out.Changes, htmlLine{badgeOf(w), text})
	}
	for i, u := range n.Untold {
		if i == mostListed {
			out.Untold = append(out.Untold, "and "+count(len(n.Untold)-i, "row")+" more")
			break
		}
		out.Untold = append(out.Untold, v.p.whole(u))
	}
	if n.Same > 0 {
		out.Same = "As before: " + count(n.Same, "fault") + "."
	}
	return out
}

// mostListed is how many names a list of the page has at most before it says how many more there are.
const mostListed = 100

// runs are those that were joined, with what each of them came to: a missing one has no row by which it could be told.
func (v *htmlView) runs() (out []htmlLine) {
	rank := func(x *record.Part) int {
		switch {
		case x.Result.Exit == 1:
			return 0
		case x.Problem != "" || x.Result.Exit != 0:
			return 1
		}
		return 2
	}
	words := []word{{text: "fails", tone: bad}, {text: "can't tell", tone: unsure}, {text: "passes", tone: good}}
	for want, w := range words {
		for i := range v.doc.Parts {
			if x := &v.doc.Parts[i]; rank(x) == want {
				out = append(out, htmlLine{badgeOf(w), v.p.whole(partText(x))})
			}
		}
	}
	if more := len(out) - mostListed; more > 0 {
		last := htmlLine{badgeOf(word{text: "more"}), count(more, "run") + " more, none worse than these"}
		out = append(out[:mostListed], last)
	}
	return out
}

// findings tells what the run showed about the layer rather than about a row.
func (v *htmlView) findings() (out []htmlFinding) {
	told := advice(v.doc.Findings)
	for _, f := range v.doc.Findings {
		kind, text := word{text: brief(f.Kind, 20)}, v.p.whole(f.Text)
		switch {
		case f.Fails && f.Soft:
			kind.tone = unsure
			text += " (only side by side: could not tell)"
		case f.Fails:
			kind.tone = bad
		case len(f.Declared) > 0:
			kind.tone = good
			text += " (declared by " + list(plains(f.Declared), ", ") + ")"
		default:
			text += " (does not fail the run)"
		}
		x := htmlFinding{Badge: badgeOf(kind), Text: text}
		if rows := untold(f); len(rows) > 0 {
			x.Rows = v.p.rowNames(rows)
		}
		if f.Advice == told {
			f.Advice = ""
		}
		x.Advice = v.p.whole(findingAdvice(f, v.doc.Advice))
		out = append(out, x)
	}
	return out
}

// layer adds what is told of the layer as a whole: the chain, known files that rot, the user's own classifier.
func (v *htmlView) layer(out *htmlPage) {
	for _, h := range v.doc.Hops {
		where := "between hop " + v.p.name(h.At) + " and hop " + v.p.name(h.Next)
		if h.Next == "" {
			where = "between hop " + v.p.name(h.At) + " and the stub"
		}
		out.Hops = append(out.Hops, where+": "+hopText(h, 60)+" in "+count(len(h.Rows), "row")+": "+v.p.rowNames(h.Rows))
	}
	if v.doc.Known != nil {
		out.Known = v.all(v.doc.Known.Problems)
	}
	out.Classifier = v.classifier()
}

func (v *htmlView) classifier() (out []safe) {
	c := v.doc.Classifier
	if c == nil {
		return nil
	}
	out = append(out, "asked: "+v.p.name(c.Command)+", about "+count(len(c.Rows), "row"))
	if c.Failed != "" {
		out = append(out, "it could not be asked about every row: "+v.p.whole(c.Failed))
	}
	for _, kind := range []struct {
		text safe
		want func(record.OwnClass) bool
	}{
		{"fails: another class through the layer: ", func(r record.OwnClass) bool { return r.Changes }},
		{"does not fail, since any failure will do: another class through the layer: ", record.OwnClass.Noted},
		{"does not fail: it calls the fixture otherwise than the built-in rules: ", func(r record.OwnClass) bool { return r.Differs }},
	} {
		rows := some(c.Rows, kind.want)
		for i, r := range rows {
			if i == mostListed {
				out = append(out, "and "+count(len(rows)-i, "row")+" more")
				break
			}
			how := v.p.name(r.Row) + " (" + v.p.name(strings.TrimSpace(r.Mode+" "+r.Route)) + "): "
			classes := v.p.name(r.Fixture) + " -> " + v.p.name(r.Layer)
			if r.Differs && !r.Changes && !r.Noted() {
				classes = v.p.name(r.Fixture) + " (built-in: " + v.p.name(r.Builtin) + ")"
			}
			out = append(out, kind.text+how+classes)
		}
	}
	return out
}
