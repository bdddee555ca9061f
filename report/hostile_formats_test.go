package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	gtext "github.com/yuin/goldmark/text"

	"github.com/preservecheck/preservecheck/record"
)

// nastier is nasty, and what a layer could send to fool XML, Markdown, a log of a CI system or a tracker.
const nastier = "|x|\n\n# heading\n- [ ] list\n<script>alert(1)</script> ]]> &amp; &#64;team <!-- comment --> --> ::set-output name=x::y %0A::error::z " +
	"`one` ``two`` ```\n```` ~~~ ![i](http://evil.example/i.png) [l](javascript:x) <http://evil.example> http://evil.example www.evil.example " +
	"@octocat (@octocat) a@evil.example #12 GH-12 owner/repo#1 {0} [1](2) \x1b]8;;http://evil.example\x1b\\here\x1b]8;;\x1b\\ *b* _i_ ~~s~~ $x$ :smile: " +
	"<img src=x onerror=y> 1. one\r\n> quote\n---\n\u2029\u200e\"quotes\" 'single' \\ back`slash" + nasty

var (
	decimalNumber  = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)
	stamp          = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$`)
	escapedSARIF   = regexp.MustCompile(`\\[\\\[\]]|\{\{|\}\}`)
	uri            = regexp.MustCompile(`^[A-Za-z0-9%._~!$&'()*+,;=:@/-]+$`)
	runnerCommand  = regexp.MustCompile(`^::(error|warning|notice) ((?:file=[^:,]*,)?title=[^:,]*)::(.*)\n$`)
	escapedCommand = regexp.MustCompile(`%(25|0D|0A|3A|2C)`)
	sampleLine     = regexp.MustCompile(`^([a-z_]+)(\{[a-z_]+="[a-z_-]+"(?:,[a-z_]+="[a-z_-]+")*\})? ([0-9.e+-]+)$`)
)

// readers parse a format back by the rules of its own readers and complain about what is alive in it.
var readers = map[string]func(t *testing.T, out string){
	"junit": readJUnit, "markdown": readMarkdown, "issue": readMarkdown, "sarif": readSARIF, "github": readGitHub, "prometheus": readPrometheus,
	"html": readHTML, "rules": readRulesFile,
}

// TestHostileTextStaysText plants a hostile text in one string of the record at a time, in every one, and parses every
// format back.
func TestHostileTextStaysText(t *testing.T) {
	computes(t)
	var paths []string
	doc := full()
	eachString(reflect.ValueOf(&doc).Elem(), "", func(path string, _ func() string, _ func(string)) { paths = append(paths, path) })
	if len(paths) < 300 {
		t.Fatalf("only %d strings found: the walk is broken", len(paths))
	}
	read := 0
	for _, planted := range append(paths, "") {
		doc := full()
		eachString(reflect.ValueOf(&doc).Elem(), "", func(path string, _ func() string, set func(string)) {
			if path == planted || planted == "" {
				set(nastier)
			}
		})
		if planted != "" && !strings.HasPrefix(planted, ".News") { // with it, rows are told less of
			doc.News = nil
		}
		for _, f := range Formats() {
			if r := readers[f.Name]; r != nil {
				r(t, written(t, f, doc))
				read++
			}
		}
		if t.Failed() {
			t.Fatalf("planted in %q", planted)
		}
	}
	if read < 8*len(paths) {
		t.Errorf("only %d outputs were read", read)
	}
}

// TestEveryFormatIsReadBack: a new format needs a reader here, or a test of its own kind.
func TestEveryFormatIsReadBack(t *testing.T) {
	for _, f := range Formats() {
		if readers[f.Name] == nil && !slices.Contains([]string{"text", "json", "known"}, f.Name) {
			t.Errorf("no test parses %s back", f.Name)
		}
	}
}

func written(t testing.TB, f Format, doc record.Document) string {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b, doc); err != nil {
		t.Fatal(err)
	}
	out := b.String()
	if !utf8.ValidString(out) {
		t.Errorf("%s is not UTF-8", f.Name)
	}
	if i := strings.IndexFunc(out, func(r rune) bool { return r != '\n' && hidden(r) }); i >= 0 {
		t.Errorf("%s: invisible or control character at %q", f.Name, out[i:min(len(out), i+20)])
	}
	if f.Name != "markdown" && f.Name != "issue" && strings.Contains(out, "##") {
		t.Errorf("%s: ## would start a command", f.Name)
	}
	if f.Name != "github" {
		for l := range strings.Lines(out) {
			if strings.HasPrefix(strings.TrimLeft(l, " "), "::") {
				t.Errorf("%s: a workflow command: %q", f.Name, l)
			}
		}
	}
	return out
}

// shape is what JUnit's two schemas accept together: the order of elements, their attributes, and which are needed.
var shape = map[string]struct{ children, attrs, needs string }{
	"testsuites": {"testsuite*", "", ""},
	"testsuite": {"properties testcase* system-out system-err", "name package id timestamp hostname tests failures errors skipped time",
		"name package id timestamp hostname tests failures errors time"},
	"properties": {"property*", "", ""},
	"property":   {"", "name value", "name value"},
	"testcase":   {"skipped|error|failure", "name classname time", "name classname time"},
	"skipped":    {"", "", ""},
	"error":      {"", "type message", "type"},
	"failure":    {"", "type message", "type"},
	"system-out": {"", "", ""},
	"system-err": {"", "", ""},
}

func readJUnit(t *testing.T, out string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(out))
	var open []string
	children := [][]string{nil}
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("not XML: %v", err)
		}
		switch e := tok.(type) {
		case xml.StartElement:
			children[len(children)-1] = append(children[len(children)-1], e.Name.Local)
			open, children = append(open, e.Name.Local), append(children, nil)
			mustHaveAttributes(t, e)
		case xml.EndElement:
			mustHaveChildren(t, e.Name.Local, children[len(children)-1])
			open, children = open[:len(open)-1], children[:len(children)-1]
		case xml.Comment, xml.Directive:
			t.Errorf("a comment or directive: %q", e)
		}
	}
	if len(open) > 0 || len(children[0]) != 1 || children[0][0] != "testsuites" {
		t.Errorf("the document has %v", children[0])
	}
}

func mustHaveAttributes(t *testing.T, e xml.StartElement) {
	s, ok := shape[e.Name.Local]
	if !ok {
		t.Errorf("an element %s", e.Name.Local)
	}
	have := map[string]string{}
	for _, a := range e.Attr {
		if !slices.Contains(strings.Fields(s.attrs), a.Name.Local) {
			t.Errorf("%s has an attribute %s", e.Name.Local, a.Name.Local)
		}
		have[a.Name.Local] = a.Value
	}
	for _, n := range strings.Fields(s.needs) {
		if _, ok := have[n]; !ok {
			t.Errorf("%s has no %s", e.Name.Local, n)
		}
	}
	for _, n := range []string{"time", "tests", "failures", "errors", "skipped", "id"} {
		if v, ok := have[n]; ok && !decimalNumber.MatchString(v) {
			t.Errorf("%s is %q", n, v)
		}
	}
	if v, ok := have["timestamp"]; ok && !stamp.MatchString(v) {
		t.Errorf("the timestamp is %q", v)
	}
	if v, ok := have["name"]; ok && strings.TrimSpace(v) == "" {
		t.Errorf("%s has an empty name", e.Name.Local)
	}
}

func mustHaveChildren(t *testing.T, name string, have []string) {
	pattern := ""
	for _, c := range strings.Fields(shape[name].children) {
		switch {
		case strings.Contains(c, "|"):
			pattern += "((" + c + ") )?"
		case strings.HasSuffix(c, "*"):
			pattern += "(" + strings.TrimSuffix(c, "*") + " )*"
		default:
			pattern += c + " "
		}
	}
	list := ""
	for _, h := range have {
		list += h + " "
	}
	if !regexp.MustCompile("^" + pattern + "$").MatchString(list) {
		t.Errorf("%s has the elements %q", name, list)
	}
	if name == "properties" && len(have) == 0 {
		t.Error("properties is empty, which Jenkins' schema refuses")
	}
}

// ours are the nodes that a report of ours is made of. Links, images, HTML and all else can only have come from a record.
var ours = []ast.NodeKind{ast.KindDocument, ast.KindHeading, ast.KindParagraph, ast.KindText, ast.KindCodeSpan, ast.KindFencedCodeBlock,
	ast.KindList, ast.KindListItem, ast.KindTextBlock, ast.KindEmphasis, extast.KindTable, extast.KindTableHeader, extast.KindTableRow, extast.KindTableCell}

func readMarkdown(t *testing.T, out string) {
	t.Helper()
	src := []byte(out)
	tree := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(gtext.NewReader(src))
	_ = ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		if !slices.Contains(ours, n.Kind()) {
			t.Errorf("a node of kind %s: %q", n.Kind(), excerpt(out, n))
		}
		switch x := n.(type) {
		case *ast.CodeSpan:
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			mustBeDull(t, string(x.Segment.Value(src)))
		case *ast.Emphasis:
			if x.Level != 2 {
				t.Error("emphasis that is not ours")
			}
		case *ast.Heading:
			if x.Level > 3 {
				t.Error("a heading that is not ours")
			}
		case *extast.TableRow:
			if x.ChildCount() != 2 {
				t.Errorf("a row of %d cells", x.ChildCount())
			}
		}
		return ast.WalkContinue, nil
	})
}

func excerpt(out string, n ast.Node) string {
	if p := n.Parent(); p != nil && p.Type() == ast.TypeBlock && p.Lines().Len() > 0 {
		s := p.Lines().At(0)
		return out[s.Start:min(s.Stop, s.Start+300)]
	}
	return ""
}

// mustBeDull holds text outside of code against what GitHub and GitLab find in it.
func mustBeDull(t *testing.T, s string) {
	t.Helper()
	for _, sign := range []string{"@", "://", "www.", "#", "<", "&", "|", "[", "]", "`", "*", "~", "GH-", "$", "\\", ":smile:"} {
		if strings.Contains(s, sign) {
			t.Errorf("%q stands outside of code in %q", sign, s)
		}
	}
}

func readSARIF(t *testing.T, out string) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(out))
	d.DisallowUnknownFields()
	var log sarifLog
	if err := d.Decode(&log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	seen := map[string]bool{}
	for _, r := range run.Results {
		if r.Index < 0 || run.Tool.Driver.Rules[r.Index].ID != r.Rule {
			t.Errorf("rule %s has the index %d", r.Rule, r.Index)
		}
		id := r.Fingerprints["preservecheck/v1"]
		if len(id) != 32 || seen[id] {
			t.Errorf("the fingerprint %q is none, or is one of two", id)
		}
		seen[id] = true
		rest := escapedSARIF.ReplaceAllString(r.Message.Text, "")
		if strings.ContainsAny(rest, `[]{}`) || rest == "" && r.Message.Text == "" {
			t.Errorf("a link or placeholder in %q", r.Message.Text)
		}
		for _, l := range r.Locations {
			if l.Physical != nil && !uri.MatchString(l.Physical.Artifact.URI) {
				t.Errorf("no URI: %q", l.Physical.Artifact.URI)
			}
		}
	}
}

// readGitHub reads lines as the runner does: a command is what stands between the first two "::".
func readGitHub(t *testing.T, out string) {
	t.Helper()
	n := map[string]int{}
	for l := range strings.Lines(out) {
		m := runnerCommand.FindStringSubmatch(l)
		if m == nil {
			t.Errorf("not one command: %q", l)
			continue
		}
		n[m[1]]++
		if rest := escapedCommand.ReplaceAllString(m[2]+m[3], ""); strings.Contains(rest, "%") {
			t.Errorf("a bare %% in %q", l)
		}
		if strings.Contains(m[3], "%0A") || strings.Contains(m[3], "%0D") {
			t.Errorf("a line break in %q", l)
		}
	}
	if n["error"] > mostAnnotations || n["warning"] > mostAnnotations || n["notice"] > mostAnnotations {
		t.Errorf("more than GitHub shows: %v", n)
	}
}

func readPrometheus(t *testing.T, out string) {
	t.Helper()
	typed := ""
	seen := map[string]bool{}
	for l := range strings.Lines(out) {
		l = strings.TrimSuffix(l, "\n")
		switch {
		case strings.HasPrefix(l, "# HELP preservecheck_"):
		case strings.HasPrefix(l, "# TYPE preservecheck_"):
			typed = strings.Fields(l)[2]
		default:
			m := sampleLine.FindStringSubmatch(l)
			if m == nil || m[1] != typed || seen[m[1]+m[2]] {
				t.Errorf("not a sample, not one of %s, or a second one: %q", typed, l)
				continue
			}
			seen[m[1]+m[2]] = true
		}
	}
}

// TestMetricsAreAClosedList: whatever a record says, the series are the same.
func TestMetricsAreAClosedList(t *testing.T) {
	series := func(doc record.Document) (out []string) {
		for l := range strings.Lines(written(t, Format{"prometheus", "", Prometheus}, doc)) {
			if at := strings.LastIndex(l, " "); l[0] != '#' {
				out = append(out, l[:at])
			}
		}
		return out
	}
	doc := full()
	plantAll(&doc, nastier)
	if want := series(green()); !slices.Equal(series(doc), want) || len(want) < 100 {
		t.Errorf("other series:\n%v\n%v", series(doc), want)
	}
}

func FuzzFormats(f *testing.F) {
	for _, s := range []string{nastier, "", "`", "``", "a`", "|", "%", "]]>", "{", "1.", "- ", "(((", "`(`", "\\", "@a", "a|b`"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		doc := red()
		doc.Rows[0].Row, doc.Rows[0].Reason, doc.Result.Why, doc.Target.Name, doc.Notes = s, s, s, s, []string{s}
		doc.Rows[0].Fields[1].Fixture, doc.Rows[0].Fields[1].Direct, doc.Rows[0].Fields[1].Key = str(s), str(s), s
		doc.Findings[0].Text, doc.Findings[0].Advice, doc.Findings[0].Rows = s, s, []string{s}
		doc.Sources = []record.Source{{Kind: "target", Path: s}}
		for _, x := range Formats() {
			if r := readers[x.Name]; r != nil {
				r(t, written(t, x, doc))
			}
		}
		if t.Failed() {
			t.Fatalf("%q", s)
		}
	})
}
