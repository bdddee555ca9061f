package explain

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/classify"
)

const (
	capBody   = `{"type": "error", "error": {"type": "rate_limit_error", "message": "You have reached your API usage limits: fixture", "details": {"error_code": "enforced_spend_limit_reached"}}, "request_id": "req_1"}`
	bareLimit = `{"type":"error","error":{"type":"rate_limit_error","message":"fixture: rate limit"},"request_id":"req_1"}`
	userLimit = `{"type":"error","error":{"type":"invalid_request_error","message":"You have reached your specified API usage limits. You will regain access on 2026-09-01 at 00:00 UTC."},"request_id":"req_1"}`
	nginxPage = "<html>\r\n<head><title>429 Too Many Requests</title></head>\r\n<body>\r\n<center><h1>429 Too Many Requests</h1></center>\r\n<hr><center>nginx/1.22.1</center>\r\n</body>\r\n</html>\r\n"
	haproxy   = "<html><body><h1>503 Service Unavailable</h1>\nNo server is available to handle this request.\n</body></html>\n"
)

func curl(status string, header string, body string) string {
	return "HTTP/1.1 " + status + "\r\ncontent-type: application/json\r\nrequest-id: req_1\r\n" + header + "\r\n" + body
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

type explainCase struct {
	why      string
	in       string
	status   int
	form     string
	got      int // the status that is read
	class    classify.Class
	embedded bool
}

var forms = []explainCase{
	{"curl -i", curl("429 Too Many Requests", "retry-after: 1\r\n", bareLimit), 0, formCurl, 429, classify.RateLimit, false},
	{"curl -i with bare line ends", strings.ReplaceAll(curl("429 Too Many Requests", "Retry-After: 1\r\n", bareLimit), "\r", ""), 0, formCurl, 429, classify.RateLimit, false},
	{"HTTP/2 has no reason and no minor version", strings.Replace(curl("429 ", "", capBody), "HTTP/1.1", "HTTP/2", 1), 0, formCurl, 429, classify.TierSpendCap, false},
	{"a blank line in front, as copied", "\n\n" + curl("401 Unauthorized", "", `{"type":"error","error":{"type":"authentication_error","message":"x"},"request_id":"req_1"}`), 0, formCurl, 401, classify.Auth, false},
	{"100-continue first", "HTTP/1.1 100 Continue\r\n\r\n" + curl("429 Too Many Requests", "retry-after: 1\r\n", bareLimit), 0, formCurl, 429, classify.RateLimit, false},
	{"a proxy's CONNECT first", "HTTP/1.1 200 Connection established\r\n\r\n" + curl("529", "", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}`), 0, formCurl, 529, classify.Overloaded, false},
	{"a redirect first", "HTTP/1.1 307 Temporary Redirect\r\nlocation: /x\r\nretry-after: 9\r\n\r\n" + curl("429 x", "", bareLimit), 0, formCurl, 429, classify.Unknown429, false},
	{"the blank line was lost", "HTTP/1.1 429 x\nretry-after: 1\n" + bareLimit, 0, formCurl, 429, classify.RateLimit, false},
	{"curl --compressed keeps the label of what it undid", curl("429 x", "content-encoding: gzip\r\nretry-after: 1\r\n", bareLimit), 0, formCurl, 429, classify.RateLimit, false},
	{"a head alone", "HTTP/1.1 429 x\r\nretry-after: 1\r\n\r\n", 0, formCurl, 429, classify.Unknown429, false},
	{"a success", curl("200 OK", "", `{"type":"message","content":[]}`), 0, formCurl, 200, classify.OK, false},
	{"the option does not overrule a status line", curl("429 x", "", capBody), 400, formCurl, 429, classify.TierSpendCap, false},
	{"curl -v, with what it says around", "* Connected to x\n> POST /v1/messages HTTP/1.1\n> host: x\n>\n} [5 bytes data]\n< HTTP/1.1 429 Too Many Requests\r\n< retry-after: 1\r\n< request-id: req_1\r\n< \r\n{ [92 bytes data]\n" + bareLimit + "* Connection #0 to host x left intact\n", 0, formCurl, 429, classify.RateLimit, false},
	{"curl -i -v has the head twice", "* Connected to x\n> POST / HTTP/1.1\n>\n< HTTP/2 429 \r\n< retry-after: 1\r\n<\r\nHTTP/2 429 \r\nretry-after: 1\r\n\r\n" + bareLimit, 0, formCurl, 429, classify.RateLimit, false},
	{"curl -i of a stream", "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\nevent: error\r\ndata: " + capBody + "\r\n\r\n", 0, formCurl, 200, classify.TierSpendCap, false},
	{"a stream's own status line counts, not the option", "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\nevent: error\r\ndata: " + bareLimit + "\r\n\r\n", 529, formCurl, 200, classify.Unknown429, false},
	{"curl -i of a stream that breaks off", "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\nevent: message_start\ndata: {\"type\":\"message_start\"}\n\n", 0, formCurl, 200, classify.Truncated, false},

	{"a bare body with its status", capBody, 429, formJSON, 429, classify.TierSpendCap, false},
	{"a bare body without: the type has one documented status", capBody, 0, formJSON, 429, classify.TierSpendCap, false},
	{"a bare body of a limit: the headers are missing", bareLimit, 429, formJSON, 429, classify.Unknown429, false},
	{"a byte order mark in front", "\ufeff" + userLimit, 0, formJSON, 400, classify.UserSpendLimit, false},
	{"a type that nobody documents, and no status", `{"type":"error","error":{"type":"new_api_error","message":"x"}}`, 0, formJSON, 0, classify.Other, false},
	{"the edge's 413", `{"error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, 413, formJSON, 413, classify.RequestTooLarge, false},
	{"a page with its status in the title", nginxPage, 0, formHTML, 429, classify.Unknown429, false},
	{"a page with its status in the heading", haproxy, 0, formHTML, 503, classify.Other, false},
	{"nothing", " \n", 0, formEmpty, 0, classify.Other, false},
	{"words without a status", "it did not work", 0, formText, 0, classify.Other, false},
	{"words with the status given", "local_rate_limited", 429, formText, 429, classify.Unknown429, false},

	{"a stream's error event", "event: error\ndata: " + capBody, 0, formStream, 200, classify.TierSpendCap, false},
	{"a comment first", ": ping\n\nevent: error\ndata: " + bareLimit, 0, formStream, 200, classify.Unknown429, false},
	{"a stream that ends", "event: message_start\ndata: {\"type\":\"message_start\"}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n", 0, formStream, 200, classify.OK, false},
	{"a stream under another status", "event: error\ndata: " + capBody, 429, formStream, 429, classify.TierSpendCap, false},

	{"Python SDK", "Error code: 429 - {'type': 'error', 'error': {'type': 'rate_limit_error', 'message': \"You have reached your API usage limits: it's over\", 'details': {'error_code': 'enforced_spend_limit_reached'}}, 'request_id': None}", 0, formException, 429, classify.TierSpendCap, false},
	{"Python SDK in a traceback", "Traceback (most recent call last):\n  File \"w.py\", line 400, in run\n    {'x': 1}\nanthropic.BadRequestError: Error code: 400 - {'type': 'error', 'error': {'type': 'invalid_request_error', 'message': 'You have reached your specified API usage limits.'}}", 0, formException, 400, classify.UserSpendLimit, false},
	{"Python SDK without a body", "Error code: 429", 0, formException, 429, classify.Unknown429, false},
	{"Python SDK, cut by a logger", "Error code: 429 - {'type': 'error', 'error': {'type': 'rate_limit_error', 'mess", 0, formException, 429, classify.Unknown429, false},
	{"TypeScript SDK", "429 " + capBody, 0, formException, 429, classify.TierSpendCap, false},
	{"TypeScript SDK with a stack", "RateLimitError: 429 " + bareLimit + "\n    at APIError.generate (x.js:400:12) {\n  status: 429,\n", 0, formException, 429, classify.Unknown429, false},
	{"TypeScript SDK without a body", "429 status code (no body)", 0, formException, 429, classify.Unknown429, false},
	{"TypeScript SDK with a text body", "429 local_rate_limited", 0, formException, 429, classify.Unknown429, false},
	{"TypeScript SDK with a page", "502 <html><body>Bad Gateway</body></html>", 0, formException, 502, classify.Other, false},
	{"Go SDK", `POST "http://127.0.0.1:8080/v1/messages": 402 Payment Required (Request-ID: req_1) {"type":"error","error":{"type":"billing_error","message":"x"},"request_id":"req_1"}`, 0, formException, 402, classify.Billing, false},
	{"Claude Code", "API Error: 529 " + `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, 0, formException, 529, classify.Overloaded, false},
	{"an exception's class stands for its status", "anthropic.AuthenticationError: {'error': {'type': 'authentication_error', 'message': 'x'}}", 0, formException, 401, classify.Auth, false},
	{"only the Go SDK's words have the status", `POST "http://127.0.0.1:8080/v1/messages": 429 Too Many Requests (Request-ID: req_1) {"message":"x"}`, 0, formException, 429, classify.Unknown429, false},
	{"only Claude Code's words have it", `API Error: 429 {"message":"x"}`, 0, formException, 429, classify.Unknown429, false},
	{"the same in brackets", `API Error (429 {"message":"x"}) · Retrying`, 0, formException, 429, classify.Unknown429, false},
	{"only a log's field has it", `worker failed status=429 body={"message":"x"}`, 0, formException, 429, classify.Unknown429, false},
	{"only the protocol has it", `upstream said HTTP/1.1 429 with {"message":"x"}`, 0, formException, 429, classify.Unknown429, false},
	{"a typed exception that stands for several statuses", "anthropic.EnforcedSpendLimitReachedError: {'error': {'type': 'x'}}", 0, formException, 0, classify.Other, false},
	{"a log line as JSON text after words", `ERROR worker status_code=404 body={"type":"error","error":{"type":"not_found_error","message":"model: x"}} attempt=2`, 0, formException, 404, classify.NotFound, false},
	{"nobody answered: curl", "curl: (52) Empty reply from server", 0, formException, 0, classify.NoAnswer, false},
	{"nobody answered: Python SDK", "anthropic.APIConnectionError: Connection error.", 0, formException, 0, classify.NoAnswer, false},
	{"nobody answered: the request id's digits are no status", "APIConnectionError after 400ms", 0, formException, 0, classify.NoAnswer, false},

	{"LiteLLM's client", "litellm.RateLimitError: AnthropicException - " + capBody, 0, formException, 429, classify.TierSpendCap, false},
	{"LiteLLM's client with a bytes literal", "litellm.RateLimitError: RateLimitError: AnthropicException - b'" + strings.ReplaceAll(capBody, "fixture", `it\'s over`) + "'", 0, formException, 429, classify.TierSpendCap, false},
	{"a bytes literal with quotes and accents in the message", `litellm.RateLimitError: AnthropicException - b'{"type":"error","error":{"type":"rate_limit_error","message":"say \\"h\xc3\xa9\\"","details":{"error_code":"ramp_limit_exceeded"}}}'`, 0, formException, 429, classify.RampLimit, false},
	{"LiteLLM's proxy: JSON in a message", `{"error":{"message":` + quote("litellm.RateLimitError: AnthropicException - "+capBody) + `,"type":"throttling_error","param":null,"code":"429"}}`, 429, formJSON, 429, classify.TierSpendCap, true},
	{"LiteLLM's proxy: bytes in a message", `{"error":{"message":` + quote("litellm.BadRequestError: AnthropicException - b'"+userLimit+"'") + `,"type":null}}`, 400, formJSON, 400, classify.UserSpendLimit, true},
	{"a body that is a JSON string", quote(capBody), 429, formJSON, 429, classify.TierSpendCap, true},
	{"twice", `{"error":{"type":"api_error","message":` + quote(`{"error":{"type":"api_error","message":`+quote(capBody)+`}}`) + `}}`, 500, formJSON, 500, classify.TierSpendCap, true},
	{"a message in a message, without an error of its own between", `{"error":{"type":"api_error","message":` + quote(`{"message":`+quote(capBody)+`}`) + `}}`, 500, formJSON, 500, classify.TierSpendCap, true},
	{"an error of the user's in a message is no answer", `{"type":"error","error":{"type":"invalid_request_error","message":"tools.0: {\"error\": {\"a\": 1}} is not valid"}}`, 400, formJSON, 400, classify.InvalidRequest, false},
	{"error a string that holds the answer", `{"error":` + quote(capBody) + `}`, 502, formJSON, 502, classify.TierSpendCap, true},
	{"the inner error object alone", `{"type":"error","error":{"type":"api_error","message":` + quote(`{"type":"overloaded_error","message":"Overloaded"}`) + `}}`, 500, formJSON, 500, classify.Overloaded, true},
	{"OpenRouter keeps the original under metadata", `{"error":{"code":429,"message":"Provider returned error","metadata":{"raw":` + quote(capBody) + `}}}`, 429, formJSON, 429, classify.TierSpendCap, true},
	{"an exception around a layer's error around the answer", "Error code: 500 - {'error': {'type': 'None', 'message': 'upstream said: " + capBody + "'}}", 0, formException, 500, classify.TierSpendCap, true},
	{"a message that only quotes braces", `{"type":"error","error":{"type":"invalid_request_error","message":"tools.0: {\"a\": 1} is not valid"},"request_id":"r"}`, 400, formJSON, 400, classify.InvalidRequest, false},
}

func TestForms(t *testing.T) {
	for _, c := range forms {
		r := Explain([]byte(c.in), Options{Status: c.status})
		if r.Form != c.form || r.Status != c.got || r.Class != c.class || r.Embedded != c.embedded {
			t.Errorf("%s:\n got %q status %d class %s embedded %v (%v)\nwant %q status %d class %s embedded %v",
				c.why, r.Form, r.Status, r.Class, r.Embedded, r.Why, c.form, c.got, c.class, c.embedded)
		}
		if len(r.Why) == 0 || r.Worker == "" || r.Action != classify.ActionOf(r.Class) {
			t.Errorf("%s: no reason or no action: %+v", c.why, r)
		}
	}
}

var hints = []struct {
	why, in string
	status  int
	missing []string // each is a part of one line
	suspect []string // likewise
}{
	{"nothing is missing in a whole native answer", curl("429 x", "", capBody), 0, nil, nil},
	{"a whole rate limit", curl("429 x", "retry-after: 1\r\n", bareLimit), 0, nil, nil},
	{"only the header decides", bareLimit, 429, []string{"retry-after decides"}, nil},
	{"an unknown code is not decided by the header", `{"error":{"type":"rate_limit_error","message":"x","details":{"error_code":"new"}},"request_id":"r"}`, 429, []string{"x-should-retry whether", `code "new"`}, nil},
	{"with all headers nothing says which limit it was", curl("429 x", "", bareLimit), 0, []string{"which limit it was"}, nil},
	{"the wording is all there is", curl("400 x", "", userLimit), 0, []string{"structured code"}, nil},
	{"no status", `{"error":{"type":"x"}}`, 0, []string{"HTTP status"}, []string{"no request_id"}},
	{"a head alone", "HTTP/1.1 429 x\r\nrequest-id: r\r\n\r\n", 0, []string{"the body: error.type"}, nil},
	{"a body that is known to be empty", "HTTP/1.1 429 x\r\ncontent-length: 0\r\n\r\n", 0, []string{"which limit"}, []string{"without a body"}},
	{"an SDK's words for no body", "429 status code (no body)", 0, []string{"x-should-retry whether"}, []string{"without a body"}},
	{"a body cut by a logger", "Error code: 429 - {'type': 'error', 'err", 0, []string{"rest of the body", "x-should-retry whether"}, nil},

	{"the seed's stripped cap", curl("429 x", "retry-after: 1\r\n", strings.Replace(capBody, `, "details": {"error_code": "enforced_spend_limit_reached"}`, "", 1)), 0, nil, []string{"may have stripped error.details", "retry-after stands beside"}},
	{"a cap that got a wait", curl("429 x", "retry-after: 1\r\n", capBody), 0, nil, []string{"retry-after stands beside"}},
	{"a success with an error in it", curl("200 OK", "", capBody), 0, nil, []string{"take it as a success"}},
	{"a type lost in Go", curl("400 x", "", `{"type":"error","error":{"type":"<nil>","message":"x"},"request_id":"req_1"}`), 0, nil, []string{"written in Go"}},
	{"a type lost in Python", curl("400 x", "", `{"type":"error","error":{"type":"None","message":"x"},"request_id":"req_1"}`), 0, nil, []string{"written in Python"}},
	{"new-api", curl("429 x", "", `{"type":"error","error":{"type":"new_api_error","message":"x"},"request_id":"req_1"}`), 0, []string{"which limit"}, []string{"new-api wrote"}},
	{"a type that is no string", curl("429 x", "", `{"type":"error","error":{"type":7,"message":"x"},"request_id":"req_1"}`), 0, []string{"which limit"}, []string{"not a string"}},
	{"api_error beside a 4xx", curl("402 x", "", `{"type":"error","error":{"type":"api_error","message":"x"},"request_id":"req_1"}`), 0, nil, []string{"documented for status 500"}},
	{"invalid_request_error beside a 422 is documented", curl("422 x", "", `{"type":"error","error":{"type":"invalid_request_error","message":"x"},"request_id":"req_1"}`), 0, nil, nil},
	{"invalid_request_error beside a 429 is not", curl("429 x", "", `{"type":"error","error":{"type":"invalid_request_error","message":"x"},"request_id":"req_1"}`), 0, []string{"which limit"}, []string{"documented for status 400"}},
	{"OpenAI's chunks read as Anthropic's", "data: {\"object\":\"chat.completion.chunk\",\"choices\":[]}", 0, nil, []string{"try --dialect openai-chat"}},
	{"a chunk that is an error", "data: {\"error\":{\"code\":\"slow_down\"}}", 0, nil, []string{"try --dialect openai-chat"}},
	{"events of the Responses", "event: response.created\ndata: {\"type\":\"response.created\"}", 0, nil, []string{"try --dialect openai-responses"}},
	{"OpenAI's members", curl("429 x", "", `{"error":{"type":"rate_limit_error","message":"x","param":null,"code":"429"},"request_id":"req_1"}`), 0, []string{"which limit"}, []string{"OpenAI"}},
	{"a flag that asks for what must not be", curl("400 x", "x-should-retry: true\r\n", userLimit), 0, []string{"structured"}, []string{"although a self-set spend limit must not"}},
	{"a flag that forbids what may be", curl("429 x", "retry-after: 1\r\nx-should-retry: false\r\n", bareLimit), 0, nil, []string{"although a rate limit may"}},
	{"a flag that agrees", curl("429 x", "retry-after: 1\r\nx-should-retry: true\r\n", bareLimit), 0, nil, nil},
	{"a flag in capitals", curl("429 x", "retry-after: 1\r\nx-should-retry: False\r\n", bareLimit), 0, nil, []string{"SDKs ignore it"}},
	{"two waits", curl("429 x", "retry-after: 1\r\nretry-after: 30\r\n", bareLimit), 0, nil, []string{"2 retry-after lines"}},
	{"an empty wait", curl("429 x", "retry-after:\r\n", bareLimit), 0, []string{"which limit"}, []string{"there but empty"}},
	{"no request id in the body", curl("500 x", "", `{"type":"error","error":{"type":"api_error","message":"x"}}`), 0, nil, []string{"no request_id"}},
	{"the edge's 413 has none by nature", curl("413 x", "", `{"error":{"type":"request_too_large","message":"x"}}`), 0, nil, nil},
	{"two request ids", curl("500 x", "", `{"type":"error","error":{"type":"api_error","message":"x"},"request_id":"req_2"}`), 0, nil, []string{"differ"}},
	{"no request-id header", "HTTP/1.1 529 x\r\ncontent-type: application/json\r\n\r\n" + `{"type":"error","error":{"type":"overloaded_error","message":"x"},"request_id":"req_2"}`, 0, nil, []string{"no request-id header"}},
	{"another label", "HTTP/1.1 529 x\r\ncontent-type: text/plain\r\nrequest-id: r\r\n\r\n" + `{"type":"error","error":{"type":"overloaded_error","message":"x"},"request_id":"r"}`, 0, nil, []string{"not JSON"}},
	{"a letter behind the body", curl("529 x", "", `{"type":"error","error":{}} x`), 0, []string{"who wrote it"}, []string{"text after the JSON document, at offset 28 of the body"}},
	{"a page of nginx", nginxPage, 0, []string{"x-should-retry", "who wrote it"}, []string{"nginx wrote this body itself"}},
	{"a page of HAProxy", haproxy, 0, []string{"who wrote it"}, []string{"HAProxy wrote this body itself"}},
	{"a page of nobody known", "502 <html><body>Bad Gateway</body></html>", 0, []string{"who wrote it"}, []string{"an HTML page"}},
	{"Cloudflare's JSON", `{"title":"x","status":522,"error_code":522,"cloudflare_error":true,"retry_after":120}`, 522, []string{"who wrote it"}, []string{"Cloudflare wrote this body itself"}},
	{"LiteLLM by its header", curl("429 x", "retry-after: 1\r\nX-Litellm-Call-Id: 1\r\n", bareLimit), 0, nil, []string{"LiteLLM handled this answer"}},
	{"an answer in a message: the consequence is said", `{"error":{"message":` + quote("AnthropicException - "+capBody) + `,"type":"api_error"},"request_id":"r"}`, 429, nil, []string{"no SDK and no worker", "a spend cap now looks like an unclassified 429", "documented for status 500"}},
	{"a stream's error has no id by nature", "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"x\"}}", 0, nil, nil},
	{"nor has what an SDK prints", `Error code: 400 - {'type': 'error', 'error': {'type': 'invalid_request_error', 'message': 'x'}}`, 0, nil, nil},
}

func TestHints(t *testing.T) {
	for _, c := range hints {
		r := Explain([]byte(c.in), Options{Status: c.status})
		contains(t, c.why+": missing", r.Missing, c.missing)
		contains(t, c.why+": suspicions", r.Suspicions, c.suspect)
	}
}

// TestTextAfterTheDocument: a saved body with a letter behind it is read, and what is left aside is said.
func TestTextAfterTheDocument(t *testing.T) {
	for in, want := range map[string]bool{bareLimit + "x": true, bareLimit + "\n": false, "429 " + bareLimit + " x": false} {
		r := Explain([]byte(in), Options{Status: 429})
		if got := strings.Contains(strings.Join(r.Why, "\n"), fmt.Sprintf("text after the JSON document, at offset %d, is left aside", len(bareLimit))); got != want {
			t.Errorf("%q: %v in %q", in, got, r.Why)
		}
	}
}

// contains wants one line for each part; parts may stand in one line, and no line may be left over.
func contains(t *testing.T, what string, lines, parts []string) {
	t.Helper()
	used := map[int]bool{}
	for _, p := range parts {
		found := false
		for i, l := range lines {
			if strings.Contains(l, p) {
				used[i], found = true, true
			}
		}
		if !found {
			t.Errorf("%s: no line with %q in %q", what, p, lines)
		}
	}
	for i, l := range lines {
		if !used[i] {
			t.Errorf("%s: not expected: %q", what, l)
		}
		if strings.HasSuffix(l, ".") || l == "" {
			t.Errorf("%s: a line ends in a period or is empty: %q", what, l)
		}
	}
}

func TestOuterClassOfAnEmbeddedAnswer(t *testing.T) {
	in := `{"error":{"message":` + quote("AnthropicException - "+userLimit) + `,"type":"api_error"}}`
	r := Explain([]byte(in), Options{Status: 500})
	if !r.Embedded || r.Class != classify.UserSpendLimit || r.Outer != classify.ServerError || r.Status != 500 {
		t.Errorf("got %+v", r)
	}
	if !strings.Contains(strings.Join(r.Why, "; "), "status 400 is the one documented for the inner error's type; the answer around it has 500") {
		t.Errorf("the change of status is not said: %q", r.Why)
	}
}

func TestOtherHeadsAreSaid(t *testing.T) {
	for _, c := range []struct{ why, in, want string }{
		{"a redirect", "HTTP/1.1 307 x\r\n\r\n" + curl("429 x", "", capBody), "1 other head came first (307)"},
		{"two", "HTTP/1.1 100 x\r\n\r\nHTTP/1.1 307 x\r\n\r\n" + curl("429 x", "", capBody), "2 other heads came first (100, 307)"},
		{"curl -i -v prints one head twice", "< HTTP/1.1 429 x\r\n< a: b\r\n<\r\n" + curl("429 x", "", capBody), ""},
	} {
		why := strings.Join(Explain([]byte(c.in), Options{}).Why, "; ")
		if strings.Contains(why, "came first") != (c.want != "") || !strings.Contains(why, c.want) {
			t.Errorf("%s: got %q, want %q", c.why, why, c.want)
		}
	}
}

// TestFurtherAnswersAreLeftAside: two saved answers in one input, as cat makes them.
func TestFurtherAnswersAreLeftAside(t *testing.T) {
	sized := fmt.Sprintf("HTTP/1.1 429 x\r\ncontent-type: application/json\r\nrequest-id: req_1\r\ncontent-length: %d\r\n\r\n%s", len(capBody), capBody)
	second := curl("500 x", "", `{"type":"error","error":{"type":"api_error","message":"x"},"request_id":"req_2"}`)
	const said = "answers found, only the first was read"
	for _, c := range []struct{ why, in, want string }{
		{"the length says where the first ends", sized + second, "2 " + said},
		{"a line end between them", sized + "\n" + second, "2 " + said},
		{"three", sized + "\r\n" + second + "\n" + second, "3 " + said},
		{"no length", curl("429 x", "", capBody) + "\n" + second, "2 " + said},
		{"a length that does not fit this copy", strings.Replace(sized, "content-length: ", "content-length: 1", 1) + "\n" + second, "2 " + said},
		{"a body that only speaks of one", curl("429 x", "", capBody) + "\nHTTP/1.1 500 said the log", ""},
		{"one alone", sized, ""},
	} {
		r := Explain([]byte(c.in), Options{})
		why := strings.Join(r.Why, "; ")
		if strings.Contains(why, said) != (c.want != "") || !strings.Contains(why, c.want) {
			t.Errorf("%s: got %q, want %q", c.why, why, c.want)
		}
		if c.want != "" && r.Class != classify.TierSpendCap {
			t.Errorf("%s: class %s is not that of the first answer", c.why, r.Class)
		}
	}
}

func TestUnwrapStops(t *testing.T) {
	body := capBody
	for range 6 {
		body = `{"error":{"type":"api_error","message":` + quote(body) + `}}`
	}
	r := Explain([]byte(body), Options{Status: 500})
	if !strings.Contains(strings.Join(r.Why, "; "), "4 levels deep") {
		t.Errorf("got %q", r.Why)
	}
}

func TestEvidenceAndClassified(t *testing.T) {
	r := Explain([]byte(curl("429 x", "", capBody)), Options{})
	got := map[classify.Role]string{}
	for _, f := range r.Evidence {
		got[f.Role] = f.Text
	}
	if got[classify.Code] != "enforced_spend_limit_reached" || got[classify.Status] != "429" || got[classify.Type] != "rate_limit_error" || len(got) != 4 {
		t.Errorf("evidence: %v", r.Evidence)
	}
	if !r.Classified() || r.Source == "" {
		t.Errorf("a spend cap is not classified, or has no source: %+v", r)
	}
	for _, f := range Explain([]byte(capBody), Options{}).Evidence {
		if f.Role == classify.Status {
			t.Errorf("an assumed status is shown as evidence: %+v", f)
		}
	}
	for _, in := range []string{"", bareLimit, "HTTP/1.1 302 x\r\n\r\n"} {
		if r := Explain([]byte(in), Options{}); r.Classified() {
			t.Errorf("%q is classified as %s", in, r.Class)
		}
	}
}

func TestTooMuchInput(t *testing.T) {
	r := Explain([]byte(strings.Repeat(" ", MaxInput+1)), Options{})
	if r.Class != classify.Other || len(r.Missing) == 0 {
		t.Errorf("got %+v", r)
	}
	if r := Explain([]byte(strings.Repeat(" ", MaxInput-len(capBody))+capBody), Options{}); r.Class != classify.TierSpendCap {
		t.Errorf("an input of the full size: %+v", r)
	}
}

func TestInputIsNotChanged(t *testing.T) {
	for _, c := range forms {
		in := []byte(c.in)[:len(c.in):len(c.in)]
		Explain(in, Options{})
		if string(in) != c.in {
			t.Errorf("%s: the input was written to", c.why)
		}
	}
}

func FuzzExplain(f *testing.F) {
	if len(forms) == 0 || len(hints) == 0 {
		f.Fatal("no seeds")
	}
	for _, c := range forms {
		f.Add([]byte(c.in), c.status)
	}
	for _, c := range hints {
		f.Add([]byte(c.in), c.status)
	}
	f.Add([]byte(`b'\x`), 0)
	f.Add([]byte("{'a': '\\U00110000'}"), 429)
	f.Fuzz(func(t *testing.T, in []byte, status int) {
		r := Explain(in, Options{Status: status})
		if r.Form == "" || !classify.Known(r.Class) || len(r.Why) == 0 || r.Worker == "" {
			t.Errorf("not whole: %+v", r)
		}
		if r.Embedded != (r.Outer != "") {
			t.Errorf("embedded without an outer class: %+v", r)
		}
	})
}

// Texts that make the reader try in vain, each of the full size.
func BenchmarkWorst(b *testing.B) {
	nested := `{"message":"x"}`
	for len(nested) < MaxInput/3 {
		nested = `{"message":` + quote(nested) + `}`
	}
	for _, c := range []struct{ name, in string }{
		{"open strings", "x " + strings.Repeat(`{"a":"`, MaxInput/6-1)},
		{"one open string", "x " + strings.Repeat(`{"a":`, maxStarts) + `"` + strings.Repeat("y", MaxInput-400)},
		{"one open Python string", "x " + strings.Repeat(`{'a':`, maxStarts) + `'` + strings.Repeat("y", MaxInput-400)},
		{"many objects", "x " + strings.Repeat(`{"a":1} `, MaxInput/8-1)},
		{"nested messages", nested},
		{"many lines", "HTTP/1.1 429 x\n" + strings.Repeat("a: b\n", MaxInput/5-4)},
		{"many heads", strings.Repeat("HTTP/1.1 100 x\n\n", MaxInput/16)},
		{"many events", strings.Repeat("event: x\ndata: {}\n\n", MaxInput/20)},
	} {
		b.Run(c.name, func(b *testing.B) {
			if len(c.in) > MaxInput {
				b.Fatal("not the full size, but more")
			}
			for b.Loop() {
				Explain([]byte(c.in), Options{})
			}
		})
	}
}

// A worker that trusts its SDK to retry must know that it doesn't in a stream.
func TestAnErrorInAStreamIsCalledLate(t *testing.T) {
	const failed = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n"
	for in, want := range map[string]bool{failed: true, curl("529 x", "", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`): false} {
		if r := Explain([]byte(in), Options{}); slices.Contains(r.Why, classify.LateError) != want {
			t.Errorf("%q: %s because of %q", in, r.Class, r.Why)
		}
	}
}
