package main

// The kinds of faults, in the order in which they were counted in 118 public reports, read up to 2026-11-30, and the gaps that
// a matrix of ten plain answers and six fields would leave. Each has a layer that shows it, or the reason why nothing can.

const knownFile = `format: preservecheck.known/1
entries:
  - layer: gateway
    rows: [user_limit_400]
    key: error/message
    direction: changed
    value: "anthropic error: {original}"
    class: user_spend_limit -> invalid_request
    reason: our support looks for this prefix
    expires: 2999-01-01
`

const twoRoutes = `format: preservecheck.target/1
name: gateway
routes:
  - {name: native, url: LAYER2}
  - {name: translated, url: LAYER}
`

const chain = `format: preservecheck.target/1
name: gateway
hops: true
routes:
  - {name: edge, url: LAYER}
  - {name: gateway, url: LAYER2}
`

var (
	rewrites   = sight{layer: "control:change-status", args: asked("tier_cap"), part: "reclassified  ", says: "expected 429 got 503", code: exitFail}
	renamed    = sight{layer: "renames", args: asked("rate_limit"), part: "reclassified  ", says: "lost (moved)", code: exitFail, what: "A layer that passes retry-after on under a name of its own"}
	wrapped    = sight{layer: "wraps", args: asked("rate_limit"), part: "changed  ", says: "the whole upstream body is inside message", code: exitFail, what: "A layer that writes the upstream's whole body into its own message"}
	finished   = sight{layer: "control:finish-stream", args: streamed("stream_eof"), part: "reclassified  ", says: "the layer finished the stream with message_stop, which nobody sent", code: exitFail}
	unnamed    = sight{layer: "control:drop-event-lines", args: streamed("stream_cap_mid"), part: "changed  ", says: `"-error"`, code: exitFail}
	asEvent    = sight{layer: "control:error-as-event", args: streamed("tier_cap"), part: "broken  ", says: "the error is framed as an event", code: exitFail}
	shutOut    = sight{layer: "control:poison", args: asked("validation_400"), part: "findings", says: "the layer stopped calling the stub", code: exitFail}
	remembered = sight{layer: "control:cache", args: asked("rate_limit"), part: "findings", says: "the layer answered from memory", code: exitFail}
	slept      = sight{layer: "sleeps", args: asked("tier_cap", "--max-layer-wait", "300ms"), part: "findings", says: "the layer slept", code: exitFail, clock: "0.6 s", what: "A layer that waits before it asks its upstream"}
	declared   = sight{layer: "control:prefix-message", args: asked("user_limit_400", "--known", "known.yaml"), part: "declared  ", says: "declared by", code: exitPass, file: knownFile, what: "A layer that puts a word before every message, with a known file that says so and why"}
)

var reported = []faultKind{
	{name: "status rewritten", sights: []sight{rewrites,
		{layer: "control:error-to-success", args: asked("rate_limit"), part: "reclassified  ", says: "the layer answered with a success (status 200), which nobody sent", code: exitFail},
		{layer: "control:status-429-to-200", args: asked("rate_limit"), part: "reclassified  ", says: "class rate_limit -> ok", code: exitFail},
		{layer: "control:status-529-to-429", args: asked("overloaded_529"), part: "reclassified  ", says: "expected 529 got 429", code: exitFail},
		{layer: "control:status-4xx-to-502", args: asked("user_limit_400"), part: "reclassified  ", says: "expected 400 got 502", code: exitFail}}},
	{name: "body or message dropped, or replaced by a generic text", sights: []sight{
		{layer: "control:empty-body", args: asked("tier_cap"), part: "reclassified  ", says: "error lost, with details, code, message, type", code: exitFail},
		{layer: "generic", args: asked("rate_limit"), part: "changed  ", says: `"Upstream request failed"`, code: exitFail, what: "A layer with one message for everything"},
		{layer: "control:json-to-html", args: asked("rate_limit"), part: "reclassified  ", says: "error lost, with message, type", code: exitFail},
		{layer: "control:first-line-of-message", args: asked("lines_400"), part: "changed  ", says: "error/message changed", code: exitFail}}},
	{name: "type, code or details changed, nulled or dropped", sights: []sight{
		{layer: "control:type-nil", args: asked("rate_limit"), part: "reclassified  ", says: `"<nil>"`, code: exitFail},
		{layer: "control:drop-details", args: asked("tier_cap"), part: "reclassified  ", says: "error/details lost", code: exitFail},
		{layer: "control:stringify-details", args: asked("tier_cap"), part: "reclassified  ", says: "error/details changed", code: exitFail},
		{layer: "control:alter-code", args: asked("tier_cap"), part: "reclassified  ", says: `"upstream_error"`, code: exitFail},
		{layer: "control:flatten-details", args: asked("tier_cap"), part: "reclassified  ", says: "error/details lost", code: exitFail}}},
	{name: "an error inside a stream swallowed or altered", sights: []sight{
		{layer: "swallows", args: streamed("stream_error_mid"), part: "reclassified  ", says: "error lost", code: exitFail, what: "A layer that knows no error events"}, unnamed,
		{layer: "control:swallow-stream-error", args: streamed("stream_error_mid"), part: "reclassified  ", says: "with stop_reason end_turn and message_stop, which nobody sent", code: exitFail},
		{layer: "control:drop-stream-error", args: streamed("stream_error_mid"), part: "reclassified  ", says: "now looks like a broken-off answer", code: exitFail},
		{layer: "control:line-for-error", args: streamed("stream_error_mid"), part: "reclassified  ", says: "stream/error lost", code: exitFail},
		{layer: "control:prefix-stream-message", args: streamed("stream_credit_mid"), part: "reclassified  ", says: "prefix \"Streaming error: \"", code: exitFail},
		{layer: "control:drop-stream-details", args: streamed("stream_cap_mid"), part: "reclassified  ", says: "error/details lost", code: exitFail},
		{layer: "control:rename-error-event", args: streamed("stream_error_mid"), part: "changed  ", says: "stream/events changed", code: exitFail}}},
	{name: "wire shape or envelope changed", sights: []sight{
		{layer: "control:flatten-error", args: asked("tier_cap"), part: "reclassified  ", says: "error changed", code: exitFail},
		{layer: "control:drop-envelope", args: asked("rate_limit", "--profile", "full"), part: "changed  ", says: `body/type lost "error"`, code: exitFail},
		{layer: "control:envelope-openai", args: asked("tier_cap"), part: "reclassified  ", says: "error/details lost", code: exitFail},
		{layer: "control:html-to-json", args: asked("html_wait_429"), part: "reclassified  ", says: "an unclassified 429 now looks like a rate limit", code: exitFail}}},
	{name: "the layer answers later requests by itself", sights: []sight{
		{layer: "control:cooldown", args: asked("rate_limit"), part: "findings", says: "the layer stopped calling the stub", code: exitFail}, shutOut,
		{layer: "control:disable-key", args: asked("user_limit_400"), part: "findings", says: "the layer stopped calling the stub", code: exitFail}}},
	{name: "retry-after lost or renamed", sights: []sight{
		{layer: "control:drop-retry-after", args: asked("rate_limit"), part: "reclassified  ", says: `header/retry-after lost "1"`, code: exitFail}, renamed,
		{layer: "control:rename-retry-after", args: asked("rate_limit"), part: "reclassified  ", says: "now in header/llm_provider-retry-after", code: exitFail}}},
	{name: "evidence invented", sights: []sight{
		{layer: "control:add-retry-after", args: asked("tier_cap"), part: "changed  ", says: `header/retry-after invented "30"`, code: exitFail},
		{layer: "control:add-headroom", args: asked("tier_cap"), part: "changed  ", says: "invented", code: exitFail},
		{layer: "control:add-plan-limit", args: asked("rate_limit", "--profile", "claude-code"), part: "changed  ", says: `invented "rejected"`, code: exitFail}}},
	{name: "the layer's own retries and fallbacks", sights: []sight{
		{layer: "control:retry-twice", args: asked("tier_cap"), part: "retried  ", says: "the layer sent a spend cap 3 times", code: exitFail},
		{layer: "falls-back", args: asked("tier_cap"), part: "retried  ", says: "asked for other models by itself", code: exitFail, clock: "0.0 s", what: "A layer that asks for another model when the first is refused"},
		{layer: "other-route", args: asked("tier_cap"), part: "retried  ", says: "asked at other paths by itself", code: exitFail, clock: "0.0 s", what: "A layer that asks at another door"},
		{layer: "claims", args: asked("tier_cap"), part: "retried  ", says: "x-portkey-retry-attempt-count says 0, and the stub counted 1 retry", code: exitFail, clock: "0.0 s", what: "A layer that says that it did not ask again"},
		{layer: "control:fall-back", args: asked("tier_cap"), part: "retried  ", says: "asked for other models by itself: claude-tier_cap, claude-tier_cap-mini", code: exitFail, clock: "0.0 s"}}},
	{name: "rewritten on purpose", sights: []sight{
		{layer: "control:rewrite-user-limit", args: asked("user_limit_400"), part: "reclassified  ", says: "request validation failed", code: exitFail}, declared}},
	{name: "other headers lost", sights: []sight{
		{layer: "control:drop-headroom", args: asked("headroom_5"), part: "reclassified  ", says: "no headroom to pace by", code: exitFail},
		{layer: "control:drop-request-id", args: asked("rate_limit", "--profile", "full"), part: "changed  ", says: "header/request-id lost", code: exitFail},
		{layer: "control:allow-list", args: asked("xsr_false_429"), part: "changed  ", says: "header/x-should-retry lost", code: exitFail}}},
	{name: "the native body put into a message", sights: []sight{wrapped,
		{layer: "control:prefix-message", args: asked("user_limit_400"), part: "reclassified  ", says: `prefix "anthropic error: "`, code: exitFail},
		{layer: "control:body-in-message", args: asked("tier_cap"), part: "reclassified  ", says: "the whole upstream body is inside message", code: exitFail}}},
	{name: "encoding, framing, charset", sights: []sight{
		{layer: "control:mislabel-gzip", args: asked("rate_limit"), part: "broken  ", says: "the body can't be decoded: not gzip as labelled", code: exitFail},
		{layer: "control:both-framings", args: asked("rate_limit"), part: "broken  ", says: "content-length beside transfer-encoding", code: exitFail},
		{layer: "control:excess-bytes", args: asked("rate_limit"), part: "changed  ", says: "bytes after the end of the answer", code: exitFail},
		{layer: "control:change-content-type", args: asked("rate_limit", "--profile", "full"), part: "changed  ", says: `"text/plain"`, code: exitFail},
		{layer: "ascii", args: asked("cjk_429"), part: "changed  ", says: "error/message changed", code: exitFail, what: "A layer that reads the body as another charset"},
		{layer: "control:gzip-as-text", args: asked("rate_limit"), part: "reclassified  ", says: "error lost, with message, type", code: exitFail},
		{layer: "control:garble", args: asked("cjk_429"), part: "changed  ", says: "error/message changed", code: exitFail}}},
	{name: "the layer's parser fails on a legal error", sights: []sight{
		{layer: "parser", args: asked("details_list_429"), part: "reclassified  ", says: "Failed to process error response", code: exitFail, what: "A layer that knows details as an object only"}}},
	{name: "truncation presented as success, or not signalled", sights: []sight{finished,
		{layer: "control:cut-body", args: asked("rate_limit"), part: "broken  ", says: "the answer was cut short", code: exitFail},
		{layer: "control:close-cleanly", args: streamed("stream_fin_mid", "--hazard", "none,cut"), part: "broken  ", says: "a cut answer arrived as a whole one", code: exitFail}}},
	{name: "nobody can tell who wrote an answer", sights: []sight{
		{layer: "nginx-page", args: asked("tier_cap"), part: "layer-made  ", says: "nginx limit_req page", code: exitFail, what: "A layer that answers by itself, as nginx does when its own limit is reached"}}},
	{name: "the layer sleeps inside the request", sights: []sight{slept,
		{layer: "control:sleep", args: asked("rate_limit", "--max-layer-wait", "500ms"), part: "findings", says: "the layer slept", code: exitFail, clock: "1.0 s"}}},
	{name: "the request changed on its way", sights: []sight{
		{layer: "control:drop-beta", args: asked("rate_limit", "--profile", "claude-code"), part: "changed  ", says: "request/header/anthropic-beta lost", code: exitFail},
		{layer: "control:drop-unknown-member", args: asked("rate_limit", "--profile", "claude-code"), part: "changed  ", says: "request/body/preservecheck lost", code: exitFail},
		{layer: "control:add-to-prompt", args: asked("rate_limit", "--profile", "claude-code"), part: "changed  ", says: "request/body changed", code: exitFail}}},
}

var missed = []faultKind{
	{name: "a plain error to a streaming request", sights: []sight{asEvent}},
	{name: "errors inside a stream, as its first event or behind others", sights: []sight{
		{layer: "swallows", args: streamed("stream_error_first"), part: "reclassified  ", says: "error lost", code: exitFail, what: "A layer that knows no error events, where the first is one"}, unnamed}},
	{name: "streams that break off", sights: []sight{
		{layer: "whole", args: streamed("stream_fin_mid", "--hazard", "cut"), part: "broken  ", says: "a cut answer arrived as a whole one", code: exitFail, what: "A layer that ends a broken stream in good order"}, finished}},
	{name: "statuses besides 400 and 429", sights: []sight{
		{layer: "control:change-status", args: asked("auth_401"), part: "reclassified  ", says: "a rejected key now looks like", code: exitFail},
		{layer: "control:change-status", args: asked("overloaded_529"), part: "reclassified  ", says: "expected 529 got 503", code: exitFail}}},
	{name: "families of headers, with names that nobody has seen", sights: []sight{
		{layer: "control:drop-headroom", args: asked("unseen_headers_429", "--profile", "full"), part: "changed  ", says: "lost", code: exitFail}, renamed}},
	{name: "inventions besides retry-after", sights: []sight{
		{layer: "control:add-should-retry", args: asked("tier_cap"), part: "changed  ", says: `header/x-should-retry invented "true"`, code: exitFail},
		{layer: "control:add-trailer", args: asked("rate_limit", "--profile", "full"), part: "changed  ", says: "trailer/retry-after invented", code: exitFail}}},
	{name: "answers without a call, and effects of order", sights: []sight{remembered, shutOut}},
	{name: "the layer's waiting", sights: []sight{
		{layer: "hurries", args: asked("rate_limit", "--max-layer-retries", "0"), part: "retried  ", says: "although retry-after said 1", code: exitFail, clock: "0.0 s", what: "A layer that asks again at once, though it was told to wait"}, slept}},
	{name: "compression and framing of bodies", sights: []sight{
		{layer: "too-long", args: asked("rate_limit", "--timeout", "2s"), part: "broken  ", says: "bytes of the body", code: exitFail, what: "A layer that announces more bytes than it sends"},
		{layer: "too-short", args: asked("rate_limit"), part: "reclassified  ", says: "bytes after the end of the answer", code: exitFail, what: "A layer that announces fewer bytes than it sends"},
		{layer: "endless", args: asked("rate_limit", "--timeout", "500ms"), part: "broken  ", says: "no complete answer before the deadline", code: exitFail, what: "A layer whose answer does not end"}}},
	{name: "equality of the whole object", sights: []sight{
		{layer: "code-as-text", args: asked("code_number_429"), part: "changed  ", says: "retyped", code: exitFail, what: "A layer that makes every code a string"}}},
	{name: "traps in the text", sights: []sight{
		{layer: "first-line", args: asked("lines_400"), part: "changed  ", says: "error/message changed", code: exitFail, what: "A layer that keeps the first line of a message"}}},
	{name: "error shapes of other providers", sights: []sight{
		{layer: "parser", args: asked("details_list_429"), part: "reclassified  ", says: "502", code: exitFail, what: "A layer that knows one shape"},
		{layer: "generic", args: asked("nginx_429"), part: "changed  ", says: "error invented", code: exitFail, what: "A layer that makes its own error of a page"}}},
	{name: "faults of the connection", sights: []sight{
		{layer: "rescues", args: asked("reset_before_head", "--hazard", "outage"), part: "broken  ", says: "the layer made a status 200 of an answer that failed on its way", code: exitFail, what: "A layer that makes an empty answer of a connection that was reset"}}},
	{name: "translation between protocols", sights: []sight{
		{layer: "translates", args: asked("tier_cap"), part: "reclassified  ", says: `got "insufficient_quota"`, code: exitFail, what: "A layer that answers in another provider's shape: the loss is seen, but not whether the translation is the right one"}}},
	{name: "differences that are kept on purpose", sights: []sight{declared}},
	{name: "intermittent faults", sights: []sight{
		{layer: "sometimes", args: asked("tier_cap", "--repeat", "20", "--concurrency", "1"), part: "findings", says: "tier_cap (plain) differed in", code: exitFail, clock: "-", what: "A layer that drops the details from each fourth answer"},
		{layer: "control:flaky", args: asked("rate_limit", "--repeat", "100"), part: "findings", says: "intermittent", code: exitFail, clock: "-"}}},
	{name: "a fault on one route only", sights: []sight{
		{layer: "control:drop-details", args: asked("tier_cap", "--target", "gateway.yaml"), part: "reclassified  ", says: "route translated", code: exitFail, file: twoRoutes, what: "A target with two routes, of which one drops the details"}}},
	{name: "a fault of one layer in a chain", sights: []sight{
		{layer: "control:drop-details", args: asked("tier_cap", "--target", "gateway.yaml"), part: "where in the chain", says: "between hop gateway and the stub: error/details is lost", code: exitFail, file: chain, what: "A target with `hops: true`: an edge in front of a gateway that drops the details"}}},
	{name: "evidence that arrives and that an SDK hides from its caller", not: "no SDK is run. `--profile sdk` holds what makes SDKs act"},
	{name: "formats of retry-after", sights: []sight{
		{layer: "clamps", args: asked("ra_date_429"), part: "changed  ", says: `"60"`, code: exitFail, what: "A layer that makes sixty seconds of every wait"},
		{layer: "control:second-retry-after", args: asked("rate_limit"), part: "changed  ", says: `["1","30"]`, code: exitFail},
		{layer: "control:retry-after-decimal", args: asked("rate_limit"), part: "changed  ", says: "got \"1.0\"", code: exitFail}}},
	{name: "wording that a client goes by", sights: []sight{
		{layer: "control:prefix-message", args: asked("thinking_field_400", "--profile", "claude-code"), part: "changed  ", says: "embedded", code: exitFail}}},
}

// besides are kinds that no public report told of, or that none of its words fit.
var besides = []faultKind{
	{name: "a stream that is held back to its end", sights: []sight{
		{layer: "control:buffer-stream", args: streamed("stream_paced", "--profile", "claude-code"), part: "changed  ", says: "the layer held the stream back", code: exitFail}}},
	{name: "the text of a stream changed", sights: []sight{
		{layer: "control:change-text", args: streamed("stream_eof"), part: "changed  ", says: "stream/text changed", code: exitFail}}},
	{name: "the way to the stub changes answers, not the layer", sights: []sight{
		{layer: "honest", args: asked("tier_cap", "--fixture", "rate_limit", "--stub-url", "https://tunnel.example", "--layer-ca", "tunnel.pem", "--secret-file", "stub.secret"), part: "findings", says: "dirty-way", code: exitUnknown, clock: "-", what: "An honest layer, and a tunnel before the stub that swaps answers"},
		{layer: "honest", args: asked("tier_cap", "--fixture", "rate_limit", "--stub-url", "https://tunnel.example", "--layer-ca", "tunnel.pem", "--secret-file", "stub.secret", "--allow-untestable"), part: "PASS", says: "but for 1 row that --allow-untestable lets through", code: exitPass, what: "The same, where such rows are let through"}}},
	{name: "the layer limits requests by itself", sights: []sight{
		{layer: "limiter", args: asked("article/*", "--concurrency", "1"), part: "FAIL", says: "(8 requests before the first that it refused)", code: exitFail, what: "A layer that lets eight requests through and refuses the others"}}},
	{name: "HTTP/2 towards the client", not: "the check speaks HTTP/1.1, so that no transport sends a request again behind its back"},
	{name: "retries later than the wait for late hits", not: "the run has ended by then; see [check.md](check.md)"},
	{name: "a layer that behaves only for the test", not: "nothing tells the test from use, and that is out of scope"},
}
