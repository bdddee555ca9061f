package report

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/preservecheck/preservecheck/record"
)

// knowable is one difference of one row, or one finding about it.
type knowable struct {
	row, mode, route, key, dir, class string
	value                             *string
	finding                           string
	intermittent                      bool
}

func (d knowable) id() string {
	v := ""
	if d.value != nil {
		v = "=" + *d.value
	}
	return quoteAll([]string{d.route, d.key, d.dir, v, d.class, d.finding, strconv.FormatBool(d.intermittent)})
}

// declarable collects what a known file may hold, and names what it can't excuse.
func declarable(doc *record.Document) (found []knowable, never []string) {
	hopeless := map[string]bool{}
	for i := range doc.Rows {
		r := &doc.Rows[i]
		if why := undeclarable(r); why != "" {
			hopeless[r.Row+" "+r.Mode+" "+r.Route] = true
			never = append(never, r.Row+" ("+r.Mode+"): "+why)
			continue
		}
		found = append(found, sightings(r)...)
		if r.Varies != nil && r.Varies.Omitted > 0 {
			never = append(never, r.Row+" ("+r.Mode+"): "+strconv.Itoa(r.Varies.Omitted)+" more values that differ, of which only a part is kept")
		}
	}
	more, findings := declarableFindings(doc, hopeless)
	return append(found, more...), append(never, findings...)
}

// undeclarable says what stands in the way of declaring a row, "" for nothing.
func undeclarable(r *record.Row) string {
	const invented = "a success that nobody sent"
	switch {
	case r.Verdict == "preserved" || r.Verdict == "declared":
		return ""
	case r.InventedSuccess:
		return invented
	case r.Verdict != "changed" && r.Verdict != "reclassified":
		return r.Verdict
	}
	fields := differences(r)
	if r.Varies != nil {
		for i := range r.Varies.Sightings {
			if r.Varies.Sightings[i].InventedSuccess {
				return invented
			}
			fields = append(fields, &r.Varies.Sightings[i].Field)
		}
	}
	for _, f := range fields {
		switch {
		case strings.ContainsAny(f.Key, "*?[ \t"): // a secret was taken out of it, or it looks like a pattern
			return "the key " + f.Key + " can't be written in a known file"
		case f.Dir != "lost" && isExact(f) && f.Layer != nil && f.Layer.Cut > 0:
			return "the value of " + f.Key + " is too long to be written"
		}
	}
	return ""
}

// sightings are the differences of a row that are not declared yet, each value once.
func sightings(r *record.Row) (out []knowable) {
	if r.Verdict == "preserved" || r.Verdict == "declared" {
		return nil
	}
	if r.Varies == nil {
		class := ""
		if r.Class.Layer != "" && r.Class.Layer != r.Class.Fixture {
			class = r.Class.Fixture + " -> " + r.Class.Layer
		}
		for _, f := range differences(r) {
			if len(f.Declared) == 0 || class != "" {
				out = append(out, knowable{row: r.Row, mode: r.Mode, route: r.Route, key: f.Key, dir: f.Dir, class: class, value: valuePattern(f)})
			}
		}
		return out
	}
	times, listed := map[string]int{}, map[string]bool{}
	always := func(d knowable) string { d.class = ""; return d.id() }
	for i := range r.Varies.Sightings {
		s := &r.Varies.Sightings[i]
		d := knowable{row: r.Row, mode: r.Mode, route: r.Route, key: s.Field.Key, dir: s.Field.Dir, value: valuePattern(&s.Field)}
		if s.Class != "" {
			d.class = r.Class.Fixture + " -> " + s.Class
		}
		times[always(d)] += s.Times
		if !listed[d.id()] && (len(s.Field.Declared) == 0 || s.Class != "") {
			out = append(out, d)
			listed[d.id()] = true
		}
	}
	for i := range out { // values that differ only by an id were put together, so that only now it shows what comes and goes
		out[i].intermittent = times[always(out[i])] < r.Varies.Observations
	}
	return out
}

// isExact reports whether a class rests on the value of a key, so that it is written as it is.
func isExact(f *record.Field) bool {
	switch f.Role {
	case "type", "code", "retry-after", "status":
		return true
	}
	return f.Key == "status" || f.Key == "end" || f.Layer != nil && f.Layer.Kind == "object"
}

// valuePattern is what a client gets, with what the fixture has in it as {original}. Where no class rests on a value, what
// looks like an id of one answer is left open; a long one is left out.
func valuePattern(f *record.Field) *string {
	if f.Layer == nil || f.Dir == "lost" || f.Layer.Cut > 0 {
		return nil
	}
	v := f.Layer.Text
	exact := isExact(f)
	if f.Fixture != nil && !exact && len(f.Fixture.Text) > 3 && f.Fixture.Cut == 0 {
		before, after, ok := strings.Cut(v, f.Fixture.Text)
		if ok {
			v = open(before) + "{original}" + open(after)
			return &v
		}
	}
	if !exact {
		if len(v) > knownValue {
			return nil
		}
		v = open(v)
	}
	return &v
}

// open leaves out what is another one in every answer.
func open(s string) string {
	var b strings.Builder
	for s != "" {
		at := removed().FindStringIndex(s)
		if at == nil {
			at = []int{len(s), len(s)}
		}
		b.WriteString(answerID().ReplaceAllString(s[:at[0]], "{any}") + s[at[0]:at[1]])
		s = s[at[1]:]
	}
	return b.String()
}

// removed is what stands in a record instead of a secret. It stays, since only the same secret may stand there.
var removed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[secret [^\]]+\]`) })

// answerID is eight or more letters and digits in a row, with two digits among them.
var answerID = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[0-9A-Za-z_-]{3,}[0-9][0-9A-Za-z_-]*[0-9][0-9A-Za-z_-]{3,}`)
})
