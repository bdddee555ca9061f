//go:build real && linux

package real_test

import (
	"bytes"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/report"
)

// pictures is where the pages are photographed to, for an eye to judge what no test can.
var pictures = flag.String("pictures", "", "write screenshots of the HTML reports into this `folder`")

// layersToSee are runs that fill every part of the page.
var layersToSee = []struct{ why, layer string }{
	{"all is green", "control:identity"},
	{"keys are lost, and the class with them", "control:drop-details"},
	{"requests on a time line", "control:retry-twice"},
	{"answers of the layer's own, findings and advice", "control:cooldown"},
	{"text with something before it", "control:prefix-message"},
	{"headers in all three lists", "control:change-retry-after"},
	{"streams that go on otherwise", "control:finish-stream"},
}

// rowsToSee keeps the pages small enough to be laid out many times.
var rowsToSee = []string{"--fixture", "tier_cap", "--fixture", "tier_cap_wait_429", "--fixture", "rate_limit", "--fixture", "details_rich_429", "--fixture", "validation_400",
	"--fixture", "stream_cap_mid", "--fixture", "stream_fin_mid", "--fixture", "headroom_80_sse", "--fixture", "long_400"}

// TestHTMLInABrowser opens real reports at the widths of a phone and of a desk, in both schemes of colours.
func TestHTMLInABrowser(t *testing.T) {
	if err := watchSources(); err != nil {
		t.Fatal(err)
	}
	b := browse(t)
	for _, c := range layersToSee {
		url := served(t, htmlOf(t, c.layer, rowsToSee...))
		b.screen(360, 900, "light")
		b.open(url)
		b.fits(c.layer + ", rows closed")
		b.eval("document.querySelectorAll('details').forEach(d => d.open = true)", nil)
		for _, width := range []int{360, 375, 768, 1280} {
			b.screen(width, 900, "light")
			b.fits(fmt.Sprintf("%s (%s), %d wide", c.layer, c.why, width))
		}
		for _, scheme := range []string{"light", "dark"} {
			b.screen(1280, 900, scheme)
			for _, faint := range b.faint() {
				t.Errorf("%s %s: %s", c.layer, scheme, faint)
			}
		}
		if pdf := b.print(); !bytes.HasPrefix(pdf, []byte("%PDF-")) || len(pdf) < 20_000 {
			t.Errorf("%s: printed it has %d bytes", c.layer, len(pdf))
		}
		for _, complaint := range b.complaints() {
			t.Errorf("%s: %s", c.layer, complaint)
		}
		if *pictures != "" {
			b.photograph(url, strings.TrimPrefix(c.layer, "control:"))
		}
	}
}

// photograph writes pictures of a page as it opens, at both widths and in both schemes, and its print.
func (b *browser) photograph(url, name string) {
	b.t.Helper()
	for _, width := range []int{375, 1280} {
		for _, scheme := range []string{"light", "dark"} {
			b.screen(width, 900, scheme)
			b.open(url)
			b.picture(filepath.Join(*pictures, fmt.Sprintf("%s-%d-%s.png", name, width, scheme)), width, scheme)
		}
	}
	if err := os.WriteFile(filepath.Join(*pictures, name+".pdf"), b.print(), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// TestHTMLByKeyboard goes through a page without a mouse.
func TestHTMLByKeyboard(t *testing.T) {
	if err := watchSources(); err != nil {
		t.Fatal(err)
	}
	b := browse(t)
	b.screen(1280, 900, "light")
	b.open(served(t, htmlOf(t, "control:drop-details")))
	b.press("Tab", 9)
	var at string
	b.eval("document.activeElement.className + ' ' + (document.activeElement.getBoundingClientRect().left >= 0)", &at)
	if at != "skip true" {
		t.Errorf("the first stop is %q, want the link that skips the menu, on the screen", at)
	}
	var outline string
	b.eval("getComputedStyle(document.activeElement).outlineStyle + ' ' + getComputedStyle(document.activeElement).outlineWidth", &outline)
	if outline != "solid 3px" {
		t.Errorf("where the focus is can't be seen: outline %q", outline)
	}
	var open [2]bool
	b.eval(`(async () => {
		const last = [...document.querySelectorAll('details.row')].pop(), before = last.open;
		location.hash = last.querySelector('.body').id;
		await new Promise(done => setTimeout(done, 300));
		return [before, last.open];
	})()`, &open)
	if open != [2]bool{false, true} {
		t.Errorf("a link to a closed row: before it was open %v, then %v", open[0], open[1])
	}
}

// TestHTMLOfAHostileRecord shows a browser what a layer could send to break out of the page.
func TestHTMLOfAHostileRecord(t *testing.T) {
	if err := watchSources(); err != nil {
		t.Fatal(err)
	}
	called := make(chan string, 100)
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { called <- r.URL.Path }))
	defer thief.Close()
	b := browse(t)
	for _, text := range []string{
		`<script src="URL/a"></script><script>document.title="pwned"</script>`, `"><img src=URL/b onerror="document.title='pwned'">`, `' onload='document.title="pwned"`,
		`</style><link rel=stylesheet href=URL/c><style>@import url(URL/d)`, `</title><meta http-equiv=refresh content="0;url=URL/e">`, `javascript:document.title='pwned'`,
		`--><iframe src=URL/f></iframe>`, `<base href=URL/><svg onload=document.title='pwned'>`, `{{.Policy}}<form action=URL/g>`, "</code></details></main><h1>PASS</h1>",
	} {
		doc := hostileRecord(strings.ReplaceAll(text, "URL", thief.URL))
		var page bytes.Buffer
		if err := report.HTML(&page, doc); err != nil {
			t.Fatal(err)
		}
		b.open(served(t, page.Bytes()))
		b.eval("document.querySelectorAll('details').forEach(d => d.open = true)", nil)
		var seen struct {
			Title    string
			Elements int
			H1       int
		}
		b.eval(`({Title: document.title, H1: document.querySelectorAll('h1').length,
			Elements: document.querySelectorAll('script, img, iframe, link, base, form, object, embed, [onload], [onerror], [style]').length})`, &seen)
		if strings.HasPrefix(seen.Title, "pwned") || seen.Elements > 0 || seen.H1 != 1 {
			t.Errorf("%s: %+v", text, seen)
		}
		for _, complaint := range b.complaints() {
			t.Errorf("%s: %s", text, complaint)
		}
	}
	close(called)
	for path := range called {
		t.Errorf("the page asked for %s", path)
	}
}

// hostileRecord has a text in every slot that a layer, a file or a record can fill.
func hostileRecord(s string) record.Document {
	value := &record.Value{Kind: s, Text: s}
	text := &record.Value{Kind: "string", Text: s}
	row := record.Row{Row: s, Route: s, Mode: s, Asked: s, Served: "x", Verdict: s, Reason: s, Consequence: s, Author: s, Behaviour: []string{s},
		Provenance: s, Class: record.Classes{Fixture: s, Layer: s + "x", Direct: s}, HitsMin: 2, HitsMax: 2,
		Observations: []record.Observation{{Pass: s, Verdict: s, Reason: s, Decided: true}},
		Hits:         []record.Hit{{Method: s, Path: s, Model: s, RetryCount: s, Served: record.Served{Proto: s, Encoding: s}}, {AtMS: 5}},
		Fields: []record.Field{
			{Key: "header/" + s, Dir: "lost", Decides: true, Fixture: text}, {Key: "header/x", Dir: "changed", Fixture: text, Direct: value, Layer: value, Remark: s},
			{Key: s, Dir: s, Nuance: s, Other: s, Decides: true, Covers: []string{s}, Fixture: text, Layer: value, Declared: []string{s}},
			{Key: "stream/events", Dir: "changed", Fixture: &record.Value{Kind: "array", Text: `["a"]`}, Layer: &record.Value{Kind: "array", Text: fmt.Sprintf("[%q]", s)}},
			{Key: s + "same", Fixture: text, Direct: text, Layer: text}, {Key: "header/retry-after", Fixture: &record.Value{Kind: "text", Text: "7"}},
		}}
	return record.Document{Format: record.Format, Command: "check", Tool: record.Tool{Name: s, Version: s}, Target: record.Target{Name: s, URL: s, Control: s, StubURL: s},
		Matrix: record.Matrix{Version: s, Narrowed: s}, Profile: record.Profile{Name: s, Keys: []string{s}}, Channel: s, Rows: []record.Row{row},
		Settings: record.Settings{Modes: []string{s}, Dialects: []string{s}, Hazards: []string{s}, FailOn: s, HeadersSent: []string{s}},
		Excluded: []record.Excluded{{Row: s, Mode: s, Why: s}}, Findings: []record.Finding{{Kind: s, Text: s, Rows: []string{s}, Advice: s, Fails: true}},
		Proof: record.Proof{Missed: []string{s}, Pairs: 1, Controls: []record.Control{{Name: s, Why: s, Missed: 1, Had: []string{s}}}}, Notes: []string{s},
		Result: record.Result{Word: s, Why: s, Covers: s, Next: s, Counts: map[string]int{s: 1}},
		Hops:   []record.Hop{{Key: s, Dir: s, At: s, Next: s, Rows: []string{s}}}, Known: &record.Known{Problems: []string{s}, Files: []record.KnownFile{{Name: s}}},
		Classifier: &record.Classifier{Command: s, Failed: s, Rows: []record.OwnClass{{Row: s, Mode: s, Fixture: s, Layer: s + "x", Changes: true}}},
		News:       &record.News{Old: record.Side{Layer: s}, Changes: []record.Change{{What: s, Text: s, Row: s}}, Untold: []string{s}, Unequal: []string{s}}}
}

// htmlOf runs the program and gives the page that it wrote.
func htmlOf(t *testing.T, layer string, args ...string) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	out, err := exec.Command(binary, append([]string{"check", "--layer", layer, "-o", "html=" + file}, args...)...).CombinedOutput()
	page, readErr := os.ReadFile(file)
	if readErr != nil || !bytes.Contains(page, []byte("<h1>")) {
		t.Fatalf("%s: %v, %v\n%s", layer, err, readErr, out)
	}
	return page
}

// served gives a page on the loopback interface, where a request for anything else would be seen.
func served(t *testing.T, page []byte) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/"
}

// fits holds that nothing has to be scrolled sideways but what scrolls in a box of its own. The width is the one that was
// asked for: on a phone window.innerWidth grows with a page that is too wide.
func (b *browser) fits(where string) {
	b.t.Helper()
	var size struct {
		Scroll int
		Wide   string
	}
	b.eval(strings.ReplaceAll(`({Scroll: document.documentElement.scrollWidth, Wide: [...document.querySelectorAll('main *')]
		.filter(e => !e.closest('.scroll, pre, svg') && e.getBoundingClientRect().right > WIDTH + 1)
		.slice(0, 3).map(e => e.outerHTML.slice(0, 160)).join('\n')})`, "WIDTH", strconv.Itoa(b.width)), &size)
	if size.Scroll > b.width || size.Wide != "" {
		b.t.Errorf("%s: the page is %d wide on a screen of %d: %s", where, size.Scroll, b.width, size.Wide)
	}
}

// faint lists texts whose contrast against their ground is below 4.5 to 1.
// Source: Web Content Accessibility Guidelines 2.2, 1.4.3 and the definition of relative luminance, read 2026-11-30.
func (b *browser) faint() (all []string) {
	b.t.Helper()
	b.eval(`(() => {
		const rgb = c => (c.match(/[\d.]+/g) || []).map(Number);
		const light = c => rgb(c).slice(0, 3).map(x => x / 255).map(x => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4)
			.reduce((sum, x, i) => sum + x * [0.2126, 0.7152, 0.0722][i], 0);
		const ground = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor, a = rgb(c)[3]; if (a === undefined || a > 0) return c; } return 'rgb(255,255,255)'; };
		const seen = new Set(), faint = [];
		const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
		for (let n; (n = walk.nextNode());) {
			const e = n.parentElement, s = getComputedStyle(e);
			if (!n.data.trim()) continue;
			const front = e.closest('svg') ? s.fill : s.color, back = ground(e), key = front + back;
			if (seen.has(key)) continue;
			seen.add(key);
			const [a, b] = [light(front), light(back)].sort((x, y) => y - x), ratio = (a + 0.05) / (b + 0.05);
			if (ratio < 4.5) faint.push(ratio.toFixed(2) + ' for ' + front + ' on ' + back + ': ' + e.outerHTML.slice(0, 120));
		}
		if (seen.size < 3) faint.push('only ' + seen.size + ' pairs of colours: nothing was looked at');
		return faint;
	})()`, &all)
	return all
}
