package controls

import (
	"bytes"
	"strings"

	"github.com/preservecheck/preservecheck/wire"
)

// retryWords are what makes the layer ask again, wherever it stands in an error.
var retryWords = []string{"rate_limit", "overloaded"}

// retryByText imitates 9router 0.5.69 (run on 2026-11-30) and others that look for words in an error, whatever its status.
var retryByText = &Fault{
	Name:      "retry-by-text",
	Why:       "an error whose body holds certain words is asked for again: a spend cap says rate_limit as well",
	Mechanism: OfRetry,
	New: func() Behaviour {
		return func(c *Call) *wire.Answer {
			a := c.Ask(c.Request)
			for _, w := range retryWords {
				if isError(a) && bytes.Contains(a.Body, []byte(w)) {
					return c.Ask(c.Request)
				}
			}
			return a
		}
	},
	Want: nothing,
	Hits: func(r Seen) int {
		if !r.isError() {
			return 1
		}
		for _, e := range r.Evidence {
			root, _, _ := strings.Cut(e.Key, "/")
			if root != "error" && root != "body" && root != "stream" {
				continue
			}
			for _, w := range retryWords {
				if strings.Contains(e.Value.Text, w) || strings.Contains(e.Key, w) {
					return 2
				}
			}
		}
		return 1
	},
}
