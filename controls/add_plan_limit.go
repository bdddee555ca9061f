package controls

// addPlanLimit: Claude Code tells a plan's limit or spend cap from a throttle by this family (notes of others on
// code.claude.com/docs/en/llm-gateway-protocol, read 2026-11-30).
var addPlanLimit = &Fault{
	Name:      "add-plan-limit",
	Why:       "anthropic-ratelimit-unified-status: rejected is invented: a throttle looks like the end of a plan",
	Mechanism: OfHeader,
	Change:    invent("Anthropic-Ratelimit-Unified-Status", "rejected"),
	Want:      absent("header/anthropic-ratelimit-unified-status"),
}
