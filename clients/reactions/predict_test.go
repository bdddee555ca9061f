package reactions

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/wire"
)

var arrived = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// httpDate is a retry-after so long after the answer came.
func httpDate(d time.Duration) string {
	return arrived.Add(d).Format("Mon, 02 Jan 2006 15:04:05 GMT")
}

// answer is a plain answer: a status, headers as "name: value", and a body.
func answer(status int, body string, headers ...string) *wire.Answer {
	a := &wire.Answer{Proto: "HTTP/1.1", Status: status, Body: []byte(body), Framing: wire.FramingLength, End: wire.EndComplete, FirstAt: arrived}
	a.Header = append(a.Header, wire.Field{Name: "content-type", Value: "application/json"})
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		a.Header = append(a.Header, wire.Field{Name: name, Value: value})
	}
	return a
}

func streamed(body string, end wire.End) *wire.Answer {
	a := answer(200, body)
	a.Header[0].Value, a.End = "text/event-stream", end
	return a
}

const (
	limited = `{"type":"error","error":{"type":"rate_limit_error","message":"fixture"},"request_id":"r"}`
	begun   = "event: message_start\ndata: {\"type\":\"message_start\"}\n\n"
	failed  = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n"
	chunk   = "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[]}\n\n"
	wrong   = "data: {\"error\":{\"message\":\"m\",\"type\":\"server_error\",\"code\":null}}\n\n"
)

func client(t *testing.T, name string) *Client {
	t.Helper()
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(c *Client) bool { return c.Name == name })
	if i < 0 {
		t.Fatalf("no client %q", name)
	}
	return all[i]
}

func view(name string, a *wire.Answer) View {
	d := dialects.Anthropic
	if strings.HasPrefix(name, "openai") {
		d = dialects.OpenAIChat
	}
	return See(a, d, "")
}

// TestSDKsAsMeasured holds the data to the runs of the six official SDKs on 2026-11-30: the requests counted at the stub, and
// the first wait where it was told from others. Those that can be run here are held to what they do in real/predict_test.go.
func TestSDKsAsMeasured(t *testing.T) {
	sdks := []string{"anthropic-ts", "anthropic-go", "anthropic-py", "openai-node", "openai-go", "openai-py"}
	all := func(x string) []string { return slices.Repeat([]string{x}, 6) }
	type row struct {
		name   string
		answer *wire.Answer
		max    int
		want   []string // requests, and the first wait behind a slash
	}
	rows := []row{
		{"no header", answer(429, limited), 2, all("3/500ms")},
		{"retry-after 1", answer(429, limited, "retry-after: 1"), 2, all("3/1s")},
		{"0", answer(429, limited, "retry-after: 0"), 2, []string{"3/500ms", "3/0s", "3/500ms", "3/0s", "3/0s", "3/500ms"}},
		{"-1", answer(429, limited, "retry-after: -1"), 2, []string{"3/500ms", "3/0s", "3/500ms", "3/500ms", "3/500ms", "3/500ms"}},
		{"junk", answer(429, limited, "retry-after: soon"), 2, all("3/500ms")},
		{"1.5", answer(429, limited, "retry-after: 1.5"), 2, all("3/1.5s")},
		{"date", answer(429, limited, "retry-after: "+httpDate(3*time.Second)), 2, all("3/3s")},
		{"past", answer(429, limited, "retry-after: "+httpDate(-time.Hour)), 2, []string{"3/500ms", "3/0s", "3/500ms", "3/500ms", "3/0s", "3/500ms"}},
		{"61", answer(429, limited, "retry-after: 61"), 2, []string{"3/1m1s", "3/1m1s", "3/1m1s", "3/500ms", "3/1m1s", "3/1m1s"}},
		{"130", answer(429, limited, "retry-after: 130"), 1, []string{"2/2m10s", "2/2m10s", "2/2m10s", "2/500ms", "1", "1"}},
		{"ms and seconds", answer(429, limited, "retry-after-ms: 300", "retry-after: 5"), 2, all("3/300ms")},
		{"ms 0", answer(429, limited, "retry-after-ms: 0", "retry-after: 2"), 2, []string{"3/2s", "3/0s", "3/500ms", "3/0s", "3/0s", "3/500ms"}},
		{"twice", answer(429, limited, "retry-after: 1", "retry-after: 3"), 2, []string{"3/1s", "3/1s", "3/500ms", "3/1s", "", ""}},
		{"true on 400", answer(400, limited, "x-should-retry: true"), 2, all("3")},
		{"false on 429", answer(429, limited, "x-should-retry: false"), 2, all("1")},
		{"False", answer(429, limited, "x-should-retry: False"), 2, all("3")},
		{"true and 130", answer(429, limited, "x-should-retry: true", "retry-after: 130"), 1, []string{"2", "2", "2", "2", "1", "1"}},
		{"HTML", answer(429, "<html></html>"), 2, all("3")},
		{"empty", answer(429, ""), 2, all("3")},
		{"text", answer(429, "slow down"), 2, all("3")},
		{"cut JSON", answer(429, limited[:20]), 2, all("3")},
		{"none allowed", answer(429, limited), 0, all("1")},
		{"wrapped", answer(200, limited), 2, all("1")},
	}
	for _, s := range []int{408, 409, 429, 500, 502, 503, 504, 529} {
		rows = append(rows, row{fmt.Sprint(s), answer(s, limited), 2, all("3")})
	}
	for _, s := range []int{400, 401, 402, 403, 404, 413, 422, 425, 499} {
		rows = append(rows, row{fmt.Sprint(s), answer(s, limited), 2, all("1")})
	}
	for i, body := range []string{failed, begun + failed, begun, ""} {
		rows = append(rows, row{fmt.Sprintf("stream %d", i), streamed(body, wire.EndShort), 2, all("1")})
	}
	for i, body := range []string{wrong, chunk + wrong, chunk} {
		rows = append(rows, row{fmt.Sprintf("chunks %d", i), streamed(body, wire.EndComplete), 2, []string{"", "", "", "1", "1", "1"}})
	}
	for _, r := range rows {
		for i, name := range sdks {
			if r.want[i] == "" {
				continue // not measured
			}
			c, v := client(t, name), view(name, r.answer)
			want, first, timed := strings.Cut(r.want[i], "/")
			n, known := Predict(c, v, r.max)
			if !known || fmt.Sprint(n) != want {
				t.Errorf("%s, %s: %d requests (known %t), measured %s", r.name, name, n, known, want)
			}
			if re, _ := c.react(v, r.max); timed && re.Waits[0].String() != first {
				t.Errorf("%s, %s: waits %s, measured %s", r.name, name, re.Waits[0], first)
			}
		}
	}
}

// TestOthersAsMeasured does so for the clients that were run with other settings, or by others.
func TestOthersAsMeasured(t *testing.T) {
	const capped = `{"type":"error","error":{"type":"rate_limit_error","message":"You have reached your API usage limits","details":{"error_code":"enforced_spend_limit_reached"}}}`
	const quota = `{"error":{"message":"You exceeded your current quota, please check your plan and billing details","type":"insufficient_quota","code":"insufficient_quota"}}`
	for _, c := range []struct {
		client string
		answer *wire.Answer
		max    int
		want   int
		wait   time.Duration // in all
	}{
		{"ai-sdk", answer(429, limited), 2, 3, 6 * time.Second},
		{"ai-sdk", answer(429, limited, "retry-after: 1"), 2, 3, 2 * time.Second},
		{"ai-sdk", answer(429, limited, "retry-after: 0"), 2, 3, 0},
		{"ai-sdk", answer(429, limited, "retry-after-ms: 300", "retry-after: 5"), 2, 3, 600 * time.Millisecond},
		{"ai-sdk", answer(429, limited, "retry-after: "+httpDate(3*time.Second)), 2, 3, 6 * time.Second},
		{"ai-sdk", answer(429, limited, "retry-after: 61"), 2, 3, 6 * time.Second},
		{"ai-sdk", answer(429, limited, "retry-after: 1", "x-should-retry: false"), 2, 3, 2 * time.Second},
		{"ai-sdk", answer(400, limited, "x-should-retry: true"), 2, 1, 0},
		{"ai-sdk", streamed(failed, wire.EndComplete), 2, 3, 6 * time.Second},
		{"ai-sdk", streamed("", wire.EndShort), 2, 3, 6 * time.Second},
		{"ai-sdk", streamed(begun, wire.EndShort), 2, 1, 0},
		{"ai-sdk", streamed(begun+failed, wire.EndComplete), 2, 1, 0},
		{"ai-sdk", answer(529, limited), 2, 3, 6 * time.Second},
		{"langchain-js", answer(429, limited), 2, 1, 0},
		{"langchain-js", answer(429, capped), 2, 1, 0},
		{"langchain-js", answer(429, quota), 2, 1, 0},
		{"langchain-js", answer(429, "<html></html>"), 2, 1, 0},
		{"langchain-js", answer(429, limited, "retry-after: 1"), 2, 3, 4500 * time.Millisecond},
		{"langchain-js", answer(429, limited, "retry-after: 1", "x-should-retry: false"), 2, 3, 4500 * time.Millisecond},
		{"langchain-js", answer(429, limited, "retry-after: 61"), 2, 1, 0},
		{"langchain-js", answer(429, limited, "retry-after: 0"), 2, 3, 4500 * time.Millisecond},
		{"langchain-js", answer(429, limited, "retry-after: "+httpDate(-time.Hour)), 2, 3, 4500 * time.Millisecond},
		{"langchain-js", answer(429, limited, "retry-after: 3", "retry-after: 41"), 2, 1, 0},
		{"langchain-js", answer(429, limited, "retry-after: 59"), 2, 3, 118 * time.Second},
		{"langchain-js", answer(409, limited), 2, 1, 0},
		{"langchain-js", answer(500, limited), 2, 3, 4500 * time.Millisecond},
		{"langchain-js", answer(529, limited), 2, 3, 4500 * time.Millisecond},
		{"claude-code", answer(429, capped), 10, 11, 179120 * time.Millisecond},
		{"claude-code", answer(429, limited, "retry-after: 60"), 1, 2, time.Minute},
		{"claude-code", answer(429, limited, "retry-after: 61"), 10, 1, 0},
		{"claude-code", answer(429, limited, "retry-after: 600"), 10, 1, 0},
	} {
		cl := client(t, c.client)
		r, known := cl.react(See(c.answer, dialects.Anthropic, ""), c.max)
		if !known || r.Requests != c.want || r.Wait() != c.wait {
			t.Errorf("%s on %d %v: %d requests in %s (known %t), measured %d in %s", c.client, c.answer.Status, c.answer.Header[1:], r.Requests, r.Wait(), known, c.want, c.wait)
		}
	}
}
