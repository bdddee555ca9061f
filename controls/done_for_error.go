package controls

// doneForError imitates one-api (commit 8df4a267, run on 2026-11-30), which leaves the error of a stream out and ends it by
// OpenAI's mark; 9router 0.5.69 (run the same day) ends Anthropic's streams by it, too.
var doneForError = inPlaceOfError("done-for-error",
	"an error inside a stream becomes [DONE], whatever the protocol: clients stop reading, and nothing was wrong",
	func(end) ending { return ending{[]string{"-[DONE]"}, doneEvent} })
