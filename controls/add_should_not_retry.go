package controls

// addShouldNotRetry: the header wins over the status in every official SDK build measured (seven, 2026-11-30).
var addShouldNotRetry = &Fault{
	Name:      "add-should-not-retry",
	Why:       "x-should-retry: false is invented: official SDKs give a passing rate limit up at once",
	Mechanism: OfHeader,
	Change:    invent("X-Should-Retry", "false"),
	Want:      absent("header/x-should-retry"),
}
