package controls

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/wire"
)

// step is one request to a layer, and what the upstream would answer.
type step struct {
	model    string
	upstream *wire.Answer
	want     string // status and message, and how often the upstream was asked
}

// TestBehaviours: what a layer with a memory or with retries answers, request by request.
func TestBehaviours(t *testing.T) {
	limit := jsonError(429, `{"error":{"message":"first limit"}}`)
	waiting := answer(429, `{"error":{"message":"wait"}}`, "retry-after", "7")
	bad := jsonError(400, `{"error":{"message":"bad"}}`)
	spent := jsonError(402, `{"error":{"message":"your credit balance is low"}}`)
	overload := jsonError(529, `{"error":{"message":"overloaded"}}`)
	fine := jsonError(200, `{"quota":"rate_limit","error":{"message":"fine"}}`)
	const own = "429 fixture: no header, no code 0"
	for _, c := range []struct {
		fault *Fault
		steps []step
	}{
		{answerOnce, []step{{"a", bad, "400 bad 1"}, {"a", limit, "429 first limit 1"}, {"b", fine, own}, {"a", limit, "429 first limit 1"}, {"a", fine, "200 fine 1"}}},
		{cooldown, []step{{"a", bad, "400 bad 1"}, {"a", limit, "429 first limit 1"}, {"a", fine, own}, {"b", fine, "200 fine 1"}, {"a", fine, own}}},
		{cooldownText, []step{{"a", limit, "429 first limit 1"}, {"a", fine, "429 first limit 0"}}},
		{cooldownText, []step{{"a", answer(429, "no JSON"), "429 no JSON 1"}, {"a", fine, own}}},
		{cooldownText, []step{{"a", jsonError(429, `{"error":"text"}`), `429 {"error":"text"} 1`}, {"a", fine, own}}},
		{cooldownWait, []step{{"a", limit, "429 first limit 1"}, {"a", fine, "429 fixture: no header, no code, retry-after 60 0"}}},
		{disableKey, []step{{"a", fine, "200 fine 1"}, {"a", limit, "429 first limit 1"}, {"a", spent, "402 your credit balance is low 1"}, {"b", fine, "503 No available channel for this model 0"}, {"b", fine, "503 No available channel for this model 0"}}},
		{poison, []step{{"a", limit, "429 first limit 1"}, {"a", bad, "400 bad 1"}, {"b", fine, "503 fixture: no header, no code 0"}, {"a", fine, "200 fine 1"}}},
		{cache, []step{{"a", bad, "400 bad 1"}, {"a", fine, "400 bad 0"}, {"b", fine, "200 fine 1"}, {"b", bad, "200 fine 0"}}},
		{retryTwice, []step{{"a", fine, "200 fine 1"}, {"a", bad, "400 bad 3"}}},
		{retryAtOnce, []step{{"a", waiting, "429 wait, retry-after 7 4"}, {"a", limit, "429 first limit 1"}, {"a", answer(503, "x", "retry-after", "1"), "503 x, retry-after 1 1"}}},
		{retryByText, []step{{"a", overload, "529 overloaded 2"}, {"a", bad, "400 bad 1"}, {"a", fine, "200 fine 1"}}},
		{fallBack, []step{{"a", fine, "200 fine 1"}, {"a", bad, "400 bad 2 a-mini"}}},
	} {
		behave := c.fault.behaviour()
		for i, s := range c.steps {
			if got := taken(behave, s); got != s.want {
				t.Errorf("%s, request %d: %q, want %q", c.fault.Name, i+1, got, s.want)
			}
		}
	}
}

// taken is what came of a step.
func taken(behave Behaviour, s step) string {
	asked, other := 0, ""
	a := behave(&Call{
		Request: wire.Request{Body: []byte(`{"model":"` + s.model + `"}`)}, Model: s.model,
		Ask: func(r wire.Request) *wire.Answer {
			asked++
			if m := dialects.Anthropic.Model(r.Body); m != s.model {
				other = " " + m
			}
			return s.upstream.Clone()
		},
		Sleep: func(time.Duration) {},
	})
	words := string(a.Body)
	if d, ok := object(a.Body)["error"].(map[string]any); ok {
		words = fmt.Sprint(d["message"])
	}
	if v := a.Values("retry-after"); len(v) > 0 {
		words += ", retry-after " + strings.Join(v, ",")
	}
	return fmt.Sprintf("%d %s %d%s", a.Status, words, asked, other)
}

// TestFlakyIsRare: of so many errors one, and of successes none.
func TestFlakyIsRare(t *testing.T) {
	behave := flaky.behaviour()
	var bad []int
	for n := 1; n <= 3*oneIn; n++ {
		taken(behave, step{"a", jsonError(200, "{}"), ""})
		if got := taken(behave, step{"a", jsonError(429, "{}"), ""}); got != "429 {} 1" {
			bad = append(bad, n)
		}
	}
	if !slices.Equal(bad, []int{oneIn, 2 * oneIn, 3 * oneIn}) {
		t.Errorf("errors %v were changed", bad)
	}
}

// TestSleepsFor: how long a wait is sat out.
func TestSleepsFor(t *testing.T) {
	for _, c := range []struct {
		why   string
		waits []string
		want  time.Duration
	}{
		{"none", nil, 0},
		{"a second", []string{"1"}, time.Second},
		{"two", []string{"2"}, 2 * time.Second},
		{"more than anybody waits for", []string{"3"}, longestSleep},
		{"more than a duration holds", []string{"9223372036854775807"}, longestSleep},
		{"nothing", []string{"0"}, 0},
		{"less than nothing", []string{"-1"}, 0},
		{"no number", []string{"soon"}, 0},
		{"two lines", []string{"1", "1"}, 0},
	} {
		a := answer(429, "")
		for _, w := range c.waits {
			addHeader(a, "retry-after", w)
		}
		var slept []time.Duration
		sleep.behaviour()(&Call{Ask: func(wire.Request) *wire.Answer { return a }, Sleep: func(d time.Duration) { slept = append(slept, d) }})
		if c.want == 0 && slept != nil || c.want > 0 && !slices.Equal(slept, []time.Duration{c.want}) {
			t.Errorf("%s: %s, want %s", c.why, slept, c.want)
		}
	}
}

// TestHitsAreDeclared: how often a layer with retries asks is declared from what a row shows.
func TestHitsAreDeclared(t *testing.T) {
	for _, c := range []struct {
		why    string
		fault  *Fault
		answer *wire.Answer
		want   int
	}{
		{"a wait in an error that is no limit", retryAtOnce, answer(503, "", "retry-after", "1"), 1},
		{"a limit without a wait", retryAtOnce, answer(429, ""), 1},
		{"a limit with one", retryAtOnce, answer(429, "", "retry-after", "1"), 4},
		{"a success with the words", retryByText, jsonError(200, `{"a":"overloaded"}`), 1},
		{"the words in a member", retryByText, jsonError(400, `{"a":"overloaded"}`), 2},
		{"the words in the name of one", retryByText, jsonError(400, `{"rate_limit":1}`), 2},
		{"the words in the error", retryByText, jsonError(400, `{"error":{"type":"rate_limit_error"}}`), 2},
		{"the words in an event", retryByText, answer(400, "data: overloaded\n\n", "content-type", eventsType), 2},
		{"the words in a header", retryByText, answer(400, "", "x-rate_limit", "overloaded"), 1},
		{"other words", retryByText, jsonError(400, `{"a":"b"}`), 1},
		{"a success", fallBack, jsonError(399, `{}`), 1},
		{"an error", fallBack, jsonError(400, `{}`), 2},
	} {
		if got := c.fault.Hits(made(c.answer, dialects.Anthropic).seen); got != c.want {
			t.Errorf("%s: %s %d, want %d", c.why, c.fault.Name, got, c.want)
		}
		asked := 0
		c.fault.behaviour()(&Call{
			Request: wire.Request{Body: []byte(`{"model":"m"}`)}, Model: "m",
			Ask: func(wire.Request) *wire.Answer { asked++; return c.answer.Clone() },
		})
		if asked != c.want {
			t.Errorf("%s: %s asked %d times, want %d", c.why, c.fault.Name, asked, c.want)
		}
	}
}

// TestRemembers: a thing that was taken is gone.
func TestRemembers(t *testing.T) {
	var r remembers
	if r.has("a") || r.take("a") {
		t.Error("it remembers nothing yet")
	}
	r.set("a")
	r.set("b")
	if !r.has("a") || !r.has("b") || !r.take("a") || r.has("a") || r.take("a") || !r.has("b") {
		t.Error("a and b were set, and a was taken")
	}
}
