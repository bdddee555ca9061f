package controls

// swallowStreamError imitates translators that turn an error inside a stream into the ordinary end of one (claude-code-router
// between two protocols, run on 2026-11-30; public reports of 2025 and 2026 of several gateways).
var swallowStreamError = inPlaceOfError("swallow-stream-error",
	"an error inside a stream becomes its ordinary end (end_turn): half an answer counts as a whole one",
	func(protocol end) ending {
		if protocol.terminal != "message_stop" {
			return ending{[]string{protocol.name}, protocol.event}
		}
		return ending{[]string{"message_delta", "message_stop"},
			"event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":1}}\n\n" + protocol.event}
	})
