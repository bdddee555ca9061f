package controls

import (
	"crypto/rand"

	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// suffixMessage imitates new-api (commit 9f8a4ec0, run on 2026-11-30), which puts its own id behind every message.
var suffixMessage = &Fault{
	Name:      "suffix-message",
	Why:       "the layer's own, ever new request id is put behind the message: no two errors read the same, and no rule on the whole text fits",
	Mechanism: OfBody,
	Change:    editMessage(func(m string) string { return m + " (request id: " + rand.Text()[:20] + ")" }),
	Want:      inMessage(func(string) bool { return true }),
}

// editMessage changes the message of an error.
func editMessage(edit func(string) string) func(*wire.Answer, bool) {
	return editError(func(e map[string]any) {
		if m, ok := e["message"].(string); ok {
			e["message"] = edit(m)
		}
	})
}

// inMessage declares a changed message where it is a text that touched fits.
func inMessage(touched func(string) bool) func(Seen) []Sight {
	return func(r Seen) []Sight {
		m := r.Evidence.Get("error/message")
		if m.Kind != evidence.String || !touched(m.Text) {
			return nil
		}
		return inJSON("error/message", evidence.Changed)(r)
	}
}
