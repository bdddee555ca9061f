package check

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/wire"
)

func whole(status int, body string) *wire.Answer {
	return &wire.Answer{Status: status, Body: []byte(body), End: wire.EndComplete}
}

// TestCause: a person whose layer is not ready reads one sentence, and it has to be the right one.
func TestCause(t *testing.T) {
	astray := ledger.Hit{Path: "/v1/v1/messages", Note: "no such path"}
	served := ledger.Hit{Path: "/v1/messages", Served: ledger.Served{Fixture: "ok"}}
	redirect := whole(308, "")
	redirect.Header = []wire.Field{{Name: "Location", Value: "https://a.example/"}}
	cut := whole(200, "half")
	cut.End = wire.EndShort
	for _, c := range []struct {
		why     string
		can     canary
		probing bool
		says    string
		not     string
	}{
		{"this machine's own trouble", canary{probe: &probe{answer: &wire.Answer{End: wire.EndLocal, Err: "no port"}}}, false, "no port", "layer"},
		{"nobody listens", canary{probe: &probe{answer: &wire.Answer{End: wire.EndRefused, Err: "refused"}}}, false, "no connection to the layer: refused", ""},
		{"it hangs", canary{probe: &probe{answer: &wire.Answer{End: wire.EndTimeout}}}, false, "no complete answer within 2s", ""},
		{"it speaks no HTTP", canary{probe: &probe{answer: &wire.Answer{End: wire.EndBadFraming, Err: "odd"}}}, false, "no usable answer from the layer: odd", ""},
		{"a success that the stub knows nothing of", canary{probe: &probe{answer: whole(200, "{}")}, class: classify.OK}, false, "perhaps a real provider", ""},
		{"a success by its status alone is none", canary{probe: &probe{answer: whole(200, "{}")}, class: classify.Other}, false, "is the stub its upstream?", "real provider"},
		{"it refuses the client", canary{probe: &probe{answer: whole(401, "")}}, false, "give it a key", "nobody knows"},
		{"forbidden as well", canary{probe: &probe{answer: whole(403, "")}}, false, "give it a key", ""},
		{"the first redirect", canary{probe: &probe{answer: whole(300, "")}}, false, "redirects to another address", ""},
		{"one that says where to", canary{probe: &probe{answer: redirect}}, false, "redirects to https://a.example/, which", ""},
		{"399 is the last", canary{probe: &probe{answer: whole(399, "")}}, false, "redirects", ""},
		{"299 is none", canary{probe: &probe{answer: whole(299, "")}}, false, "is the stub its upstream?", "redirects"},
		{"it speaks of a model", canary{probe: &probe{answer: whole(404, "Unknown Model m")}}, false, "does not know the model", "no such route"},
		{"no such path", canary{probe: &probe{answer: whole(404, "")}}, false, "no such route", ""},
		{"what may be the stub's own 404 is told so", canary{probe: &probe{answer: whole(404, "")}, strangers: 1}, false, "is the layer's upstream URL complete", "no such route"},
		{"a success is not the stub's", canary{probe: &probe{answer: whole(200, "{}")}, class: classify.OK, strangers: 1}, false, "perhaps a real provider", "complete"},
		{"nor such a method", canary{probe: &probe{answer: whole(405, "")}}, false, "no such route", ""},
		{"it limits by itself", canary{probe: &probe{answer: whole(429, "")}}, false, "limits requests itself", ""},
		{"a server of files", canary{probe: &probe{answer: whole(501, "")}}, false, "no provider and not the stub", ""},
		{"its upstream is not there", canary{probe: &probe{answer: whole(502, "")}}, false, "can't reach its upstream", ""},
		{"500 is the first that says so", canary{probe: &probe{answer: whole(500, "")}}, false, "can't reach its upstream", ""},
		{"499 does not", canary{probe: &probe{answer: whole(499, "")}}, false, "is the stub its upstream?", "can't reach"},
		{"what it may refuse is told where it was sent", canary{probe: &probe{answer: whole(400, ""), sent: []string{"x"}}}, true, "nobody knows, which profile claude-code sends", ""},
		{"for both statuses of a bad request", canary{probe: &probe{answer: whole(422, ""), sent: []string{"x"}}}, true, "nobody knows", ""},
		{"and for no other", canary{probe: &probe{answer: whole(421, ""), sent: []string{"x"}}}, true, "is the stub its upstream?", "nobody knows"},
		{"nothing of the kind was sent", canary{probe: &probe{answer: whole(400, "")}}, false, "is the stub its upstream?", "nobody knows"},
		{"how it begins names the reason mostly", canary{probe: &probe{answer: whole(400, " why\n not ")}}, false, "(it begins: why not)", ""},
		{"an empty body begins with nothing", canary{probe: &probe{answer: whole(400, " \n")}}, false, "upstream?", "begins"},
		{"a wrong path at the stub", canary{probe: &probe{lane: lane{dialect: dialects.Anthropic}, answer: whole(404, "")}, stray: []ledger.Hit{astray}}, false, "no such path. The /v1 may be the one in --layer", ""},
		{"a note on a hit that was served is no reason", canary{probe: &probe{answer: whole(502, "")}, hits: []ledger.Hit{{Note: "odd", Served: served.Served}}}, false, "the layer answered 502", "odd"},
		{"reached without a channel", canary{probe: &probe{answer: whole(400, "")}, stray: []ledger.Hit{served}}, false, "reached at /v1/messages, but no channel arrived", ""},
		{"reached, and the answer is cut", canary{probe: &probe{answer: cut}, hits: []ledger.Hit{served}}, false, "what came back through the layer is unusable: short", ""},
		{"reached, and no answer came back", canary{probe: &probe{answer: &wire.Answer{End: wire.EndReset, Err: "reset"}}, hits: []ledger.Hit{served}}, false, "unusable: reset reset", ""},
		{"reached, and another answer came back", canary{probe: &probe{answer: whole(502, "bad")}, hits: []ledger.Hit{served}}, false, "answered a success, but the layer answered 502 (it begins: bad)", ""},
	} {
		conf := Config{Timeout: 2 * time.Second, Rules: compare.Rules{Profile: compare.ProfileByName("core")}}
		if c.probing {
			conf.Rules.Profile = compare.ProfileByName("claude-code")
		}
		got := c.can.cause(&conf, &Route{Base: "http://gw.example/v1"})
		if !strings.Contains(got, c.says) || c.not != "" && strings.Contains(got, c.not) {
			t.Errorf("%s: %q, want %q and not %q", c.why, got, c.says, c.not)
		}
	}
}

// TestLasting: a layer that only starts is waited for; what a person has to mend is told at once.
func TestLasting(t *testing.T) {
	for _, c := range []struct {
		why  string
		can  canary
		want bool
	}{
		{"no key", canary{probe: &probe{answer: whole(401, "")}}, true},
		{"a wrong one", canary{probe: &probe{answer: whole(403, "")}}, true},
		{"no POST there", canary{probe: &probe{answer: whole(405, "")}}, true},
		{"a server of files", canary{probe: &probe{answer: whole(501, "")}}, true},
		{"no HTTP", canary{probe: &probe{answer: &wire.Answer{End: wire.EndBadFraming}}}, true},
		{"a route may come yet", canary{probe: &probe{answer: whole(404, "")}}, false},
		{"an upstream that starts", canary{probe: &probe{answer: whole(502, "")}}, false},
		{"the stub was asked at a path that it does not have", canary{probe: &probe{answer: whole(404, "")}, stray: []ledger.Hit{{Note: "no such path"}}}, true},
		{"the same under the request's own tag", canary{probe: &probe{answer: whole(404, "")}, hits: []ledger.Hit{{Note: "no such path"}}}, true},
		{"the stub served it, and found something odd", canary{probe: &probe{answer: whole(502, "")}, hits: []ledger.Hit{{Note: "odd", Served: ledger.Served{Fixture: "ok"}}}}, false},
		{"the stub answered nothing, and nothing was odd", canary{probe: &probe{answer: whole(502, "")}, hits: []ledger.Hit{{}}}, false},
	} {
		if got := c.can.lasting(); got != c.want {
			t.Errorf("%s: %v", c.why, got)
		}
	}
}

// TestBeginsOfAnOddBody: what a label calls compressed and is not is shown as it is.
func TestBeginsOfAnOddBody(t *testing.T) {
	a := whole(400, "plain")
	a.Header = []wire.Field{{Name: "content-encoding", Value: "gzip"}}
	c := Config{Redact: func(s string) string { return strings.ReplaceAll(s, "plain", "[gone]") }}
	if got := c.begins(a); got != " (it begins: [gone])" {
		t.Error(got)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write([]byte("plain words"))
	w.Close()
	a.Body = packed.Bytes()
	if got := c.begins(a); got != " (it begins: [gone] words)" {
		t.Errorf("one that is what its label says: %s", got)
	}
}

// TestOldProtocol: closing ends an answer of HTTP/1.0, so only rows that expect a failure say less for it.
func TestOldProtocol(t *testing.T) {
	hit := func(proto string) []ledger.Hit { return []ledger.Hit{{Served: ledger.Served{Proto: proto}}} }
	for _, c := range []struct {
		why     string
		failure bool
		hits    []ledger.Hit
		want    bool
	}{
		{"a row that expects a failure", true, hit("HTTP/1.0"), true},
		{"one that does not", false, hit("HTTP/1.0"), false},
		{"the protocol of today", true, hit("HTTP/1.1"), false},
		{"the stub was not asked", true, nil, false},
	} {
		row := Row{Fixture: &fixture.Fixture{Name: "cut", ExpectFailure: c.failure}, Mode: fixture.Plain, Dialect: dialects.Anthropic}
		r := &runner{c: Config{Rows: []Row{row}}, seen: map[Row][]*seen{row: {{row: row, hits: c.hits}}}}
		if notes := r.oldProtocol(); (len(notes) > 0) != c.want || c.want && !strings.Contains(notes[0], "in 1 rows") {
			t.Errorf("%s: %q", c.why, notes)
		}
	}
}
