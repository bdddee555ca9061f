package check

import (
	"encoding/json"
	"strings"

	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/record"
)

// article is what the source article wants recorded of a limit error: what it was, how long to wait, whom to ask about
// it, how much is left and which attempt it was; no keys and no prompt.
func (r *runner) article(row Row, e evidence.Evidence, requestID []string, attempt int) *record.Evidence {
	key := func(role classify.Role) string { return row.Dialect.Keys[role] }
	out := &record.Evidence{
		Status: e.Get(key(classify.Status)).Number(), Type: r.text(e, key(classify.Type)), Code: r.text(e, key(classify.Code)),
		RetryAfter: r.lines(e, key(classify.RetryAfter)), RequestID: r.cleanAll(requestID),
		Workspace: r.lines(e, "header/anthropic-workspace-id"), End: e.Get("end").Text, Attempt: attempt,
	}
	for _, x := range e {
		if name, ok := strings.CutPrefix(x.Key, "header/"); ok && rateLimitHeader(name) {
			if out.RateLimit == nil {
				out.RateLimit = map[string][]string{}
			}
			out.RateLimit[r.clean(name)] = r.lines(e, x.Key)
		}
	}
	return out
}

// rateLimitHeader covers the documented families and any that is added to them (contracts read 2026-11-30).
func rateLimitHeader(name string) bool {
	for _, p := range []string{"anthropic-ratelimit-", "anthropic-priority-", "anthropic-fast-", "x-ratelimit-", "ratelimit"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

func (r *runner) cleanAll(vs []string) []string {
	out := make([]string, 0, len(vs))
	for _, v := range vs {
		out = append(out, r.clean(v))
	}
	return out
}

func (r *runner) text(e evidence.Evidence, key string) *string {
	v := e.Get(key)
	if v.Kind == evidence.Absent {
		return nil
	}
	s := r.clean(v.Text)
	return &s
}

// lines gives the values of a header, each on its own.
func (r *runner) lines(e evidence.Evidence, key string) []string {
	v := e.Get(key)
	switch v.Kind {
	case evidence.Absent:
		return nil
	case evidence.List:
		var all []string
		if json.Unmarshal([]byte(v.Text), &all) == nil {
			for i := range all {
				all[i] = r.clean(all[i])
			}
			return all
		}
	}
	return []string{r.clean(v.Text)}
}
