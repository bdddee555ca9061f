package dialects

import (
	"testing"

	"github.com/preservecheck/preservecheck/classify"
)

func TestFactsShown(t *testing.T) {
	say := func(s string) *string { return &s }
	for _, c := range []struct {
		why  string
		in   Shown
		want classify.Class
	}{
		{"a success", Shown{OK: true}, classify.OK},
		{"a cap by its code", Shown{Status: 429, Type: say("rate_limit_error"), Code: say("enforced_spend_limit_reached")}, classify.TierSpendCap},
		{"a rate limit by retry-after", Shown{Status: 429, Type: say("rate_limit_error"), RetryAfter: say("1")}, classify.RateLimit},
		{"the same where the library hides the header", Shown{Status: 429, Type: say("rate_limit_error")}, classify.Unknown429},
		{"a page: there is no type", Shown{Status: 429, Message: say("<html>")}, classify.Unknown429},
		{"a user's limit by its words", Shown{Status: 400, Type: say("invalid_request_error"), Message: say("You have reached your specified API usage limits. x")}, classify.UserSpendLimit},
		{"which a library has put something before", Shown{Status: 400, Type: say("invalid_request_error"), Message: say("400 You have reached your specified API usage limits. x")}, classify.InvalidRequest},
		{"an error in a stream, shown with the 200", Shown{Status: 200, Type: say("overloaded_error")}, classify.Overloaded},
		{"and without any status", Shown{Type: say("overloaded_error")}, classify.Overloaded},
		{"a stream that broke off", Shown{Status: 200, Message: say("unexpected EOF")}, classify.Truncated},
		{"no connection", Shown{Message: say("connection refused")}, classify.NoAnswer},
	} {
		if got := classify.Classify(Anthropic.Rules, Anthropic.FactsShown(c.in)).Class; got != c.want {
			t.Errorf("%s: %s, want %s", c.why, got, c.want)
		}
	}
}
