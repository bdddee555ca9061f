package controls

// requestTo429 imitates operators' rules that turn a spend limit's 400 into a 429 so that clients retry (asked for in a public
// thread of 2026-08-20), and catch every 400 by it.
var requestTo429 = toStatus("status-400-to-429", "a bad request, or a spend limit of the user's, becomes a 429: clients send it again and again",
	only(400), 429, "Too Many Requests")
