package dialects

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// answer builds a whole answer; a header is "name: value".
func answer(status int, body string, header ...string) *wire.Answer {
	a := &wire.Answer{Proto: "HTTP/1.1", Status: status, Body: []byte(body), Framing: wire.FramingLength, End: wire.EndComplete}
	for _, h := range header {
		name, value, _ := strings.Cut(h, ": ")
		a.Header = append(a.Header, wire.Field{Name: name, Value: value})
	}
	return a
}

func read(a *wire.Answer) evidence.Evidence { return evidence.Of(a, Anthropic.Layout, "") }

func envelope(typ, message, code string) string {
	e := map[string]any{"type": typ, "message": message}
	if code != "" {
		e["details"] = map[string]any{"error_code": code}
	}
	b, _ := json.Marshal(map[string]any{"type": "error", "error": e, "request_id": "req_fixture"})
	return string(b)
}

type classCase struct {
	why    string
	answer *wire.Answer
	want   classify.Class
}

func stream(header string, events ...string) *wire.Answer {
	var b strings.Builder
	for _, e := range events {
		name, data, _ := strings.Cut(e, " ")
		b.WriteString("event: " + name + "\ndata: " + data + "\n\n")
	}
	return answer(200, b.String(), append([]string{"content-type: text/event-stream; charset=utf-8"}, strings.Fields(header)...)...)
}

const started = `message_start {"type":"message_start","message":{"id":"msg_1"}}`

// The ten rows of the source article with the classes that its own classifier gives.
func articleCases() []classCase {
	html := "<html><body>Too Many Requests</body></html>"
	return []classCase{
		{"tier_cap: the code decides, without any header", answer(429, envelope("rate_limit_error", "You have reached your API usage limits: fixture", "enforced_spend_limit_reached")), classify.TierSpendCap},
		{"rate_limit: no code, but a wait", answer(429, envelope("rate_limit_error", "fixture: rate limit", ""), "retry-after: 1"), classify.RateLimit},
		{"ramp_limit: the code decides over the header", answer(429, envelope("rate_limit_error", "fixture: ramp limit", "ramp_limit_exceeded"), "retry-after: 1"), classify.RampLimit},
		{"headerless_429: differs from the cap only in the body", answer(429, envelope("rate_limit_error", "fixture: no header, no code", "")), classify.Unknown429},
		{"unknown_code_429: a new code is never guessed, even with a wait", answer(429, envelope("rate_limit_error", "fixture: new code", "fixture_future_code"), "retry-after: 1"), classify.Unknown429},
		{"proxy_429: not the provider's JSON", answer(429, html, "content-type: text/html"), classify.Unknown429},
		{"stripped_cap_429: wrong by design, since the evidence is gone", answer(429, envelope("rate_limit_error", "You have reached your API usage limits: fixture", ""), "retry-after: 1"), classify.RateLimit},
		{"claude_code_ws_429: a workspace's limit looks like a rate limit", answer(429, envelope("rate_limit_error", "fixture: workspace limit", ""), "retry-after: 1", "anthropic-workspace-id: wrkspc_fixture_cc"), classify.RateLimit},
		{"user_limit_400: only the wording tells", answer(400, envelope("invalid_request_error", "You have reached your specified workspace API usage limits. fixture", "")), classify.UserSpendLimit},
		{"validation_400: an ordinary bad request", answer(400, envelope("invalid_request_error", "This model does not support assistant message prefill. The conversation must end with a user message.", "")), classify.InvalidRequest},
	}
}

func documentedCases() []classCase {
	return []classCase{
		{"a success", answer(200, `{"type":"message","content":[]}`), classify.OK},
		{"a success with headroom", answer(200, `{}`, ratelimit("tokens", "100", "80")...), classify.OKAmple},
		{"30 % of a limit is not under it", answer(200, `{}`, ratelimit("tokens", "100", "30")...), classify.OKAmple},
		{"the limit nearest to its end counts", answer(200, `{}`, append(ratelimit("requests", "100", "29"), ratelimit("tokens", "100", "90")...)...), classify.OKEase},
		{"10 % of a limit is not under it", answer(200, `{}`, ratelimit("input-tokens", "100000", "10000")...), classify.OKEase},
		{"under 10 %", answer(200, `{}`, ratelimit("output-tokens", "100000", "9999")...), classify.OKClamp},
		{"nothing is left", answer(200, `{}`, ratelimit("tokens", "100", "0")...), classify.OKClamp},
		{"any 2xx is a success to an SDK", answer(204, ""), classify.OK},
		{"up to the last of them, and its headroom counts", answer(299, `{}`, ratelimit("tokens", "100", "0")...), classify.OKClamp},
		{"a 200 with an error body is a success to every official SDK", answer(200, envelope("rate_limit_error", "x", "enforced_spend_limit_reached")), classify.OK},
		{"the contract's cap, the third documented code", answer(429, envelope("rate_limit_error", "x", "contract_spend_limit_reached")), classify.ContractSpendCap},
		{"a contract's cap with a wait is still a cap", answer(429, envelope("rate_limit_error", "x", "contract_spend_limit_reached"), "retry-after: 1"), classify.ContractSpendCap},
		{"organization's limit", answer(400, envelope("invalid_request_error", "You have reached your specified API usage limits. You will regain access on 2026-09-01 at 00:00 UTC.", "")), classify.UserSpendLimit},
		{"the tier's wording on a 400 is not the user's limit: one word differs", answer(400, envelope("invalid_request_error", "You have reached your API usage limits: x", "")), classify.InvalidRequest},
		{"no credit comes as a 400", answer(400, envelope("invalid_request_error", "Your credit balance is too low to access the Anthropic API.", ""), "x-should-retry: false"), classify.CreditExhausted},
		{"an organization on hold", answer(400, envelope("invalid_request_error", "x", "organization_on_hold")), classify.OrgHold},
		{"another code on a 400 stays a bad request", answer(400, envelope("invalid_request_error", "x", "claude_code_version_too_old")), classify.InvalidRequest},
		{"401", answer(401, envelope("authentication_error", "x", "")), classify.Auth},
		{"402", answer(402, envelope("billing_error", "x", "")), classify.Billing},
		{"402 of a linked organization", answer(402, envelope("billing_error", "x", "linked_organization_spend_limit_reached")), classify.Billing},
		{"402 of a linked organization, the other code", answer(402, envelope("billing_error", "x", "linked_organization_billing_unavailable")), classify.Billing},
		{"403", answer(403, envelope("permission_error", "x", "")), classify.Permission},
		{"404", answer(404, envelope("not_found_error", "model: x", "")), classify.NotFound},
		{"409", answer(409, envelope("conflict_error", "x", "")), classify.Conflict},
		{"413 of the API", answer(413, envelope("request_too_large", "x", "")), classify.RequestTooLarge},
		{"413 of the edge: no top-level type, no request_id", answer(413, `{"error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`), classify.RequestTooLarge},
		{"500", answer(500, envelope("api_error", "x", "")), classify.ServerError},
		{"503 with the key's code", answer(503, envelope("api_error", "x", "cmek_key_unreachable")), classify.ServerError},
		{"504", answer(504, envelope("timeout_error", "x", "")), classify.Timeout},
		{"529", answer(529, envelope("overloaded_error", "Overloaded", ""), "retry-after: 3"), classify.Overloaded},
	}
}

func TestArticle(t *testing.T)    { runCases(t, articleCases()) }
func TestDocumented(t *testing.T) { runCases(t, documentedCases()) }

func ratelimit(name, limit, remaining string) []string {
	return []string{"anthropic-ratelimit-" + name + "-limit: " + limit, "anthropic-ratelimit-" + name + "-remaining: " + remaining}
}

// A throttle must not act on what is not told whole.
func TestHeadroomThatIsNotTold(t *testing.T) {
	runCases(t, []classCase{
		{"no limit to hold it against", answer(200, `{}`, "anthropic-ratelimit-tokens-remaining: 1"), classify.OK},
		{"no remainder", answer(200, `{}`, "anthropic-ratelimit-tokens-limit: 1"), classify.OK},
		{"a limit of nothing has no share", answer(200, `{}`, ratelimit("tokens", "0", "0")...), classify.OK},
		{"words", answer(200, `{}`, ratelimit("tokens", "many", "few")...), classify.OK},
		{"a fraction is no count", answer(200, `{}`, ratelimit("tokens", "1.0", "1.0")...), classify.OK},
		{"another family", answer(200, `{}`, ratelimit("images", "100", "1")...), classify.OK},
		{"more left than there is", answer(200, `{}`, ratelimit("tokens", "100", "900")...), classify.OKAmple},
		{"less than nothing", answer(200, `{}`, ratelimit("tokens", "100", "-9")...), classify.OKClamp},
		{"of two lines the first counts", answer(200, `{}`, append(ratelimit("tokens", "100", "9"), "anthropic-ratelimit-tokens-remaining: 90")...), classify.OKClamp},
		{"an error is an error, however much is left", answer(500, envelope("api_error", "x", ""), ratelimit("tokens", "100", "1")...), classify.ServerError},
	})
}

func TestOdd(t *testing.T) {
	limit := func(details string) string {
		return `{"type":"error","error":{"type":"rate_limit_error","message":"x","details":` + details + `}}`
	}
	ra := "retry-after: 1"
	runCases(t, []classCase{
		{"details a list: Google's shape, which crashed the original", answer(429, limit(`[{"@type":"x"}]`), ra), classify.Unknown429},
		{"details a string, which crashed it too", answer(429, limit(`"enforced_spend_limit_reached"`), ra), classify.Unknown429},
		{"details a number", answer(429, limit(`7`), ra), classify.Unknown429},
		{"details true", answer(429, limit(`true`), ra), classify.Unknown429},
		{"details null are no details", answer(429, limit(`null`), ra), classify.RateLimit},
		{"details an empty string are none", answer(429, limit(`""`), ra), classify.RateLimit},
		{"details an empty list are none", answer(429, limit(`[]`), ra), classify.RateLimit},
		{"details false are none", answer(429, limit(`false`), ra), classify.RateLimit},
		{"details 0 are none, however it is written", answer(429, limit(`0.0e5`), ra), classify.RateLimit},
		{"details {} hold no code", answer(429, limit(`{}`), ra), classify.RateLimit},
		{"details with other members hold no code", answer(429, limit(`{"paths":["a"]}`), ra), classify.RateLimit},
		{"a null code is no code", answer(429, limit(`{"error_code":null}`), ra), classify.RateLimit},
		{"an empty code is a code that nobody knows", answer(429, limit(`{"error_code":""}`), ra), classify.Unknown429},
		{"a number is a code that nobody knows", answer(429, limit(`{"error_code":429}`), ra), classify.Unknown429},
		{"an object is a code that nobody knows", answer(429, limit(`{"error_code":{"a":1}}`), ra), classify.Unknown429},
		{"a code in other letters is another code", answer(429, limit(`{"error_code":"ENFORCED_SPEND_LIMIT_REACHED"}`), ra), classify.Unknown429},
		{"an escaped code is the same code", answer(429, limit(`{"error_code":"enforced\u005fspend_limit_reached"}`)), classify.TierSpendCap},
		{"message null, which crashed the original", answer(400, `{"error":{"type":"invalid_request_error","message":null}}`), classify.InvalidRequest},
		{"message a list", answer(400, `{"error":{"type":"invalid_request_error","message":["You have reached your specified API usage limits"]}}`), classify.InvalidRequest},
		{"error a string", answer(429, `{"error":"rate limited"}`, ra), classify.Unknown429},
		{"error a string on a 400", answer(400, `{"error":"bad"}`), classify.Other},
		{"error null", answer(429, `{"error":null}`, ra), classify.Unknown429},
		{"error a list", answer(429, `{"error":[{"type":"rate_limit_error"}]}`, ra), classify.Unknown429},
		{"type a list", answer(429, `{"error":{"type":["rate_limit_error"]}}`, ra), classify.Unknown429},
		{"a body that is a list", answer(429, `[]`, ra), classify.Unknown429},
		{"a body of no bytes", answer(429, ``, ra), classify.Unknown429},
		{"a body that is cut", answer(429, `{"type":"error","error":{"type":"rate_limit_error","mess`, ra), classify.Unknown429},
		{"bytes that are no text", answer(429, "\xff\xfe", ra), classify.Unknown429},
		{"an empty retry-after says nothing", answer(429, envelope("rate_limit_error", "x", ""), "retry-after: "), classify.Unknown429},
		{"retry-after as a date is a wait", answer(429, envelope("rate_limit_error", "x", ""), "retry-after: Fri, 31 Dec 2027 23:59:59 GMT"), classify.RateLimit},
		{"retry-after in another case", answer(429, envelope("rate_limit_error", "x", ""), "Retry-After: 1"), classify.RateLimit},
		{"of two retry-after the first counts, here it is there", answer(429, envelope("rate_limit_error", "x", ""), "retry-after: 1", "retry-after: "), classify.RateLimit},
		{"of two retry-after the first counts, here it is empty", answer(429, envelope("rate_limit_error", "x", ""), "retry-after: ", "retry-after: 1"), classify.Unknown429},
		{"a foreign type on a 429", answer(429, `{"error":{"type":"insufficient_quota","code":"insufficient_quota"}}`, ra), classify.Unknown429},
		{"a cap's code under a foreign type is not the cap", answer(429, envelope("None", "x", "enforced_spend_limit_reached")), classify.Unknown429},
		{"a cap's code under another status is not the cap", answer(500, envelope("rate_limit_error", "x", "enforced_spend_limit_reached")), classify.Other},
		{"a status without its type is not guessed", answer(402, `{"error":{"type":"x"}}`), classify.Other},
		{"a page instead of an error", answer(502, "<html></html>"), classify.Other},
		{"a redirect", answer(302, ""), classify.Other},
		{"a hang", &wire.Answer{End: wire.EndTimeout}, classify.NoAnswer},
		{"a refused connection", &wire.Answer{End: wire.EndRefused}, classify.NoAnswer},
	})
}

func TestStreams(t *testing.T) {
	stop := `message_stop {"type":"message_stop"}`
	failed := func(typ, message, code string) string { return "error " + envelope(typ, message, code) }
	cut := stream("", started)
	cut.End = wire.EndReset
	doneThenReset := stream("", started, stop)
	doneThenReset.End = wire.EndReset
	short := answer(200, `{"type":"mess`)
	short.End = wire.EndShort
	wrong := answer(500, "event: error\ndata: "+envelope("overloaded_error", "x", "")+"\n\n", "content-type: text/event-stream")
	refused := answer(429, "event: error\ndata: "+envelope("rate_limit_error", "x", "")+"\n\n", "content-type: text/event-stream", "retry-after: 1")
	runCases(t, []classCase{
		{"a stream that ended", stream("", started, stop), classify.OK},
		{"a cap after a 200", stream("", started, failed("rate_limit_error", "x", "enforced_spend_limit_reached")), classify.TierSpendCap},
		{"a limit after a 200, where no retry-after can come", stream("", failed("rate_limit_error", "x", "")), classify.Unknown429},
		{"an overload after a 200", stream("", started, failed("overloaded_error", "Overloaded", "")), classify.Overloaded},
		{"a user's limit after a 200", stream("", failed("invalid_request_error", "You have reached your specified API usage limits.", "")), classify.UserSpendLimit},
		{"an error of a type that nobody documents", stream("", failed("new_api_error", "x", "")), classify.Other},
		{"an error event that is no JSON", stream("", "error overloaded"), classify.Other},
		{"an error whose event line was lost", answer(200, "data: "+envelope("api_error", "x", "")+"\n\n", "content-type: text/event-stream"), classify.ServerError},
		{"an error is an error, even when the stream then ends", stream("", failed("api_error", "x", ""), stop), classify.ServerError},
		{"a stream without its end", stream("", started), classify.Truncated},
		{"a stream without any event", stream(""), classify.Truncated},
		{"a reset in the middle", cut, classify.Truncated},
		{"a reset after the end changes nothing", doneThenReset, classify.OK},
		{"a plain body that is shorter than announced", short, classify.Truncated},
		{"events under a 500 are not rescued by their type", wrong, classify.Other},
		{"events under a 429 keep that status and its headers", refused, classify.RateLimit},
	})
}

func runCases(t *testing.T, cases []classCase) {
	t.Helper()
	runIn(t, Anthropic, cases)
}

func runIn(t *testing.T, d *Dialect, cases []classCase) {
	t.Helper()
	for _, c := range cases {
		r := d.Classify(evidence.Of(c.answer, d.Layout, ""))
		if r == nil {
			t.Errorf("%s: %s: no rule", d.Name, c.why)
		} else if r.Class != c.want {
			t.Errorf("%s: %s: got %s (%s), want %s", d.Name, c.why, r.Class, r.Why, c.want)
		}
	}
}

func TestALinkedOrganizationIsNamed(t *testing.T) {
	r := Anthropic.Classify(read(answer(402, envelope("billing_error", "x", "linked_organization_billing_unavailable"))))
	if !strings.Contains(r.Why, "linked organization") {
		t.Errorf("whoever is paged is not told whose billing it is: %q", r.Why)
	}
}

func TestEveryClassCanBeReached(t *testing.T) {
	left := map[classify.Class]bool{}
	for _, c := range classify.All() {
		left[c] = true
	}
	for _, c := range append(articleCases(), documentedCases()...) {
		delete(left, Anthropic.Classify(read(c.answer)).Class)
	}
	for _, c := range openAICases() {
		delete(left, OpenAIChat.Classify(evidence.Of(c.answer, OpenAIChat.Layout, "")).Class)
	}
	delete(left, classify.NoAnswer)
	delete(left, classify.Truncated)
	delete(left, classify.Other)
	if len(left) > 0 {
		t.Errorf("no case gets the classes %v", left)
	}
}

func TestRulesAreWhole(t *testing.T) {
	for _, d := range All() {
		last := d.Rules[len(d.Rules)-1]
		if !cmp.Equal(last, classify.Rule{Class: last.Class, Why: last.Why, From: last.From, Read: last.Read}) {
			t.Errorf("%s: the last rule has conditions, so an answer could get no class", d.Name)
		}
		for i, r := range d.Rules {
			if !classify.Known(r.Class) || r.Why == "" || r.From == "" || len(r.Read) != len("2026-11-30") || strings.HasSuffix(r.Why, ".") {
				t.Errorf("%s: rule %d (%s) lacks a class, a reason, a source or a date", d.Name, i, r.Class)
			}
			for _, role := range r.Reads() {
				if d.Keys[role] == "" && (role != classify.HeadroomLeft || len(d.Headroom) == 0) {
					t.Errorf("%s: rule %d reads %s, which has no key", d.Name, i, role)
				}
			}
			for j := range i {
				if cmp.Equal(conditions(d.Rules[j]), conditions(r)) {
					t.Errorf("%s: rule %d can never be reached, rule %d has the same conditions", d.Name, i, j)
				}
			}
		}
	}
}

// conditions is a rule without its words.
func conditions(r classify.Rule) classify.Rule {
	r.Class, r.Why, r.From, r.Read = "", "", "", ""
	return r
}

func TestRoleAndByName(t *testing.T) {
	for _, d := range All() {
		if ByName(d.Name) != d {
			t.Errorf("%s is not found by its name", d.Name)
		}
		for role, key := range d.Keys {
			if got := d.Role(key); got != role {
				t.Errorf("%s: key %s has role %q, want %q", d.Name, key, got, role)
			}
		}
	}
	if ByName("nothing") != nil || Anthropic.Role("body/type") != "" {
		t.Error("an unknown name is found")
	}
}
