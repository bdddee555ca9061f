package check

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/record"
)

const (
	maxDifferences = 200      // kept per row
	maxFields      = 400      // keys shown per row
	maxRepeats     = 20       // repeated observations listed per row
	maxText        = 16 << 10 // bytes of one value
)

// fill writes what the run saw into the record; secrets go before anything is cut.
func (r *runner) fill(d *record.Document) {
	d.DurationMS = ms(time.Since(r.began))
	d.Profile = record.Profile{Name: r.c.Rules.Profile.Name, Keys: r.c.Rules.Profile.Names()}
	d.Channel, d.Channels = r.channelNames()
	for _, l := range r.lanes() {
		if why := r.notReady[l]; why != "" && d.Refused == "" {
			d.Notes = append(d.Notes, l.String()+": "+r.clean(why))
		}
	}
	if d.Refused != "" {
		return
	}
	if r.noWay != "" {
		d.NotReady = r.clean("the way to the stub" + r.at() + " is not open: " + r.noWay)
		return
	}
	if len(r.c.Rows) == 0 {
		return // nothing was asked for; what was not run is never green
	}
	if len(r.open()) == 0 {
		d.NotReady = "no canary came through: " + r.clean(r.whyNone())
		d.Notes = nil
		return
	}
	r.sync()
	if r.trouble = r.blinded(); r.trouble == "" && r.c.Trouble != nil {
		r.trouble = r.c.Trouble()
	}
	r.judgeWay()
	for _, row := range r.c.Rows {
		r.excuse(row)
		for _, s := range r.seen[row] {
			r.judge(s)
		}
		d.Rows = append(d.Rows, r.row(row))
	}
	if r.c.Hops {
		d.Hops = compare.Hops(r.c.routeNames(), d.Rows)
	}
	d.Findings = append(r.findings(), r.sleepy()...)
	d.Notes = append(d.Notes, r.wayNotes()...)
	d.Notes = append(d.Notes, r.deeds(d.Rows)...)
	d.Notes = append(d.Notes, r.unstreamed()...)
	d.Notes = append(d.Notes, r.elsewhere()...)
	d.Notes = append(d.Notes, r.oldProtocol()...)
	for i := range d.Findings {
		d.Findings[i].Text = r.clean(d.Findings[i].Text)
	}
}

// channelNames gives the channels that decide, which may differ from lane to lane, and all that arrived.
func (r *runner) channelNames() (decide string, arrived []string) {
	var deciding []string
	add := func(list []string, ch ledger.Channel) []string {
		if ch == "" || slices.Contains(list, string(ch)) {
			return list
		}
		return append(list, string(ch))
	}
	for _, l := range r.lanes() {
		deciding = add(deciding, r.channel[l].decides)
		for _, ch := range r.channel[l].arrived {
			arrived = add(arrived, ch)
		}
	}
	return strings.Join(deciding, " + "), arrived
}

// unstreamed says where the layer asks its upstream for a whole answer though the client asked for a stream: the rows of
// that lane show less than they seem to.
func (r *runner) unstreamed() (notes []string) {
	for _, l := range r.lanes() {
		asked, streamed := 0, 0
		for _, row := range r.c.Rows {
			for _, s := range r.seen[row] {
				if row.lane() == l && l.mode == fixture.Stream && len(s.hits) > 0 {
					asked += 1 + s.more
					if s.hits[0].Stream {
						streamed += 1 + s.more
					}
				}
			}
		}
		if streamed < asked {
			notes = append(notes, fmt.Sprintf("%s: in %d of %d requests the layer asked its upstream for no stream though its client did", l, asked-streamed, asked))
		}
	}
	return notes
}

// elsewhere says where the layer asks its upstream at the path of another protocol than its client asked in: the stub answers
// there as well, and no answer that is passed on shows it.
func (r *runner) elsewhere() (notes []string) {
	for _, l := range r.lanes() {
		asked, paths := 0, []string(nil)
		for _, row := range r.c.Rows {
			for _, s := range r.seen[row] {
				if row.lane() != l || len(s.hits) == 0 {
					continue
				}
				if path := pathOfAnother(s.hits[0].Path, l.dialect); path != "" {
					asked += 1 + s.more
					paths = once(paths, path)
				}
			}
		}
		if asked > 0 {
			notes = append(notes, fmt.Sprintf("%s: in %s the layer asked its upstream at …%s, though its client did at …%s",
				l, plural(asked, "request", "requests"), some(paths), l.dialect.Path))
		}
	}
	return notes
}

// pathOfAnother is the path of another protocol that a request came to, whatever stands before it, "" for none.
func pathOfAnother(path string, d *dialects.Dialect) string {
	if strings.HasSuffix(path, d.Path) {
		return ""
	}
	for _, other := range dialects.All() {
		if strings.HasSuffix(path, other.Path) {
			return other.Path
		}
	}
	return ""
}

// oldProtocol names the rows that say less because the layer asks its upstream in HTTP/1.0, as nginx does before
// proxy_http_version 1.1: there the close is how an answer ends, so no layer can tell a cut from an end but by a reset.
func (r *runner) oldProtocol() []string {
	var rows []string
	for _, row := range r.c.Rows {
		if !row.Fixture.ExpectFailure {
			continue
		}
		for _, s := range r.seen[row] {
			if len(s.hits) > 0 && s.hits[0].Served.Proto == "HTTP/1.0" {
				rows = once(rows, r.label(row))
			}
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("in %d rows that expect a failure the layer asked its upstream in HTTP/1.0, where closing is how an answer ends: "+
		"the stub reset the connection instead (nginx: proxy_http_version 1.1)", len(rows))}
}

func (r *runner) row(row Row) record.Row {
	v, why, by := r.settled(row)
	if unable := r.unable(row, v, by); unable != "" {
		v, why = compare.Inconclusive, unable
	}
	f := row.Fixture
	out := record.Row{
		Row: f.Name, Set: r.c.Matrix.Version, Route: row.Route, Mode: string(row.Mode), Asked: row.Dialect.Name, Served: f.Dialect, Hazard: string(f.Hazard),
		Verdict: string(v), Reason: r.clean(why), Class: record.Classes{Fixture: string(f.Class)},
		Observations: []record.Observation{},
	}
	if direct := r.directs[row]; direct != nil {
		out.Class.Direct = string(row.Dialect.Classify(direct).Class)
		out.Direct = r.article(row, direct, r.ids[row], 1)
	}
	for i, s := range r.seen[row] {
		n := len(s.hits)
		if i == 0 || n < out.HitsMin {
			out.HitsMin = n
		}
		out.HitsMax = max(out.HitsMax, n)
		if s.pass == passRepeat && s != by && i > maxRepeats {
			continue // counted in the finding, if there is something to tell
		}
		out.Observations = append(out.Observations, record.Observation{
			Pass: s.pass, Verdict: string(s.judged.Verdict), Provenance: string(s.from), Hits: n, Reason: r.clean(s.judged.Reason),
			ElapsedMS: ms(s.probe.answer.Elapsed()), Decided: s == by,
		})
	}
	if by != nil {
		r.decided(&out, row, by)
		out.Varies = r.varies(row)
	}
	r.tell(row, by)
	return out
}

// tell hands out the answers that a row's verdict rests on.
func (r *runner) tell(row Row, by *seen) {
	if r.c.Decided == nil {
		return
	}
	d := Decided{Row: row, Fixture: row.Fixture.Expected(fixture.NoID, false)}
	if by != nil {
		d.Layer = by.probe.answer
		for _, h := range by.hits {
			d.IDs = append(d.IDs, h.ID)
		}
	}
	r.c.Decided(d)
}

// decided adds what the deciding observation saw.
func (r *runner) decided(out *record.Row, row Row, s *seen) {
	out.Provenance = string(s.from)
	out.HitsAllowed, out.InventedSuccess = s.judged.Allowed, s.judged.InventedSuccess
	out.Fields, out.Omitted = r.fields(row, s)
	out.Layer = r.article(row, s.layer, s.probe.answer.Values("request-id"), len(s.hits))
	made := out.Verdict == string(compare.LayerMade) // else nobody can tell that a layer's own answer is one to this row
	if told := s.from == compare.OwnHit || s.from == compare.Attributed; told && s.judged.Verdict != compare.Inconclusive || made {
		out.Class.Layer = string(s.judged.Class)
		out.Consequence = classify.Consequence(row.Fixture.Class, s.judged.Class)
		if out.Consequence != "" && row.Dialect.Facts(r.expected[row]).InStream {
			out.Consequence += "; " + classify.LateError
		}
	}
	out.Author = r.author(row, s)
	out.Behaviour = r.behaviour(row, s)
	for _, h := range s.hits {
		out.Hits = append(out.Hits, r.hit(h, s.probe.answer.SentAt))
	}
}

func (r *runner) hit(h ledger.Hit, sent time.Time) record.Hit {
	out := record.Hit{
		ID: h.ID, AtMS: ms(h.At.Sub(sent)), Method: r.clean(h.Method), Path: r.clean(h.Path), Model: r.clean(h.Model),
		RetryCount: r.clean(h.RetryCount), Channels: []string{}, Nonce: h.Tag.Nonce, BodyHash: h.BodyHash, Query: r.cleanAll(h.Query),
		Served: record.Served{Proto: h.Served.Proto, Status: h.Served.Status, Encoding: h.Served.Encoding, Framing: h.Served.Framing, Finished: h.Served.Finished},
	}
	for _, c := range h.Channels {
		out.Channels = append(out.Channels, string(c))
	}
	for _, n := range h.Header {
		out.Header = append(out.Header, r.clean(n))
	}
	return out
}

// fields are the keys of a row with their three values, those that differ first.
func (r *runner) fields(row Row, s *seen) (out []record.Field, omitted int) {
	direct := r.directs[row]
	differs := map[string]bool{}
	for i, d := range s.judged.Differences {
		differs[d.Difference.Key] = true
		if i >= maxDifferences {
			omitted++
			continue
		}
		f := record.Field{
			Key: r.clean(d.Difference.Key), Role: string(d.Role), Dir: string(d.Dir), Nuance: string(d.Nuance), Other: r.clean(d.Other), Decides: d.Key != nil,
			Fixture: r.value(r.expected[row], d.Difference.Key), Direct: r.value(direct, d.Difference.Key), Layer: r.value(s.layer, d.Difference.Key),
			Declared: d.Declared,
		}
		f.Remark = r.clean(r.remark(row, &d))
		for _, c := range d.Covers {
			f.Covers = append(f.Covers, string(c))
		}
		out = append(out, f)
	}
	for _, e := range r.expected[row] {
		if got := s.layer.Get(e.Key); !differs[e.Key] && got == e.Value && len(out) < maxFields {
			out = append(out, record.Field{
				Key: e.Key, Role: string(row.Dialect.Role(e.Key)), Fixture: r.value(r.expected[row], e.Key), Direct: r.value(direct, e.Key), Layer: r.value(s.layer, e.Key),
			})
		}
	}
	return out, omitted
}

// value is one value of a key, an object with all that stands below it.
func (r *runner) value(e evidence.Evidence, key string) *record.Value {
	v := e.Get(key)
	switch v.Kind {
	case evidence.Absent:
		return nil
	case evidence.Object:
		v.Text = e.Subtree(key)
	}
	out := &record.Value{Kind: string(v.Kind), Text: r.clean(v.Text)}
	if n := len(out.Text); n > maxText {
		out.Text, out.Cut = out.Text[:maxText], n-maxText
	}
	return out
}

// clean removes secrets.
func (r *runner) clean(s string) string {
	if r.c.Redact == nil || s == "" {
		return s
	}
	return r.c.Redact(s)
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
