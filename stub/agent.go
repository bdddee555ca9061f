package stub

import "strings"

// agents are how clients begin their user-agent, in lower case, and what family they are of. A header's value is never kept,
// since it may hold anything; of this one only which of these it is. What the SDKs send was seen at this stub (Anthropic's and
// OpenAI's, 2026-11-30); the others are the documented defaults of their libraries.
var agents = [...]struct{ begins, family string }{
	{"anthropic/", "Anthropic SDK"}, {"asyncanthropic/", "Anthropic SDK"}, {"openai/", "OpenAI SDK"}, {"asyncopenai/", "OpenAI SDK"},
	{"claude-cli/", "Claude Code"}, {"litellm/", "LiteLLM"}, {"ai/", "Vercel AI SDK"}, {"ai-sdk/", "Vercel AI SDK"}, {"langchain", "LangChain"},
	{"portkey", "Portkey"}, {"cloudflare", "Cloudflare"}, {"envoy", "Envoy"}, {"kong", "Kong"},
	{"python-httpx/", "httpx (Python)"}, {"python-requests/", "requests (Python)"}, {"python/", "aiohttp (Python)"}, {"python-urllib", "urllib (Python)"},
	{"node", "Node.js"}, {"undici", "Node.js"}, {"axios/", "axios (JavaScript)"}, {"got ", "got (JavaScript)"}, {"bun/", "Bun"}, {"deno/", "Deno"},
	{"go-http-client/", "Go"}, {"fasthttp", "fasthttp (Go)"}, {"java", "Java"}, {"apache-httpclient/", "Apache HttpClient (Java)"}, {"okhttp/", "OkHttp (Java)"},
	{"reactornetty/", "Reactor Netty (Java)"}, {"reqwest/", "reqwest (Rust)"}, {"hyper/", "hyper (Rust)"}, {"guzzlehttp/", "Guzzle (PHP)"},
	{"ruby", "Ruby"}, {"faraday", "Faraday (Ruby)"}, {"curl/", "curl"}, {"wget/", "wget"}, {"postman", "Postman"}, {"mozilla/", "a browser"},
}

// otherAgent is any client that is none of these.
const otherAgent = "another client"

// longestAgent is how much of a value is looked at, in bytes.
const longestAgent = 32

// agentOf gives the family of a client by its user-agent, "" where there is none.
func agentOf(value []byte) string {
	if len(value) == 0 {
		return ""
	}
	text := strings.ToLower(string(cut(value, longestAgent)))
	for i := range agents {
		if strings.HasPrefix(text, agents[i].begins) {
			return agents[i].family
		}
	}
	return otherAgent
}
