package stub

import (
	"strings"
	"testing"
)

func TestAgentOf(t *testing.T) {
	for value, want := range map[string]string{
		"": "", "Anthropic/JS 1.14.0": "Anthropic SDK", "AsyncOpenAI/Python 3.3.1": "OpenAI SDK", "node": "Node.js", "Go-http-client/1.1": "Go",
		"python-httpx/0.28": "httpx (Python)", "curl/8.5": "curl", "my-key-sk-ant-123": otherAgent, strings.Repeat("x", 5000): otherAgent,
	} {
		if got := agentOf([]byte(value)); got != want {
			t.Errorf("%.40q: got %q, want %q", value, got, want)
		}
	}
	for _, a := range agents {
		if a.begins != strings.ToLower(a.begins) || len(a.begins) > longestAgent {
			t.Errorf("%q can't be found", a.begins)
		}
	}
}
