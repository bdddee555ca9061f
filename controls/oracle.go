package controls

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// The oracle says, apart from packages evidence, dialects and classify, what a fault does to the article's ten rows. It
// is the article's classifier (read 2026-11-13) over encoding/json, so that a bug in ours can't hide in the proof.

// oracle gives the class in the article's words. Where the original would crash, the code counts as unknown.
func oracle(a *wire.Answer) string {
	var body struct {
		Error map[string]any `json:"error"`
	}
	if json.Unmarshal(a.Body, &body) != nil || body.Error == nil {
		if a.Status == 429 {
			return "unknown_429"
		}
		return "other"
	}
	kind, _ := body.Error["type"].(string)
	switch {
	case a.Status == 429 && kind == "rate_limit_error":
		return oracleLimit(body.Error["details"], len(a.Values("retry-after")) > 0)
	case a.Status == 429:
		return "unknown_429"
	case a.Status == 400 && kind == "invalid_request_error":
		m, _ := body.Error["message"].(string)
		if strings.HasPrefix(m, "You have reached your specified API usage limits") || strings.HasPrefix(m, "You have reached your specified workspace API usage limits") {
			return "user_spend_limit"
		}
		return "invalid_request"
	}
	return "other"
}

func oracleLimit(details any, retryAfter bool) string {
	m, isObject := details.(map[string]any)
	code, coded := m["error_code"]
	switch {
	case details != nil && !isObject:
		return "unknown_429"
	case code == "enforced_spend_limit_reached":
		return "tier_spend_cap"
	case code == "ramp_limit_exceeded":
		return "ramp_limit"
	case !coded && retryAfter:
		return "rate_limit"
	}
	return "unknown_429"
}

// noRetry are the classes of the article's policy that are never sent again.
var noRetry = map[string]bool{"tier_spend_cap": true, "user_spend_limit": true, "invalid_request": true}

// expectedVerdict says what a row must be called, from the fixture and the changed answer.
func (p *prover) expectedVerdict(f *Fault, s *subject, changed *wire.Answer, sights []Sight, hits int) compare.Verdict {
	allowed := 0
	switch {
	case p.in.Rules.MaxLayerRetries >= 0:
		allowed = p.in.Rules.MaxLayerRetries + 1
	case p.in.Rules.Profile.OneHit || noRetry[s.class]:
		allowed = 1
	}
	decides := false
	for _, w := range sights {
		d := evidence.Difference{Key: w.Key, Dir: w.Dir, Want: s.seen.Evidence.Get(w.Key), Got: inHeader(changed, w.Key)}
		decides = decides || p.in.Rules.Profile.Decides(d, s.seen.Evidence, s.row.Dialect) != nil
	}
	switch {
	case f.Breaks && len(sights) > 0:
		return compare.Broken
	case !same(changed, s.expected) && !inEvent(changed) && oracle(changed) != s.class:
		return compare.Reclassified
	case decides:
		return compare.Different
	case allowed > 0 && hits > allowed:
		return compare.Retried
	}
	return compare.Preserved
}

// inEvent: the article's classifier knows no streams, so it has no say where a body has become one.
func inEvent(a *wire.Answer) bool { return bytes.HasPrefix(a.Body, []byte("data:")) }

// inHeader is the value of a header that stands once, as a profile may ask for it: two values can mean the same to it.
func inHeader(a *wire.Answer, key string) (v evidence.Value) {
	if name, ok := strings.CutPrefix(key, "header/"); ok {
		if vs := a.Values(name); len(vs) == 1 {
			v = evidence.Value{Kind: evidence.Text, Text: vs[0]}
		}
	}
	return v
}
