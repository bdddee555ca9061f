package controls

// dropStreamError imitates layers that pass on the events that they know, and no others (public reports of 2026).
var dropStreamError = inPlaceOfError("drop-stream-error",
	"the error that ends a stream is left out, and the stream just ends: an overload looks like a lost connection",
	func(end) ending { return ending{} })
