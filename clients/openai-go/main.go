// Command openai-go drives OpenAI's SDK for Go: one call a line on standard input, one line with its result on standard
// output, as docs/clients.md has it. It judges nothing and sends nothing that the SDK would not.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// call is one line of standard input.
type call struct {
	ID         string `json:"id"`
	Model      string `json:"model"`
	Prompt     string `json:"prompt"`
	MaxRetries int    `json:"max_retries"`
	Stream     bool   `json:"stream"`
}

// result is one line of standard output. A nil pointer is null: the SDK shows no such thing.
type result struct {
	ID         string     `json:"id"`
	Outcome    string     `json:"outcome"` // ok or error
	Exception  *string    `json:"exception"`
	Status     *int       `json:"status"`
	Type       *string    `json:"type"`
	Code       *string    `json:"code"`
	Message    *string    `json:"message"`
	RetryAfter *string    `json:"retry_after"`
	Requests   int        `json:"requests"`
	WaitsMS    []*float64 `json:"waits_ms"` // null for a wait that was skipped and whose length only the SDK knows
	Text       *string    `json:"text"`
}

// maxLine bounds a line of standard input, in bytes.
const maxLine = 1 << 20

func main() {
	if err := drive(os.Stdin, os.Stdout, ownEnv()); err != nil {
		fmt.Fprintln(os.Stderr, "openai-go:", err)
		os.Exit(1)
	}
}

// ownEnv takes what it is told out of the environment and empties that: this SDK reads keys, addresses and headers from there, and
// has no option that stops it.
func ownEnv() func(string) string {
	told := map[string]string{}
	for _, pair := range os.Environ() {
		if name, value, _ := strings.Cut(pair, "="); strings.HasPrefix(name, "PRESERVECHECK_CLIENT_") {
			told[name] = value
		}
	}
	os.Clearenv()
	return func(name string) string { return told[name] }
}

// drive answers every line of in. Calls overlap; their results come as they are ready.
func drive(in io.Reader, out io.Writer, env func(string) string) error {
	client, err := newClient(env)
	if err != nil {
		return err
	}
	skip := env("PRESERVECHECK_CLIENT_SKIP_WAITS") == "1"
	var writing sync.Mutex
	var calls sync.WaitGroup
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		var c call
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			return fmt.Errorf("a line is no call: %w", err)
		}
		calls.Go(func() {
			line, _ := json.Marshal(do(client, c, skip)) // texts and numbers alone: it can't fail
			writing.Lock()
			defer writing.Unlock()
			_, _ = out.Write(append(line, '\n'))
		})
	}
	calls.Wait()
	return lines.Err()
}

// newClient makes a client of what it is told.
func newClient(env func(string) string) (openai.Client, error) {
	options := []option.RequestOption{
		option.WithBaseURL(env("PRESERVECHECK_CLIENT_BASE_URL")),
		option.WithAPIKey(env("PRESERVECHECK_CLIENT_KEY")),
	}
	headers := map[string]string{}
	if text := env("PRESERVECHECK_CLIENT_HEADERS"); text != "" {
		if err := json.Unmarshal([]byte(text), &headers); err != nil {
			return openai.Client{}, errors.New("PRESERVECHECK_CLIENT_HEADERS is no JSON object of texts")
		}
	}
	for name, value := range headers {
		options = append(options, option.WithHeader(name, value))
	}
	return openai.NewClient(options...), nil
}

// do makes one call.
func do(client openai.Client, c call, skip bool) result {
	w := &watch{skip: skip}
	options := []option.RequestOption{option.WithMaxRetries(c.MaxRetries), option.WithMiddleware(w.attempt)}
	params := openai.ChatCompletionNewParams{
		Model: openai.ChatModel(c.Model), MaxTokens: openai.Int(16),
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(c.Prompt)},
	}
	text, err := ask(client, params, c.Stream, options)
	r := result{ID: c.ID, Outcome: "ok", Requests: w.requests, WaitsMS: w.waits}
	if err == nil {
		r.Text = &text
		return r
	}
	r.fail(err, w)
	return r
}

// ask returns the text of the reply.
func ask(client openai.Client, params openai.ChatCompletionNewParams, stream bool, options []option.RequestOption) (string, error) {
	var b strings.Builder
	if !stream {
		got, err := client.Chat.Completions.New(context.Background(), params, options...)
		if err != nil {
			return "", err
		}
		for _, choice := range got.Choices {
			b.WriteString(choice.Message.Content)
		}
		return b.String(), nil
	}
	chunks := client.Chat.Completions.NewStreaming(context.Background(), params, options...)
	defer func() { _ = chunks.Close() }()
	for chunks.Next() {
		for _, choice := range chunks.Current().Choices {
			b.WriteString(choice.Delta.Content)
		}
	}
	return b.String(), chunks.Err()
}

// fail fills in what the SDK shows of an error.
func (r *result) fail(err error, w *watch) {
	r.Outcome = "error"
	var e *openai.Error
	if !errors.As(err, &e) {
		r.Exception, r.Message = some(fmt.Sprintf("%T", err)), some(err.Error())
		return
	}
	r.Exception, r.Status = some(fmt.Sprintf("%T", e)), &e.StatusCode
	r.Type, r.Code, r.Message = some(e.Type), some(e.Code), some(e.Message)
	if e.Message == "" { // then it has the status alone: what is no error object of OpenAI's is not kept
		r.Message = some(err.Error())
	}
	r.RetryAfter = w.retryAfter
}

// some is nil for an empty text: this SDK tells the two apart nowhere.
func some(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
