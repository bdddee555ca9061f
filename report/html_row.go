package report

import "github.com/preservecheck/preservecheck/report/html"

// node is one row, folded behind its name.
func (r htmlRow) node() html.Node {
	title := html.H3(r.Badge.node(), say(" "), html.Span(html.Class("name"), say(r.Name)), say(" "), remark(r.How))
	return html.Details(html.Class("row "+r.Badge.Tone), html.If(r.Open, html.Open()), html.Summary(title),
		html.Div(html.Class("body"), html.ID(rowID(r.ID)),
			paragraph("consequence", r.Consequence), paragraphs(r.Said), pairs("pairs", r.Facts),
			r.differences(), r.headers(), r.Stream.node(), r.Hits.node(),
			html.If(len(r.Passes) > 0, html.H4(say("Passes over this row")), bullets(r.Passes)),
			r.same(),
			html.If(r.Command != "", html.H4(say("Repeat this row")), copied(r.Command))))
}

func (r htmlRow) differences() html.Node {
	return html.Join(
		html.If(len(r.Different) > 0, html.H4(say("Side by side")), html.Each(r.Different, htmlField.node)),
		paragraph("quiet", r.MoreDifferent))
}

func (f htmlField) node() html.Node {
	return html.Div(html.Class("field"),
		html.P(html.Class("key"), html.Code(say(f.Key)), say(" "), html.Span(html.Class("dir"), say(f.How)), decides(f.Decides)),
		html.Dl(html.Class("three"), html.Each(f.Cells, func(c htmlCell) html.Node {
			return html.Div(html.Dt(say(c.Label)), html.Dd(c.value()))
		})),
		paragraph("quiet", f.Remark))
}

func decides(does bool) html.Node {
	return html.If(does, say(" "), html.Span(html.Class("tag"), say("decides")))
}

// value is what a cell has, or why it has nothing.
func (c htmlCell) value() html.Node {
	if c.Note != "" {
		return remark(c.Note)
	}
	return html.Code(html.Each(c.Segments, htmlSegment.node))
}

func (s htmlSegment) node() html.Node {
	switch s.Kind {
	case segSame:
		return say(s.Text)
	case segGone:
		return html.Del(say(s.Text))
	case segCame:
		return html.Ins(say(s.Text))
	}
	return html.Span(html.Class("aside"), say(s.Text))
}

func (r htmlRow) headers() html.Node {
	return html.If(len(r.Headers) > 0, html.H4(say("Headers")), html.Div(html.Class("trio"), html.Each(r.Headers, htmlHeaders.node)))
}

func (h htmlHeaders) node() html.Node {
	return html.If(len(h.Items) > 0, html.Div(html.Class("headers "+h.Tone),
		html.H5(say(h.Title+" "), remark("("+num(len(h.Items))+")")),
		html.Ul(html.Each(h.Items, htmlHeader.node))))
}

func (h htmlHeader) node() html.Node {
	return html.Li(html.Code(html.Class("name"), say(h.Name)), decides(h.Decides),
		html.Each(h.Values, func(c htmlCell) html.Node { return html.Join(html.Br(), remark(c.Label), say(" "), c.value()) }),
		html.If(h.Remark != "", html.Br(), remark(h.Remark)))
}

func (s *htmlStream) node() html.Node {
	if s == nil {
		return html.Node{}
	}
	name := func(event safe) html.Node {
		if event == "" {
			return html.Td(remark("nothing"))
		}
		return html.Td(html.Code(say(event)))
	}
	return html.Join(html.H4(say("Stream")),
		scrolled("Events of "+s.Name, s.Wide, html.Table(html.Class("stream"), headings("Expected", "Got", "Remark"),
			html.Tbody(html.Each(s.Lines, func(e htmlEvent) html.Node {
				return html.Tr(html.Class(e.State), name(e.Expected), name(e.Got), html.Td(say(e.Remark)))
			})))),
		paragraph("quiet", s.Note))
}

func (h *htmlHits) node() html.Node {
	if h == nil {
		return html.Node{}
	}
	return html.Join(html.H4(say("Requests at the stub")), h.Chart.node(),
		html.Ol(html.Class("hits"), html.Each(h.Lines, func(l safe) html.Node { return html.Li(say(l)) })))
}

func (c *htmlChart) node() html.Node {
	if c == nil {
		return html.Node{}
	}
	return html.SVG(html.Class("time"), html.Width("100%"), html.Height("66"), html.Role("img"), html.Label(c.Label),
		html.If(c.Wait != "",
			html.Rect(html.Class("wait"), html.X(c.WaitFrom+"%"), html.Y("14"), html.Width(c.WaitWidth+"%"), html.Height("24")),
			html.Caption(html.Class("waittext"), html.X(c.WaitTextAt+"%"), html.Y("30"), html.Anchor(c.WaitAnchor), say(c.Wait))),
		html.Line(html.Class("axis"), html.X1("0%"), html.X2("100%"), html.Y1("38"), html.Y2("38")),
		html.Each(c.Marks, htmlMark.node),
		html.Caption(html.X("0%"), html.Y("56"), say("0")),
		html.Caption(html.X("100%"), html.Y("56"), html.Anchor("end"), say(c.End)))
}

func (m htmlMark) node() html.Node {
	at := m.At + "%"
	return html.Join(html.Line(html.Class("hit "+m.Kind), html.X1(at), html.X2(at), html.Y1("12"), html.Y2("42")),
		html.Caption(html.Class(m.Kind), html.X(at), html.Y("10"), html.Anchor(m.Anchor), say(m.Text)))
}

// same lists what came through as it was served.
func (r htmlRow) same() html.Node {
	return html.If(len(r.Same) > 0, behindTitle(false, r.SameTitle, html.Dl(html.Class("same"), html.Each(r.Same, func(p htmlPair) html.Node {
		return html.Div(html.Dt(html.Code(say(p.Key))), html.Dd(html.Code(say(p.Text))))
	}))))
}
