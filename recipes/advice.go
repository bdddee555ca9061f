package recipes

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/record"
)

// Advice is a likely cause of what a row or a finding shows, and what to do about it.
type Advice struct {
	Finding   string // kind of the finding that it is about; "" for one about rows
	Key       string // pattern of the key that differs; "" when Verdict says it all
	Direction string // lost, changed, invented; "" for each
	Verdict   string // of the row: layer-made, retried ...; "" for each that fails
	Status    int    // that the fixture has; 0 for each
	Value     string // pattern of the value that came through the layer; "" for each
	Variant   string // "" for each
	Cause     string
	Remedy    string
	Source    string // URL
	Date      string // when the source was read or the cause measured
}

type rawAdvice struct {
	Finding, Key, Direction, Verdict, Status, Value, Variant, Cause, Remedy, Source, Date fixture.Node
}

var (
	directions = []string{"lost", "changed", "invented"}
	verdicts   = []string{"broken", "layer-made", "reclassified", "changed", "retried"}
	findings   = []string{"layer-state", "crosstalk", "cached", "intermittent", "unexplained-hits", "dirty-way", "slept"}
)

func (l *loader) advice(r *Recipe, n *fixture.Node) {
	for _, item := range l.list(nil, n, "advice", false) {
		var raw rawAdvice
		if !l.Decode(item, &raw) {
			continue
		}
		a := Advice{
			Finding: l.choice(&raw.Finding, "finding", findings), Key: l.glob(&raw.Key, "key"), Direction: l.choice(&raw.Direction, "direction", directions), Verdict: l.choice(&raw.Verdict, "verdict", verdicts),
			Value: l.glob(&raw.Value, "value"), Variant: l.choice(&raw.Variant, "variant", r.VariantNames()),
			Cause: l.line(item, &raw.Cause, "cause"), Remedy: l.line(item, &raw.Remedy, "remedy"),
			Source: l.source(item, &raw.Source), Date: l.date(item, &raw.Date),
		}
		if fixture.Present(&raw.Status) {
			a.Status = l.status(&raw.Status)
		}
		ofRow := a.Key != "" || a.Verdict != "" || a.Direction != "" || a.Value != "" || a.Status != 0
		if a.Finding != "" && ofRow {
			l.Bad(item, "advice is for rows or for a finding", "remove finding, or all of key, direction, value, verdict and status")
		}
		if a.Finding == "" && a.Key == "" && a.Verdict == "" {
			l.Bad(item, "advice for nothing", "say which key differs, which verdict the row has, or which finding it is for")
		}
		if a.Key == "" && (a.Direction != "" || a.Value != "") {
			l.Bad(item, "direction and value are those of a key", "add key")
		}
		r.Advice = append(r.Advice, a)
	}
}

// status reads the status that a fixture must have.
func (l *loader) status(n *fixture.Node) int {
	code, err := strconv.Atoi(n.Value)
	if err != nil || code < 100 || code > 999 {
		l.Bad(n, fmt.Sprintf("%q is no status", n.Value), "write it like 429")
	}
	return code
}

func (l *loader) glob(n *fixture.Node, key string) string {
	s := l.optional(n, key)
	if _, err := path.Match(s, ""); err != nil {
		l.Bad(n, fmt.Sprintf("%q is no pattern", s), "use * and ?")
	}
	return s
}

func (l *loader) choice(n *fixture.Node, key string, of []string) string {
	s := l.optional(n, key)
	if s != "" && !slices.Contains(of, s) {
		l.Bad(n, fmt.Sprintf("unknown %s %q", key, s), "write "+strings.Join(of, ", "))
	}
	return s
}

// Advise lists the advice for what fails in a run through a variant, each once: for its rows, that of the worst first, and
// then for its findings. Of several for one key of a row, or for one kind of finding, the first in the file is meant, so the
// special stands before the general.
func (r *Recipe) Advise(variant string, rows []record.Row, findings []record.Finding) (out []record.Advice) {
	at := map[int]int{}
	for _, row := range failing(rows) {
		explained := map[string]bool{}
		for j := range r.Advice {
			a := &r.Advice[j]
			key, ok := a.fits(variant, row, explained)
			if !ok {
				continue
			}
			explained[key] = true
			where := record.RowName{Row: row.Row, Mode: row.Mode, Route: row.Route}
			if k, again := at[j]; again {
				out[k].Rows = append(out[k].Rows, where)
				continue
			}
			at[j] = len(out)
			out = append(out, record.Advice{Key: key, Cause: a.Cause, Remedy: a.Remedy, Source: a.Source, Date: a.Date, Rows: []record.RowName{where}})
		}
	}
	return append(out, r.adviseOn(variant, findings)...)
}

// adviseOn lists the advice for kinds of findings.
func (r *Recipe) adviseOn(variant string, findings []record.Finding) (out []record.Advice) {
	explained := map[string]bool{}
	for _, f := range findings {
		for i := range r.Advice {
			a := &r.Advice[i]
			if !f.Fails || explained[f.Kind] || a.Finding != f.Kind || a.Variant != "" && a.Variant != variant {
				continue
			}
			explained[f.Kind] = true
			out = append(out, record.Advice{Finding: f.Kind, Cause: a.Cause, Remedy: a.Remedy, Source: a.Source, Date: a.Date})
		}
	}
	return out
}

// failing are the rows to explain, worst first.
func failing(rows []record.Row) (out []*record.Row) {
	for i := range rows {
		if slices.Contains(verdicts, rows[i].Verdict) {
			out = append(out, &rows[i])
		}
	}
	slices.SortStableFunc(out, func(a, b *record.Row) int {
		return slices.Index(verdicts, a.Verdict) - slices.Index(verdicts, b.Verdict)
	})
	return out
}

// fits reports whether the advice is for a row, and for which key of it that no other has explained.
func (a *Advice) fits(variant string, row *record.Row, explained map[string]bool) (key string, ok bool) {
	if a.Finding != "" || a.Variant != "" && a.Variant != variant || a.Verdict != "" && a.Verdict != row.Verdict || a.Status != 0 && a.Status != statusOf(row) {
		return "", false
	}
	if a.Key == "" {
		return "", !explained[""]
	}
	for i := range row.Fields {
		f := &row.Fields[i]
		if f.Dir == "" || !f.Decides || a.Direction != "" && a.Direction != f.Dir {
			continue
		}
		if a.Value != "" && (f.Layer == nil || !like(a.Value, f.Layer.Text)) {
			continue
		}
		if !explained[f.Key] && like(a.Key, f.Key) {
			return f.Key, true
		}
	}
	return "", false
}

// statusOf is the status that the stub sent.
func statusOf(row *record.Row) int {
	if row.Direct == nil {
		return 0
	}
	return row.Direct.Status
}

// like matches a pattern in which * stands for anything, slashes included.
func like(pattern, text string) bool {
	ok, err := path.Match(strings.ReplaceAll(pattern, "/", "\x01"), strings.ReplaceAll(text, "/", "\x01"))
	return err == nil && ok
}
