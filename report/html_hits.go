package report

import (
	"strconv"
	"strings"

	"github.com/preservecheck/preservecheck/record"
)

// htmlHits is what reached the stub for one request of the client, and when.
type htmlHits struct {
	Lines []safe
	Chart *htmlChart
}

// htmlChart is a time line; all places are percent of its width.
type htmlChart struct {
	Label      safe
	End        safe
	Marks      []htmlMark
	Wait       safe // the wait that the fixture asks for, "" where it asks for none
	WaitFrom   safe
	WaitWidth  safe
	WaitTextAt safe
	WaitAnchor safe
}

type htmlMark struct {
	Kind   safe // early, fine, answer
	At     safe
	Anchor safe
	Text   safe
}

const (
	mostHits = 50    // listed and drawn
	slowMS   = 1_000 // from when on an answer is worth a time line though one hit is all there is
)

// hits tells every request at the stub of the observation that decided; several, or a slow answer, get a time line.
func (v *htmlView) hits(r *record.Row) *htmlHits {
	if len(r.Hits) == 0 {
		return nil
	}
	wait, asked := waitMS(r)
	out := &htmlHits{}
	for i, h := range r.Hits {
		if i == mostHits {
			out.Lines = append(out.Lines, "and "+count(len(r.Hits)-i, "request")+" more")
			break
		}
		text := "at " + span(h.AtMS)
		if i > 0 {
			gap := h.AtMS - r.Hits[i-1].AtMS
			text += ", " + span(gap) + " after the one before"
			if asked && gap < wait {
				text += ", though retry-after said " + span(wait)
			}
		}
		out.Lines = append(out.Lines, text+": "+hitText(h))
	}
	took := answered(r)
	if len(r.Hits) > 1 || took >= slowMS {
		out.Chart = chart(r, took, wait, asked)
	}
	return out
}

func hitText(h record.Hit) safe {
	text := brief(h.Method, 20) + " " + brief(h.Path, 120)
	if h.Model != "" {
		text += ", model " + brief(h.Model, 60)
	}
	if h.RetryCount != "" {
		text += ", retry count " + brief(h.RetryCount, 20)
	}
	text += "; served " + brief(h.Served.Proto, 20) + " " + num(h.Served.Status)
	if h.Served.Encoding != "" {
		text += ", " + brief(h.Served.Encoding, 20)
	}
	if !h.Served.Finished {
		text += ", not to its end"
	}
	return text
}

// answered is when the answer of the deciding observation was complete, in milliseconds.
func answered(r *record.Row) float64 {
	for _, o := range r.Observations {
		if o.Decided {
			return o.ElapsedMS
		}
	}
	return 0
}

// waitMS is what the fixture asks a client to wait before the next request. A date is not a length of time.
func waitMS(r *record.Row) (ms float64, ok bool) {
	scale := map[string]float64{"header/retry-after-ms": 1, "header/retry-after": 1000}
	for i := range r.Fields {
		f := &r.Fields[i]
		if scale[f.Key] == 0 || f.Fixture == nil || ok && f.Key == "header/retry-after" {
			continue // the finer one counts where both stand
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(f.Fixture.Text), 64)
		if err == nil && n > 0 && n < 1e7 {
			ms, ok = n*scale[f.Key], true
		}
	}
	return ms, ok
}

// span is a length of time in the unit that reads best.
func span(ms float64) safe {
	if ms < 1000 {
		return decimal(ms) + " ms"
	}
	return decimal(ms/1000) + " s"
}

// chart draws the hits from the client's request on. Those closer together than their numbers need share one label.
func chart(r *record.Row, took, wait float64, asked bool) *htmlChart {
	hits := r.Hits[:min(len(r.Hits), mostHits)]
	first, last := hits[0].AtMS, hits[len(hits)-1].AtMS
	end := max(last, took, 1)
	if asked {
		end = max(end, first+wait)
	}
	end *= 1.02
	c := &htmlChart{End: span(end)}
	c.Label = "Time line: " + count(len(r.Hits), "request") + " from " + span(first) + " to " + span(last)
	if asked {
		c.Wait, c.WaitFrom, c.WaitWidth = "retry-after: wait "+span(wait), share(first/end), share(wait/end)
		c.WaitTextAt, c.WaitAnchor = share((first+wait/2)/end), "middle"
		c.Label += ", where retry-after asks to wait " + span(wait)
	}
	const apart = 0.05
	for i := 0; i < len(hits); {
		n := i + 1
		for n < len(hits) && (hits[n].AtMS-hits[i].AtMS)/end < apart {
			n++
		}
		text := num(i + 1)
		if n-i > 1 {
			text += "-" + num(n)
		}
		for j := i; j < n; j++ {
			m := htmlMark{Kind: "fine", At: share(hits[j].AtMS / end), Anchor: anchor(hits[j].AtMS / end)}
			if j > 0 && asked && hits[j].AtMS-hits[j-1].AtMS < wait {
				m.Kind = "early"
			}
			if j == i {
				m.Text = text
			}
			c.Marks = append(c.Marks, m)
		}
		i = n
	}
	return c
}

// anchor keeps a label inside of the drawing.
func anchor(at float64) safe {
	switch {
	case at < 0.03:
		return "start"
	case at > 0.97:
		return "end"
	}
	return "middle"
}
