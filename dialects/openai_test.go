package dialects

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// openAI is an error body of OpenAI; typ and code are JSON.
func openAI(typ, code string) string {
	return fmt.Sprintf(`{"error":{"message":"m","type":%s,"param":null,"code":%s}}`, typ, code)
}

func router(code int, metadata string) string {
	return fmt.Sprintf(`{"error":{"code":%d,"message":"m","metadata":%s},"user_id":"u"}`, code, metadata)
}

// openAICases hold for both protocols: errors before a stream are the same.
func openAICases() []classCase {
	ra := "retry-after: 17"
	quota := func(code string) *wire.Answer { return answer(429, openAI(`"insufficient_quota"`, code)) }
	return []classCase{
		{"a success", answer(200, `{"id":"x"}`), classify.OK},
		{"a 200 with an error body is a success to every official SDK", answer(200, router(502, "{}")), classify.OK},
		{"requests per minute", answer(429, openAI(`"requests"`, `"rate_limit_exceeded"`), ra), classify.RateLimit},
		{"tokens per minute, without a wait: it is sent only where there is one", answer(429, openAI(`"tokens"`, `"rate_limit_exceeded"`)), classify.RateLimit},
		{"growing too fast", answer(429, openAI(`"rate_limit_error"`, `"slow_down"`)), classify.RampLimit},
		{"growing too fast, as it came before", answer(503, openAI(`"service_unavailable_error"`, `"slow_down"`)), classify.RampLimit},
		{"overloaded", answer(503, openAI(`"service_unavailable_error"`, `"server_is_overloaded"`)), classify.Overloaded},
		{"no credit", quota(`"credit_balance_exhausted"`), classify.CreditExhausted},
		{"the organization's own limit", quota(`"organization_spend_limit_exceeded"`), classify.UserSpendLimit},
		{"the project's own limit", quota(`"project_spend_limit_exceeded"`), classify.UserSpendLimit},
		{"the provider's limit", quota(`"organization_usage_limit_exceeded"`), classify.ProviderLimit},
		{"the older form", quota(`"insufficient_quota"`), classify.CreditExhausted},
		{"the code decides whatever the type is", answer(429, openAI(`null`, `"credit_balance_exhausted"`), ra), classify.CreditExhausted},
		{"a code of a quota that nobody documents is not guessed from its type", quota(`"weekly_quota_reached"`), classify.Unknown429},
		{"nor is a null code", quota(`null`), classify.Unknown429},
		{"a new code, even with a wait", answer(429, openAI(`"requests"`, `"new"`), ra), classify.Unknown429},
		{"a code that is a number", answer(429, openAI(`"requests"`, `429`), ra), classify.Unknown429},
		{"a number as a text, as LiteLLM writes it", answer(429, openAI(`"throttling_error"`, `"429"`), ra), classify.Unknown429},
		{"no code", answer(429, `{"error":{"message":"m","type":"requests"}}`, ra), classify.Unknown429},
		{"an error that is a text", answer(429, `{"error":"slow down"}`, ra), classify.Unknown429},
		{"a page", answer(429, "<html></html>", "content-type: text/html"), classify.Unknown429},
		{"Anthropic's cap in this protocol", answer(429, envelope("rate_limit_error", "m", "enforced_spend_limit_reached")), classify.Unknown429},
		{"a bad parameter", answer(400, `{"error":{"message":"m","type":"invalid_request_error","param":"service_tier","code":null}}`), classify.InvalidRequest},
		{"Azure's filter, with a null type and a status of its own", answer(400, `{"error":{"message":"m","type":null,"param":"prompt","code":"content_filter","status":400}}`), classify.InvalidRequest},
		{"a refused prompt", answer(400, openAI(`null`, `"invalid_prompt"`)), classify.InvalidRequest},
		{"OpenRouter's bad request", answer(400, router(400, "{}")), classify.InvalidRequest},
		{"a 400 of nobody known", answer(400, openAI(`"bad_response_status_code"`, `"x"`)), classify.Other},
		{"a key that is not accepted", answer(401, openAI(`"invalid_request_error"`, `"invalid_api_key"`)), classify.Auth},
		{"a page under a 401", answer(401, "<html></html>"), classify.Other},
		{"a country that is not served", answer(403, openAI(`null`, `"unsupported_country_region_territory"`)), classify.Permission},
		{"a 403 of OpenRouter may be a flagged prompt", answer(403, router(403, `{"reasons":["x"],"flagged_input":"y"}`)), classify.Other},
		{"no such model", answer(404, openAI(`"invalid_request_error"`, `"model_not_found"`)), classify.NotFound},
		{"OpenRouter's timeout", answer(408, router(408, "{}")), classify.Timeout},
		{"a server error", answer(500, openAI(`"server_error"`, `null`)), classify.ServerError},
		{"OpenRouter's provider is down", answer(502, router(502, `{"provider_name":"x"}`)), classify.ServerError},
		{"OpenRouter has no provider", answer(503, router(503, "{}")), classify.ServerError},
		{"a page under a 502 is not the provider's", answer(502, "<html></html>"), classify.Other},
		{"running requests fill the budget: it passes", answer(402, router(402, `{"limit_source":"openrouter_in_flight_budget"}`), ra), classify.InFlightLimit},
		{"no credit at OpenRouter", answer(402, router(402, `{"limit_source":"openrouter_credits"}`)), classify.CreditExhausted},
		{"a key's budget", answer(402, router(402, `{"limit_source":"openrouter_key_limit"}`)), classify.UserSpendLimit},
		{"a workspace's budget comes as a 403", answer(403, router(403, `{"limit_source":"openrouter_workspace_budget"}`)), classify.UserSpendLimit},
		{"a 402 that does not say whose limit it was", answer(402, router(402, `{}`), ra), classify.Billing},
		{"a limit_source of nobody known", answer(402, router(402, `{"limit_source":"new"}`), ra), classify.Billing},
		{"metadata that is a text hides no code, which stands beside it", answer(429, `{"error":{"code":"slow_down","message":"m","metadata":"x"}}`), classify.RampLimit},
		{"Groq's 413 with a rate limit's code", answer(413, openAI(`"tokens"`, `"rate_limit_exceeded"`)), classify.Other},
		{"a hang", &wire.Answer{End: wire.EndTimeout}, classify.NoAnswer},
	}
}

func TestOpenAI(t *testing.T) {
	for _, d := range []*Dialect{OpenAIChat, OpenAIResponses} {
		runIn(t, d, openAICases())
	}
}

// nameless is a stream of events without event lines.
func nameless(data ...string) *wire.Answer {
	return answer(200, "data: "+strings.Join(data, "\n\ndata: ")+"\n\n", "content-type: text/event-stream")
}

const (
	chatChunk  = `{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"par"},"finish_reason":null}]}`
	chatFinish = `{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
)

func TestChatStreams(t *testing.T) {
	runIn(t, OpenAIChat, []classCase{
		{"whole", nameless(chatChunk, chatFinish, "[DONE]"), classify.OK},
		{"the mark at the end is lost, but the model had finished", nameless(chatChunk, chatFinish), classify.OK},
		{"the mark alone, which SDKs take for the end", nameless(chatChunk, "[DONE]"), classify.OK},
		{"neither", nameless(chatChunk), classify.Truncated},
		{"an error by its code", nameless(chatChunk, openAI(`"requests"`, `"rate_limit_exceeded"`)), classify.RateLimit},
		{"an error of a code only", nameless(`{"error":{"code":"slow_down"}}`), classify.RampLimit},
		{"an error of a type only: its status is known, its cause is not", nameless(`{"error":{"type":"insufficient_quota"}}`), classify.Unknown429},
		{"a server error by its type", nameless(`{"error":{"type":"server_error","message":"m"}}`), classify.ServerError},
		{"a bad request by its type", nameless(`{"error":{"type":"invalid_request_error"}}`), classify.InvalidRequest},
		{"an error of neither", nameless(`{"error":{"message":"m"}}`), classify.Other},
		{"an error that is a text", nameless(`{"error":"m"}`), classify.Other},
		{"an empty object is raised, too", nameless(`{"error":{}}`), classify.Other},
		{"a null error is none", nameless(strings.Replace(chatFinish, `"object"`, `"error":null,"object"`, 1)), classify.OK},
		{"OpenRouter ends with a chunk that holds the error", nameless(chatChunk, `{"error":{"code":502,"message":"m"},"choices":[{"delta":{},"finish_reason":"error"}]}`), classify.ServerError},
		{"a chunk that ends in an error without one", nameless(`{"choices":[{"delta":{},"finish_reason":"error"}]}`), classify.Truncated},
		{"a code and a type that disagree: the code decides", nameless(`{"error":{"code":"server_is_overloaded","type":"insufficient_quota"}}`), classify.Overloaded},
		{"a number that is no status", nameless(`{"error":{"code":7}}`), classify.Other},
		{"a number as a text is no status", nameless(`{"error":{"code":"502"}}`), classify.Other},
		{"an event that is named error", stream("", `error {"message":"m","code":"slow_down"}`), classify.RampLimit},
		{"a second choice that finished", nameless(`{"choices":[{"index":1,"delta":{},"finish_reason":null},{"index":0,"delta":{},"finish_reason":"length"}]}`), classify.OK},
		{"choices that are no list", nameless(`{"choices":{"0":{"finish_reason":"stop"}}}`), classify.Truncated},
		{"data that is no JSON", nameless("x"), classify.Truncated},
	})
}

func TestResponsesStreams(t *testing.T) {
	created := `response.created {"type":"response.created","response":{"id":"r","error":null}}`
	runIn(t, OpenAIResponses, []classCase{
		{"whole", stream("", created, `response.completed {"type":"response.completed","response":{"error":null}}`), classify.OK},
		{"stopped by a limit of the request's own", stream("", created, `response.incomplete {"type":"response.incomplete"}`), classify.OK},
		{"without event lines", nameless(`{"type":"response.completed"}`), classify.OK},
		{"broken off", stream("", created), classify.Truncated},
		{"[DONE] is no end in this protocol", stream("", created, "message [DONE]"), classify.Truncated},
		{"a flat error", stream("", created, `error {"type":"error","code":"rate_limit_exceeded","message":"m","param":null,"sequence_number":3}`), classify.RateLimit},
		{"a nested one, as it is on the wire", stream("", `error {"type":"error","error":{"type":"tokens","code":"rate_limit_exceeded","message":"m"},"sequence_number":2}`), classify.RateLimit},
		{"a flat error whose event line was lost", nameless(`{"type":"error","code":"server_error","message":"m"}`), classify.ServerError},
		{"a code that nobody documents", stream("", `error {"type":"error","code":"ERR_SOMETHING","message":"m"}`), classify.Other},
		{"a failed response, which openai-node does not raise", stream("", created, `response.failed {"type":"response.failed","response":{"error":{"code":"server_error","message":"m"}}}`), classify.ServerError},
		{"a refused prompt", stream("", `response.failed {"type":"response.failed","response":{"error":{"code":"invalid_prompt","message":"m"}}}`), classify.InvalidRequest},
		{"a failed response that does not say why", stream("", `response.failed {"type":"response.failed","response":{"error":null}}`), classify.Other},
		{"the first error counts", stream("", `error {"type":"error","code":"slow_down"}`, `response.failed {"type":"response.failed","response":{"error":{"code":"server_error"}}}`), classify.RampLimit},
		{"an error in the shape of the other protocol", nameless(`{"error":{"code":"server_is_overloaded"}}`), classify.Overloaded},
	})
}

// TestOpenAIStreamEvidence holds the words that reports show.
func TestOpenAIStreamEvidence(t *testing.T) {
	for _, c := range []struct {
		why  string
		d    *Dialect
		a    *wire.Answer
		want map[string]string
	}{
		{
			"chunks and their text", OpenAIChat, nameless(chatChunk, strings.Replace(chatChunk, "par", "tial", 1), chatFinish, "[DONE]"),
			map[string]string{"stream/events": `["-chunk","-[DONE]"]`, "stream/terminal": `["finish_reason stop","[DONE]"]`, "stream/text": "partial"},
		},
		{
			"the arguments of a tool", OpenAIChat, nameless(`{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"{}"}}]}}]}`),
			map[string]string{"stream/events": `["-chunk"]`, "stream/terminal": "", "stream/text": "{}"},
		},
		{
			"an error in a chunk", OpenAIChat, nameless(`{"error":{"code":502},"choices":[{"delta":{"content":""},"finish_reason":"error"}]}`),
			map[string]string{"stream/events": `["-error"]`, "stream/terminal": "", "error/code": "502", "stream/error/choices": `[{"delta":{"content":""},"finish_reason":"error"}]`},
		},
		{
			"a flat error is the error object, but for its type, which is the event's", OpenAIResponses,
			stream("", `error {"type":"error","code":"c","message":"m","param":null,"sequence_number":3}`),
			map[string]string{"error/code": "c", "error/message": "m", "error/param": "null", "error/type": "", "stream/error/type": "error", "error/sequence_number": ""},
		},
		{
			"deltas of any kind", OpenAIResponses,
			stream("", `response.output_text.delta {"type":"response.output_text.delta","delta":"a","sequence_number":4}`, `response.output_text.delta {"type":"response.output_text.delta","delta":"b","sequence_number":5}`),
			map[string]string{"stream/events": `["response.output_text.delta"]`, "stream/text": "ab", "stream/data/response.output_text.delta/type": "response.output_text.delta", "stream/data/response.output_text.delta#2": ""},
		},
		{
			"Anthropic's two ends and its three kinds of text", Anthropic,
			stream("", `content_block_delta {"type":"content_block_delta","delta":{"type":"thinking_delta","thinking":"a"}}`,
				`content_block_delta {"type":"content_block_delta","delta":{"type":"text_delta","text":"b"}}`,
				`content_block_delta {"type":"content_block_delta","delta":{"type":"input_json_delta","partial_json":"c"}}`,
				`message_delta {"type":"message_delta","delta":{"stop_reason":"end_turn"}}`, `message_stop {"type":"message_stop"}`),
			map[string]string{"stream/terminal": `["stop_reason end_turn","message_stop"]`, "stream/text": "abc", "stream/data/content_block_delta#3/delta/type": "input_json_delta"},
		},
		{
			"an update of the usage is no end", Anthropic, stream("", `message_delta {"type":"message_delta","delta":{"stop_reason":null}}`),
			map[string]string{"stream/terminal": ""},
		},
	} {
		e := evidence.Of(c.a, c.d.Layout, "")
		for key, want := range c.want {
			if got := e.Get(key); got.Text != want || want == "" && got.Kind != evidence.Absent {
				t.Errorf("%s: %s is %q, want %q", c.why, key, got.Text, want)
			}
		}
	}
}

// TestANumberIsAStatusOnlyWhereItIsDocumented: OpenRouter documents it, Anthropic does not.
func TestANumberIsAStatusOnlyWhereItIsDocumented(t *testing.T) {
	a := stream("", `error {"type":"error","error":{"type":"x","code":502,"details":{"error_code":502}}}`)
	for d, want := range map[*Dialect]int{Anthropic: 200, OpenAIChat: 502, OpenAIResponses: 502} {
		if f := d.Facts(evidence.Of(a, d.Layout, "")); f.Status != want || !f.InStream {
			t.Errorf("%s: status %d, in the stream %v; want %d", d.Name, f.Status, f.InStream, want)
		}
	}
}

// TestOnlyAnErrorsStatusIsOne: a code of another range says nothing about a status, so the answer keeps the one that it came with.
func TestOnlyAnErrorsStatusIsOne(t *testing.T) {
	for code, want := range map[string]int{"399": 200, "400": 400, "599": 599, "600": 200} {
		a := nameless(`{"error":{"code":` + code + `}}`)
		if f := OpenAIChat.Facts(evidence.Of(a, OpenAIChat.Layout, "")); f.Status != want {
			t.Errorf("code %s: status %d, want %d", code, f.Status, want)
		}
	}
}

func TestOpenAIRequests(t *testing.T) {
	for _, c := range []struct {
		why, base    string
		d            *Dialect
		ask          wire.Ask
		target, body string
	}{
		{"the base URL brings /v1", "/v1", OpenAIChat, wire.Ask{Model: "m", Prompt: "a<b"}, "/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":"a<b"}],"max_tokens":16}`},
		{"a stream", "", OpenAIChat, wire.Ask{Model: "m", Prompt: "hi", Stream: true}, "/chat/completions", `{"model":"m","messages":[{"role":"user","content":"hi"}],"max_tokens":16,"stream":true}`},
		{"a prefix", "/v1/", OpenAIResponses, wire.Ask{Model: "m", Prompt: "hi", Prefix: "/fx/x"}, "/v1/fx/x/responses", `{"model":"m","input":"hi","max_output_tokens":16}`},
		{"a stream of the other protocol", "/v1", OpenAIResponses, wire.Ask{Model: "m", Prompt: "hi", Stream: true}, "/v1/responses", `{"model":"m","input":"hi","max_output_tokens":16,"stream":true}`},
	} {
		r := c.d.Request(c.base, c.ask)
		if r.Method != "POST" || r.Target != c.target || string(r.Body) != c.body {
			t.Errorf("%s: got %s %s %s", c.why, r.Method, r.Target, r.Body)
		}
		if c.d.Model(r.Body) != c.ask.Model || c.d.Stream(r.Body) != c.ask.Stream {
			t.Errorf("%s: model or stream don't read back", c.why)
		}
	}
}

func TestOpenAIHeaders(t *testing.T) {
	want := []wire.Field{
		{Name: "content-type", Value: "application/json"}, {Name: "accept", Value: "application/json"}, {Name: "accept-encoding", Value: "gzip, deflate"},
		{Name: "authorization", Value: "Bearer preservecheck-not-a-key"}, {Name: "user-agent", Value: "preservecheck"},
	}
	for _, d := range []*Dialect{OpenAIChat, OpenAIResponses} {
		if diff := cmp.Diff(want, d.Request("", wire.Ask{}).Header); diff != "" {
			t.Errorf("%s: %s", d.Name, diff)
		}
		own := d.Request("", wire.Ask{Header: []wire.Field{{Name: "Authorization", Value: "Bearer own"}}}).Header
		if !slices.Contains(own, wire.Field{Name: "Authorization", Value: "Bearer own"}) || len(own) != len(want) {
			t.Errorf("%s: the user's own key does not replace ours: %v", d.Name, own)
		}
	}
}

// FuzzEvents: no event makes a dialect panic, and every answer has a class.
func FuzzEvents(f *testing.F) {
	for _, c := range openAICases() {
		f.Add("", string(c.answer.Body))
	}
	f.Add("response.failed", `{"type":"response.failed","response":{"error":{"code":1}}}`)
	f.Add("message_delta", `{"delta":{"stop_reason":"x","text":[]}}`)
	f.Add("", "[DONE]")
	f.Add("", chatChunk)
	f.Fuzz(func(t *testing.T, name, data string) {
		for _, d := range All() {
			e := evidence.Of(answer(200, "event: "+name+"\ndata: "+data+"\n\n", "content-type: text/event-stream"), d.Layout, "")
			if r := d.Classify(e); r == nil {
				t.Fatalf("%s: no class", d.Name)
			}
		}
	})
}
