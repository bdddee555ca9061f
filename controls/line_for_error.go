package controls

// lineForError imitates new-api (commit 9f8a4ec0, run on 2026-11-30), which appends an error to a stream as a line of JSON with
// no field before it.
var lineForError = inPlaceOfError("line-for-error",
	"an error inside a stream comes as a bare line of JSON: it is there for whoever looks at the bytes, and for no parser of events",
	func(end) ending {
		return ending{nil, `{"error":{"message":"Overloaded","type":"upstream_error","code":"bad_response"}}` + "\n\n"}
	})
