package explain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/evidence"
)

// suspicions are tried in this order; each says in one sentence what looks as if a layer had touched the answer, or "".
// Some rest on what only Anthropic's answers have.
var suspicions = []struct {
	anthropic bool
	find      func(*view) string
}{
	{false, capWithoutCode},
	{false, waitBesideCap},
	{false, successWithError},
	{false, foreignType},
	{true, wrongStatus}, // OpenAI's types stand under several statuses
	{true, otherProtocol},
	{false, retryFlagDisagrees},
	{false, retryFlagIgnored},
	{false, severalWaits},
	{false, blankWait},
	{true, noRequestID},
	{true, requestIDsDiffer},
	{false, noContentType},
	{false, textAfterJSON},
}

func suspect(v *view) []string {
	var out []string
	for _, s := range suspicions {
		if s.anthropic && v.d != dialects.Anthropic {
			continue
		}
		if text := s.find(v); text != "" {
			out = append(out, text)
		}
	}
	return append(out, authorsOf(v)...)
}

// member is where a role stands, in the words of who reads JSON: error.details.error_code.
func (v *view) member(r classify.Role) string { return strings.ReplaceAll(v.d.Keys[r], "/", ".") }

// capWords are what the known messages about caps and credit have in common. They only raise a suspicion: a class never
// rests on them.
var capWords = []string{"usage limits", "spend limit", "spending limit", "spend cap", "regain access", "credit balance"}

func (v *view) capWording() bool {
	return !v.saved.quotes && v.facts.Message.State == classify.Text && containsAny(strings.ToLower(v.facts.Message.Text), capWords)
}

func capWithoutCode(v *view) string {
	if !v.capWording() || v.facts.Code.State != classify.Absent {
		return ""
	}
	switch v.class {
	case classify.UserSpendLimit, classify.CreditExhausted: // these come without a code
		return ""
	}
	from := v.member(classify.Details)
	if v.d != dialects.Anthropic {
		from = "it"
	}
	return "the message has the wording of a cap, but there is no " + v.member(classify.Code) + ": a layer may have stripped " + from
}

func waitBesideCap(v *view) string {
	if v.facts.RetryAfter.State == classify.Absent || !v.capWording() && v.class != classify.TierSpendCap {
		return ""
	}
	return "retry-after stands beside a spend cap or its wording, and the provider sends a spend cap without it: a layer may have added it"
}

func successWithError(v *view) string {
	if !classify.Success(v.class) || !v.facts.HasError {
		return ""
	}
	return fmt.Sprintf("a %d with an error object: the official SDKs take it as a success and return an empty message", v.saved.status)
}

// foreignTypes are what is left of a type that a layer lost. Types of a layer's own are in package authors.
var foreignTypes = map[string]string{
	"":          "an empty type is not the provider's",
	"<nil>":     "a layer written in Go lost the type",
	"None":      "a layer written in Python lost the type",
	"null":      "a layer lost the type and wrote the word",
	"undefined": "a layer written in JavaScript lost the type",
}

func foreignType(v *view) string {
	if v.facts.Type.State == classify.Odd {
		return "error.type is not a string, which the provider's always is"
	}
	text, ok := foreignTypes[v.facts.Type.Text]
	if !ok || v.facts.Type.State != classify.Text {
		return ""
	}
	return fmt.Sprintf("error.type is %q: %s", v.facts.Type.Text, text)
}

// wrongStatus compares the status with the one documented for the type. invalid_request_error is also documented for
// 4xx statuses that have no type of their own.
func wrongStatus(v *view) string {
	want, known := v.d.StatusOf[v.facts.Type.Text]
	got := v.saved.status
	if !known || v.facts.Type.State != classify.Text || got == 0 || got == want || got < 300 {
		return ""
	}
	if want == 400 && got > 400 && got < 500 && !documented(v.d.StatusOf, got) {
		return ""
	}
	return fmt.Sprintf("error.type %s is documented for status %d, and here it is %d: a layer may have changed one of them", v.facts.Type.Text, want, got)
}

func documented(statusOf map[string]int, status int) bool {
	for _, s := range statusOf {
		if s == status {
			return true
		}
	}
	return false
}

// otherProtocol finds OpenAI's protocols: in the members of an error, or in the events of a stream.
func otherProtocol(v *view) string {
	has := func(key string) bool { return v.ev.Get(key).Kind != evidence.Absent }
	try := "; if OpenAI's protocol was asked for, try --dialect "
	switch {
	case has("error/param") || has("error/code"):
		return "the error has the members of OpenAI's errors (param, code): a layer may have translated it, and error.details has no place there" +
			try + dialects.OpenAIChat.Name
	case !v.saved.stream:
	case bytes.Contains(v.saved.body, []byte(`"chat.completion.chunk"`)) || has("stream/data/-/error"):
		return "these look like OpenAI's chunks" + try + dialects.OpenAIChat.Name
	case bytes.Contains(v.saved.body, []byte(`"response.`)):
		return "these look like events of OpenAI's Responses" + try + dialects.OpenAIResponses.Name
	}
	return ""
}

func retryFlagDisagrees(v *view) string {
	flag := v.role(classify.ShouldRetry).Text
	never := classify.ActionOf(v.class).Retry == classify.RetryNever
	switch {
	case flag == "true" && never:
		return fmt.Sprintf("x-should-retry is true, so official SDKs send this again, although %s must not be retried", classify.Noun(v.class))
	case flag == "false" && !never:
		return fmt.Sprintf("x-should-retry is false, so official SDKs do not send this again, although %s may be retried", classify.Noun(v.class))
	}
	return ""
}

func retryFlagIgnored(v *view) string {
	flag := v.role(classify.ShouldRetry)
	if flag.Kind == evidence.Absent || flag.Text == "true" || flag.Text == "false" {
		return ""
	}
	return "x-should-retry is neither true nor false in small letters, so SDKs ignore it"
}

func severalWaits(v *view) string {
	w := v.role(classify.RetryAfter)
	if w.Kind != evidence.List {
		return ""
	}
	var lines []string
	_ = json.Unmarshal([]byte(w.Text), &lines) // a list is always a JSON array of strings
	return fmt.Sprintf("there are %d retry-after lines: most clients take the first, Anthropic's Python SDK takes none", len(lines))
}

func blankWait(v *view) string {
	if v.facts.RetryAfter.State == classify.Text && strings.TrimSpace(v.facts.RetryAfter.Text) == "" {
		return "retry-after is there but empty, which counts as absent: a layer may have emptied it"
	}
	return ""
}

// bodyID returns the request id in the body or in the error event.
func (v *view) bodyID() evidence.Value {
	if id := v.ev.Get("stream/error/request_id"); id.Kind != evidence.Absent {
		return id
	}
	return v.ev.Get("body/request_id")
}

func noRequestID(v *view) string {
	switch {
	case !v.facts.HasError || v.class == classify.RequestTooLarge: // the edge answers 413 without an id
		return ""
	case v.saved.stream || v.saved.form == formException: // errors within a stream have none, and SDKs print it or not
		return ""
	case v.bodyID().Kind == evidence.Absent:
		return "the error has no request_id, which the provider's errors carry: a layer may have written or rebuilt the body"
	}
	return ""
}

func requestIDsDiffer(v *view) string {
	body, header := v.bodyID(), v.ev.Get("header/request-id")
	switch {
	case !v.facts.HasError || body.Kind != evidence.String:
		return ""
	case header.Kind == evidence.Absent && v.saved.headers:
		return "there is no request-id header, which the provider sends with every answer: a layer may have dropped it"
	case header.Kind != evidence.Absent && header.Text != body.Text:
		return "the request-id header and request_id in the body differ: the two come from different answers, or a layer wrote one"
	}
	return ""
}

func noContentType(v *view) string {
	if v.saved.headers && v.facts.HasError && !strings.Contains(strings.ToLower(v.ev.Get("header/content-type").Text), "json") && !v.saved.stream {
		return "a JSON error under a content-type that is not JSON: SDKs that go by the label do not read it"
	}
	return ""
}

// textAfterJSON finds a body that is a whole JSON document and more: SDKs then read none of it.
func textAfterJSON(v *view) string {
	body := v.saved.body
	if v.saved.form == formException || v.saved.stream || len(body) == 0 || body[0] != '{' {
		return "" // around a body that a text quotes there are words
	}
	if at := behindDocument(body); at > 0 {
		return fmt.Sprintf("text after the JSON document, at offset %d of the body: SDKs read no error object in it", at)
	}
	return ""
}

// behindDocument is where text begins that stands behind a whole JSON document, -1 when there is none.
func behindDocument(b []byte) int {
	dec := json.NewDecoder(bytes.NewReader(b))
	var whole json.RawMessage
	if dec.Decode(&whole) != nil {
		return -1
	}
	text := bytes.TrimLeft(b[dec.InputOffset():], " \t\r\n")
	if len(text) == 0 {
		return -1
	}
	return len(b) - len(text)
}
