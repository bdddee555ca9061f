package controls

import (
	"strings"

	"github.com/preservecheck/preservecheck/evidence"
)

// rewriteUserLimit is the source article's own control.
var rewriteUserLimit = &Fault{
	Name:      "rewrite-user-limit",
	Why:       "only the message of a user-set spend limit is replaced: the job fails instead of pausing",
	Mechanism: OfBody,
	Change: editError(func(e map[string]any) {
		if m, ok := e["message"].(string); ok && strings.HasPrefix(m, userLimit) {
			e["message"] = "fixture: request validation failed"
		}
	}),
	Want: func(r Seen) []Sight {
		if !r.hasErrorObject() || !strings.HasPrefix(r.Evidence.Get("error/message").Text, userLimit) {
			return nil
		}
		return []Sight{{"error/message", evidence.Changed}}
	},
}

const userLimit = "You have reached your specified "
