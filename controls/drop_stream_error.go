package controls

// dropStreamError imitates 9router 0.5.69 on its chat route (run on 2026-11-30): the error event goes, and nothing comes for it.
var dropStreamError = inPlaceOfError("drop-stream-error",
	"the error that ends a stream is left out, and the stream just ends: an overload looks like a lost connection",
	func(end) ending { return ending{} })
