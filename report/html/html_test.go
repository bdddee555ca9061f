package html

import (
	"errors"
	"fmt"
	stdhtml "html"
	"strings"
	"testing"

	xhtml "golang.org/x/net/html"
)

func written(t testing.TB, body ...Node) string {
	t.Helper()
	var b strings.Builder
	if err := Page(&b, "title", body...); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// found reads a page as a browser would and gives the elements of a name.
func found(t testing.TB, page, name string) (out []*xhtml.Node) {
	t.Helper()
	root, err := xhtml.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type == xhtml.ElementNode && n.Data == name {
			out = append(out, n)
		}
	}
	return out
}

// FuzzText: whatever a text is, a browser reads it as that text, between tags, in a title and in an attribute. What a
// reader of HTML changes by itself (line ends, NUL, bytes that are not UTF-8) does not reach this package.
func FuzzText(f *testing.F) {
	for _, s := range []string{"plain", `<script>alert(1)</script>`, `"><img src=x onerror=y>`, `' onload='x`, "&lt; &amp;amp; &#x3c; &notit;", "</p></title></style>", "<!-- -->", "]]>", "+ADw-b+AD4-", "`=/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(strings.NewReplacer("\x00", "", "\r", "").Replace(s), "")
		var b strings.Builder
		if err := Page(&b, "t"+s, P(Label(s), Class(s), Text("p"+s)), A(To(s), ID(s))); err != nil {
			t.Fatal(err)
		}
		page := b.String()
		if want := "<p aria-label=\"" + stdhtml.EscapeString(s) + `"`; !strings.Contains(page, want) {
			t.Errorf("%q is not written as the standard library would: %s", s, want)
		}
		p, a, title := found(t, page, "p"), found(t, page, "a"), found(t, page, "title")
		if len(p) != 1 || len(a) != 1 || len(title) != 1 {
			t.Fatalf("%q became elements: %s", s, page)
		}
		want := []xhtml.Attribute{{Key: "aria-label", Val: s}, {Key: "class", Val: s}}
		if p[0].FirstChild.Data != "p"+s || p[0].FirstChild.NextSibling != nil || fmt.Sprint(p[0].Attr) != fmt.Sprint(want) {
			t.Errorf("%q was read as %q %q", s, p[0].FirstChild.Data, p[0].Attr)
		}
		if title[0].FirstChild.Data != "t"+s {
			t.Errorf("the title %q was read as %q", s, title[0].FirstChild.Data)
		}
		want = []xhtml.Attribute{{Key: "href", Val: "#" + s}, {Key: "id", Val: s}}
		if fmt.Sprint(a[0].Attr) != fmt.Sprint(want) {
			t.Errorf("%q was read as %q", s, a[0].Attr)
		}
	})
}

func TestWritten(t *testing.T) {
	for _, c := range []struct {
		why  string
		node Node
		want string
	}{
		{"five signs are written as others", P(Text(`a & b < c > d " e ' f`)), "<p>a &amp; b &lt; c &gt; d &#34; e &#39; f</p>\n"},
		{"in an attribute, too", Span(Class(`" x='<`)), `<span class="&#34; x=&#39;&lt;"></span>`},
		{"nothing is nothing", Join(Node{}, If(false, P()), Each([]int{}, func(int) Node { return P() })), ""},
		{"an attribute that is only there at times", Join(Span(If(true, Class("a")), Text("x")), Span(If(false, Class("a")), Text("x"))),
			`<span class="a">x</span><span>x</span>`},
		{"an attribute behind text is still one of the tag", Span(Text("x"), ID("y")), `<span id="y">x</span>`},
		{"an attribute is that of its own element alone", Span(Strong(ID("y"))), `<span><strong id="y"></strong></span>`},
		{"a flag has no value", Details(Open()), "<details open>\n</details>\n"},
		{"no end where there is none", Join(Br(), Rect(X("1%"))), `<br><rect x="1%"/>`},
		{"a link stays on the page", A(To("https://example.org")), `<a href="#https://example.org"></a>`},
		{"one of each", Each([]string{"a", "b"}, func(s string) Node { return Li(Text(s)) }), "<li>a</li><li>b</li>"},
	} {
		got := written(t, c.node)
		_, got, _ = strings.Cut(got, "<body>\n")
		if got, _, _ = strings.Cut(got, "</body>"); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

var errFull = errors.New("full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestPageTellsOfErrors(t *testing.T) {
	if err := Page(full{}, "title"); !errors.Is(err, errFull) {
		t.Errorf("the error is %v", err)
	}
}
