package explain

import (
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/dialects"
)

// Native answers of OpenAI are explained without a suspicion, and by their own members.
func TestOpenAIDialects(t *testing.T) {
	head := func(status string, more ...string) string {
		return "HTTP/1.1 " + status + "\r\ncontent-type: application/json\r\nx-request-id: req_1\r\n" + strings.Join(more, "") + "\r\n"
	}
	for _, c := range []struct {
		why, in string
		d       *dialects.Dialect
		status  int // that is given
		class   classify.Class
		got     int
		missing []string
		suspect []string
	}{
		{"a whole cap", head("429 x") + `{"error":{"message":"m","type":"insufficient_quota","param":null,"code":"credit_balance_exhausted"}}`, dialects.OpenAIChat, 0, classify.CreditExhausted, 429, nil, nil},
		{"a body alone: the code is documented for one status", `{"error":{"message":"m","type":null,"param":null,"code":"organization_usage_limit_exceeded"}}`, dialects.OpenAIResponses, 0, classify.ProviderLimit, 429, nil, nil},
		{"a type under a status of its own is nothing to wonder at", head("404 x") + `{"error":{"message":"m","type":"invalid_request_error","param":null,"code":"model_not_found"}}`, dialects.OpenAIChat, 0, classify.NotFound, 404, nil, nil},
		{"a code that nobody documents", head("401 x") + `{"error":{"message":"m","type":"invalid_request_error","param":null,"code":"new"}}`, dialects.OpenAIChat, 0, classify.Auth, 401,
			[]string{`code "new"`}, nil},
		{"no code", head("429 x", "retry-after: 17\r\n") + `{"error":{"message":"m","type":"requests","param":null,"code":null}}`, dialects.OpenAIChat, 0, classify.Unknown429, 429,
			[]string{"neither error.code nor retry-after"}, nil},
		{"a cap's wording without its code", head("429 x") + `{"error":{"message":"You reached your spend limit","type":"insufficient_quota","param":null,"code":null}}`, dialects.OpenAIChat, 0, classify.Unknown429, 429,
			[]string{"neither error.code"}, []string{"there is no error.code: a layer may have stripped it"}},
		{"OpenRouter has no types", head("402 x", "retry-after: 9\r\n") + `{"error":{"code":402,"message":"m","metadata":{"limit_source":"openrouter_in_flight_budget"}}}`, dialects.OpenAIChat, 0, classify.InFlightLimit, 402, nil, nil},
		{"an error in a chunk", `data: {"error":{"code":"server_error","message":"m"}}`, dialects.OpenAIChat, 0, classify.ServerError, 200, nil, nil},
		{"a failed response", `event: response.failed` + "\n" + `data: {"type":"response.failed","response":{"error":{"code":"rate_limit_exceeded","message":"m"}}}`, dialects.OpenAIResponses, 0, classify.RateLimit, 200, nil, nil},
		{"in the other's message", `{"error":{"message":"OpenAIException - {\"error\":{\"message\":\"m\",\"type\":\"requests\",\"code\":\"slow_down\"}}","type":"throttling_error","param":null,"code":"429"}}`, dialects.OpenAIChat, 429, classify.RampLimit, 429,
			[]string{"x-should-retry whether"}, []string{"no SDK and no worker reads a code", "LiteLLM's proxy wrote"}},
	} {
		r := Explain([]byte(c.in), Options{Dialect: c.d, Status: c.status})
		if r.Class != c.class || r.Status != c.got {
			t.Errorf("%s: %s, status %d (%v), want %s, %d", c.why, r.Class, r.Status, r.Why, c.class, c.got)
		}
		contains(t, c.why+": missing", r.Missing, c.missing)
		contains(t, c.why+": suspicions", r.Suspicions, c.suspect)
	}
}

func TestAnErrorInAStreamIsNotRetried(t *testing.T) {
	for in, want := range map[string]bool{
		"event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"m\"}}": true,
		`{"type":"error","error":{"type":"overloaded_error","message":"m"}}`:                                   false,
	} {
		if got := strings.Contains(strings.Join(Explain([]byte(in), Options{}).Why, "; "), "after the stream had begun"); got != want {
			t.Errorf("%s: said so %v, want %v", in, got, want)
		}
	}
}
