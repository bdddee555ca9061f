package controls

import (
	"strconv"

	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// retryAfterDecimal imitates layers that read the wait as a number and print it (the article's own example: 1 becomes 1.0).
var retryAfterDecimal = &Fault{
	Name:      "retry-after-decimal",
	Why:       "retry-after 1 becomes 1.0: strict clients, Claude Code among them, read whole seconds only",
	Mechanism: OfHeader,
	Change:    eachRetryAfter(func(seconds int) string { return strconv.Itoa(seconds) + ".0" }),
	Want:      withRetryAfter(inSeconds),
}

// eachRetryAfter rewrites a wait in whole seconds.
func eachRetryAfter(as func(seconds int) string) func(*wire.Answer, bool) {
	return func(a *wire.Answer, _ bool) {
		v := a.Values("retry-after")
		if len(v) != 1 {
			return
		}
		if n, err := strconv.Atoi(v[0]); err == nil {
			setHeader(a, "retry-after", as(n))
		}
	}
}

func inSeconds(v evidence.Value) bool {
	_, err := strconv.Atoi(v.Text)
	return v.Kind == evidence.Text && err == nil
}
