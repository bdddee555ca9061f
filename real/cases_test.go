//go:build real && linux

package real_test

// classes are the source article's ten rows with the class that each has when nothing was changed.
var classes = map[string]string{
	"tier_cap":           "tier_spend_cap",
	"rate_limit":         "rate_limit",
	"ramp_limit":         "ramp_limit",
	"headerless_429":     "unknown_429",
	"unknown_code_429":   "unknown_429",
	"proxy_429":          "unknown_429",
	"stripped_cap_429":   "rate_limit",
	"claude_code_ws_429": "rate_limit",
	"user_limit_400":     "user_spend_limit",
	"validation_400":     "invalid_request",
}

// want is what a row must show. The zero value is a row that comes through as it is.
type want struct {
	verdict string // "": preserved
	class   string // "": the fixture's
	differs string // keys that decide, by role where they have one, with their direction; sorted, with commas
	hits    int    // 0: one
}

// stateless is a layer that treats each request alike, so that every row has one result.
type stateless struct {
	program program
	config  string
	why     string
	// same is the number of rows whose six fields (status, type, details, message, retry-after, class) were equal
	// when another program measured this configuration (2026-11-30, nginx 1.22.1 and HAProxy 2.6.12). It is held
	// against the record by itself, not against rows.
	same int
	exit int
	rows map[string]want // those that are not just preserved
}

// statelessCases are read from runs of the same configurations on 2026-11-30. The profile core adds to the six
// fields the body of the row that has no JSON.
var statelessCases = []stateless{
	{nginx, "default", "proxy_pass alone keeps everything", 10, 0, nil},
	{nginx, "keepalive", "so does HTTP/1.1 to the upstream", 10, 0, nil},
	{nginx, "hideonly", "a hidden header is lost, and three rate limits can't be told from anything else", 5, 1, noRetryAfter},
	{haproxy, "delhdr", "the same by another proxy", 5, 1, noRetryAfter},
	{nginx, "hide", "an invented retry-after makes an unclear 429 look like a rate limit", 0, 1, map[string]want{
		"tier_cap":           {"changed", "", "retry-after invented", 0},
		"rate_limit":         {"changed", "", "retry-after changed", 0},
		"ramp_limit":         {"changed", "", "retry-after changed", 0},
		"headerless_429":     {"reclassified", "rate_limit", "retry-after invented", 0},
		"unknown_code_429":   {"changed", "", "retry-after changed", 0},
		"proxy_429":          {"changed", "", "retry-after invented", 0},
		"stripped_cap_429":   {"changed", "", "retry-after changed", 0},
		"claude_code_ws_429": {"changed", "", "retry-after changed", 0},
		"user_limit_400":     {"changed", "", "retry-after invented", 0},
		"validation_400":     {"changed", "", "retry-after invented", 0},
	}},
	{nginx, "intercept", "an error page for 429 leaves the status alone; 400 is not in the list", 3, 1, map[string]want{
		"tier_cap":           {"reclassified", "unknown_429", "code lost,details lost,message lost,type lost", 0},
		"rate_limit":         {"reclassified", "unknown_429", "message lost,retry-after lost,type lost", 0},
		"ramp_limit":         {"reclassified", "unknown_429", "code lost,details lost,message lost,retry-after lost,type lost", 0},
		"headerless_429":     {"changed", "", "message lost,type lost", 0},
		"unknown_code_429":   {"changed", "", "code lost,details lost,message lost,retry-after lost,type lost", 0},
		"proxy_429":          {"changed", "", "body changed", 0}, // equal in the six fields
		"stripped_cap_429":   {"reclassified", "unknown_429", "message lost,retry-after lost,type lost", 0},
		"claude_code_ws_429": {"reclassified", "unknown_429", "message lost,retry-after lost,type lost", 0},
	}},
	{nginx, "intercept_keepcode", "an envelope of the layer's own under the old status", 0, 1, map[string]want{
		"tier_cap":           {"reclassified", "unknown_429", "code lost,details lost,message changed,retry-after invented,type changed", 0},
		"rate_limit":         {"reclassified", "unknown_429", "message changed,retry-after changed,type changed", 0},
		"ramp_limit":         {"reclassified", "unknown_429", "code lost,details lost,message changed,retry-after changed,type changed", 0},
		"headerless_429":     {"changed", "", "message changed,retry-after invented,type changed", 0},
		"unknown_code_429":   {"changed", "", "code lost,details lost,message changed,retry-after changed,type changed", 0},
		"proxy_429":          {"changed", "", "body changed,error invented,retry-after invented", 0},
		"stripped_cap_429":   {"reclassified", "unknown_429", "message changed,retry-after changed,type changed", 0},
		"claude_code_ws_429": {"reclassified", "unknown_429", "message changed,retry-after changed,type changed", 0},
		"user_limit_400":     {"reclassified", "other", "message changed,retry-after invented,type changed", 0},
		"validation_400":     {"reclassified", "other", "message changed,retry-after invented,type changed", 0},
	}},
	{nginx, "subfilter", "one replaced word turns a spend limit into a bad request", 8, 1, map[string]want{
		"claude_code_ws_429": {"changed", "", "message changed", 0},
		"user_limit_400":     {"reclassified", "invalid_request", "message changed", 0},
	}},
	{nginx, "next2_maxfails0", "every 429 is sent twice; only for the spend cap that is the harm itself", 10, 1, map[string]want{
		"tier_cap":           {"retried", "", "", 2},
		"rate_limit":         {"", "", "", 2},
		"ramp_limit":         {"", "", "", 2},
		"headerless_429":     {"", "", "", 2},
		"unknown_code_429":   {"", "", "", 2},
		"proxy_429":          {"", "", "", 2},
		"stripped_cap_429":   {"", "", "", 2},
		"claude_code_ws_429": {"", "", "", 2},
	}},
	{haproxy, "default", "a way through keeps everything", 10, 0, nil},
	{haproxy, "setstatus", "a mapped status turns two refusals into an unclear 429", 8, 1, map[string]want{
		"user_limit_400": {"reclassified", "unknown_429", "status changed", 0},
		"validation_400": {"reclassified", "unknown_429", "status changed", 0},
	}},
}

var noRetryAfter = map[string]want{
	"rate_limit":         {"reclassified", "unknown_429", "retry-after lost", 0},
	"ramp_limit":         {"changed", "", "retry-after lost", 0},
	"unknown_code_429":   {"changed", "", "retry-after lost", 0},
	"stripped_cap_429":   {"reclassified", "unknown_429", "retry-after lost", 0},
	"claude_code_ws_429": {"reclassified", "unknown_429", "retry-after lost", 0},
}

// stateful is a layer that remembers, so that which row meets which state depends on the order.
type stateful struct {
	program program
	config  string
	why     string
}

var statefulCases = []stateful{
	{nginx, "limitreq", "after three requests the layer answers with a 429 of its own, which looks like a provider's"},
	{nginx, "next2_nonidem", "the first 429 marks both upstreams down, and for ten seconds all else is a 502"},
	{haproxy, "ratelimit", "after three requests in ten seconds the layer answers with a 429 of its own"},
}
