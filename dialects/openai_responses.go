package dialects

import (
	"strings"

	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// OpenAIResponses is the Responses API: https://developers.openai.com/api/docs/guides/error-codes and
// .../reference/resources/responses/streaming-events, read 2026-11-30. Its errors before a stream are those of Chat Completions.
var OpenAIResponses = &Dialect{
	Name:       "openai-responses",
	Path:       "/responses",
	ModelsPath: "/models",
	Request: func(base string, a wire.Ask) wire.Request {
		return openAIRequest(base, "/responses", a, struct {
			Model     string `json:"model"`
			Input     string `json:"input"`
			MaxTokens int    `json:"max_output_tokens"`
			Stream    bool   `json:"stream,omitempty"`
		}{a.Model, a.Prompt, 16, a.Stream})
	},
	Model:        Anthropic.Model,
	Stream:       Anthropic.Stream,
	Layout:       evidence.Layout{Error: "error", Event: responsesEvent, Sequence: "sequence_number"},
	Ends:         []string{"response.completed", "response.incomplete"},
	Keys:         openAIKeys,
	StatusOf:     openAIStatusOf,
	CodeIsStatus: true,
	Rules:        openAIResponsesRules,
}

var (
	failedError   = []string{"response", "error"}
	errorEnvelope = []string{"type"}
	deltaMember   = []string{"delta"}
)

// responsesEvent goes by the event's name or by the type in its data. An error event is flat by the reference, and nested on
// the wire (https://github.com/openai/openai-dotnet/issues/881, 2025-12-19); both are read. A response that is incomplete ran
// into a limit of the request's own, as with finish_reason "length": the stream is whole.
func responsesEvent(e evidence.Event) evidence.Meaning {
	kind := e.Get("type").Text
	m := evidence.Meaning{Word: kind}
	is := func(name string) bool { return e.Name == name || kind == name }
	switch {
	case isDone(e): // not of this protocol, but SDKs stop reading here
		m.Word, m.Terminal = doneMark, doneMark
	case hasErrorMember(e):
		m.Error, m.ErrorAt = true, errorMember
	case is("error"):
		m.Error, m.Envelope = true, errorEnvelope
	case is("response.failed"):
		m.Error, m.ErrorAt = true, failedError
	case is("response.completed"):
		m.Terminal = "response.completed"
	case is("response.incomplete"):
		m.Terminal = "response.incomplete"
	case strings.HasSuffix(kind, ".delta"):
		m.Text = deltaMember
	}
	return m
}
