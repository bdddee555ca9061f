package explain

import (
	"fmt"
	"slices"

	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/evidence"
)

// missing lists what would make the class sure, the most important first.
func missing(v *view, rule *classify.Rule) []string {
	var out []string
	add := func(is bool, text string) {
		if is {
			out = append(out, text)
		}
	}
	s, code := v.saved, v.member(classify.Code)
	add(s.status == 0, "the HTTP status: give it, or the answer with its headers")
	add(!s.bodyKnown && len(s.body) == 0, "the body: error.type and "+code+" decide")
	add(!s.bodyKnown && len(s.body) > 0, "the rest of the body, which is cut off here: "+code+" may have stood in it")
	if !s.headers && !s.stream {
		add(v.class == classify.Unknown429 && v.waitDecides(),
			"the response headers: retry-after decides between rate_limit and unknown_429")
		add(classify.ActionOf(v.class).Retry != classify.RetryNever && !v.waitDecides(),
			"the response headers: retry-after says how long to wait, x-should-retry whether an SDK retries at all")
	}
	add(v.class == classify.Unknown429 && (s.headers || s.stream) && v.facts.Code.State == classify.Absent && s.bodyKnown,
		"which limit it was: neither "+code+" nor retry-after says; ask the provider with the request id")
	add(v.facts.Code.State == classify.Text && !knownCode(v.d, v.facts.Code.Text),
		fmt.Sprintf("the meaning of the code %q: no rule here knows it; look it up in the provider's error reference", v.facts.Code.Text))
	add(len(rule.MessagePrefix) > 0, "a structured code: the class rests on the wording of the message, which can change")
	untyped := v.role(classify.Type).Kind == evidence.Absent && (v.d == dialects.Anthropic || !v.facts.HasError)
	add(untyped && s.status >= 400 && s.bodyKnown && len(s.body) > 0,
		"the provider's own error object: the body has no error.type, so who wrote it is not known")
	return out
}

// waitDecides reports whether only retry-after stands between unknown_429 and rate_limit.
func (v *view) waitDecides() bool {
	f := v.facts
	f.RetryAfter = classify.Fact{State: classify.Text, Text: "1"}
	r := classify.Classify(v.d.Rules, f)
	return r != nil && r.Class == classify.RateLimit
}

// knownCode reports whether a rule or the documented statuses name a code.
func knownCode(d *dialects.Dialect, code string) bool {
	for i := range d.Rules {
		if slices.Contains(d.Rules[i].Code.OneOf, code) {
			return true
		}
	}
	return d.StatusOf[code] != 0
}
