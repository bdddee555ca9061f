package stub

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/ledger"
)

func TestRoutes(t *testing.T) {
	s := start(t, nil)
	for _, c := range []struct {
		why, method, target string
		status              int
		kind, note          string
		aside               bool
	}{
		{"the door", "POST", "/v1/messages", 429, "", "", false},
		{"a prefix", "POST", "/anthropic/eu/v1/messages", 429, "", "", false},
		{"a base URL that ends in a slash", "POST", "//v1/messages", 429, "", "", false},
		{"any query", "POST", "/v1/messages?beta=true&x", 429, "", "", false},
		{"absolute form", "POST", "http://stub/v1/messages?beta=true", 429, "", "", false},
		{"absolute form over https", "POST", "https://stub/v1/messages", 429, "", "", false},
		{"another dialect's door, with the /v1 that its base URL brings", "POST", "/v1/chat/completions", 429, "", "", false},
		{"and without it", "POST", "/openai/chat/completions", 429, "", "", false},
		{"a third one", "POST", "/v1/responses", 429, "", "", false},
		{"its models, below a base URL without /v1", "GET", "/openai/models", 200, KindModels, "", true},
		{"a doubled /v1", "POST", "/v1/v1/messages", 404, KindPath, `the stub was reached at "/v1/v1/messages": a doubled /v1; remove it`, false},
		{"a doubled /v1 behind a prefix", "POST", "/p/v1/v1/messages", 404, KindPath, "a doubled /v1;", false},
		{"a doubled path", "POST", "/v1/messages/v1/messages", 404, KindPath, "a doubled /v1/messages;", false},
		{"v1 as part of a word is a prefix like any other", "POST", "/apiv1/v1/messages", 429, "", "", false},
		{"no slash before the path: not a prefix of its own", "POST", "/xv1/messages", 404, KindPath, "which no dialect posts to", false},
		{"a slash too many", "POST", "/v1/messages/", 404, KindPath, "which no dialect posts to", false},
		{"/v1 lost", "POST", "/messages", 404, KindPath, "which no dialect posts to", false},
		{"the root", "POST", "/", 404, KindPath, "which no dialect posts to", false},
		{"a sub-resource", "POST", "/v1/messages/batches", 404, KindPath, "which no dialect posts to", false},
		{"control signs in a path are shown as escapes", "POST", "/%1b[2J\xff", 404, KindPath, `"/%1b[2J\xff"`, false},
		{"tokens counted", "POST", "/v1/messages/count_tokens?beta=true", 404, KindCountTokens, "to count tokens", true},
		{"tokens counted behind a prefix", "POST", "/p/v1/messages/count_tokens", 404, KindCountTokens, "to count tokens", true},
		{"a cache that turns POST into GET", "GET", "/v1/messages", 405, KindMethod, `with "GET" instead of POST`, false},
		{"another method", "DELETE", "/v1/messages", 405, KindMethod, "instead of POST", false},
		{"a health check", "GET", "/", 200, KindHello, "", true},
		{"a health check without a body", "HEAD", "/", 200, KindHello, "", true},
		{"absolute form without a path", "GET", "http://stub", 200, KindHello, "", true},
		{"absolute form with a query only", "GET", "http://stub?x", 200, KindHello, "", true},
		{"the models", "GET", "/v1/models", 200, KindModels, "", true},
		{"the models as Claude Code asks for them", "GET", "/p/v1/models?limit=1000", 200, KindModels, "", true},
		{"the models without a body", "HEAD", "/v1/models", 200, KindModels, "", true},
		{"the models, doubled", "GET", "/v1/v1/models", 404, KindPath, "no dialect", false},
		{"another page", "GET", "/favicon.ico", 404, KindPath, "no dialect", false},
		{"OPTIONS *", "OPTIONS", "*", 404, KindPath, `"*"`, false},
	} {
		before := s.ledger.Len()
		req := post(c.target, "tier_cap", ledger.NewNonce(), "")
		out := string(s.exchange(c.method + strings.TrimPrefix(req, "POST")))
		if c.method == "HEAD" {
			if !strings.HasSuffix(out, "\r\n\r\n") || strings.Contains(out, "content-length: 0\r") {
				t.Errorf("%s: a body where none may be, or none where there was one: %q", c.why, out)
			}
			out = strings.Replace(out, "content-length", "was-length", 1)
		}
		res, bodies := answers(t, []byte(out))
		if len(res) != 1 || res[0].StatusCode != c.status || res[0].Header.Get(MarkHeader) != c.kind {
			t.Errorf("%s: %q", c.why, out)
			continue
		}
		hits := s.ledger.All()[before:]
		if len(hits) != 1 {
			t.Errorf("%s: %d hits", c.why, len(hits))
			continue
		}
		h := hits[0]
		if !strings.Contains(h.Note, c.note) || (c.note == "") != (h.Note == "") || h.Aside != c.aside || h.Served.Status != c.status || !h.Served.Finished {
			t.Errorf("%s: %+v", c.why, h)
		}
		if c.kind == "" {
			continue
		}
		if res[0].Header.Get("Request-Id") != "req_"+h.ID || h.Served.Fixture != "" {
			t.Errorf("%s: not tied to its hit: %v %+v", c.why, res[0].Header, h)
		}
		if c.status/100 != 2 {
			isOwnError(t, c.why, res[0], bodies[0], h)
		}
	}
}

func isOwnError(t *testing.T, why string, res *http.Response, body string, h ledger.Hit) {
	t.Helper()
	var e struct {
		Type  string
		Error struct{ Type, Message string }
	}
	if err := json.Unmarshal([]byte(body), &e); err != nil || e.Type != "error" || e.Error.Type != "preservecheck_stub" || !strings.HasSuffix(h.Note, e.Error.Message) {
		t.Errorf("%s: %v %q, note %q", why, err, body, h.Note)
	}
	if !res.Close {
		t.Errorf("%s: stays open", why)
	}
	if (res.StatusCode == 405) != (res.Header.Get("Allow") == "POST") {
		t.Errorf("%s: allow %q", why, res.Header.Get("Allow"))
	}
}

func TestNoFixture(t *testing.T) {
	s := start(t, nil)
	for _, c := range []struct{ why, body, header, kind, note string }{
		{"no channel", `{"model":"claude-x"}`, "", KindNoFixture, `reached at "/v1/messages", but no channel said which fixture is wanted: no marker in the prompt, no fixture's name at the end of the model "claude-x"`},
		{"a name that is not in the matrix", "[[preservecheck fixture=nosuch]]", "", KindUnknown, `asked for a fixture "nosuch"`},
		{"a name with a typo", "[[preservecheck fixture=stesp]]", "", KindUnknown, `(did you mean steps?)`},
		{"a contradiction", "[[preservecheck fixture=ok]] [[preservecheck fixture=tier_cap]]", "", KindNoFixture, "different markers"},
		{"no body", "", "", KindNoFixture, "no channel"},
		{"a body that is no JSON", "\x00\x01{", "", KindNoFixture, "no channel"},
		{"a header without a usable value", "{}", "x-fixture: a b\r\n", KindNoFixture, "no fixture's name"},
		{"a very long model", `{"model":"` + strings.Repeat("x", 100000) + `"}`, "", KindNoFixture, "..."},
	} {
		req := "POST /v1/messages HTTP/1.1\r\nHost: s\r\n" + c.header + "Content-Length: " + strconv.Itoa(len(c.body)) + "\r\n\r\n" + c.body
		res, bodies := answers(t, s.exchange(req))
		h := s.ledger.All()[s.ledger.Len()-1]
		if len(res) != 1 || res[0].StatusCode != 404 || res[0].Header.Get(MarkHeader) != c.kind || !strings.Contains(h.Note, c.note) {
			t.Errorf("%s: %q %+v", c.why, bodies, h)
		}
		if len(h.Note) > 2000 || len(h.Model) > maxKeptModel {
			t.Errorf("%s: keeps %d bytes of note and %d of model", c.why, len(h.Note), len(h.Model))
		}
		isOwnError(t, c.why, res[0], bodies[0], h)
	}
	if got := len(s.ledger.Unexplained()); got != s.ledger.Len() {
		t.Errorf("%d of %d unexplained", got, s.ledger.Len())
	}
}

func TestModelList(t *testing.T) {
	s := start(t, nil)
	_, bodies := answers(t, s.exchange("GET /v1/models HTTP/1.1\r\nHost: s\r\n\r\n"))
	var list struct {
		Object string
		Data   []struct{ ID, Type, Object string }
	}
	if err := json.Unmarshal([]byte(bodies[0]), &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Data) != 10 || list.Object != "list" || list.Data[0].ID != "tier_cap" || list.Data[0].Type != "model" || list.Data[0].Object != "model" {
		t.Errorf("%+v", list)
	}
}

func TestKeptTextIsBounded(t *testing.T) {
	s := start(t, nil)
	long := strings.Repeat("y", 3000)
	s.exchange("POST /" + long + "/v1/messages?" + long + "=1&" + strings.Repeat("a&", 100) + " HTTP/1.1\r\nHost: s\r\n" + long + ": x\r\nx-stainless-retry-count: " + long + "\r\nContent-Length: 0\r\n\r\n")
	h := s.ledger.All()[0]
	if len(h.Path) != maxKeptPath || len(h.Query) != maxKeptQuery || len(h.Query[0]) != maxKeptName || len(h.Header[1]) != maxKeptName || h.RetryCount != "" {
		t.Errorf("%d %d %d %d %d", len(h.Path), len(h.Query), len(h.Query[0]), len(h.Header[1]), len(h.RetryCount))
	}
	if h.Served.Status != 404 || !strings.Contains(h.Note, "no channel") {
		t.Errorf("the cut path is only kept, not followed: %q", h.Note)
	}
}
