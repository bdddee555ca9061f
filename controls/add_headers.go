package controls

import "github.com/preservecheck/preservecheck/wire"

// The three faults here differ by one header only.

var addRetryAfter = &Fault{
	Name:      "add-retry-after",
	Why:       "a retry-after is invented: a spend cap without its code would look like a rate limit",
	Mechanism: OfHeader,
	Change:    invent("Retry-After", "30"),
	Want:      absent("header/retry-after"),
}

// addShouldRetry: the header wins over the status in every official SDK build measured (seven, 2026-11-30).
var addShouldRetry = &Fault{
	Name:      "add-should-retry",
	Why:       "x-should-retry: true is invented: official SDKs send a rejected request three times",
	Mechanism: OfHeader,
	Change:    invent("X-Should-Retry", "true"),
	Want:      absent("header/x-should-retry"),
}

// addRetryAfterMS: the header wins over retry-after in every official SDK build measured (seven, 2026-11-30).
var addRetryAfterMS = &Fault{
	Name:      "add-retry-after-ms",
	Why:       "retry-after-ms: 1 is invented: official SDKs retry at once, whatever retry-after says",
	Mechanism: OfHeader,
	Change:    invent("Retry-After-Ms", "1"),
	Want:      absent("header/retry-after-ms"),
}

// invent adds a header to every error that has none of that name.
func invent(name, value string) func(*wire.Answer, bool) {
	return func(a *wire.Answer, _ bool) {
		if isError(a) && len(a.Values(name)) == 0 {
			addHeader(a, name, value)
		}
	}
}
