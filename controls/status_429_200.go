package controls

// limitTo200 imitates relays that answer 200 and put the error into the body (the most frequent kind of public report, up to 2026-11-30).
var limitTo200 = toStatus("status-429-to-200", "a 429 becomes a 200 that holds the error: who goes by the status counts the job as done",
	only(429), 200, "OK")
