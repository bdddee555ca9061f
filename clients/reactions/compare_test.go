package reactions

import (
	"strings"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/wire"
)

func lines(cs []record.Consequence) (out []string) {
	for _, c := range cs {
		out = append(out, c.Who+": "+c.Text)
	}
	return out
}

const (
	cap429  = `{"type":"error","error":{"type":"rate_limit_error","message":"You have reached your API usage limits: fixture","details":{"error_code":"enforced_spend_limit_reached"}}}`
	bare429 = `{"type":"error","error":{"type":"rate_limit_error","message":"You have reached your API usage limits: fixture"}}`
	user400 = `{"type":"error","error":{"type":"invalid_request_error","message":"You have reached your specified workspace API usage limits. fixture"}}`
	wrap400 = `{"type":"error","error":{"type":"invalid_request_error","message":"BadRequestError: You have reached your specified workspace API usage limits. fixture"}}`
	think   = `{"type":"error","error":{"type":"invalid_request_error","message":"thinking: Input tag 'adaptive' found using 'type' does not match any of the expected tags"}}`
	happy   = `{"type":"message","content":[]}`
)

// TestCompare shows the lines that users read.
func TestCompare(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	left := func(n string) *wire.Answer {
		return answer(200, happy, "anthropic-ratelimit-tokens-limit: 100", "anthropic-ratelimit-tokens-remaining: "+n)
	}
	for _, c := range []struct {
		why             string
		direct, through *wire.Answer
		hits            int
		want            []string
	}{
		{"nothing changed", answer(429, limited), answer(429, limited), 1, nil},
		{"a cliff of one client, and what other clients make of the number", answer(429, limited, "retry-after: 1"), answer(429, limited, "retry-after: 90"), 1, []string{
			"LangChain JS: waited 1.5 s and recovered → fails at once (retry-after 90)",
			"Claude Code: waited 1 s and recovered → fails at once (retry-after 90)",
			"Anthropic SDKs: waited 1 s and recovered → waits 90 s and recovers (retry-after 90)",
			"Vercel AI SDK: waited 1 s and recovered → waits 2 s and recovers (retry-after 90)",
			"worker: try 3 times, hold: waits 1 s → 90 s (retry-after 90)",
			"fallback chain: retry, then try 1 more route at the same provider: waits 1 s → 90 s (retry-after 90)",
		}},
		{"an order to retry", answer(400, limited, "retry-after: 1"), answer(400, limited, "retry-after: 1", "x-should-retry: true"), 1, []string{
			"Anthropic SDKs: 1 request → 3 (x-should-retry added)",
			"one job: requests 1 (worker 1 × SDK 1) → 3 (worker 1 × SDK 3), of which none can succeed",
		}},
		{"the article's stripped cap", answer(429, cap429), answer(429, bare429, "retry-after: 1"), 1, []string{
			"worker: pause and page → try 3 times, hold (retry-after 1 added, code lost); nobody is paged",
			"fallback chain: skip the provider, page → retry, then try 1 more route at the same provider (retry-after 1 added, code lost); nobody is paged",
			"LangChain JS: 1 request → 7 over 94 s (retry-after 1 added)",
			"one job: requests 3 (worker 1 × SDK 3) → 9 (worker 3 × SDK 3), of which none can succeed",
			"Anthropic SDKs: waits 0.5 s, then longer → 1 s (retry-after 1 added)",
			"Vercel AI SDK: waits 2 s, then longer → 1 s (retry-after 1 added)",
			"Claude Code: waits 0.6 s, then longer → 1 s, then longer (retry-after 1 added)",
		}},
		{"details alone", answer(429, cap429), answer(429, bare429), 3, []string{
			"worker: pause and page → try 3 times, hold and investigate (code lost); a ticket, and nobody is paged",
			"fallback chain: skip the provider, page → retry, then try 1 more route at the same provider (code lost); nobody is paged",
			"one job: requests 3 (worker 1 × SDK 3) → 27 (worker 3 × SDK 3 × layer 3), of which none can succeed",
		}},
		{"a wrapped message", answer(400, user400), answer(400, wrap400), 1, []string{
			"worker: pause and tell the limit's owner → fail the job (message changed); the limit's owner is not told",
			"fallback chain: skip the provider, page → give up as a wrong request (message changed); nobody is paged",
		}},
		{"a success", answer(429, limited, "retry-after: 1"), answer(200, limited), 1, []string{
			"Anthropic SDKs: waited 1 s and recovered → takes it for an empty success (status 429 → 200)",
			"worker: try 3 times, hold → take it as done (status 429 → 200)",
			"Vercel AI SDK: waited 1 s and recovered → fails at once (status 429 → 200)",
			"LangChain JS: waited 1.5 s and recovered → fails at once (status 429 → 200)",
		}},
		{"a status", answer(529, limited), answer(500, limited), 1, nil},
		{"a status", answer(429, limited, "retry-after: 1"), answer(400, limited), 1, []string{
			"worker: try 3 times, hold → hold and investigate (status 429 → 400); a ticket for nothing",
			"fallback chain: retry, then try 1 more route at the same provider → give up as a wrong request (status 429 → 400)",
			"Anthropic SDKs, Vercel AI SDK, Claude Code: waited 1 s and recovered → fails at once (status 429 → 400)",
			"LangChain JS: waited 1.5 s and recovered → fails at once (status 429 → 400)",
		}},
		{"wording", answer(400, think), answer(400, limited), 1, []string{
			"Claude Code: mends the request and goes on → fails at once (message changed)",
			"worker: fail the job → hold and investigate (type changed); a ticket for nothing",
		}},
		{"headroom", left("5"), answer(200, happy), 1, []string{
			"pre-emptive throttle: clamp down → send on at full pace, blind (rate-limit headers lost)",
		}},
		{"a lost event line", streamed(begun+failed, wire.EndComplete), streamed(begun+strings.TrimPrefix(failed, "event: error\n"), wire.EndComplete), 1, []string{
			"Anthropic SDKs, LangChain JS: failed at once → never sees the error (the event line of the error lost)",
		}},
		{"no answer", answer(429, limited), nil, 1, []string{
			"worker: try 3 times, hold and investigate → try 3 times, hold (no answer); no ticket is opened",
		}},
		{"layer retries", answer(429, limited), answer(429, limited), 5, []string{
			"one job: requests 9 (worker 3 × SDK 3) → 45 (worker 3 × SDK 3 × layer 5)",
		}},
	} {
		got := lines(Compare(all, See(c.direct, dialects.Anthropic, ""), See(c.through, dialects.Anthropic, ""), c.hits))
		if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%s:\n%s\nwant\n%s", c.why, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

// TestToldLater keeps a page waiting: the SDK below the worker takes a wait that was added to a cap.
func TestToldLater(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	cs := Compare(all, See(answer(429, cap429), dialects.Anthropic, ""), See(answer(429, cap429, "retry-after: 130"), dialects.Anthropic, ""), 1)
	i := len(cs) - 1
	for ; i >= 0 && cs[i].Who != jobName; i-- {
	}
	if i < 0 || cs[i].Text != "somebody is told after 4 min instead of 1.5 s" {
		t.Fatalf("%v", lines(cs))
	}
	if d, th := cs[i].Direct.ToldAfterMS, cs[i].Through.ToldAfterMS; d == nil || th == nil || *d != 1500 || *th != 260_000 {
		t.Errorf("told after %v and %v ms", d, th)
	}
}

// TestWeights puts the worst first: what nobody hears of before what costs more.
func TestWeights(t *testing.T) {
	waits := Reaction{Requests: 3, Waits: []time.Duration{time.Second, time.Second}}
	paged := Reaction{Requests: 1, Words: "pause", Tells: "page"}
	soon := end{after: time.Second}
	for i, c := range []struct {
		why  string
		d, t Reaction
		e    end
		want int
	}{
		{"a failure that is taken for a success", paged, Reaction{Requests: 1, Done: true, Words: "done", Tells: "none"}, end{}, weighsSuccess},
		{"nobody is told", paged, Reaction{Requests: 3, Words: "hold", Tells: "none"}, end{}, weighsTold},
		{"a ticket for a page", paged, Reaction{Requests: 3, Words: "hold", Tells: "ticket"}, end{}, weighsTold},
		{"another outcome", paged, Reaction{Requests: 3, Words: "hold", Tells: "page"}, end{}, weighsOutcome},
		{"no recovery", waits, Reaction{Requests: 1}, soon, weighsRecovery},
		{"more requests", Reaction{Requests: 1}, waits, end{never: true}, weighsRequests},
		{"fewer requests", waits, Reaction{Requests: 1}, end{never: true}, weighsFewer},
		{"other waits", waits, Reaction{Requests: 3, Waits: []time.Duration{0, 0}}, end{never: true}, weighsLittle},
		{"another pace", Reaction{Requests: 1, Done: true, Pause: time.Second, Words: "clamp down"}, Reaction{Requests: 1, Done: true, Words: "full pace"}, end{never: true}, weighsLittle},
	} {
		if got := weigh(c.d, c.t, c.e); got != c.want {
			t.Errorf("%d, %s: %d, want %d", i, c.why, got, c.want)
		}
	}
}

// TestChain counts the requests of a chain over its routes, and streams that only stop.
func TestChain(t *testing.T) {
	for _, c := range []struct {
		client string
		answer *wire.Answer
		want   int
		done   bool
	}{
		{"fallback", answer(529, limited), 6, false},
		{"fallback", answer(404, limited), 2, false},
		{"fallback", answer(429, cap429), 1, false},
		{"anthropic-go", streamed(begun, wire.EndComplete), 1, true},
		{"anthropic-go", streamed(begun, wire.EndReset), 1, false},
		{"anthropic-go", streamed(begun+failed, wire.EndComplete), 1, false},
	} {
		r, known := Of(client(t, c.client), See(c.answer, dialects.Anthropic, ""))
		if !known || r.Requests != c.want || r.Done != c.done {
			t.Errorf("%s on %d: %+v, want %d requests, done %t", c.client, c.answer.Status, r, c.want, c.done)
		}
	}
}

// TestCodex has the waits that stand in a message.
func TestCodex(t *testing.T) {
	event := func(code, message string) *wire.Answer {
		return streamed(`event: response.failed`+"\n"+`data: {"type":"response.failed","response":{"error":{"code":"`+code+`","message":"`+message+`"}}}`+"\n\n", wire.EndComplete)
	}
	for _, c := range []struct {
		why    string
		answer *wire.Answer
		want   int
		first  time.Duration
	}{
		{"a 429 is not sent again", answer(429, `{"error":{"message":"m","type":"requests","code":"rate_limit_exceeded"}}`, "retry-after: 1"), 1, 0},
		{"a 500 is", answer(500, `{"error":{"message":"m"}}`, "retry-after: 9"), 5, 200 * time.Millisecond},
		{"the message names the wait", event("rate_limit_exceeded", "Please try again in 11.5s. Visit"), 6, 11500 * time.Millisecond},
		{"in milliseconds", event("rate_limit_exceeded", "Please try again in 28ms."), 6, 28 * time.Millisecond},
		{"a layer reworded it", event("rate_limit_exceeded", "Slow down"), 6, 200 * time.Millisecond},
		{"no money", event("insufficient_quota", "try again in 1s"), 1, 0},
	} {
		r, known := Of(client(t, "codex"), See(c.answer, dialects.OpenAIResponses, ""))
		if !known || r.Requests != c.want || len(r.Waits) > 0 && r.Waits[0] != c.first {
			t.Errorf("%s: %+v (known %t), want %d, first %s", c.why, r, known, c.want, c.first)
		}
	}
}
