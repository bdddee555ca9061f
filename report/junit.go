package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/preservecheck/preservecheck/record"
)

// What follows keeps to what both schemas accept that JUnit's readers are built to: that of Jenkins' xUnit plugin and that
// of Windy Road. So testsuites has no attributes, every suite has properties, system-out and system-err, and skipped has
// text instead of a message. Source: jenkinsci/xunit-plugin junit-10.xsd and windyroad/JUnit-Schema JUnit.xsd, read
// 2026-11-30.

type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name       string          `xml:"name,attr"`
	Package    string          `xml:"package,attr"`
	ID         int             `xml:"id,attr"`
	Timestamp  string          `xml:"timestamp,attr"`
	Hostname   string          `xml:"hostname,attr"`
	Tests      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Errors     int             `xml:"errors,attr"`
	Skipped    int             `xml:"skipped,attr,omitempty"`
	Time       string          `xml:"time,attr"`
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`
	Out        string          `xml:"system-out"`
	Err        string          `xml:"system-err"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Time    string        `xml:"time,attr"`
	Skipped *string       `xml:"skipped"`
	Error   *junitProblem `xml:"error"`
	Failure *junitProblem `xml:"failure"`
}

type junitProblem struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",cdata"`
}

// JUnit writes a run as test suites: its result, its rows, what it found beside them, and what was excluded. A row that
// fails is a failure, what could not be told an error; skipped is only what was excluded. The case "result" fails or errs
// with the exit code, so the file is green if and only if the run is.
func JUnit(w io.Writer, doc record.Document) error {
	routeless(&doc)
	result, rows, others, excluded := newSuite("result"), newSuite("rows"), newSuite("findings"), newSuite("excluded")
	result.add(resultCase(&doc))
	for _, it := range items(&doc) {
		if it.row != nil {
			rows.add(itemCase(&doc, it))
			continue
		}
		others.add(itemCase(&doc, it))
	}
	for _, e := range doc.Excluded {
		why := "excluded: " + Plain(e.Why)
		excluded.add(junitCase{Name: Plain(nameOf(e.Row, e.Mode, e.Route)), Time: "0.0000", Skipped: &why})
	}
	all := junitSuites{}
	for _, s := range []*suite{result, rows, others, excluded} {
		if s.Tests == 0 {
			continue
		}
		all.Suites = append(all.Suites, s.finished(&doc, len(all.Suites)))
	}
	raw, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("the run can't be written as XML: %w", err)
	}
	_, err = io.WriteString(w, xml.Header+string(raw)+"\n")
	return err
}

// suite is a suite being put together.
type suite struct {
	junitSuite
	seen map[string]int
}

func newSuite(name string) *suite {
	return &suite{junitSuite: junitSuite{Name: name}, seen: map[string]int{}}
}

// add counts a case and gives it a name that no other has: readers take two of one name for one.
func (s *suite) add(c junitCase) {
	c.Class = "preservecheck." + s.Name
	if c.Name == "" {
		c.Name = "(unnamed)"
	}
	if s.seen[c.Name]++; s.seen[c.Name] > 1 {
		c.Name = fmt.Sprintf("%s #%d", c.Name, s.seen[c.Name])
	}
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
	s.Tests++
	s.Cases = append(s.Cases, c)
}

// finished fills in what all suites have. Names of machines are nobody's business, so the host is the one that the schema
// proposes where there is none.
func (s *suite) finished(doc *record.Document, id int) junitSuite {
	out := s.junitSuite
	out.ID, out.Package, out.Hostname, out.Time = id, "preservecheck", "localhost", "0.0000"
	out.Timestamp = doc.Started.UTC().Format("2006-01-02T15:04:05")
	if s.Name == "rows" {
		out.Time = seconds(doc.DurationMS)
	}
	about := facts(doc)
	if id > 0 {
		about = about[:1] // said once is enough, but one of the schemas wants at least one
	}
	for _, p := range about {
		out.Properties = append(out.Properties, junitProperty{p.name, Plain(p.value)})
	}
	return out
}

// named is a fact about a run under a name of ours.
type named struct{ name, value string }

// facts are what a reader has to know of a run besides its rows. No address is among them.
func facts(doc *record.Document) (out []named) {
	for _, f := range []named{
		{"tool", strings.TrimSpace("preservecheck " + doc.Tool.Version)}, {"layer", subject(doc.Target)}, {"matrix", doc.Matrix.Version},
		{"profile", doc.Profile.Name}, {"channel", doc.Channel}, {"covers", doc.Result.Covers},
	} {
		if f.value != "" {
			out = append(out, f)
		}
	}
	return out
}

func resultCase(doc *record.Document) junitCase {
	c := junitCase{Name: "result of the run", Time: seconds(doc.DurationMS)}
	w, why := resultOf(doc)
	p := &junitProblem{Type: "result", Message: Plain(why), Text: string(w.text) + "\n" + Plain(why) + "\n" + Plain(doc.Result.Covers) + "\n"}
	switch doc.Result.Exit {
	case 0:
	case 1:
		c.Failure = p
	default:
		c.Error = p
	}
	return c
}

func itemCase(doc *record.Document, it item) junitCase {
	c := junitCase{Name: Plain(it.name), Time: "0.0000"}
	if it.row != nil {
		c.Time = seconds(elapsed(it.row))
	} else {
		c.Name = string(list(nonEmpty(safe(it.kind), plain(it.name), brief(it.text, 100)), ": "))
	}
	if it.standing == passed {
		return c
	}
	p := &junitProblem{Type: it.kind, Message: string(brief(it.text, 500)), Text: told(doc, it)}
	if it.standing == failed {
		c.Failure = p
	} else {
		c.Error = p
	}
	return c
}

// told is an item in the words of the text report: a row with its values, anything else with its advice.
func told(doc *record.Document, it item) string {
	if it.row == nil {
		text := Plain(it.text) + "\n"
		if it.advice != "" {
			text += "advice: " + Plain(it.advice) + "\n"
		}
		return text
	}
	one := *doc
	one.Rows = []record.Row{*it.row}
	p := newPage(TextOptions{})
	p.rows(&one)
	return p.buf.String()
}

// elapsed is how long the observation took that gave a row its verdict, in milliseconds.
func elapsed(r *record.Row) float64 {
	for _, o := range r.Observations {
		if o.Decided {
			return o.ElapsedMS
		}
	}
	if len(r.Observations) > 0 {
		return r.Observations[0].ElapsedMS
	}
	return 0
}

func seconds(ms float64) string { return fmt.Sprintf("%.4f", ms/1000) }

func nonEmpty(parts ...safe) (out []safe) {
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return out
}
