package ledger

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/preservecheck/preservecheck/wire"
)

var testNames = []string{
	"ok", "ok_stream", "tier_cap", "rate_limit", "ramp_limit", "headerless_429", "unknown_code_429", "proxy_429",
	"stripped_cap_429", "claude_code_ws_429", "user_limit_400", "validation_400", "with-dash", "with.dot",
}

const (
	testRun   = "0a1b2c3d"
	testNonce = "0123456789abcdef"
)

// deliver turns an ask into an arrival as a dialect and a layer would, in the plainest way.
func deliver(t *testing.T, a wire.Ask) Arrival {
	t.Helper()
	body, err := json.Marshal(map[string]any{"model": a.Model, "messages": []any{map[string]any{"role": "user", "content": a.Prompt}}})
	if err != nil {
		t.Fatal(err)
	}
	return Arrival{Path: a.Prefix + "/v1/messages", Header: headerOf(a.Header), Model: a.Model, Body: body}
}

func headerOf(fields []wire.Field) func(string) []string {
	return func(name string) []string {
		a := wire.Answer{Header: fields}
		return a.Values(name)
	}
}

func TestEveryChannelCarriesEveryName(t *testing.T) {
	names := NewNames(testNames)
	for _, c := range []Channels{{}, {Header: "X-My-Fixture"}} {
		for _, name := range testNames {
			tag := Tag{Run: testRun, Fixture: name, Nonce: testNonce}
			for _, ch := range []Channel{Marker, Model, Header, Path} {
				a := wire.Ask{Model: "claude-{fixture}", Prompt: "hello"}
				c.Mark(&a, tag, []Channel{ch})
				got := c.Read(deliver(t, a), names)
				want := Reading{Tag: tag, Channels: []Channel{ch}}
				if !ch.Whole() {
					want.Tag = Tag{Fixture: name}
				}
				if d := cmp.Diff(want, got); d != "" {
					t.Errorf("%s over %s: %s", name, ch, d)
				}
			}
		}
	}
}

func TestAllChannelsAtOnce(t *testing.T) {
	names, tag := NewNames(testNames), Tag{testRun, "tier_cap", testNonce}
	a := wire.Ask{Model: "{fixture}", Prompt: "hello"}
	Channels{}.Mark(&a, tag, []Channel{Marker, Model, Header, Path, Armed})
	got := Channels{}.Read(deliver(t, a), names)
	if d := cmp.Diff(Reading{Tag: tag, Channels: []Channel{Marker, Model, Header, Path}}, got); d != "" {
		t.Error(d)
	}
}

func TestArmedMarksNothing(t *testing.T) {
	a := wire.Ask{Model: "m", Prompt: "p"}
	Channels{}.Mark(&a, Tag{testRun, "tier_cap", testNonce}, []Channel{Armed})
	if d := cmp.Diff(wire.Ask{Model: "m", Prompt: "p"}, a); d != "" {
		t.Error(d)
	}
}

func TestMarkerSurvives(t *testing.T) {
	m := marker(Tag{testRun, "tier_cap", testNonce})
	other := marker(Tag{testRun, "tier_cap", "fedcba9876543210"})
	whole, none := Tag{testRun, "tier_cap", testNonce}, Tag{}
	quoted := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	for _, c := range []struct {
		why, body string
		tag       Tag
		note      string
	}{
		{why: "bare text, for dialects that are not JSON", body: m, tag: whole},
		{why: "a JSON string", body: `{"p":` + quoted("x "+m+" y") + `}`, tag: whole},
		{why: "JSON inside a JSON string, as some gateways log and send on", body: quoted(quoted(quoted(m))), tag: whole},
		{why: "= written as \\u003d by serialisers made for HTML", body: strings.ReplaceAll(m, "=", `\u003d`), tag: whole},
		{why: "the same inside another string", body: strings.ReplaceAll(m, "=", `\\u003D`), tag: whole},
		{why: "every sign but letters escaped", body: strings.NewReplacer("[", `\u005b`, "]", `\u005D`, "=", `\u003d`, " ", `\u0020`, ".", `\u002e`, "_", `\u005f`).Replace(m), tag: whole},
		{why: "brackets escaped twice over", body: strings.ReplaceAll(m, "[", `\\u005b`), tag: whole},
		{why: "a line wrapped between fields", body: strings.Replace(m, " id", `\n id`, 1), tag: whole},
		{why: "a raw line break, in a body that is not JSON", body: strings.Replace(m, " id", "\r\n\tid", 1), tag: whole},
		{why: "the prompt repeated as system text", body: `{"system":"` + m + `","p":"` + m + `"}`, tag: whole},
		{why: "a prefix and a suffix glued on", body: "user:" + m + "<end>", tag: whole},
		{why: "brackets of the body around it", body: "[[[" + m + "]]]", tag: whole},
		{why: "a field of a later version", body: strings.Replace(m, "]]", " v=2]]", 1), tag: whole},
		{why: "two requests mixed into one: a memory of the conversation, or crosstalk", body: m + " " + other, tag: none, note: "the prompt holds different markers"},
		{why: "a person who types only the fixture", body: "[[preservecheck fixture=tier_cap]]", tag: Tag{Fixture: "tier_cap"}, note: "the marker arrived without a usable id"},
		{why: "an id that is no id", body: "[[preservecheck fixture=tier_cap id=zz]]", tag: Tag{Fixture: "tier_cap"}, note: "the marker arrived without a usable id"},
		{why: "a fixture nobody knows is still what was asked for", body: strings.Replace(m, "tier_cap", "nosuch", 1), tag: Tag{testRun, "nosuch", testNonce}},
		{why: "cut before its end", body: m[:len(m)-2], tag: none},
		{why: "the word alone", body: `{"model":"preservecheck tier_cap"}`, tag: none},
		{why: "one bracket", body: m[1:], tag: none},
		{why: "two names in one marker", body: "[[preservecheck fixture=ok fixture=tier_cap]]", tag: none},
		{why: "a name that could break out of a header", body: "[[preservecheck fixture=a\"b id=" + whole.id() + "]]", tag: none},
		{why: "a name longer than any", body: "[[preservecheck fixture=" + strings.Repeat("a", maxName+1) + "]]", tag: none},
		{why: "closing brackets too far away", body: "[[preservecheck fixture=ok" + strings.Repeat(" ", markerSpan) + "]]", tag: none},
		{why: "no body", body: "", tag: none},
	} {
		got := Channels{}.Read(Arrival{Body: []byte(c.body)}, NewNames(testNames))
		want := Reading{Tag: c.tag, Note: c.note}
		if c.tag.Nonce != "" {
			want.Channels = []Channel{Marker}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", c.why, d)
		}
	}
}

func TestReadModel(t *testing.T) {
	names := NewNames(testNames)
	for _, c := range []struct{ why, model, want string }{
		{"the name itself", "tier_cap", "tier_cap"},
		{"a template", "claude-tier_cap", "tier_cap"},
		{"the longest wins: ok_stream ends in no other name, but stripped_cap_429 might", "m-stripped_cap_429", "stripped_cap_429"},
		{"a provider in front", "anthropic/claude-tier_cap", "tier_cap"},
		{"a region and a provider in front", "eu.anthropic.tier_cap", "tier_cap"},
		{"colon", "bedrock:tier_cap", "tier_cap"},
		{"comma, as claude-code-router writes it", "provider,tier_cap", "tier_cap"},
		{"at sign", "vertex@tier_cap", "tier_cap"},
		{"space", "my tier_cap", "tier_cap"},
		{"underscore", "x_tier_cap", "tier_cap"},
		{"a dash inside the name", "claude-with-dash", "with-dash"},
		{"a dot inside the name", "claude.with.dot", "with.dot"},
		{"no delimiter: part of a word", "xtier_cap", ""},
		{"something behind it", "tier_cap-latest", ""},
		{"ok at the end of a word is no fixture", "grok", ""},
		{"nothing", "", ""},
		{"a delimiter alone", "-", ""},
		{"very long in front", strings.Repeat("x", 5000) + "/tier_cap", "tier_cap"},
	} {
		if got := readModel(c.model, names).tag.Fixture; got != c.want {
			t.Errorf("%s: %.80q: got %q, want %q", c.why, c.model, got, c.want)
		}
	}
}

func TestReadHeaderAndPath(t *testing.T) {
	id := testRun + "." + testNonce
	whole, row := Tag{testRun, "tier_cap", testNonce}, Tag{Fixture: "tier_cap"}
	f := func(nv ...string) (out []wire.Field) {
		for i := 0; i < len(nv); i += 2 {
			out = append(out, wire.Field{Name: nv[i], Value: nv[i+1]})
		}
		return out
	}
	for _, c := range []struct {
		why    string
		header []wire.Field
		path   string
		want   Reading
	}{
		{why: "as sent", header: f("x-fixture", "tier_cap", "x-fixture-id", id), want: Reading{whole, []Channel{Header}, ""}},
		{why: "another case", header: f("X-Fixture", "tier_cap", "X-Fixture-Id", id), want: Reading{whole, []Channel{Header}, ""}},
		{why: "repeated by a proxy", header: f("x-fixture", "tier_cap", "x-fixture", "tier_cap", "x-fixture-id", id), want: Reading{whole, []Channel{Header}, ""}},
		{why: "joined by a proxy", header: f("x-fixture", "tier_cap, tier_cap", "x-fixture-id", id+","+id), want: Reading{whole, []Channel{Header}, ""}},
		{why: "an allow-list lets one of the two through: not arrived whole", header: f("x-fixture", "tier_cap"), want: Reading{row, nil, "x-fixture arrived without a usable x-fixture-id"}},
		{why: "two values", header: f("x-fixture", "tier_cap", "x-fixture", "ok"), want: Reading{Note: "x-fixture arrived with several values, or one that is no fixture's name"}},
		{why: "empty is absent", header: f("x-fixture", "", "x-fixture-id", id), want: Reading{}},
		{why: "only the id", header: f("x-fixture-id", id), want: Reading{}},
		{why: "path", path: "/fx/tier_cap/v1/messages", want: Reading{row, []Channel{Path}, ""}},
		{why: "path with a layer's prefix on both sides", path: "/a/fx/tier_cap/b/v1/messages", want: Reading{row, []Channel{Path}, ""}},
		{why: "path named twice alike", path: "/fx/tier_cap/fx/tier_cap/v1/messages", want: Reading{row, []Channel{Path}, ""}},
		{why: "path with two fixtures", path: "/fx/tier_cap/fx/ok/v1/messages", want: Reading{Note: "the path names two fixtures"}},
		{why: "path with an unknown name", path: "/fx/nosuch/v1/messages", want: Reading{Note: "the path names no known fixture after /fx/"}},
		{why: "path cut", path: "/fx/tier_cap", want: Reading{Note: "the path names no known fixture after /fx/"}},
	} {
		got := Channels{}.Read(Arrival{Path: c.path, Header: headerOf(c.header)}, NewNames(testNames))
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.why, d)
		}
	}
}

func TestChannelsThatDisagree(t *testing.T) {
	names := NewNames(testNames)
	tag := func(fixture, nonce string) Tag { return Tag{testRun, fixture, nonce} }
	other := "fedcba9876543210"
	mark := func(pairs map[Channel]Tag) Arrival {
		a := wire.Ask{Model: "none", Prompt: "hello"}
		for _, ch := range channelOrder {
			if tag, ok := pairs[ch]; ok {
				if ch == Model {
					a.Model = Placeholder
				}
				Channels{}.Mark(&a, tag, []Channel{ch})
			}
		}
		return deliver(t, a)
	}
	for _, c := range []struct {
		why  string
		in   map[Channel]Tag
		want Reading
	}{
		{"the whole tag wins over a model name that a gateway mapped",
			map[Channel]Tag{Model: tag("ok", ""), Header: tag("tier_cap", testNonce)},
			Reading{tag("tier_cap", testNonce), []Channel{Header}, "model says ok, header says tier_cap " + testRun + "." + testNonce}},
		{"the marker wins over the header",
			map[Channel]Tag{Marker: tag("tier_cap", testNonce), Header: tag("ok", other)},
			Reading{tag("tier_cap", testNonce), []Channel{Marker}, "header says ok " + testRun + "." + other + ", marker says tier_cap " + testRun + "." + testNonce}},
		{"the same fixture with another nonce is another request",
			map[Channel]Tag{Marker: tag("tier_cap", testNonce), Header: tag("tier_cap", other)},
			Reading{tag("tier_cap", testNonce), []Channel{Marker}, "header says tier_cap " + testRun + "." + other + ", marker says tier_cap " + testRun + "." + testNonce}},
		{"the model wins over the path, both row-only",
			map[Channel]Tag{Model: tag("ok", ""), Path: tag("tier_cap", "")},
			Reading{Tag{Fixture: "ok"}, []Channel{Model}, "path says tier_cap, model says ok"}},
		{"row-only channels that agree stand beside the whole one",
			map[Channel]Tag{Marker: tag("ok", testNonce), Model: tag("ok", ""), Path: tag("ok", "")},
			Reading{tag("ok", testNonce), []Channel{Marker, Model, Path}, ""}},
	} {
		if d := cmp.Diff(c.want, Channels{}.Read(mark(c.in), names)); d != "" {
			t.Errorf("%s: %s", c.why, d)
		}
	}
}

func TestWholeHeaderWinsOverHalfAMarker(t *testing.T) {
	a := Arrival{Body: []byte("[[preservecheck fixture=ok]]"), Header: headerOf([]wire.Field{
		{Name: "x-fixture", Value: "tier_cap"}, {Name: "x-fixture-id", Value: testRun + "." + testNonce},
	})}
	want := Reading{Tag{testRun, "tier_cap", testNonce}, []Channel{Header}, "the marker arrived without a usable id; marker says ok, header says tier_cap " + testRun + "." + testNonce}
	if d := cmp.Diff(want, Channels{}.Read(a, NewNames(testNames))); d != "" {
		t.Error(d)
	}
}

func FuzzRead(f *testing.F) {
	m := marker(Tag{testRun, "tier_cap", testNonce})
	f.Add("/fx/ok/v1/messages", "tier_cap", testRun+"."+testNonce, "claude-ok", []byte(m))
	f.Add("", "", "", "", []byte(strings.ReplaceAll(m, "=", `\\u003d`)))
	f.Add("/fx//fx/", "a,b", ".", "--", []byte(`\u005b\u005bpreservecheck \`))
	f.Add("/", "ok", "x", "ok", []byte("[[preservecheck fixture=ok id=1]]"))
	names := NewNames(testNames)
	f.Fuzz(func(t *testing.T, path, fixture, id, model string, body []byte) {
		h := headerOf([]wire.Field{{Name: "x-fixture", Value: fixture}, {Name: "x-fixture-id", Value: id}})
		r := Channels{}.Read(Arrival{Path: path, Header: h, Model: model, Body: body}, names)
		if (r.Tag.Run == "") != (r.Tag.Nonce == "") {
			t.Errorf("half an id: %+v", r)
		}
		if r.Tag.Nonce != "" && (r.Tag.Fixture == "" || !slices.ContainsFunc(r.Channels, Channel.Whole)) {
			t.Errorf("an id without a whole channel: %+v", r)
		}
		if r.Tag.Fixture != "" && !validName(r.Tag.Fixture) {
			t.Errorf("an unclean name: %+v", r)
		}
		// What was read can be sent again and reads the same.
		if r.Tag.Nonce != "" {
			again := Channels{}.Read(Arrival{Body: []byte(marker(r.Tag))}, names)
			if again.Tag != r.Tag {
				t.Errorf("read %+v, then %+v", r.Tag, again.Tag)
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	names := NewNames(testNames)
	a := Arrival{Path: "/v1/messages", Header: func(string) []string { return nil }, Model: "claude-tier_cap",
		Body: []byte(`{"model":"claude-tier_cap","max_tokens":16,"messages":[{"role":"user","content":"hello ` + marker(Tag{testRun, "tier_cap", testNonce}) + `"}]}`)}
	b.ReportAllocs()
	for b.Loop() {
		Channels{}.Read(a, names)
	}
}
