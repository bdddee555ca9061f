package dialects

import (
	"strconv"

	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// OpenAIChat is Chat Completions: https://developers.openai.com/api/docs/guides/error-codes, read 2026-11-30. A base URL
// ends in /v1 by the convention of its SDKs, so the path has none.
var OpenAIChat = &Dialect{
	Name:       "openai-chat",
	Path:       "/chat/completions",
	ModelsPath: "/models",
	Request: func(base string, a wire.Ask) wire.Request {
		return openAIRequest(base, "/chat/completions", a, struct {
			Model     string        `json:"model"`
			Messages  []chatMessage `json:"messages"`
			MaxTokens int           `json:"max_tokens"` // the name that every layer knows
			Stream    bool          `json:"stream,omitempty"`
		}{a.Model, []chatMessage{{"user", a.Prompt}}, 16, a.Stream})
	},
	Model:        Anthropic.Model,
	Stream:       Anthropic.Stream,
	Layout:       evidence.Layout{Error: "error", Event: chatEvent},
	Ends:         []string{doneMark, "finish_reason"},
	Keys:         openAIKeys,
	StatusOf:     openAIStatusOf,
	CodeIsStatus: true, // OpenRouter's codes
	Rules:        openAIChatRules,
}

type chatMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

var (
	chatContent   = []string{"choices", "0", "delta", "content"}
	chatArguments = []string{"choices", "0", "delta", "tool_calls", "0", "function", "arguments"}
)

// chatEvent reads chunks, which have no event line. OpenRouter ends a stream with an error in a chunk whose finish_reason is
// "error" (https://openrouter.ai/docs/api/reference/errors-and-debugging, read 2026-11-30).
func chatEvent(e evidence.Event) evidence.Meaning {
	switch {
	case isDone(e):
		return evidence.Meaning{Word: doneMark, Terminal: doneMark}
	case hasErrorMember(e):
		return evidence.Meaning{Word: "error", Error: true, ErrorAt: errorMember}
	case e.Name == "error":
		return evidence.Meaning{Error: true}
	case e.Get("choices").Kind != evidence.Array:
		return evidence.Meaning{}
	}
	m := evidence.Meaning{Word: "chunk", Text: chatContent}
	if e.Get(chatContent...).Kind != evidence.String {
		m.Text = chatArguments
	}
	for i := 0; m.Terminal == ""; i++ {
		n := strconv.Itoa(i)
		if e.Get("choices", n).Kind == evidence.Absent {
			break
		}
		if reason := e.Get("choices", n, "finish_reason"); reason.Kind == evidence.String && reason.Text != "error" {
			m.Terminal = "finish_reason " + reason.Text
		}
	}
	return m
}
