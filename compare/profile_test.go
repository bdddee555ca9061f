package compare

import (
	"os"
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

func headerValue(s string) evidence.Value { return evidence.Value{Kind: evidence.Text, Text: s} }

func items(s string) evidence.Value { return evidence.Value{Kind: evidence.List, Text: s} }

func TestProfileDecides(t *testing.T) {
	lost := func(key string) evidence.Difference {
		return evidence.Difference{Key: key, Dir: evidence.Lost, Want: headerValue("x")}
	}
	changed := func(key string, want, got evidence.Value) evidence.Difference {
		return evidence.Difference{Key: key, Dir: evidence.Changed, Want: want, Got: got}
	}
	for _, c := range []struct {
		why, profile string
		d            evidence.Difference
		want         bool
	}{
		{"an exception holds the whole error", "sdk", lost("error/param"), true},
		{"which core leaves to the classifier", "core", lost("error/param"), false},
		{"no SDK reads the headroom", "sdk", lost("header/anthropic-ratelimit-unified-reset"), false},
		{"no SDK acts on a request id", "sdk", lost("header/request-id"), false},
		{"nobody parses by charset", "sdk", changed("header/content-type", headerValue("application/json"), headerValue("Application/JSON; charset=utf-8")), false},
		{"but by media type", "sdk", changed("header/content-type", headerValue("application/json"), headerValue("text/plain")), true},
		{"a label that is gone is not the same one", "sdk", lost("header/content-type"), true},
		{"two labels are not the one", "sdk", changed("header/content-type", headerValue("application/json"), items(`["application/json","text/html"]`)), true},
		{"SDKs skip pings", "sdk", lost("stream/keepalive/ping"), false},
		{"but not a lost event line", "sdk", changed("stream/events", items(`["a","error"]`), items(`["a","-error"]`)), true},
		{"Claude Code lives on pings", "claude-code", lost("stream/keepalive/ping"), true},
		{"any header of the family", "claude-code", lost("header/anthropic-ratelimit-unified-overage-status"), true},
		{"and no other family", "claude-code", lost("header/anthropic-fast-input-tokens-limit"), false},
		{"the body is forwarded unmodified", "claude-code", lost("body/request_id"), true},
		{"a header that is nobody's", "claude-code", lost("header/x-mine"), false},
	} {
		if got := ProfileByName(c.profile).Decides(c.d, nil, dialects.Anthropic) != nil; got != c.want {
			t.Errorf("%s: %s decides %s %s: %v", c.why, c.profile, c.d.Key, c.d.Dir, got)
		}
	}
}

func TestOwed(t *testing.T) {
	answer := func(status int, waits ...string) *wire.Answer {
		a := &wire.Answer{Status: status}
		for _, w := range waits {
			a.Header = append(a.Header, wire.Field{Name: "Retry-After", Value: w})
		}
		return a
	}
	for _, c := range []struct {
		why     string
		profile *Profile
		a       *wire.Answer
		owes    bool
	}{
		{"nothing to wait by", claudeCode, answer(429), true},
		{"a date is not read", claudeCode, answer(503, "Wed, 21 Oct 2026 07:28:00 GMT"), true},
		{"seconds with a fraction are no integer", claudeCode, answer(429, "1.5"), true},
		{"a sign is none either", claudeCode, answer(429, "+1"), true},
		{"two waits are no wait", claudeCode, answer(429, "1", "2"), true},
		{"as it should be", claudeCode, answer(429, "30"), false},
		{"other statuses owe nothing", claudeCode, answer(502), false},
		{"nor does core ask", core, answer(429), false},
	} {
		if got := c.profile.owed(c.a) != ""; got != c.owes {
			t.Errorf("%s: owes %v", c.why, got)
		}
	}
}

func TestEveryRuleOfAPublishedContractHasASource(t *testing.T) {
	page, err := os.ReadFile("../docs/profiles.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []*Profile{sdk, claudeCode} {
		for _, k := range p.Keys {
			if !strings.Contains(k.From, ", read 2026-") && !strings.Contains(k.From, ", 2026-") {
				t.Errorf("%s: %s rests on %q, which names no date", p.Name, k.Pattern, k.From)
			}
		}
	}
	for _, p := range Profiles() {
		_, part, ok := strings.Cut(string(page), "\n## "+p.Name+"\n")
		part, _, _ = strings.Cut(part, "\n## ")
		for _, k := range p.Keys {
			if !ok || !strings.Contains(part, "`"+k.Pattern+"`") && !strings.Contains(k.Pattern, "ratelimit-") {
				t.Errorf("docs/profiles.md does not name %s of %s", k.Pattern, p.Name)
			}
		}
	}
}

const goodProfile = `format: preservecheck.profile/1
name: our-worker
why: what our worker reads
base: core
keys: [header/x-queue-*, error/hint, body/trace/**, error/retryIn]
keys-without-error: [body/id]
noise: [header/x-queue-node]
one-hit: true
own-429-needs-retry-after: true
`

func TestReadProfile(t *testing.T) {
	p, err := ReadProfile("mine.yaml", []byte(goodProfile))
	if err != nil {
		t.Fatal(err)
	}
	if p.Name != "our-worker" || p.File != "mine.yaml" || !p.OneHit || p.Owes == "" || len(p.Keys) != len(core.Keys)+5 || !p.Keys[len(p.Keys)-1].WithoutError {
		t.Errorf("%+v", p)
	}
	for key, want := range map[string]bool{"header/x-queue-name": true, "header/x-queue-node": false, "error/hint": true, "error/retryIn": true, "error/retryin": false, "body/trace/id": true, "status": true, "header/via": false} {
		if got := p.Decides(evidence.Difference{Key: key, Dir: evidence.Lost}, nil, dialects.Anthropic) != nil; got != want {
			t.Errorf("%s decides: %v", key, got)
		}
	}
	if len(core.Noise) > 0 || core.OneHit {
		t.Error("the base itself was changed")
	}
}

func TestReadProfileRefuses(t *testing.T) {
	head := "format: preservecheck.profile/1\nname: mine\n"
	for _, c := range []struct{ why, file, want string }{
		{"an unknown key would be overlooked", head + "keys: [status]\nkey: status\n", `unknown key "key"`},
		{"a format of tomorrow", "format: preservecheck.profile/2\nname: mine\nkeys: [status]\n", "format is"},
		{"no name", "format: preservecheck.profile/1\nkeys: [status]\n", "name is"},
		{"a name that a report would show", "format: preservecheck.profile/1\nname: \"a\\u001b[31m\"\nkeys: [status]\n", "name is"},
		{"a built-in name", "format: preservecheck.profile/1\nname: core\nkeys: [status]\n", "built-in"},
		{"nothing decides", head, "no keys"},
		{"an empty list decides nothing", head + "keys: []\n", "no keys"},
		{"a base nobody knows", head + "base: cor\nkeys: [status]\n", "no built-in profile"},
		{"a key nobody knows", head + "keys: [stauts]\n", `no key "stauts"`},
		{"a root without a name", head + "keys: [header/]\n", `no key "header/"`},
		{"all of nothing", head + "keys: ['**']\n", "no key"},
		{"a star in the middle", head + "keys: ['header/x-*-y']\n", "where none can be"},
		{"two stars are for whole levels", head + "keys: ['header/x**']\n", "where none can be"},
		{"a header has no case", head + "keys: [header/X-Queue]\n", "write header/x-queue"},
		{"nor has a trailer", head + "keys: [trailer/X-Queue]\n", "write trailer/x-queue"},
		{"twice", head + "base: core\nkeys: [status]\n", "twice"},
		{"noise and key at once", head + "keys: [header/via]\nnoise: [header/via]\n", "noise as well"},
		{"noise is checked like keys", head + "keys: [status]\nnoise: [via]\n", `no key "via"`},
		{"a second document", head + "keys: [status]\n---\n{}\n", "second document"},
	} {
		if p, err := ReadProfile("mine.yaml", []byte(c.file)); err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "mine.yaml:") {
			t.Errorf("%s: %v %v", c.why, p, err)
		}
	}
}

func FuzzReadProfile(f *testing.F) {
	f.Add([]byte(goodProfile))
	f.Add([]byte("format: preservecheck.profile/1\nname: a\nkeys: ['/**', 'error/*']\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := ReadProfile("f", b)
		if err == nil && (len(p.Keys) == 0 || ProfileByName(p.Name) != nil) {
			t.Fatalf("%+v", p)
		}
	})
}

// A layer's own answer says what it owes, beside the verdict that it has in any case.
func TestLayerMadeOwes(t *testing.T) {
	for profile, want := range map[string]bool{"claude-code": true, "core": false} {
		o, _ := observed(t, "tier_cap")
		o.Hits, o.Provenance = 0, NoHit
		j := judge(o, rules(profile))
		if j.Verdict != LayerMade || strings.Contains(j.Reason, "it owes retry-after") != want {
			t.Errorf("%s: %s, %q", profile, j.Verdict, j.Reason)
		}
	}
}
