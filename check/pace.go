package check

import (
	"slices"
	"time"

	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/wire"
)

// paceKey says whether a stream that the stub paused in was passed on while it came.
const paceKey = "stream/pace"

// crowdedPace is the reason of a row that seemed to be held back only while others were asked for as well.
const crowdedPace = "its stream came all at once, but only while other requests were under way, and it could not be asked for alone"

// pauseIn is the pause that the stub makes inside a row's answer.
func (r *runner) pauseIn(name string) time.Duration {
	if f := r.c.Matrix.Get(name); f != nil {
		return f.Pause()
	}
	return 0
}

// pace judges when the parts of a paused answer came. It was passed on while it came when its beginning was here before the
// stub sent the rest, which no load can fake, or when a third of the pause is still to be seen in it: then the first part only
// took long on its way (HAProxy 2.6 keeps it for 200 ms to join it with more; measured 2026-11-30). All else came at once.
func (p *probe) pace(hits []ledger.Hit) wire.Pace {
	a := p.answer
	switch {
	case p.paused == 0 || a.BodyAt.IsZero():
		return ""
	case a.LastAt.Sub(a.BodyAt) >= p.paused/3:
		return wire.AsSent
	}
	p.unsure = false
	for _, h := range hits {
		if h.Served.RestAt.Add(-h.Slack).After(a.BodyAt) {
			return wire.AsSent
		}
		p.unsure = p.unsure || h.Served.RestAt.Add(h.Slack).After(a.BodyAt)
	}
	return wire.AtOnce
}

// heldBack reports whether an observation differs in its pace, also where that is but a note.
func (s *seen) heldBack() bool {
	return slices.ContainsFunc(s.judged.Differences, func(d compare.Difference) bool { return d.Difference.Key == paceKey })
}

// onlyHeldBack reports whether nothing else decides an observation.
func (s *seen) onlyHeldBack() bool {
	ds := deciding(s.judged.Differences)
	return len(ds) == 1 && ds[0].Difference.Key == paceKey
}

// excuse takes a slow machine for what it is: a layer that passed a row's stream on once can do so, and where it seemed to
// hold it back meanwhile, the first part had only been on its way for too long.
func (r *runner) excuse(row Row) {
	excuseAll(r.seen[row])
}

func excuseAll(all []*seen) {
	if slices.ContainsFunc(all, func(s *seen) bool { return passedOn(s.layer) }) {
		for _, s := range all {
			s.layer = asPassedOn(s.layer)
		}
	}
}

func passedOn(e evidence.Evidence) bool { return e.Get(paceKey).Text == string(wire.AsSent) }

// asPassedOn is the evidence with the pace of a stream that was passed on while it came, if it is one with a pace at all.
func asPassedOn(e evidence.Evidence) evidence.Evidence {
	i := slices.IndexFunc(e, func(x evidence.Entry) bool { return x.Key == paceKey })
	if i < 0 || passedOn(e) {
		return e
	}
	e = slices.Clone(e)
	e[i].Value.Text = string(wire.AsSent)
	return e
}

// unconfirmed reports whether a row's verdict rests on a pace that was only seen in a crowd.
func (r *runner) unconfirmed(row Row, by *seen) bool {
	return by.onlyHeldBack() && !slices.ContainsFunc(r.seen[row], func(s *seen) bool { return s.pass == passAlone && s.heldBack() })
}
