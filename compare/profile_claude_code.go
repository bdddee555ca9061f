package compare

// What Anthropic publishes for gateways in front of Claude Code. The page was read as a copy of mid-2026; what only later
// versions have is known from notes of others, and says so.
const (
	gatewayPage = "https://code.claude.com/docs/en/llm-gateway-protocol, copy of mid-2026, read 2026-11-30"
	gatewayNew  = "notes of others on a later version of https://code.claude.com/docs/en/llm-gateway-protocol, read 2026-11-30"
)

// claudeCode holds a layer to that page: errors are forwarded unmodified, since Claude Code goes by their wording, and so
// are the headers by which it waits, retries, and tells a plan's limit from a throttle.
var claudeCode = &Profile{
	Name: "claude-code",
	Why:  "what Anthropic publishes that a gateway in front of Claude Code must keep: the whole body, the retry headers, the plan's limits, events as they were sent",
	Keys: []Key{
		{Pattern: "status", From: gatewayPage}, {Pattern: "error", From: gatewayPage}, {Pattern: "error/**", From: gatewayPage},
		{Pattern: "body", From: gatewayPage}, {Pattern: "body/**", From: gatewayPage}, {Pattern: "stream/pace", From: gatewayPage}, {Pattern: "stream/**", From: gatewayPage},
		{Pattern: "end", From: gatewayPage}, {Pattern: "decode", From: gatewayPage}, {Pattern: "framing", From: gatewayPage},
		{Pattern: "header/retry-after", From: gatewayNew}, {Pattern: "header/x-should-retry", From: gatewayNew},
		{Pattern: "header/anthropic-ratelimit-unified-*", From: gatewayNew},
		{Pattern: "header/content-type", Same: sameMediaType, From: gatewayNew},
		{Pattern: "request/header/anthropic-*", From: gatewayPage}, {Pattern: "request/body", From: gatewayPage}, {Pattern: "request/body/**", From: gatewayPage},
	},
	Owes: "retry-after in whole seconds, which Claude Code reads of a gateway's own 429 and 503 as well (" + gatewayNew + ")",
}
