package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/preservecheck/preservecheck/record"
)

// mostSections is how many faults a report for a tracker tells: nobody reads more at once.
const mostSections = 12

// Issue writes a report for the tracker of the layer's project, in Markdown: which versions, by which route, and for each
// fault one section with an example: what was sent, what the provider's side answered, and what came through. It is meant
// to be read by its sender first. No address of a layer and no value of a header that a client sent is in it; the record
// has no secrets to begin with.
func Issue(w io.Writer, doc record.Document) error {
	routeless(&doc)
	var b strings.Builder
	groups := sameFaults(providerFaults(&doc))
	fmt.Fprintf(&b, "# %s: errors of the provider do not come through as they were sent\n\n", code(brief(layerName(doc.Target), 120)))
	if len(groups) == 0 {
		word, why := resultOf(&doc)
		fmt.Fprintf(&b, "There is nothing to report: no fault of the layer was shown. The result of the run: %s, %s\n", prose(word.text), prose(brief(why, 600)))
		_, err := io.WriteString(w, b.String())
		return err
	}
	issueHead(&b, &doc, len(groups))
	told := map[int]bool{}
	for i, g := range groups[:min(len(groups), mostSections)] {
		fmt.Fprintf(&b, "## %d. %s\n\n", i+1, sectionTitle(g[0]))
		section(&b, &doc, g)
		for _, a := range adviceOn(doc.Advice, told, g[0].key, faultRows(g)...) {
			fmt.Fprintf(&b, "A likely cause: %s. A remedy: %s. Source: %s, read or measured %s.\n\n", prose(brief(a.Cause, 400)), prose(brief(a.Remedy, 400)),
				code(brief(a.Source, 200)), prose(brief(a.Date, 12)))
		}
	}
	if left := len(groups) - mostSections; left > 0 {
		fmt.Fprintf(&b, "%d more kinds of faults were found, and are left out here.\n\n", left)
	}
	b.WriteString("No real provider was involved: a stub in its place served these synthetic answers, and each was fetched directly and through the gateway.\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// providerFaults are the faults of the layer. What could not be told, or is the user's own affair, is nothing to report; that
// a worker acts differently is told with the evidence whose loss makes it do so.
func providerFaults(doc *record.Document) []fault {
	return slices.DeleteFunc(faults(doc), func(f fault) bool {
		follows := f.row != nil && f.kind == "reclassified" && len(differing(f.row)) > 0
		return f.standing != failed || f.kind == "known-entry" || f.kind == "own-class" || follows
	})
}

// layerName is a layer's name without its address, which is nobody else's business.
func layerName(t record.Target) string {
	if t.Control == "" && (t.Name == "" || t.Name == t.URL || strings.Contains(t.Name, "://")) {
		return strings.TrimSpace("the gateway " + t.Version)
	}
	return subject(t)
}

func issueHead(b *strings.Builder, doc *record.Document, n int) {
	fmt.Fprintf(b, "Found: %s, each with an example below.\n\n", count(n, "kind")+" of fault")
	fmt.Fprintf(b, "- gateway: %s\n", code(brief(layerName(doc.Target), 120)))
	fmt.Fprintf(b, "- checked with: %s, matrix %s, profile %s, clients speak %s\n", code(brief(doc.Tool.Name+" "+doc.Tool.Version, 80)),
		code(brief(doc.Matrix.Version, 60)), code(brief(doc.Profile.Name, 60)), code(brief(doc.Settings.ClientProtocol, 20)))
	fmt.Fprintf(b, "- dialects: %s; requests: %s\n", code(brief(strings.Join(doc.Settings.Dialects, ", "), 120)), code(brief(strings.Join(doc.Settings.Modes, ", "), 60)))
	for _, r := range doc.Target.Routes {
		fmt.Fprintf(b, "- route %s: dialect %s, model %s\n", code(brief(r.Name, 80)), code(brief(r.Dialect, 40)), code(brief(r.Model, 80)))
	}
	fmt.Fprintf(b, "- rows: %d, of which %d came through unchanged\n", len(doc.Rows), preserved(doc))
	if doc.Incomplete {
		b.WriteString("- INCOMPLETE: the run was interrupted, and there may be more\n")
	}
	b.WriteByte('\n')
}

func preserved(doc *record.Document) (n int) {
	for i := range doc.Rows {
		if passes(&doc.Rows[i]) {
			n++
		}
	}
	return n
}

func sectionTitle(f fault) string {
	k := kindOf(f.kind)
	switch {
	case f.key != "":
		return code(cut(units(f.key), 80)) + " is " + k.name
	case f.row != nil && f.row.Class.Layer != "" && f.row.Class.Layer != f.row.Class.Fixture && f.kind == "reclassified":
		return k.short + ": " + code(brief(f.row.Class.Fixture, 40)) + " becomes " + code(brief(f.row.Class.Layer, 40))
	}
	return k.short
}

func section(b *strings.Builder, doc *record.Document, g []fault) {
	f := g[0]
	fmt.Fprintf(b, "%s\n\n", kindOf(f.kind).help)
	if rows, left := namesOf(g, 8); len(rows) > 0 {
		coded := make([]string, len(rows))
		for i, r := range rows {
			coded[i] = code(brief(r, 100))
		}
		if left > 0 {
			coded = append(coded, string(num(left)+" more"))
		}
		fmt.Fprintf(b, "Seen in %s: %s\n\n", count(len(g), "answer"), strings.Join(coded, ", "))
	}
	fmt.Fprintf(b, "What happens: %s\n\n", prose(brief(f.text, 900)))
	r := f.row
	if r == nil {
		return
	}
	if c := r.Class; f.key != "" && c.Layer != "" && c.Layer != c.Fixture {
		fmt.Fprintf(b, "A client that tells errors apart reads %s as %s.\n\n", code(brief(c.Fixture, 60)), code(brief(c.Layer, 60)))
	}
	if r.Consequence != "" && f.key != "" {
		fmt.Fprintf(b, "What follows: %s\n\n", prose(brief(r.Consequence, 600)))
	}
	fmt.Fprintf(b, "Example %s. What was sent:\n\n%s\n", code(brief(f.name, 100)), fenced(requestBlock(r)))
	fmt.Fprintf(b, "Answer of the provider's side, fetched directly:\n\n%s\n", fenced(answerBlock(r, func(f *record.Field) *record.Value { return f.Direct }, r.Direct)))
	fmt.Fprintf(b, "Answer through the gateway:\n\n%s\n", fenced(answerBlock(r, func(f *record.Field) *record.Value { return f.Layer }, r.Layer)))
	if doc.Settings.MaxLayerRetries >= 0 || r.HitsMax != 1 {
		if h := hits(r); h != "" {
			fmt.Fprintf(b, "Requests: %s\n\n", prose(h))
		}
	}
}

func faultRows(fs []fault) (out []*record.Row) {
	for _, f := range fs {
		if f.row != nil {
			out = append(out, f.row)
		}
	}
	return out
}

// requestBlock is the request as curl -v would show it. What it held beside its model is the same for all, and no header's
// value is kept.
func requestBlock(r *record.Row) string {
	var b strings.Builder
	method, path, model := "POST", "(the path of the "+r.Asked+" API)", "(as configured)"
	if len(r.Hits) > 0 {
		method, path = r.Hits[0].Method, r.Hits[0].Path
		if r.Hits[0].Model != "" {
			model = r.Hits[0].Model
		}
	}
	fmt.Fprintf(&b, "> %s %s HTTP/1.1\n> content-type: application/json\n> (the provider's key header: removed)\n>\n", brief(method, 20), brief(path, 200))
	fmt.Fprintf(&b, "> {\"model\": %s, \"stream\": %t, a short user message}\n", cut(quoted(model), 120), r.Mode == "stream")
	return b.String()
}

// answerBlock is an answer as curl -i would show it, put together from its evidence: status, headers, and then the parts
// of the body or stream by their keys.
func answerBlock(r *record.Row, of func(*record.Field) *record.Value, e *record.Evidence) string {
	var head, body strings.Builder
	if e == nil || e.Status == 0 && e.End != "ok" {
		return "(no answer)"
	}
	fmt.Fprintf(&head, "HTTP %d\n", e.Status)
	marked := func(f *record.Field) string {
		if f.Dir != "" && f.Decides {
			return "  <--"
		}
		return ""
	}
	for i := range r.Fields {
		f := &r.Fields[i]
		v := of(f)
		name, isHeader := strings.CutPrefix(f.Key, "header/")
		switch {
		case f.Key == "status" || !shownInAnswer(f):
		case isHeader && v != nil:
			fmt.Fprintf(&head, "%s: %s%s\n", cut(units(name), 80), brief(v.Text, 300), marked(f))
		case isHeader && f.Dir != "":
			fmt.Fprintf(&head, "(no header %s)%s\n", cut(units(name), 80), marked(f))
		case v != nil || f.Dir != "":
			s := valueOf(v)
			fmt.Fprintf(&body, "%s: %s%s%s\n", cut(units(f.Key), 80), cut(s.units, 700), s.after, marked(f))
		}
	}
	return head.String() + "\n" + body.String()
}

// shownInAnswer leaves out what is told twice: the members of an object that is shown as a whole, unless they differ.
func shownInAnswer(f *record.Field) bool {
	return f.Dir != "" || f.Key == "error" || f.Key == "body" || strings.HasPrefix(f.Key, "header/") || f.Key == "end" || strings.HasPrefix(f.Key, "stream/")
}
