package dialects

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// Anthropic is the Messages API: https://platform.claude.com/docs/en/api/errors and .../rate-limits, read 2026-11-30.
var Anthropic = &Dialect{
	Name:       "anthropic",
	Path:       "/v1/messages",
	ModelsPath: "/v1/models",
	Request:    anthropicRequest,
	Watched:    anthropicWatched,
	Probe:      anthropicProbe,
	Model:      func(body []byte) string { return stringMember(body, "model") },
	Stream:     func(body []byte) bool { return string(member(body, "stream")) == "true" },
	Layout:     evidence.Layout{Error: "error", Event: anthropicEvent},
	Ends:       []string{"message_stop"},
	Keys: map[classify.Role]string{
		classify.Status:       "status",
		classify.Type:         "error/type",
		classify.Details:      "error/details",
		classify.Code:         "error/details/error_code",
		classify.Message:      "error/message",
		classify.RetryAfter:   "header/retry-after",
		classify.RetryAfterMS: "header/retry-after-ms",
		classify.ShouldRetry:  "header/x-should-retry",
		classify.Body:         "body",
	},
	// The four limits of https://platform.claude.com/docs/en/api/rate-limits; "tokens" is the combined one.
	Headroom: []LimitKeys{
		{"header/anthropic-ratelimit-requests-limit", "header/anthropic-ratelimit-requests-remaining"},
		{"header/anthropic-ratelimit-tokens-limit", "header/anthropic-ratelimit-tokens-remaining"},
		{"header/anthropic-ratelimit-input-tokens-limit", "header/anthropic-ratelimit-input-tokens-remaining"},
		{"header/anthropic-ratelimit-output-tokens-limit", "header/anthropic-ratelimit-output-tokens-remaining"},
	},
	// request_too_large is not in the SDKs' union of types, but documented.
	StatusOf: map[string]int{
		"invalid_request_error": 400,
		"authentication_error":  401,
		"billing_error":         402,
		"permission_error":      403,
		"not_found_error":       404,
		"conflict_error":        409,
		"request_too_large":     413,
		"rate_limit_error":      429,
		"api_error":             500,
		"timeout_error":         504,
		"overloaded_error":      529,
	},
	Rules: anthropicRules,
}

// anthropicDefaults are the headers of an official SDK that a layer may look at. The version is the older of the two
// that SDKs send (2026-10-21 since late 2026): every layer knows it, and the error envelope is the same in both. The key
// is no key, and says so.
var anthropicDefaults = []wire.Field{
	{Name: "content-type", Value: "application/json"},
	{Name: "accept", Value: "application/json"},
	{Name: "accept-encoding", Value: "gzip, deflate"},
	{Name: "anthropic-version", Value: "2023-06-01"},
	{Name: "x-api-key", Value: "preservecheck-not-a-key"},
	{Name: "user-agent", Value: "preservecheck"},
}

type anthropicMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

func anthropicRequest(base string, a wire.Ask) wire.Request {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false) // SDKs send < and > as they are
	// Strings, an int and a bool can't fail to encode, and a buffer can't fail to grow.
	_ = enc.Encode(struct {
		Model     string             `json:"model"`
		MaxTokens int                `json:"max_tokens"`
		Messages  []anthropicMessage `json:"messages"`
		Stream    bool               `json:"stream,omitempty"`
	}{a.Model, 16, []anthropicMessage{{"user", a.Prompt}}, a.Stream})
	return wire.Request{
		Method: "POST",
		Target: joinPath(base, a.Prefix, "/v1/messages"),
		Header: withDefaults(a.Header, anthropicDefaults),
		Body:   bytes.TrimSuffix(body.Bytes(), []byte("\n")),
	}
}

var (
	errorMember   = []string{"error"}
	anthropicText = map[string][]string{
		"text_delta":       {"delta", "text"},
		"thinking_delta":   {"delta", "thinking"},
		"input_json_delta": {"delta", "partial_json"},
	}
)

// anthropicEvent goes by the event's name or by the type in its data, since layers lose the one or the other. The official SDKs
// go by the name alone: they don't see an error whose event line was lost (three SDKs run on loopback, 2026-11-30).
func anthropicEvent(e evidence.Event) evidence.Meaning {
	kind := e.Get("type").Text
	m := evidence.Meaning{Word: kind}
	is := func(name string) bool { return e.Name == name || kind == name }
	switch {
	case isDone(e): // not of this protocol, but clients of two stop reading here
		m.Word, m.Terminal = doneMark, doneMark
	case is("ping"):
		m.Keepalive = true
	case is("error"):
		m.Error, m.ErrorAt = true, errorMember
	case is("message_stop"):
		m.Terminal = "message_stop"
	case is("message_delta"):
		if reason := e.Get("delta", "stop_reason"); reason.Kind == evidence.String {
			m.Terminal = "stop_reason " + reason.Text
		}
	case is("content_block_delta"):
		m.Text = anthropicText[e.Get("delta", "type").Text]
	}
	return m
}

// joinPath puts paths behind each other without doubling a slash.
func joinPath(parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		if p = strings.Trim(p, "/"); p != "" {
			b.WriteString("/" + p)
		}
	}
	return b.String()
}

// withDefaults puts the defaults first, but for those that the ask names itself. An ask that brings its own
// authorization gets no x-api-key: SDKs send one or the other, and some layers let the key win.
func withDefaults(asked, defaults []wire.Field) []wire.Field {
	out := make([]wire.Field, 0, len(defaults)+len(asked))
	for _, d := range defaults {
		if !has(asked, d.Name) && (d.Name != "x-api-key" || !has(asked, "authorization")) {
			out = append(out, d)
		}
	}
	return append(out, asked...)
}

func has(fields []wire.Field, name string) bool {
	for _, f := range fields {
		if strings.EqualFold(f.Name, name) {
			return true
		}
	}
	return false
}
