package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/preservecheck/preservecheck/record"
)

// htmlStory is what several rows have in common, as a paragraph of the text report tells it.
type htmlStory struct {
	Badge       htmlBadge
	Title       safe
	Consequence safe
	Reason      safe
	Facts       []htmlPair
	Advice      []htmlAdvice
	Rows        []htmlNamed
	More        safe
	Many        bool // rows are folded away
	RowsTitle   safe
}

// htmlAdvice is a likely cause. Its source is text: the page leads nowhere.
type htmlAdvice struct{ Cause, Remedy, Source safe }

// htmlNamed is a fixture with links to its rows.
type htmlNamed struct {
	Name  safe
	Links []htmlLink
}

// htmlLink leads to a row. Label says it whole where Text alone is "plain".
type htmlLink struct {
	ID          int
	Text, Label safe
}

// htmlRow is all that the page tells of one row.
type htmlRow struct {
	ID          int
	Open        bool
	Badge       htmlBadge
	Name, How   safe
	Consequence safe
	Said        []safe
	Facts       []htmlPair

	Different     []htmlField
	MoreDifferent safe
	Headers       []htmlHeaders
	Stream        *htmlStream
	Hits          *htmlHits
	Passes        []safe
	SameTitle     safe
	Same          []htmlPair
	Command       safe
}

// htmlField is one key with its values beside each other.
type htmlField struct {
	Key, How safe
	Decides  bool
	Cells    []htmlCell
	Remark   safe
}

// htmlHeaders is one of the three lists of headers.
type htmlHeaders struct {
	Title, Tone safe
	Items       []htmlHeader
}

type htmlHeader struct {
	Name    safe
	Decides bool
	Values  []htmlCell
	Remark  safe
}

// Of one row: how many keys are shown beside each other, and how many equal ones are listed.
const (
	mostFields = 40
	mostSame   = 80
	mostLinks  = 80 // rows of a story that are linked
	fewLinked  = 6  // fixtures of a story that stand there unfolded
)

// worstRows puts rows in the order of a report.
func worstRows(rows []record.Row) []*record.Row {
	out := make([]*record.Row, len(rows))
	for i := range rows {
		out[i] = &rows[i]
	}
	slices.SortStableFunc(out, func(a, b *record.Row) int { return cmp.Compare(rank(a.Verdict), rank(b.Verdict)) })
	return out
}

// stories tells each fault once, with the rows that have it.
func (v *htmlView) stories() (out []htmlStory) {
	told := map[int]bool{}
	for _, g := range v.told {
		r := g[0][0]
		if passes(r) {
			continue
		}
		s := htmlStory{Badge: badgeOf(verdict(r.Verdict, v.doc)), Title: count(g.rows(), "row"),
			Consequence: capital(v.p.whole(r.Consequence)), Reason: v.p.whole(r.Reason)}
		if len(g) == 1 && len(g[0]) == 1 {
			s.Title = brief(r.Row, 60)
		}
		for _, f := range v.p.facts(g) {
			if text := factText(f); text != "" {
				s.Facts = append(s.Facts, htmlPair{f.key, text})
			}
		}
		for _, a := range adviceOn(v.doc.Advice, told, "", g.all()...) {
			s.Advice = append(s.Advice, htmlAdvice{v.p.whole(a.Cause), v.p.whole(a.Remedy), brief(a.Source, 200) + ", " + brief(a.Date, 12)})
		}
		v.link(&s, g)
		out = append(out, s)
	}
	return out
}

// link leads from a story to its rows; many are folded away.
func (v *htmlView) link(s *htmlStory, g group) {
	linked := 0
	for _, e := range g {
		if linked+len(e) > mostLinks {
			s.More = "and " + count(g.rows()-linked, "row") + " more"
			break
		}
		linked += len(e)
		named := htmlNamed{Name: brief(e[0].Row, 60)}
		for _, r := range e {
			x := htmlLink{ID: v.ids[r], Text: rowHow(r), Label: named.Name + " " + rowHow(r)}
			if x.Text == "" {
				x.Text = "row"
			}
			named.Links = append(named.Links, x)
		}
		s.Rows = append(s.Rows, named)
	}
	s.Many, s.RowsTitle = len(s.Rows) > fewLinked, "Show the rows"
}

// factText is a line of the text report's table in one piece. Values stand beside each other further down the page.
func factText(f fact) safe {
	if f.remark != "" {
		return f.remark
	}
	text := f.how
	for i, x := range f.values {
		sep := safe(": ")
		if i > 0 {
			sep = "; "
		}
		if x.label != "" {
			sep += x.label + " "
		}
		text += sep + cut(x.value.units, 120) + x.value.after
	}
	return text
}

func behind(how safe) safe {
	if how == "" {
		return ""
	}
	return " (" + how + ")"
}

// capital makes a sentence of ours begin as one.
func capital(s safe) safe {
	if s != "" && s[0] >= 'a' && s[0] <= 'z' {
		return safe(s[0]-'a'+'A') + s[1:]
	}
	return s
}

// rowHow is what tells a row from others of its fixture.
func rowHow(r *record.Row) safe {
	parts := []safe{}
	if r.Mode != "" {
		parts = append(parts, brief(r.Mode, 20))
	}
	if r.Route != "" {
		parts = append(parts, "route "+brief(r.Route, 60))
	}
	if r.Asked != r.Served {
		parts = append(parts, brief(r.Asked, 60)+" asked, "+brief(r.Served, 60)+" served")
	}
	return list(parts, "; ")
}

// rows tells each row by itself; the first of each story is open.
func (v *htmlView) rows(out *htmlPage) {
	open := map[*record.Row]bool{}
	for _, g := range v.told {
		if !passes(g[0][0]) {
			open[g[0][0]] = true
		}
	}
	for _, r := range v.order {
		out.Rows = append(out.Rows, v.row(r, open[r]))
	}
	out.RowsIntro = "Open a row for its answers side by side, its headers, its stream and its requests at the stub."
	if len(open) > 0 {
		out.RowsIntro += " One row of each kind of fault is open. What differs is marked: in the fixture what did not come through, in what came back what nobody sent."
	}
}

func (v *htmlView) row(r *record.Row, open bool) htmlRow {
	out := htmlRow{ID: v.ids[r], Open: open, Badge: badgeOf(verdict(r.Verdict, v.doc)), Name: brief(r.Row, 60), How: rowHow(r),
		Consequence: capital(v.p.whole(r.Consequence)), Command: v.command(r)}
	for _, s := range []string{excuse(r.Verdict, v.doc), r.Reason} {
		if s != "" {
			out.Said = append(out.Said, v.p.whole(s))
		}
	}
	if r.Verdict == "layer-made" {
		out.Said = append(out.Said, "Beside it stands what the stub would have sent.")
	}
	out.Facts = v.rowFacts(r)
	out.Stream = v.stream(r)
	v.fields(r, &out)
	out.Hits = v.hits(r)
	for _, o := range r.Observations {
		out.Passes = append(out.Passes, brief(passName(o.Pass), 60)+": "+brief(string(observation(o, len(r.Observations) > 1)), 400))
	}
	return out
}

func (v *htmlView) rowFacts(r *record.Row) (out []htmlPair) {
	g := group{entry{r}}
	add := func(key, text safe) {
		if text != "" {
			out = append(out, htmlPair{key, text})
		}
	}
	add("class", classFact(g).remark)
	add("requests", hits(r))
	add("answer", cameFrom(r.Provenance))
	if r.Author != "" {
		add("author", "likely "+brief(r.Author, 60)+", by its signature")
	}
	for _, b := range r.Behaviour {
		add("layer", brief(b, 400))
	}
	for _, c := range r.Consequences {
		add(modelKey, brief(clientLine(c), 400))
	}
	if r.InventedSuccess {
		add("success", "a client takes for done what nobody called done")
	}
	var by []string
	for i := range r.Fields {
		for _, d := range r.Fields[i].Declared {
			if !slices.Contains(by, d) {
				by = append(by, d)
			}
		}
	}
	add("declared by", brief(strings.Join(by, ", "), 400))
	add("hazard", brief(r.Hazard, 20))
	return out
}

// fields sorts the keys of a row: headers into three lists, others beside each other, equal ones below.
func (v *htmlView) fields(r *record.Row, out *htmlRow) {
	lists := []htmlHeaders{{Title: "Lost", Tone: "lost"}, {Title: "Changed", Tone: "changed"}, {Title: "Invented", Tone: "invented"}}
	same, shown, hidden := 0, 0, r.Omitted
	for i := range r.Fields {
		f := &r.Fields[i]
		name, header := strings.CutPrefix(f.Key, "header/")
		at := slices.Index([]string{"lost", "changed", "invented"}, f.Dir)
		switch {
		case f.Dir == "" && !sideBySide(r, f):
			if repeats(f) || len(out.Same) == mostSame {
				continue
			}
			same++
			out.Same = append(out.Same, htmlPair{brief(f.Key, 120), v.value(f.Layer)})
		case header && at >= 0:
			lists[at].Items = append(lists[at].Items, v.header(name, f))
		case out.Stream != nil && f.Key == "stream/events":
		case shown == mostFields:
			hidden++
		default:
			shown++
			out.Different = append(out.Different, v.field(r, f))
		}
	}
	if hidden > 0 {
		out.MoreDifferent = "and " + count(hidden, "difference") + " more"
	}
	if len(lists[0].Items)+len(lists[1].Items)+len(lists[2].Items) > 0 {
		out.Headers = lists
	}
	if same > 0 {
		out.SameTitle = count(same, "key") + " came through as served"
	}
}

// sideBySide reports whether a key is worth showing though it is no difference itself: the error as a whole, where
// something in it differs, and what made the row impossible to judge.
func sideBySide(r *record.Row, f *record.Field) bool {
	whole := (f.Key == "error" || f.Key == "body") && !sameValue(f.Fixture, f.Layer)
	return whole || directDiffers(r, f)
}

// repeats reports whether a key only repeats what stands below it.
func repeats(f *record.Field) bool {
	return f.Layer != nil && f.Layer.Kind == "object" && f.Layer.Text != "{}"
}

func (v *htmlView) field(r *record.Row, f *record.Field) htmlField {
	how := brief(f.Dir, 12)
	switch {
	case f.Dir == "" && directDiffers(r, f):
		how = "not as served"
	case f.Dir == "":
		how = "as a whole"
	case f.Nuance != "":
		how += " (" + brief(f.Nuance, 14) + ")"
	}
	if f.Other != "" {
		how += ", now in " + brief(f.Other, 120)
	}
	if len(f.Covers) > 0 {
		how += ", with it " + list(plains(f.Covers), ", ")
	}
	return htmlField{Key: brief(f.Key, 120), How: how, Decides: f.Decides, Cells: v.cells(f), Remark: brief(f.Remark, 480)}
}

func (v *htmlView) header(name string, f *record.Field) htmlHeader {
	out := htmlHeader{Name: brief(name, 120), Decides: f.Decides, Remark: brief(f.Remark, 480)}
	if f.Other != "" {
		out.Remark = "now in " + brief(f.Other, 120)
	}
	for _, c := range v.cells(f) {
		if c.Note != "" {
			continue // the list says that it is absent
		}
		if c.Label != "layer" && c.Label != "direct" {
			c.Label = "fixture"
		}
		out.Values = append(out.Values, c)
	}
	return out
}

// value is one value in a line of its own, short: it is the same everywhere.
func (v *htmlView) value(x *record.Value) safe {
	s := valueOf(x)
	return cut(s.units, min(v.room(), 240)) + s.after
}
