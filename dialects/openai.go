package dialects

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// What both protocols of OpenAI share: headers, the error envelope {"error":{message,type,param,code}}, and which key each
// role has. OpenAI's errors have no details. OpenRouter, which speaks the same protocol, puts them into metadata, so that is
// where the role points; param is no role, since it only names a parameter of the request.

// openAIDefaults are the headers of an official SDK that a layer may look at. The key is no key, and says so.
var openAIDefaults = []wire.Field{
	{Name: "content-type", Value: "application/json"},
	{Name: "accept", Value: "application/json"},
	{Name: "accept-encoding", Value: "gzip, deflate"},
	{Name: "authorization", Value: "Bearer preservecheck-not-a-key"},
	{Name: "user-agent", Value: "preservecheck"},
}

var openAIKeys = map[classify.Role]string{
	classify.Status:       "status",
	classify.Type:         "error/type",
	classify.Code:         "error/code",
	classify.Details:      "error/metadata",
	classify.Limit:        "error/metadata/limit_source",
	classify.Message:      "error/message",
	classify.RetryAfter:   "header/retry-after",
	classify.RetryAfterMS: "header/retry-after-ms",
	classify.ShouldRetry:  "header/x-should-retry",
	classify.Body:         "body",
}

// openAIStatusOf holds codes and types, which don't collide: sources as in openAIErrors.
var openAIStatusOf = map[string]int{
	"rate_limit_exceeded":               429,
	"slow_down":                         429, // was a 503 before
	"credit_balance_exhausted":          429,
	"organization_spend_limit_exceeded": 429,
	"project_spend_limit_exceeded":      429,
	"organization_usage_limit_exceeded": 429,
	"insufficient_quota":                429, // a code and a type
	"server_is_overloaded":              503,
	"server_error":                      500, // a code and a type
	"content_filter":                    400,
	"invalid_prompt":                    400,
	"model_not_found":                   404,

	"requests":                  429,
	"tokens":                    429,
	"rate_limit_error":          429,
	"invalid_request_error":     400,
	"service_unavailable_error": 503,
}

// openAIRequest posts a body that can't fail to encode: strings, numbers and bools.
func openAIRequest(base, path string, a wire.Ask, body any) wire.Request {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // SDKs send < and > as they are
	_ = enc.Encode(body)
	return wire.Request{
		Method: "POST",
		Target: joinPath(base, a.Prefix, path),
		Header: withDefaults(a.Header, openAIDefaults),
		Body:   bytes.TrimSuffix(b.Bytes(), []byte("\n")),
	}
}

// isDone recognises the mark at the end of a stream as the official SDKs do: by how the data begins.
func isDone(e evidence.Event) bool { return strings.HasPrefix(e.Data, doneMark) }

const doneMark = "[DONE]"

// hasErrorMember reports whether an event's data has an error at its top. The official SDKs raise whatever stands there,
// unless it is null (openai-node, src/core/streaming.ts, read 2026-11-30).
func hasErrorMember(e evidence.Event) bool {
	k := e.Get("error").Kind
	return k != evidence.Absent && k != evidence.Null
}
