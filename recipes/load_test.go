package recipes

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

const goodRecipe = `format: preservecheck.recipe/1
name: thing
what: a gateway
homepage: https://example.org/
versions: ["1.2.3"]
install:
  debian: apt-get install thing
  npm: npm ci --prefix {install}
packages: [lock.json]
version:
  command: [thing, -v, "{install}/thing.json"]
  pattern: 'thing/([0-9.]+)'
command: [thing, -c, "{dir}/thing.conf", "{install}/thing"]
files:
  thing.tmpl: etc/thing.conf
env:
  THING_HOME: "{dir}"
inherit: [NODE_PATH]
ports: [admin]
ready: http://127.0.0.1:{port_admin}/health
routes:
  - name: thing
    url: http://127.0.0.1:{port}
    model: claude-{fixture}
channels: [marker]
quirks:
  - It sleeps.
check:
  settle: 8s
  rate: 5
set:
  extra: ""
  mode: pass
variants:
  default:
    why: the honest one
    good: true
  bad:
    why: the other one
    good: false
    set:
      extra: |
        hide {stub_host};
        twice;
    env:
      THING_BAD: "1"
    check:
      rate: 2
    routes:
      - name: other
        url: http://127.0.0.1:{port}/other
advice:
  - key: error*
    direction: lost
    status: 429
    variant: bad
    cause: it hides
    remedy: let it not
    source: https://example.org/hide
    date: 2026-11-30
  - verdict: retried
    cause: it retries
    remedy: stop it
    source: https://example.org/retry
    date: 2026-11-30
`

const goodTemplate = `listen {port}; admin {port_admin};
server {
  upstream http://{stub}; mode {mode}; not ${stub} {{stub}} %{stub} {Stub} {}
  {extra}
}
`

func folder(recipe, template string) fstest.MapFS {
	return fstest.MapFS{File: {Data: []byte(recipe)}, "thing.tmpl": {Data: []byte(template)}, "lock.json": {Data: []byte("{stub}\n")}}
}

func TestLoadAndFill(t *testing.T) {
	r, err := Load("mine", folder(goodRecipe, goodTemplate))
	if err != nil {
		t.Fatal(err)
	}
	at := Place{Stub: "127.0.0.1:8787", Dir: "/tmp/x", Install: "/i", Port: "8080", Ports: map[string]string{"admin": "9090"}}
	for _, c := range []struct {
		variant, file, url string
		env                []string
		settings           []Setting
	}{
		{"", "listen 8080; admin 9090;\nserver {\n  upstream http://127.0.0.1:8787; mode pass; not ${stub} {{stub}} %{stub} {Stub} {}\n}\n",
			"http://127.0.0.1:8080", []string{"THING_HOME=/tmp/x"}, []Setting{{"settle", "8s"}, {"rate", "5"}}},
		{"bad", "listen 8080; admin 9090;\nserver {\n  upstream http://127.0.0.1:8787; mode pass; not ${stub} {{stub}} %{stub} {Stub} {}\n  hide 127.0.0.1;\n  twice;\n}\n",
			"http://127.0.0.1:8080/other", []string{"THING_HOME=/tmp/x", "THING_BAD=1"}, []Setting{{"settle", "8s"}, {"rate", "5"}, {"rate", "2"}}},
	} {
		v, ok := r.ByName(c.variant)
		if !ok {
			t.Fatalf("no variant %q", c.variant)
		}
		got, err := r.In(v, at)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]Written{{"etc/thing.conf", c.file}}, got.Files); d != "" {
			t.Errorf("%q: a text takes on its line's indentation, an empty one takes its line away (-want +have)\n%s", c.variant, d)
		}
		if d := cmp.Diff(c.env, got.Env); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff(c.settings, r.Settings(v)); d != "" {
			t.Errorf("the variant's come last\n%s", d)
		}
		if got.Ready != "http://127.0.0.1:9090/health" || got.Command[2] != "/tmp/x/thing.conf" || got.Command[3] != "/i/thing" || got.Version[2] != "/i/thing.json" || got.Routes[0].URL.Value != c.url {
			t.Errorf("%+v", got)
		}
	}
	v, _ := r.ByName("")
	if got, _ := r.In(v, at); got.Routes[0].Model != "claude-{fixture}" {
		t.Errorf("model %q", got.Routes[0].Model)
	}
	if d := cmp.Diff([]Written{{"lock.json", "{stub}\n"}}, r.Packages); d != "" {
		t.Errorf("a lock file is taken as it is (-want +have)\n%s", d)
	}
	if got := r.InstallIn("'/my dir'"); got[1].Line != "npm ci --prefix '/my dir'" || r.Install[1].Line == got[1].Line {
		t.Errorf("%q, and the recipe has %q", got, r.Install)
	}
	if _, ok := r.ByName("nosuch"); ok {
		t.Error("a variant that nobody wrote")
	}
}

// refused are changes to a file that has all keys. reader: only Load sees it, a schema can't.
var refused = []struct {
	old, new, want, why string
	reader              bool
}{
	{"what: a gateway", "waht: a gateway", `mine/recipe.yaml:3:1: unknown key "waht"`, "a typo", false},
	{"recipe/1", "recipe/2", `mine/recipe.yaml:1:9: format "preservecheck.recipe/2" is not`, "another version", false},
	{"name: thing\n", "name: Thing\n", `mine/recipe.yaml:2:7: bad name of the recipe "Thing"`, "names are typed", false},
	{"what: a gateway\n", "", "mine/recipe.yaml:1:1: what is missing", "lists show it", false},
	{"what: a gateway", "what: |\n  a\n  b", "mine/recipe.yaml:3:7: what has a line end", "lists have a line each", false},
	{"https://example.org/\n", "example.org\n", "mine/recipe.yaml:4:11: homepage is no URL", "a link", false},
	{`versions: ["1.2.3"]`, "versions: []", "mine/recipe.yaml:5:11: versions is empty", "tried with nothing", false},
	{"  debian: apt-get install thing\n", "  debian: [a]\n", "mine/recipe.yaml:7:11: the line is not text", "a line", false},
	{"[lock.json]", "[nosuch.json]", "mine/recipe.yaml:9:12: nosuch.json can't be read", "a lock file that is not there", true},
	{"[lock.json]", "[../lock.json]", `mine/recipe.yaml:9:12: "../lock.json" is no file beside recipe.yaml`, "it would be read from elsewhere", false},
	{"[lock.json]", "[]", "mine/recipe.yaml:9:11: packages is empty", "a slip", false},
	{"packages: [lock.json]\n", "", "mine/recipe.yaml:8:8: {install} is the folder of packages, and the recipe has none", "installed where?", true},
	{"{install}/thing.json", "{instal}/thing.json", "mine/recipe.yaml:11:24: nothing gives the placeholder {instal} a value", "a typo in the command that says the version", true},
	{"  pattern: 'thing/([0-9.]+)'", "  pattern: 'thing/[0-9.]+'", "mine/recipe.yaml:12:12: pattern is no regular expression with one group", "which part is it?", true},
	{"command: [thing, -c", "command: [thing, '', -c", "mine/recipe.yaml:13:18: an item of command is empty", "an argument of nothing is a slip", false},
	{"command: [thing, -c, ", "command: [thing, '{ports}', ", "mine/recipe.yaml:13:18: nothing gives the placeholder {ports} a value", "a typo in the command", true},
	{"thing.tmpl: etc", "nosuch.tmpl: etc", "mine/recipe.yaml:15:3: nosuch.tmpl can't be read", "a template that is not there", true},
	{"thing.tmpl: etc/thing.conf", "thing.tmpl: ../thing.conf", `mine/recipe.yaml:15:15: "../thing.conf" does not stay in the folder`, "it would be written elsewhere", false},
	{"thing.tmpl: etc/thing.conf", "thing.tmpl: /etc/thing.conf", `mine/recipe.yaml:15:15: "/etc/thing.conf" does not stay in the folder`, "it would be written elsewhere", false},
	{"thing.tmpl: etc", "../thing.tmpl: etc", `mine/recipe.yaml:15:3: "../thing.tmpl" is no file beside recipe.yaml`, "it would be read from elsewhere", false},
	{"  THING_HOME", "  'THING HOME'", `mine/recipe.yaml:17:3: bad name of a variable "THING HOME"`, "no such name", false},
	{`THING_HOME: "{dir}"`, `THING_HOME: "{dirr}"`, "mine/recipe.yaml:17:15: nothing gives the placeholder {dirr} a value", "a typo in a variable", true},
	{"[NODE_PATH]", "[OPENAI_API_KEY]", "mine/recipe.yaml:18:11: OPENAI_API_KEY may hold a key", "a fallback would reach a provider", false},
	{"[NODE_PATH]", "[https_proxy]", "mine/recipe.yaml:18:11: https_proxy may hold a key or name a proxy", "a way out", false},
	{"ports: [admin]", "ports: [admin, more]", "mine/recipe.yaml:19:16: nothing uses the port {port_more}", "a leftover", true},
	{"ports: [admin]\n", "", "mine/recipe.yaml:19:8: nothing gives the placeholder {port_admin} a value", "a port that nobody chose", true},
	{"url: http://127.0.0.1:{port}\n    model", "url: http://127.0.0.1:port\n    model", "mine/recipe.yaml:23:10: url: ", "a route that leads nowhere", true},
	{"url: http://127.0.0.1:{port}\n    model", "url: https://api.example.org\n    model", "mine/recipe.yaml:22:5: the route leads elsewhere", "it would ask a real provider", true},
	{"url: http://127.0.0.1:{port}/other", "url: http://127.0.0.1:8080/other", "mine/recipe.yaml:50:9: the route leads elsewhere", "whoever listens there", true},
	{"ready: http://127.0.0.1:{port_admin}/", "ready: file:///{port_admin}/", "mine/recipe.yaml:20:8: ready is no URL of the layer", "nobody would answer", true},
	{"ready: http://127.0.0.1:{port_admin}/", "ready: http://example.org/{port_admin}/", "mine/recipe.yaml:20:8: ready is no URL of the layer", "somebody else would answer", true},
	{"name: thing\n    url", "nmae: thing\n    url", `mine/recipe.yaml:22:5: unknown key "nmae"`, "a typo in a route", false},
	{"channels: [marker]", "channels: [mark]", `mine/recipe.yaml:25:12: unknown channel "mark"`, "no such channel", false},
	{"settle: 8s", "settle: 8", `mine/recipe.yaml:29:11: "8" is no value of settle`, "eight what?", false},
	{"settle: 8s", "profile: core", `mine/recipe.yaml:29:3: check has no setting "profile"`, "a recipe must not decide what is judged", false},
	{"  mode: pass", "  mode: pass\n  more: x", "mine/recipe.yaml:34:9: nothing uses the placeholder {more}", "a text that goes nowhere", true},
	{"  mode: pass", "  mode: '{nosuch}'", "mine/recipe.yaml:33:9: nothing gives the placeholder {nosuch} a value", "a typo in a text", true},
	{"  mode: pass", "  mode: pass\n  stub: x", "mine/recipe.yaml:34:9: the placeholder {stub} has a value of its own", "which one wins?", true},
	{"    set:\n      extra:", "    set:\n      extar:", `mine/recipe.yaml:42:14: the recipe's set has no placeholder "extar"`, "a typo in a variant", true},
	{"  default:\n", "  dfault:\n", "mine/recipe.yaml:35:3: there is no variant default", "what is run without a name", false},
	{"    good: true\n", "", "mine/recipe.yaml:36:5: good is missing", "is a loss expected?", false},
	{"    good: true\n", "    good: true\n    stateful: often\n", "mine/recipe.yaml:38:15: stateful is neither true nor false", "how is it compared?", false},
	{"what: a gateway\n", "what: a gateway\nconfig: x\n", "mine/recipe.yaml:4:9: this belongs to another kind of recipe", "a recipe that runs has files", false},
	{"    good: true\n", "    good: perhaps\n", "mine/recipe.yaml:37:11: good is neither true nor false", "is a loss expected?", false},
	{"  - key: error*\n    direction: lost", "  - direction: lost", "mine/recipe.yaml:53:5: advice for nothing", "it would fit every row or none", false},
	{"  - verdict: retried\n", "  - verdict: retried\n    finding: cached\n", "mine/recipe.yaml:61:5: advice is for rows or for a finding", "it can't be both", false},
	{"  - verdict: retried\n", "  - finding: often\n", `mine/recipe.yaml:61:14: unknown finding "often"`, "no such finding", false},
	{"direction: lost", "direction: gone", `mine/recipe.yaml:54:16: unknown direction "gone"`, "no such direction", false},
	{"status: 429", "status: often", `mine/recipe.yaml:55:13: "often" is no status`, "no such status", false},
	{"variant: bad", "variant: worse", `mine/recipe.yaml:56:14: unknown variant "worse"`, "no such variant", true},
	{"verdict: retried", "verdict: preserved", `mine/recipe.yaml:61:14: unknown verdict "preserved"`, "what passes needs no advice", false},
	{"https://example.org/hide", "a book", "mine/recipe.yaml:59:13: source is no URL", "it can't be looked up", false},
	{"date: 2026-11-30\n  - verdict", "date: 30.11.2026\n  - verdict", `mine/recipe.yaml:60:11: "30.11.2026" is no date`, "dates are compared", false},
}

func TestLoadRefuses(t *testing.T) {
	for _, c := range refused {
		if !strings.Contains(goodRecipe, c.old) {
			t.Fatalf("%s: %q does not stand in the file", c.why, c.old)
		}
		_, err := Load("mine", folder(strings.Replace(goodRecipe, c.old, c.new, 1), goodTemplate))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s\n got %v\nwant %s", c.why, err, c.want)
		}
	}
	for _, c := range []struct{ old, new, want, why string }{
		{"{mode}", "{mood}", "mine/thing.tmpl:3:32: nothing gives the placeholder {mood} a value", "a typo in a template"},
		{"{extra}", "", "mine/recipe.yaml:32:10: nothing uses the placeholder {extra}", "the variants would all be the same"},
		{"http://{stub}", "http://h", "mine/recipe.yaml:1:1: nothing uses {stub}", "it would ask somebody else"},
	} {
		_, err := Load("mine", folder(goodRecipe, strings.Replace(goodTemplate, c.old, c.new, 1)))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s\n got %v\nwant %s", c.why, err, c.want)
		}
	}
}
