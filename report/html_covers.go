package report

import (
	"path"
	"strings"

	"github.com/preservecheck/preservecheck/record"
)

// reproduce lists what to type: the next command that the run itself proposes, and how to repeat all of it.
func (v *htmlView) reproduce() (out []htmlPair) {
	d := v.doc
	if d.Result.Next != "" {
		out = append(out, htmlPair{"Type next:", plain(d.Result.Next)})
	}
	if base := v.base(); base != "" && len(d.Rows) > 0 {
		text := safe("The whole check, with its record:")
		if len(d.Settings.HeadersSent) > 0 {
			text = "The whole check; it sent headers (" + v.p.names(d.Settings.HeadersSent) + ") whose values are not kept, so give them as well:"
		}
		out = append(out, htmlPair{text, base + " -o json=run.json"})
	}
	return out
}

// base is the command that such a record was made by, as far as the record tells; "" where a file was needed that it
// does not name.
func (v *htmlView) base() safe {
	d := v.doc
	if text := startedBy(d); text != "" && d.Command == "check" {
		return "preservecheck check --recipe " + shellWord(text) + ownProfile(d)
	}
	layer := d.Target.URL
	if d.Target.Control != "" {
		layer = "control:" + d.Target.Control
	}
	if layer == "" || len(d.Target.Routes) > 0 || d.Command != "check" {
		return ""
	}
	return "preservecheck check --layer " + shellWord(layer) + ownProfile(d)
}

func ownProfile(d *record.Document) safe {
	switch d.Profile.Name {
	case "sdk", "claude-code", "full":
		return " --profile " + safe(d.Profile.Name)
	}
	return ""
}

// startedBy is what --recipe takes: the name of a built-in recipe with its variant, or the folder of the user's own.
func startedBy(d *record.Document) string {
	_, variant, ok := strings.Cut(d.Recipe, "/")
	if !ok {
		return ""
	}
	for _, s := range d.Sources {
		if s.Kind == "recipe" {
			return "./" + path.Dir(s.Path) + "/" + variant
		}
	}
	return d.Recipe
}

// command repeats one row.
func (v *htmlView) command(r *record.Row) safe {
	base := v.base()
	if base == "" || r.Row == "" {
		return ""
	}
	text := base + " --fixture " + shellWord(r.Row)
	switch r.Mode {
	case "plain":
		text += " --stream off"
	case "stream":
		text += " --stream on"
	}
	return text + " -v"
}

// shellWord writes a text so that a shell reads it as one word and runs nothing in it.
func shellWord(s string) safe {
	text := plain(s)
	unsafe := strings.IndexFunc(string(text), func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@=,+", r)
	}) >= 0
	if text != "" && !unsafe && !strings.HasPrefix(string(text), "-") {
		return text
	}
	return safe("'" + strings.ReplaceAll(string(text), "'", `'\''`) + "'")
}

// covers says what the result rests on, and what it does not cover.
func (v *htmlView) covers(out *htmlPage) {
	d := v.doc
	if d.Result.Covers != "" && !unready(d) && !unended(d) {
		out.Covers = append(out.Covers, capital(v.p.whole(d.Result.Covers)))
	}
	out.Covers = append(out.Covers, "Proof: "+v.proofFigure()+". Each control is a layer with one known fault; a run in which one goes unseen can't be green.")
	if n := d.Result.Counts["untestable"]; n > 0 {
		out.Covers = append(out.Covers, count(n, "row")+" can't be tested this way, so nothing is said about them.")
	}
	v.also(out)
	v.excluded(out)
	v.controls(out)
	for i, n := range d.Notes {
		if i == mostListed {
			out.Notes = append(out.Notes, "and "+count(len(d.Notes)-i, "note")+" more")
			break
		}
		out.Notes = append(out.Notes, v.p.whole(n))
	}
}

// also lists the differences in keys that do not decide.
func (v *htmlView) also(out *htmlPage) {
	kinds, rows := undecided(v.doc.Rows)
	if len(kinds) == 0 {
		return
	}
	out.AlsoTitle = "Also seen, not deciding in profile " + v.p.name(v.doc.Profile.Name) + ": " +
		count(len(kinds), "difference") + " in " + count(rows, "row")
	for i, k := range kinds {
		if i == mostListed {
			out.Also = append(out.Also, "and "+count(len(kinds)-i, "difference")+" more")
			break
		}
		f := v.p.fieldFact(&record.Row{HitsMax: 1}, k[0])
		out.Also = append(out.Also, f.key+" "+factText(f)+" (in "+count(len(k), "row")+")")
	}
}

func (v *htmlView) excluded(out *htmlPage) {
	es := v.doc.Excluded
	if len(es) == 0 {
		return
	}
	out.ExcludedTitle = "Not judged: " + count(len(es), "row") + " excluded"
	for _, why := range collect(es, func(e record.Excluded) string { return e.Why }) {
		var names []safe
		for i, e := range why {
			if i == mostListed {
				names = append(names, "and "+num(len(why)-i)+" more")
				break
			}
			names = append(names, brief(e.Row, 60)+behind(rowHow(&record.Row{Mode: e.Mode, Route: e.Route})))
		}
		out.Excluded = append(out.Excluded, v.p.name(why[0].Why)+": "+list(names, ", "))
	}
}

func (v *htmlView) controls(out *htmlPage) {
	wrong := 0
	for _, c := range v.doc.Proof.Controls {
		x := htmlControl{Wrong: c.Missed+c.Extra > 0, Name: brief(c.Name, 60), Why: v.p.whole(c.Why), Exact: c.Exact, Missed: c.Missed, Extra: c.Extra}
		if x.Wrong {
			wrong++
			x.Why += difference(c)
		}
		out.Controls = append(out.Controls, x)
	}
	out.ControlsTitle = "The controls: " + num(len(out.Controls)-wrong) + " of " + num(len(out.Controls)) + " caught exactly"
	out.ControlsOpen = wrong > 0 || v.doc.Command == "controls"
}
