package target

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/preservecheck/preservecheck/fixture"
)

const goodFile = `format: preservecheck.target/1
name: gateway
version: 1.2.3
hops: true
routes:
  - name: edge
    url: https://edge.example/anthropic
    dialect: anthropic
    model: claude-{fixture}
    channel: model
    headers:
      - authorization: Bearer $EDGE_KEY
      - x-team: blue
      - x-team: 7
  - name: gw.1
    url: http://user:hunter222@127.0.0.1:4000
`

func TestLoad(t *testing.T) {
	got, err := Load("t.yaml", []byte(goodFile))
	if err != nil {
		t.Fatal(err)
	}
	if got.Name != "gateway" || got.Version != "1.2.3" || !got.Hops || len(got.Routes) != 2 {
		t.Errorf("%+v", got)
	}
	edge, gw := got.Routes[0], got.Routes[1]
	want := []Header{{"authorization", Text{"Bearer $EDGE_KEY", "t.yaml:12:24"}}, {"x-team", Text{"blue", "t.yaml:13:17"}}, {"x-team", Text{"7", "t.yaml:14:17"}}}
	if d := cmp.Diff(want, edge.Headers); d != "" {
		t.Errorf("headers keep order, duplicates and places (-want +have):\n%s", d)
	}
	if edge.Base.Path != "/anthropic" || edge.Dialect.Name != "anthropic" || edge.Model != "claude-{fixture}" || edge.Channel.Value != "model" {
		t.Errorf("%+v", edge)
	}
	if gw.Name != "gw.1" || gw.Dialect.Name != DefaultDialect || gw.Channel.Value != "auto" || gw.Base.User != "user:hunter222" || gw.URL.At != "t.yaml:16:10" {
		t.Errorf("%+v", gw)
	}
}

// refused are edits of goodFile: what is replaced, by what, the error, and why. The schema has to refuse those without
// a reason in reader.
var refused = []struct {
	old, new, want, why string
	reader              bool // only the reader can tell
}{
	{"target/1", "target/2", `t.yaml:1:9: format "preservecheck.target/2" is not "preservecheck.target/1" (write format: preservecheck.target/1)`, "another version may mean another thing", false},
	{"format: preservecheck.target/1\n", "", "t.yaml:1:1: format is missing (add format)", "a file of another kind", false},
	{"name: gateway\n", "", "t.yaml:1:1: name is missing (add name)", "a report has to name what it is about", false},
	{"name: gateway", "name: ''", "t.yaml:2:7: name is empty (write a value)", "empty is not absent", false},
	{"name: gateway", "name: [a]", "t.yaml:2:7: name is not text (write one value, in quotes if it has special characters)", "a name is text", false},
	{"name: gateway", `name: "a\nb"`, "t.yaml:2:7: name has a control character (write one line of text)", "a report prints it", false},
	{"name: gateway", "name: " + strings.Repeat("a", 201), "t.yaml:2:7: name has 201 bytes, more than 200 (shorten it)", "it stands in every head", false},
	{"version: 1.2.3", "version:", "t.yaml:3:9: version is empty (write a value)", "null is not absent", false},
	{"hops: true", "hops: 1", "t.yaml:4:7: hops is neither true nor false (write hops: true, or remove it)", "a truth value", false},
	{"hops: true", "hosp: true", `t.yaml:4:1: unknown key "hosp" (correct its spelling or remove it)`, "a typo is not ignored", false},
	{"hops: true", "start: [gateway]", "t.yaml:4:8: a target never starts anything (remove start, and start the layer yourself before the check)", "nobody would start it", false},
	{"    dialect: anthropic", "    start: x", "t.yaml:8:12: a target never starts anything (remove start, and start the layer yourself before the check)", "nor a route", false},
	{goodFile[strings.Index(goodFile, "routes:"):], "routes: []\n", "t.yaml:5:9: no routes (add a route with a name and a url)", "nothing to check", false},
	{goodFile[strings.Index(goodFile, "routes:"):], "routes: none\n", "t.yaml:5:9: routes is not a list (write each item behind a dash)", "a list", false},
	{goodFile[strings.Index(goodFile, "routes:"):], "", "t.yaml:1:1: routes is missing (add routes)", "nothing to check", false},
	{goodFile[strings.Index(goodFile, "  - name: gw.1"):], "", "t.yaml:4:7: hops of one route (name two or more points of the chain, client first)", "one point is no chain", false},
	{"- name: gw.1", "- dialect: openai-chat\n    name: gw.1", "t.yaml:4:7: hops with different dialects (points of one chain are asked in one dialect)", "no row would have a partner", true},
	{"- name: gw.1", "- name: edge", `t.yaml:15:11: duplicate name "edge", first in line 6 (give each route its own name)`, "rows are told apart by it", true},
	{"- name: gw.1", "- name: 'gw (1)'", `t.yaml:15:11: bad name "gw (1)" (use 1 to 40 letters, digits and ._-, the first a letter or digit)`, "reports put names into parentheses", false},
	{"- name: gw.1", "- model: x", "t.yaml:15:5: name is missing (add name)", "rows are told apart by it", false},
	{"- name: gw.1", "- nmae: gw", `t.yaml:15:5: unknown key "nmae" (correct its spelling or remove it)`, "a typo in a route", false},
	{"    url: http://user:hunter222@127.0.0.1:4000\n", "", "t.yaml:15:5: url is missing (add url)", "where to?", false},
	{"https://edge", "ftp://edge", `t.yaml:7:10: url: the base URL's scheme "ftp" is neither http nor https: use one of these (write it like http://127.0.0.1:8080 or https://gateway.example/anthropic)`, "only HTTP is checked", false},
	{"127.0.0.1:4000", "127.0.0.1:port", "t.yaml:16:10: url: ", "a port is a number, and credentials are not shown", true},
	{"dialect: anthropic", "dialect: antropic", `t.yaml:8:14: unknown dialect "antropic" (write anthropic or openai-chat or openai-responses)`, "no such protocol", false},
	{"channel: model", "channel: modell", `t.yaml:10:14: unknown channel "modell" (write auto, marker, model, header, path, armed or header:NAME)`, "no such channel", false},
	{"channel: model", "channel: 'header:a b'", `t.yaml:10:14: "a b" is no name of a header (write channel: header:x-my-fixture)`, "a header's name is a token", false},
	{"claude-{fixture}", "claude", "t.yaml:10:14: the channel model needs {fixture} in the model's name (write it like model: claude-{fixture})", "nothing would arrive", true},
	{"- x-team: blue", "- {a: 1, b: 2}", "t.yaml:13:9: a header is one name with one value (write - name: value, one pair a line)", "order would be lost", false},
	{"- x-team: blue", "- x-team: [blue]", "t.yaml:13:17: header x-team has no text as its value (write one value, in quotes if it is empty)", "a value is text", false},
	{"- x-team: blue", "- x-team:", "t.yaml:13:16: header x-team has no text as its value (write one value, in quotes if it is empty)", "null is not empty", false},
	{"- x-team: blue", "- 'x team': blue", "t.yaml:13:9: the name of a header is no HTTP token (use letters, digits and -)", "a name is a token", false},
	{"- x-team: blue", "- Content-Length: 1", "t.yaml:13:9: header Content-Length is set by preservecheck itself (remove it)", "it delimits the request", false},
	{"- x-team: blue", `- x-team: "a\r\nb: c"`, "t.yaml:13:17: the value of header x-team has a control character (remove line ends, NUL and the like)", "it would write a header of its own", true},
	{"headers:\n", "headers: {a: b}\n    header:\n", `t.yaml:12:5: unknown key "header" (correct its spelling or remove it)`, "a typo beside", false},
	{"hops: true", "a: &x 1", "t.yaml:4:4: an anchor: &x (remove it and write values out)", "files are read strictly", false},
}

func TestLoadRefuses(t *testing.T) {
	for _, c := range refused {
		if !strings.Contains(goodFile, c.old) {
			t.Fatalf("%s: %q does not stand in the file", c.why, c.old)
		}
		_, err := Load("t.yaml", []byte(strings.Replace(goodFile, c.old, c.new, 1)))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s\n got %v\nwant %s", c.why, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "hunter222") {
			t.Errorf("%s: the message shows a password: %v", c.why, err)
		}
	}
}

func TestLoadBounds(t *testing.T) {
	route := func(n string) string { return "  - {name: r" + n + ", url: 'http://h'}\n" }
	many := "format: " + Format + "\nname: a\nroutes:\n"
	for i := range 33 {
		many += route(strings.Repeat("x", i))
	}
	headers := strings.Replace(goodFile, "      - x-team: 7\n", strings.Repeat("      - x-team: 7\n", 50), 1)
	for why, c := range map[string][2]string{
		"each route is asked for every row":       {many, "33 routes, more than 32"},
		"a server refuses such a request anyhow":  {headers, "52 headers, more than 50"},
		"all problems are told, not just the one": {strings.NewReplacer("anthropic\n    model", "x\n    model", "gw.1", "edge").Replace(goodFile), "unknown dialect \"x\" (write anthropic or openai-chat or openai-responses)\nt.yaml:15:11: duplicate"},
	} {
		if _, err := Load("t.yaml", []byte(c[0])); err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%s: %v, want %s", why, err, c[1])
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(goodFile))
	for _, c := range refused {
		f.Add([]byte(strings.Replace(goodFile, c.old, c.new, 1)))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := Load("t.yaml", b)
		if err != nil {
			var p *fixture.Problem
			if !errors.As(err, &p) || !strings.HasPrefix(err.Error(), "t.yaml:") {
				t.Fatalf("an error without a place: %v", err)
			}
			return
		}
		if got.Name == "" || len(got.Routes) == 0 || len(got.Routes) > maxRoutes {
			t.Fatalf("half a target: %+v", got)
		}
		for _, r := range got.Routes {
			if !goodName().MatchString(r.Name) || r.Base.Host == "" || r.Dialect == nil || r.Channel.Value == "" {
				t.Fatalf("half a route: %+v", r)
			}
			for _, h := range r.Headers {
				if !isToken(h.Name) || strings.ContainsAny(h.Value.Value, "\r\n\x00") {
					t.Fatalf("a header that writes others: %+v", h)
				}
			}
		}
	})
}
