package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/preservecheck/preservecheck/record"
)

// Of a Markdown report: how long it may be, how long one part of it, and how much of the whole is kept for its end. A
// comment on GitHub may have 65,536 characters and a step summary 1 MiB.
// Source: GitHub docs, "Workflow commands", step summary limits; the limit of comments is what the API answers with; both
// read 2026-11-30.
const (
	markdownSize = 60_000 // bytes
	markdownPart = 6_000
	markdownTail = 2_000
)

// Markdown writes a run for the summary of a CI job or a comment: the result, the numbers, and then what fails, worst
// first, until the room is used up; how much was left out is said. Text of the record stands in code, where Markdown
// reads nothing.
func Markdown(w io.Writer, doc record.Document) error {
	routeless(&doc)
	m := &markdown{}
	m.head(&doc)
	for _, part := range markdownParts(&doc) {
		m.part(part)
	}
	m.tail(&doc)
	_, err := io.WriteString(w, m.b.String())
	return err
}

type markdown struct {
	b    strings.Builder
	left int // parts that there was no room for
}

func (m *markdown) head(doc *record.Document) {
	word, why := resultOf(doc)
	fmt.Fprintf(&m.b, "## %s: preservecheck of %s\n\nResult: %s\n\n", prose(word.text), code(brief(subject(doc.Target), 120)), prose(brief(why, 800)))
	m.counts(doc)
}

// counts is the table of verdicts, worst first.
func (m *markdown) counts(doc *record.Document) {
	if len(doc.Rows) == 0 {
		return
	}
	n := map[string]int{}
	for i := range doc.Rows {
		n[verdictName(doc.Rows[i].Verdict)]++
	}
	m.b.WriteString("| verdict | rows |\n|---|---:|\n")
	for _, v := range append([]string{"other"}, worstFirst...) {
		if n[v] > 0 {
			fmt.Fprintf(&m.b, "| %s | %d |\n", v, n[v])
		}
	}
	m.b.WriteString("\n")
}

// part adds one part if there is room for it. A smaller one behind it is not taken instead: what is shown is the worst.
func (m *markdown) part(text string) {
	if m.left > 0 || m.b.Len()+len(text) > markdownSize-markdownTail {
		m.left++
		return
	}
	m.b.WriteString(text + "\n")
}

func (m *markdown) tail(doc *record.Document) {
	if m.left > 0 {
		fmt.Fprintf(&m.b, "**%d more parts are left out**, because this report would be too long; the record (json) has all of them.\n\n", m.left)
	}
	if n := len(doc.Excluded); n > 0 {
		fmt.Fprintf(&m.b, "Not run, because excluded: %d.\n\n", n)
	}
	if doc.Result.Covers != "" && !unended(doc) {
		fmt.Fprintf(&m.b, "Covers: %s\n\n", prose(brief(doc.Result.Covers, 900)))
	}
	fmt.Fprintf(&m.b, "Exit %d, %s\n", doc.Result.Exit, code(brief(doc.Tool.Name+" "+doc.Tool.Version, 80)))
}

// markdownParts are the parts between head and tail, worst first.
func markdownParts(doc *record.Document) (out []string) {
	var loose, mild []item
	for _, it := range items(doc) {
		switch {
		case it.row != nil:
		case it.standing == passed:
			mild = append(mild, it)
		default:
			loose = append(loose, it)
		}
	}
	out = append(out, markdownItems(loose)...)
	if doc.News == nil {
		out = append(out, markdownRows(doc)...)
	}
	out = append(out, markdownItems(mild)...)
	if text := sheet(func(p *page) { p.hops(doc) }); text != "" {
		out = append(out, "### where in the chain\n\n"+fenced(short(text)))
	}
	for _, n := range doc.Notes {
		out = append(out, "- note: "+prose(brief(n, 600))+"\n")
	}
	return out
}

func markdownItems(all []item) (out []string) {
	for _, it := range all {
		text := "- **" + it.kind + "**"
		if it.name != "" {
			text += " " + code(brief(it.name, 100))
		}
		text += ": " + prose(brief(it.text, 900))
		if it.standing == passed {
			text += " (does not fail the run)"
		}
		if it.advice != "" {
			text += "\n  - advice: " + prose(brief(it.advice, 600))
		}
		out = append(out, text+"\n")
	}
	return out
}

// markdownRows tells the rows that do not pass as the text report does: what reads the same stands together.
func markdownRows(doc *record.Document) (out []string) {
	told := map[int]bool{}
	for _, g := range groups(doc.Rows) {
		if passes(g[0][0]) {
			continue
		}
		one := *doc
		one.Rows, one.Advice = nil, adviceOn(doc.Advice, told, "", g.all()...)
		for _, e := range g {
			for _, r := range e {
				one.Rows = append(one.Rows, *r)
			}
		}
		title := verdictName(g[0][0].Verdict) + ": " + string(count(g.rows(), "row"))
		text := sheet(func(p *page) { p.rows(&one) })
		out = append(out, "### "+title+", "+code(cut(units(string(g.names())), 80))+"\n\n"+fenced(short(text)))
	}
	return out
}

// sheet is what a part of the text report writes.
func sheet(write func(*page)) string {
	p := newPage(TextOptions{})
	write(p)
	return strings.Trim(p.buf.String(), "\n")
}

// short keeps the beginning of a text of lines, and says what is left out.
func short(text string) string {
	if len(text) <= markdownPart {
		return text
	}
	lines := slices.Collect(strings.Lines(text))
	used := 0
	for i, l := range lines {
		if used += len(l); used > markdownPart {
			return strings.Join(lines[:i], "") + string(count(len(lines)-i, "line")) + " more, left out here"
		}
	}
	return text
}
