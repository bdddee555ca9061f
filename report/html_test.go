package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"

	"github.com/preservecheck/preservecheck/record"
)

func renderHTML(t testing.TB, doc record.Document) string {
	t.Helper()
	var b bytes.Buffer
	if err := HTML(&b, doc); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// documents are what the tests below go through: every verdict, everything filled, text of a layer in every slot.
func documents() map[string]record.Document {
	all := map[string]record.Document{
		"green": green(), "red": red(), "stripped": stripped(), "controls": controls(), "interrupted": interrupted(), "hostile": hostile(),
		"full": full(), "nothing": {Format: record.Format}, "streams": streamed(),
	}
	for i, s := range hostileTexts {
		doc := full()
		doc.Rows = append(doc.Rows, streamed().Rows...)
		plantAll(&doc, s)
		all[fmt.Sprintf("planted %d", i)] = doc
	}
	return all
}

// hostileTexts is what could end an element, an attribute, a comment or the style, or fool a reader's eye.
var hostileTexts = []string{
	nasty, `<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onload='alert(1)`, `</style><style>*{display:none}`, `</title><script>`,
	`]]>`, `--><b>`, `javascript:alert(1)`, `{{.Policy}}`, `&lt;b&gt; &amp;amp; &#x3c;`, "\x1b]8;;http://example.org\x07link\x1b]8;;\x07", "\x00", "\u2028\u2029", "\xc0\xaf\xff",
	"\u202eevil\u2066", "\u0085\u009b", "zero\u200b\u200d\ufeffwidth", `![x](http://example.org/x.png) @somebody`, "`", strings.Repeat("a", 3000), "</code></dd></dl></details></main>",
}

// streamed has a stream that lost, gained and changed events, and hits on a time line.
func streamed() record.Document {
	doc := base()
	r := rowOf(&doc, "rate_limit", "stream")
	r.Verdict, r.HitsMin, r.HitsMax, r.HitsAllowed = "retried", 3, 3, 1
	r.Fields = append(r.Fields,
		record.Field{Key: "header/retry-after", Fixture: text("2"), Direct: text("2"), Layer: text("2")},
		record.Field{Key: "stream/events", Dir: "changed", Decides: true, Fixture: &record.Value{Kind: "list", Text: `["message_start","ping","error"]`},
			Layer: &record.Value{Kind: "list", Text: `["message_start","error","message_stop"]`}},
		record.Field{Key: "stream/data/error/error/type", Dir: "lost", Fixture: str("rate_limit_error"), Direct: str("other")})
	for i, at := range []float64{1, 501, 2600} {
		r.Hits = append(r.Hits, record.Hit{ID: fmt.Sprint(i), AtMS: at, Method: "POST", Path: "/v1/messages", Served: record.Served{Proto: "HTTP/1.1", Status: 429, Finished: true}})
	}
	return doc
}

func eachNode(n *html.Node, f func(*html.Node)) {
	f(n)
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		eachNode(c, f)
	}
}

func parsed(t *testing.T, page string) *html.Node {
	t.Helper()
	n, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func textOf(n *html.Node) string {
	var b strings.Builder
	eachNode(n, func(n *html.Node) {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
	})
	return b.String()
}

// readHTML holds a page to its own elements and attributes, and its tags to each other.
func readHTML(t *testing.T, page string) {
	t.Helper()
	wellFormed(t, page)
	eachNode(parsed(t, page), func(n *html.Node) { allowedNode(t, n) })
}

func TestHTMLIsReadBack(t *testing.T) {
	for name, doc := range documents() {
		t.Run(name, func(t *testing.T) { readHTML(t, renderHTML(t, doc)) })
	}
}

// wellFormed goes through the tags as they are written: the parser would mend what is left open.
func wellFormed(t *testing.T, page string) {
	t.Helper()
	var open []string
	z := html.NewTokenizer(strings.NewReader(page))
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		tag, _ := z.TagName()
		switch tag := string(tag); kind {
		case html.StartTagToken:
			if tag != "meta" && tag != "br" {
				open = append(open, tag)
			}
		case html.EndTagToken:
			if len(open) == 0 || open[len(open)-1] != tag {
				t.Fatalf("</%s> where %v is open", tag, open)
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Errorf("%v is never closed", open)
	}
}

// allowed is every element and attribute that the page may have. What carries text of a record, or the name of
// something to load or to run, is none of them.
var allowed = map[string][]string{
	"html": {"lang", "dir"}, "head": nil, "meta": {"charset", "http-equiv", "content", "name"}, "title": nil, "style": nil, "body": nil,
	"a": {"class", "href", "aria-label"}, "header": {"class"}, "nav": {"aria-label"}, "main": {"id", "tabindex"}, "footer": nil, "section": {"aria-labelledby"},
	"article": {"class"}, "div": {"class", "role", "id", "aria-label", "tabindex"}, "p": {"class"}, "h1": nil, "h2": {"id"}, "h3": nil, "h4": nil, "h5": nil,
	"span": {"class", "aria-hidden"}, "strong": nil, "ul": {"class"}, "ol": {"class"}, "li": nil, "dl": {"class"}, "dt": nil, "dd": nil, "pre": {"tabindex"}, "code": {"class"},
	"details": {"class", "open"}, "summary": nil, "table": {"class"}, "thead": nil, "tbody": nil, "tr": {"class"}, "th": {"scope"}, "td": nil, "del": nil, "ins": nil, "br": nil,
	"svg": {"class", "width", "height", "role", "aria-label", "aria-hidden", "focusable"}, "rect": {"class", "x", "y", "width", "height"},
	"line": {"class", "x1", "x2", "y1", "y2"}, "text": {"class", "x", "y", "text-anchor"},
}

func allowedNode(t *testing.T, n *html.Node) {
	t.Helper()
	if n.Type == html.CommentNode {
		t.Errorf("a comment: %.100s", n.Data)
	}
	if n.Type != html.ElementNode {
		return
	}
	attrs, ok := allowed[n.Data]
	if !ok {
		t.Fatalf("the element %s", n.Data)
	}
	for _, a := range n.Attr {
		if !slices.Contains(attrs, a.Key) {
			t.Errorf("the attribute %s of %s", a.Key, n.Data)
		}
		if a.Key == "href" && !inPage(a.Val) {
			t.Errorf("a link to %q", a.Val)
		}
		if a.Key == "class" && strings.ContainsFunc(a.Val, func(r rune) bool { return r != ' ' && !unicode.IsLower(r) }) {
			t.Errorf("the class %q", a.Val)
		}
	}
}

// inPage says that a link leads to a place of this page, by a name of ours.
func inPage(href string) bool {
	return strings.HasPrefix(href, "#") && !strings.ContainsFunc(href[1:], func(r rune) bool { return r != '-' && !unicode.IsLower(r) && !unicode.IsDigit(r) })
}

func TestHTMLPlacesAndHeadings(t *testing.T) {
	for name, doc := range documents() {
		ids, links, level := map[string]bool{}, []string{}, 0
		mains, h1 := 0, 0
		eachNode(parsed(t, renderHTML(t, doc)), func(n *html.Node) {
			if n.Type != html.ElementNode {
				return
			}
			if id := attr(n, "id"); id != "" {
				if ids[id] {
					t.Errorf("%s: the id %s stands twice", name, id)
				}
				ids[id] = true
			}
			for _, key := range []string{"href", "aria-labelledby"} {
				if to := strings.TrimPrefix(attr(n, key), "#"); to != "" {
					links = append(links, to)
				}
			}
			if len(n.Data) == 2 && n.Data[0] == 'h' && n.Data[1] >= '1' && n.Data[1] <= '6' {
				now := int(n.Data[1] - '0')
				if now > level+1 {
					t.Errorf("%s: heading %q of level %d follows one of %d", name, textOf(n), now, level)
				}
				level = now
				if strings.TrimSpace(textOf(n)) == "" {
					t.Errorf("%s: a heading without text", name)
				}
			}
			switch n.Data {
			case "h1":
				h1++
			case "main":
				mains++
			case "th":
				if attr(n, "scope") == "" {
					t.Errorf("%s: a heading of a table without scope: %s", name, textOf(n))
				}
			}
		})
		if mains != 1 || h1 != 1 || len(links) < 4 {
			t.Errorf("%s: %d main, %d h1, %d links", name, mains, h1, len(links))
		}
		for _, to := range links {
			if !ids[to] {
				t.Errorf("%s: a link to #%s, which is not there", name, to)
			}
		}
	}
}

// TestHTMLPolicy: the policy names the digest of the one style, and forbids all else.
func TestHTMLPolicy(t *testing.T) {
	var policy, style string
	styles := 0
	eachNode(parsed(t, renderHTML(t, red())), func(n *html.Node) {
		if n.Data == "meta" && attr(n, "http-equiv") == "Content-Security-Policy" {
			policy = attr(n, "content")
		}
		if n.Data == "style" {
			styles++
			style = textOf(n)
		}
	})
	sum := sha256.Sum256([]byte(style))
	want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
	if policy != want || styles != 1 || len(style) < 1000 {
		t.Errorf("the policy is %s, want %s (%d styles)", policy, want, styles)
	}
	if strings.Contains(style, "url(") || strings.Contains(style, "@import") {
		t.Error("the style loads something")
	}
}

// TestHTMLHidesNothing: nothing that a reader would not see for what it is comes through, wherever it stands.
func TestHTMLHidesNothing(t *testing.T) {
	for name, doc := range documents() {
		page := renderHTML(t, doc)
		for i, r := range page {
			if r != '\n' && hidden(r) || r == unicode.ReplacementChar {
				t.Fatalf("%s: %U in %q", name, r, page[max(0, i-60):i+10])
			}
		}
	}
}

// TestHTMLShowsEverySlot plants a text of its own into each string of a document, one by one, and looks for it.
func TestHTMLShowsEverySlot(t *testing.T) {
	doc := full()
	var paths []string
	eachString(reflect.ValueOf(&doc).Elem(), "", func(path string, _ func() string, _ func(string)) { paths = append(paths, path) })
	for _, want := range []string{".Tool.Name", ".Tool.Version", ".Target.URL", ".Target.StubURL", ".Matrix.Version", ".Profile.Name", ".Channel", ".Settings.FailOn",
		".Settings.Modes[0]", ".Settings.HeadersSent[0]", ".Result.Why", ".Result.Covers", ".Result.Next", ".Notes[0]", ".Findings[0].Text", ".Findings[0].Advice",
		".Findings[0].Kind", ".Excluded[0].Row", ".Excluded[0].Why", ".Proof.Missed[0]", ".Proof.Controls[0].Name", ".Proof.Controls[0].Why", ".Hops[0].At", ".Hops[0].Key",
		".Known.Problems[0]", ".Parts[0].Problem", ".Known.Files[0].Name", ".Classifier.Command", ".Classifier.Failed", ".News.Changes[0].Text", ".News.Untold[0]", ".News.Unequal[0]",
		".News.Old.Layer", ".Rows[0].Row", ".Rows[0].Mode", ".Rows[0].Verdict", ".Rows[0].Reason", ".Rows[0].Consequence", ".Rows[0].Author", ".Rows[0].Behaviour[0]",
		".Rows[0].Class.Layer", ".Rows[0].Provenance", ".Rows[0].Observations[0].Reason", ".Rows[0].Fields[0].Key", ".Rows[0].Fields[0].Layer.Text",
		".Rows[0].Hits[0].Path", ".Rows[0].Hits[0].Model", ".Rows[0].Hits[0].Served.Proto"} {
		if !slices.Contains(paths, want) {
			t.Errorf("there is no %s any more", want)
			continue
		}
		doc := full()
		eachString(reflect.ValueOf(&doc).Elem(), "", func(path string, _ func() string, set func(string)) {
			if path == want {
				set("Zqx7")
			}
		})
		if !strings.Contains(renderHTML(t, doc), "Zqx7") {
			t.Errorf("%s does not stand on the page", want)
		}
	}
}

// TestHTMLSaysWhatTheTextSays: the result, its reason and every verdict are those of the text report.
func TestHTMLSaysWhatTheTextSays(t *testing.T) {
	for name, doc := range map[string]record.Document{"green": green(), "red": red(), "stripped": stripped(), "controls": controls(), "interrupted": interrupted()} {
		page := parsed(t, renderHTML(t, doc))
		all := textOf(page)
		w, why := resultOf(&doc)
		for _, want := range []string{string(w.text), why, doc.Result.Covers, doc.Result.Next, "exit code", advice(doc.Findings)} {
			if !strings.Contains(strings.ToLower(all), strings.ToLower(want)) {
				t.Errorf("%s: no %q on the page", name, want)
			}
		}
		rows := map[string]int{}
		eachNode(page, func(n *html.Node) {
			if n.Data == "details" && strings.HasPrefix(attr(n, "class"), "row") {
				for i := range doc.Rows {
					if r := &doc.Rows[i]; strings.Contains(textOf(n.FirstChild.NextSibling), r.Verdict+" "+r.Row+" "+r.Mode) {
						rows[r.Row+r.Mode]++
					}
				}
			}
		})
		for _, r := range doc.Rows {
			if rows[r.Row+r.Mode] != 1 {
				t.Errorf("%s: %s (%s) stands %d times among the rows", name, r.Row, r.Mode, rows[r.Row+r.Mode])
			}
		}
	}
}

// TestHTMLIsBounded: a record of long values makes a page that a browser can open.
func TestHTMLIsBounded(t *testing.T) {
	computes(t)
	doc := base()
	doc.Rows = nil
	for i := range 60 {
		r := record.Row{Row: fmt.Sprint("row_", i), Mode: "plain", Asked: "anthropic", Served: "anthropic", Verdict: "changed", HitsMin: 1, HitsMax: 1}
		for j := range 20 {
			long := strings.Repeat("long <words> ", 500)
			r.Fields = append(r.Fields, record.Field{Key: fmt.Sprint("error/", j), Dir: "changed", Decides: true, Fixture: str(long + "a"), Direct: str(long + "a"), Layer: str("b" + long)})
		}
		doc.Rows = append(doc.Rows, r)
	}
	if n := len(renderHTML(t, doc)); n > 11<<20 {
		t.Errorf("the page has %d MiB", n>>20)
	}
}

// TestHTMLRepeatsARecipe: the command is the one that started the layer, not the address of one that is gone.
func TestHTMLRepeatsARecipe(t *testing.T) {
	for _, c := range []struct {
		why, recipe, want string
		sources           []record.Source
	}{
		{"a built-in one", "nginx/intercept", "preservecheck check --recipe nginx/intercept --fixture", nil},
		{"a folder", "mine/hiding", "preservecheck check --recipe ./ci/mine/hiding --fixture", []record.Source{{Kind: "recipe", Path: "ci/mine/recipe.yaml"}}},
		{"one with a shell's signs", "mine/$(x)", "preservecheck check --recipe 'mine/$(x)' --fixture", nil},
	} {
		doc := red()
		doc.Recipe, doc.Sources, doc.Command, doc.Result.Next = c.recipe, c.sources, "check", ""
		doc.Target = record.Target{Name: c.recipe, URL: "http://127.0.0.1:1", Routes: []record.Route{{Name: "a", URL: "http://127.0.0.1:1"}}}
		if text := textOf(parsed(t, renderHTML(t, doc))); !strings.Contains(text, c.want) || strings.Contains(text, "--layer") {
			t.Errorf("%s: no %q", c.why, c.want)
		}
	}
}

// TestHTMLCountsOnlyVerdicts: what is counted beside them is no fault and no part of the bar.
func TestHTMLCountsOnlyVerdicts(t *testing.T) {
	doc := green()
	rows := doc.Result.Counts["preserved"]
	doc.Result.Counts = map[string]int{"preserved": rows, "attributed": rows, "excluded": 3}
	page := renderHTML(t, doc)
	if !strings.Contains(page, `<rect class="good" x="0.00%" width="100.00%"`) || strings.Contains(page, `class="badge bad"`) {
		t.Error("rows that passed are shown as something else, too")
	}
}

// thousand is a run of a thousand rows, a fifth of which differ.
func thousand() record.Document {
	doc := base()
	doc.Rows = nil
	for i := range 500 {
		for _, mode := range []string{"plain", "stream"} {
			r := record.Row{Row: fmt.Sprint("fixture_", i, "_429"), Mode: mode, Asked: "anthropic", Served: "anthropic", Verdict: "preserved", Hazard: "limit", HitsMin: 1, HitsMax: 1,
				Class: record.Classes{Fixture: "rate_limit", Direct: "rate_limit", Layer: "rate_limit"}, Provenance: "own-hit",
				Observations: []record.Observation{{Pass: "A", Verdict: "preserved", Hits: 1, ElapsedMS: 1, Decided: true}, {Pass: "B", Verdict: "preserved", Hits: 1}},
				Hits:         []record.Hit{{Method: "POST", Path: "/v1/messages", Model: "claude", Served: record.Served{Proto: "HTTP/1.1", Status: 429, Finished: true}}}}
			for j := range 25 {
				r.Fields = append(r.Fields, record.Field{Key: fmt.Sprint("header/x-", j), Fixture: text("the value"), Direct: text("the value"), Layer: text("the value")})
			}
			if i%5 == 0 {
				r.Verdict, r.Class.Layer, r.Consequence = "reclassified", "unknown_429", "a rate limit now looks like an unclassified 429"
				r.Fields = append(r.Fields, record.Field{Key: "error/message", Dir: "changed", Decides: true, Fixture: str("the fixture " + strings.Repeat("says so ", 20)), Layer: str("the layer " + strings.Repeat("says so ", 20))})
			}
			doc.Rows = append(doc.Rows, r)
		}
	}
	return doc
}

func BenchmarkHTMLThousandRows(b *testing.B) {
	doc := thousand()
	var page bytes.Buffer
	for b.Loop() {
		page.Reset()
		if err := HTML(&page, doc); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(page.Len())/1e6, "MB")
}
