package report

import "github.com/preservecheck/preservecheck/report/html"

// say is how a text comes onto the page: it takes nothing that a reader could not see for what it is.
func say(s safe) html.Node { return html.Text(s) }

// remark is a remark beside a text.
func remark(s safe) html.Node { return html.Span(html.Class("quiet"), say(s)) }

func strong(s safe) html.Node { return html.Strong(say(s)) }

// paragraph is a text in a paragraph of a class, or nothing.
func paragraph(class, s safe) html.Node {
	return html.If(s != "", html.P(html.Class(class), say(s)))
}

func paragraphs(ss []safe) html.Node {
	return html.Each(ss, func(s safe) html.Node { return html.P(say(s)) })
}

func bullets(ss []safe) html.Node {
	return html.Ul(html.Each(ss, func(s safe) html.Node { return html.Li(say(s)) }))
}

func pairs(class safe, ps []htmlPair) html.Node {
	return html.Dl(html.Class(class), html.Each(ps, func(p htmlPair) html.Node {
		return html.Div(html.Dt(say(p.Key)), html.Dd(say(p.Text)))
	}))
}

// behindTitle folds away what a reader may open.
func behindTitle(open bool, title safe, inside ...html.Node) html.Node {
	return html.Details(html.Class("also"), html.If(open, html.Open()), html.Summary(say(title)), html.Join(inside...))
}

// scrolled is a table that is wider than a phone; the keyboard reaches it where it may need to be scrolled.
func scrolled(label safe, wide bool, table html.Node) html.Node {
	return html.Div(html.Class("scroll"), html.Role("region"), html.Label(label), html.If(wide, html.Reachable()), table)
}

func headings(names ...safe) html.Node {
	return html.Thead(html.Tr(html.Each(names, func(n safe) html.Node { return html.Th(html.Scope("col"), say(n)) })))
}

// copied is a text to be copied.
func copied(s safe) html.Node {
	return html.Pre(html.Reachable(), html.Code(say(s)))
}

// chapter is a part that the table of contents leads to.
func chapter(id, title safe, inside ...html.Node) html.Node {
	return html.Section(html.LabelledBy(id), html.H2(html.ID(id), say(title)), html.Join(inside...))
}

func (b htmlBadge) node() html.Node {
	return html.Span(html.Class("badge "+b.Tone), b.glyph(), say(b.Text))
}

func (b htmlBadge) glyph() html.Node {
	return html.Span(html.Class("glyph"), html.Hidden(), say(b.Glyph))
}

// body is all of the page: the result first, then what it rests on, then each row.
func (h *htmlPage) body() []html.Node {
	return []html.Node{
		html.A(html.Class("skip"), html.To("main"), say("Skip to the result")),
		html.Header(html.Class("top"), html.P(html.Class("over"), say("preservecheck report on "), strong(h.Layer))),
		html.Nav(html.Label("On this page"), html.Ul(html.Each(h.Sections, func(s htmlSection) html.Node {
			return html.Li(html.A(html.To(s.ID), say(s.Title)))
		}))),
		html.Main(html.ID("main"), html.Focusable(),
			h.result(), h.summary(), h.runs(), h.News.section(), h.findings(), h.stories(),
			html.If(len(h.Hops) > 0, chapter("hops", "Where in the chain, seen from the provider", bullets(h.Hops))),
			html.If(len(h.Known) > 0, chapter("known", "Known differences that no longer hold", bullets(h.Known))),
			html.If(len(h.Classifier) > 0, chapter("classifier", "Your own classifier", bullets(h.Classifier))),
			h.reproduce(), h.covers(), h.Matrix.section(), h.rows(),
		),
		html.Footer(html.P(say(h.Foot))),
	}
}

// result is the verdict on the whole, and what would make it worth nothing.
func (h *htmlPage) result() html.Node {
	return html.Join(
		html.Div(html.Class("verdict "+h.Result.Tone),
			html.H1(h.Result.node(), say(" "), html.Span(html.Class("why"), say(h.Why))),
			paragraphs(h.Lead), adviceNode(h.Advice)),
		html.If(len(h.Missed) > 0, html.Div(html.Class("alarm"), html.Role("note"),
			html.P(strong("Proof failed."), say(" This run could not have told:")), bullets(h.Missed))),
	)
}

func adviceNode(s safe) html.Node {
	return html.If(s != "", html.P(html.Class("advice"), strong("Advice:"), say(" "+s)))
}

func (h *htmlPage) summary() html.Node {
	bar := html.Each(h.Counts, func(c htmlCount) html.Node {
		return html.If(c.Width != "", html.Rect(html.Class(c.Tone), html.X(c.From+"%"), html.Width(c.Width+"%"), html.Y("0"), html.Height("12")))
	})
	return chapter("summary", "Summary",
		html.If(len(h.Counts) > 0,
			html.SVG(html.Class("share"), html.Width("100%"), html.Height("12"), html.Hidden(), html.Unfocusable(), bar),
			html.Ul(html.Class("counts"), html.Each(h.Counts, func(c htmlCount) html.Node {
				return html.Li(strong(c.N), say(" "), c.Badge.node())
			}))),
		pairs("facts", h.Facts))
}

func (h *htmlPage) runs() html.Node {
	return html.If(len(h.Runs) > 0, chapter("runs", "Runs that were joined", html.Ul(html.Class("plain"), html.Each(h.Runs, htmlLine.node))))
}

func (l htmlLine) node() html.Node { return html.Li(l.Badge.node(), say(" "+l.Text)) }

func (n *htmlNews) section() html.Node {
	if n == nil {
		return html.Node{}
	}
	return chapter("news", "News since the older record",
		pairs("pairs", n.Sides),
		html.If(len(n.Unequal) > 0, html.P(say("The two can't be compared:")), bullets(n.Unequal)),
		html.If(len(n.Changes) > 0, html.Ul(html.Class("plain"), html.Each(n.Changes, htmlLine.node))),
		html.If(len(n.Untold) > 0, html.P(say("Can't be told any more:")), bullets(n.Untold)),
		html.If(n.Same != "", html.P(say(n.Same))))
}

func (h *htmlPage) findings() html.Node {
	return html.If(len(h.Findings) > 0, chapter("findings", "Findings about the layer",
		html.Ul(html.Class("plain"), html.Each(h.Findings, func(f htmlFinding) html.Node {
			return html.Li(f.Badge.node(), say(" "+f.Text), html.If(f.Rows != "", say(" "), remark("["+f.Rows+"]")), adviceNode(f.Advice))
		}))))
}

func (h *htmlPage) stories() html.Node {
	return html.If(len(h.Stories) > 0, chapter("faults", "What the layer does, worst first", html.Each(h.Stories, htmlStory.node)))
}

// node is one fault with the rows that have it.
func (s htmlStory) node() html.Node {
	where := html.Ul(html.Class("where"), html.Each(s.Rows, htmlNamed.node), html.If(s.More != "", html.Li(say(s.More))))
	if s.Many {
		where = behindTitle(false, s.RowsTitle, where)
	}
	return html.Article(html.Class("story"),
		html.H3(s.Badge.node(), say(" "+s.Title)),
		paragraph("consequence", s.Consequence),
		html.If(s.Reason != "", html.P(say(s.Reason))),
		html.If(len(s.Facts) > 0, pairs("pairs", s.Facts)),
		html.Each(s.Advice, func(a htmlAdvice) html.Node {
			return html.P(html.Class("advice"), strong("Likely cause:"), say(" "+a.Cause+". "), strong("Remedy:"), say(" "+a.Remedy+". "), remark(a.Source))
		}),
		where)
}

func (n htmlNamed) node() html.Node {
	return html.Li(say(n.Name+" "), html.Each(n.Links, func(l htmlLink) html.Node {
		return html.Join(html.A(toRow(l.ID), html.Label(l.Label), say(l.Text)), say(" "))
	}))
}

// rowID is the place of a row.
func rowID(id int) safe { return "row-" + num(id) }

func toRow(id int) html.Node { return html.To(rowID(id)) }

func (h *htmlPage) reproduce() html.Node {
	return html.If(len(h.Reproduce) > 0, chapter("reproduce", "How to reproduce", html.Each(h.Reproduce, func(p htmlPair) html.Node {
		return html.Join(html.P(say(p.Key)), copied(p.Text))
	})))
}

func (h *htmlPage) covers() html.Node {
	return chapter("covers", "What green covers",
		paragraphs(h.Covers),
		html.If(len(h.Also) > 0, behindTitle(false, h.AlsoTitle, bullets(h.Also))),
		html.If(len(h.Excluded) > 0, behindTitle(false, h.ExcludedTitle, bullets(h.Excluded))),
		html.If(len(h.Controls) > 0, behindTitle(h.ControlsOpen, h.ControlsTitle, scrolled("Controls", true, h.controls()))),
		html.Each(h.Notes, func(n safe) html.Node { return html.P(html.Class("note"), strong("Note:"), say(" "+n)) }))
}

func (h *htmlPage) controls() html.Node {
	figure := func(n int) html.Node { return html.Td(say(num(n))) }
	return html.Table(headings("Control", "What is wrong with it", "Exact", "Missed", "Too much"),
		html.Tbody(html.Each(h.Controls, func(c htmlControl) html.Node {
			return html.Tr(html.If(c.Wrong, html.Class("bad")), html.Th(html.Scope("row"), say(c.Name)), html.Td(say(c.Why)),
				figure(c.Exact), figure(c.Missed), figure(c.Extra))
		})))
}

func (m *htmlMatrix) section() html.Node {
	if m == nil {
		return html.Node{}
	}
	legend := html.Dl(html.Class("pairs"), html.Each(m.Legend, func(l htmlLine) html.Node {
		return html.Div(html.Dt(l.Badge.node()), html.Dd(say(l.Text)))
	}))
	return chapter("matrix", "Matrix",
		paragraph("quiet", "Each cell is one row of the check and leads to its details."),
		m.Differ.node(),
		html.If(m.Kept != nil, behindTitle(m.Differ == nil, m.KeptTitle, m.Kept.node())),
		behindTitle(false, "What the words mean", legend))
}

func (g *htmlGrid) node() html.Node {
	if g == nil {
		return html.Node{}
	}
	return scrolled(g.Label, true, html.Table(html.Class("matrix"), headings(append([]safe{"Fixture"}, g.Columns...)...),
		html.Tbody(html.Each(g.Lines, func(l htmlGridLine) html.Node {
			return html.Tr(html.Th(html.Scope("row"), say(l.Name)), html.Each(l.Cells, func(tiles []htmlTile) html.Node {
				return html.Td(html.If(len(tiles) == 0, remark("no row")), html.Each(tiles, htmlTile.node))
			}))
		}))))
}

func (t htmlTile) node() html.Node {
	return html.A(html.Class("cell "+t.Badge.Tone), toRow(t.ID), t.Badge.glyph(), say(t.Badge.Text))
}

func (h *htmlPage) rows() html.Node {
	return html.If(len(h.Rows) > 0, chapter("rows", "Every row, worst first", paragraph("quiet", h.RowsIntro), html.Each(h.Rows, htmlRow.node)))
}
