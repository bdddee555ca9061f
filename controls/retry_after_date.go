package controls

import (
	"net/http"
	"time"
)

// retryAfterDate imitates proxies that normalise the wait to HTTP's other form (RFC 9110 section 10.2.3 allows both).
var retryAfterDate = &Fault{
	Name:      "retry-after-date",
	Why:       "retry-after in seconds becomes a date: clients that read a number wait as long as they like, and clocks differ",
	Mechanism: OfHeader,
	Change: eachRetryAfter(func(seconds int) string {
		return time.Now().Add(time.Duration(min(max(seconds, 0), 1<<30)) * time.Second).UTC().Format(http.TimeFormat)
	}),
	Want: withRetryAfter(inSeconds),
}
