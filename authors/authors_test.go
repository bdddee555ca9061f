package authors

import (
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

const nginx = "<html>\r\n<head><title>%</title></head>\r\n<body>\r\n<center><h1>%</h1></center>\r\n<hr><center>nginx/1.22.1</center>\r\n</body>\r\n</html>\r\n"

func answer(status int, body string, header ...string) (*wire.Answer, evidence.Evidence) {
	a := &wire.Answer{Status: status, Body: []byte(body), End: wire.EndComplete, Framing: wire.FramingLength}
	for _, h := range header {
		name, value, _ := strings.Cut(h, ": ")
		a.Header = append(a.Header, wire.Field{Name: name, Value: value})
	}
	return a, evidence.Of(a, evidence.Layout{Error: "error"}, "")
}

func TestOf(t *testing.T) {
	page := func(status string) string { return strings.ReplaceAll(nginx, "%", status) }
	for _, c := range []struct {
		why    string
		status int
		body   string
		header string
		want   string // the signs, with commas
		wrote  bool
	}{
		{"limit_req with the status set", 429, page("429 Too Many Requests"), "", "nginx limit_req page", true},
		{"limit_req as it comes", 503, page("503 Service Temporarily Unavailable"), "", "nginx limit_req page", true},
		{"a dead upstream", 502, page("502 Bad Gateway"), "", "nginx page for an upstream that it can't reach", true},
		{"any other page", 404, page("404 Not Found"), "", "nginx page", true},
		{"HAProxy's limiter", 429, "<html><body><h1>429 Too Many Requests</h1>\nYou have sent too many requests in a given amount of time.\n</body></html>\n", "", "HAProxy limiter's page", true},
		{"new-api hides every 429", 429, `{"error":{"message":"当前分组上游负载已饱和，请稍后再试","type":"new_api_error"}}`, "", "new-api upstream saturated", true},
		{"one sign by type alone", 500, `{"error":{"type":"one_api_error"}}`, "", "one-api", true},
		{"LiteLLM's cooldown", 429, `{"error":{"message":"No deployments available for selected model"}}`, "x-litellm-call-id: 1", "LiteLLM's proxy cooldown of all deployments, LiteLLM", true},
		{"one that passed it on", 429, `{"error":{"type":"rate_limit_error"}}`, "X-Portkey-Trace-Id: 1", "Portkey", false},
		{"nobody", 429, `{"error":{"type":"rate_limit_error","message":"nginx"}}`, "server: nginx", "", false},
		{"a member of that name with another kind", 500, `{"error":{"type":["one_api_error"]}}`, "", "", false},
	} {
		var hs []string
		if c.header != "" {
			hs = append(hs, c.header)
		}
		signs := Of(answer(c.status, c.body, hs...))
		var got []string
		for _, s := range signs {
			got = append(got, s.String())
		}
		if strings.Join(got, ", ") != c.want || (len(signs) > 0 && signs[0].Wrote()) != c.wrote {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

// Every sign has a condition, or it would fit every answer.
func TestEverySignHasACondition(t *testing.T) {
	for _, x := range table {
		if x.header == "" && x.key == "" && x.kind == "" && len(x.body) == 0 || x.Name == "" || x.Says == "" {
			t.Errorf("%+v", x)
		}
	}
}
