package controls

// doneForError imitates gateways that speak OpenAI's protocol inside and end every stream by its mark (public reports of 2026).
var doneForError = inPlaceOfError("done-for-error",
	"an error inside a stream becomes [DONE], whatever the protocol: clients stop reading, and nothing was wrong",
	func(end) ending { return ending{[]string{"-[DONE]"}, doneEvent} })
