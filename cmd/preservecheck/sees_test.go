package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

const seesPage = "../../docs/what-it-sees.md"

// kinds are the ways in which layers were seen to lose, change or invent evidence: 118 public reports, read up to 2026-11-30.
// Each is shown by a run through an embedded layer that does just that, and holds words that the report must say.
var kinds = []struct {
	name string
	args []string // of check
	says string   // begins the part of the report that is shown
	not  string   // why no embedded layer shows it, and what holds it instead
}{
	{name: "status rewritten", args: run1("change-status", "tier_cap"), says: "reclassified"},
	{name: "status rewritten: an error becomes a success", args: run1("error-to-success", "rate_limit"), says: "reclassified"},
	{name: "status rewritten: 200 around an error", args: run1("status-429-to-200", "rate_limit"), says: "reclassified"},
	{name: "status rewritten: an overload of the provider", args: run1("status-529-to-429", "overloaded_529"), says: "reclassified"},
	{name: "status rewritten: a gateway's own", args: run1("status-4xx-to-502", "user_limit_400"), says: "reclassified"},
	{name: "statuses that few test: 401", args: run1("change-status", "auth_401"), says: "reclassified"},
	{name: "envelope changed", args: run1("flatten-error", "tier_cap"), says: "reclassified"},
	{name: "envelope changed: top-level members gone", args: inFull("drop-envelope", "rate_limit"), says: "changed"},
	{name: "envelope changed: OpenAI's", args: run1("envelope-openai", "tier_cap"), says: "reclassified"},
	{name: "envelope changed: a page instead of JSON", args: run1("json-to-html", "rate_limit"), says: "reclassified"},
	{name: "envelope changed: JSON instead of a page", args: run1("html-to-json", "html_wait_429"), says: "reclassified"},
	{name: "the upstream's text put inside another", args: run1("prefix-message", "user_limit_400"), says: "reclassified"},
	{name: "the upstream's whole body put inside a message", args: run1("body-in-message", "tier_cap"), says: "reclassified"},
	{name: "a message of several lines cut to the first", args: run1("first-line-of-message", "lines_400"), says: "changed"},
	{name: "body dropped", args: run1("empty-body", "tier_cap"), says: "reclassified"},
	{name: "type nulled", args: run1("type-nil", "rate_limit"), says: "reclassified"},
	{name: "details dropped", args: run1("drop-details", "tier_cap"), says: "reclassified"},
	{name: "details turned into text", args: run1("stringify-details", "tier_cap"), says: "reclassified"},
	{name: "details lifted out", args: run1("flatten-details", "tier_cap"), says: "reclassified"},
	{name: "code replaced", args: run1("alter-code", "tier_cap"), says: "reclassified"},
	{name: "retry-after lost", args: run1("drop-retry-after", "rate_limit"), says: "reclassified"},
	{name: "retry-after in other words", args: run1("change-retry-after", "rate_limit"), says: "changed"},
	{name: "retry-after in another form", args: run1("retry-after-decimal", "rate_limit"), says: "changed"},
	{name: "retry-after under another name", args: run1("rename-retry-after", "rate_limit"), says: "reclassified"},
	{name: "two retry-after", args: run1("second-retry-after", "rate_limit"), says: "changed"},
	{name: "other headers lost", args: run1("drop-headroom", "headroom_5"), says: "reclassified"},
	{name: "other headers lost: request-id", args: inFull("drop-request-id", "rate_limit"), says: "changed"},
	{name: "other headers lost: all that a closed list does not name", args: run1("allow-list", "xsr_false_429"), says: "changed"},
	{name: "evidence invented: retry-after", args: run1("add-retry-after", "tier_cap"), says: "changed"},
	{name: "evidence invented: x-should-retry", args: run1("add-should-retry", "tier_cap"), says: "changed"},
	{name: "evidence invented: headroom", args: run1("add-headroom", "tier_cap"), says: "changed"},
	{name: "evidence invented: a plan's limit", args: with("claude-code", "add-plan-limit", "rate_limit"), says: "changed"},
	{name: "a stream's error turned into a finished answer", args: streamed("finish-stream", "stream_eof"), says: "reclassified"},
	{name: "a stream's error without its event line", args: streamed("drop-event-lines", "stream_cap_mid"), says: "changed"},
	{name: "a stream's error turned into its ordinary end", args: streamed("swallow-stream-error", "stream_error_mid"), says: "reclassified"},
	{name: "a stream's error left out", args: streamed("drop-stream-error", "stream_error_mid"), says: "reclassified"},
	{name: "a stream's error as a bare line", args: streamed("line-for-error", "stream_error_mid"), says: "reclassified"},
	{name: "a stream's error reworded", args: streamed("prefix-stream-message", "stream_credit_mid"), says: "reclassified"},
	{name: "a stream's error without its details", args: streamed("drop-stream-details", "stream_cap_mid"), says: "reclassified"},
	{name: "a stream's error under another event's name", args: streamed("rename-error-event", "stream_error_mid"), says: "changed"},
	{name: "a streaming request's plain error framed as an event", args: streamed("error-as-event", "tier_cap"), says: "changed"},
	{name: "the text of a stream changed", args: streamed("change-text", "stream_eof"), says: "changed"},
	{name: "truncation", args: run1("cut-body", "rate_limit"), says: "broken"},
	{name: "truncation of a stream hidden", args: append(streamed("close-cleanly", "stream_fin_mid"), "--hazard", "none,cut"), says: "broken"},
	{name: "content-encoding that is not true", args: run1("mislabel-gzip", "rate_limit"), says: "broken"},
	{name: "gzip read as text", args: run1("gzip-as-text", "rate_limit"), says: "reclassified"},
	{name: "characters cut in two", args: run1("garble", "cjk_429"), says: "changed"},
	{name: "two framings", args: run1("both-framings", "rate_limit"), says: "changed"},
	{name: "content-type", args: inFull("change-content-type", "rate_limit"), says: "changed"},
	{name: "evidence moved behind the body", args: inFull("add-trailer", "rate_limit"), says: "changed"},
	{name: "the layer retries by itself", args: run1("retry-twice", "tier_cap"), says: "retried"},
	{name: "the layer asks another model by itself", args: run1("fall-back", "tier_cap"), says: "retried"},
	{name: "the layer sleeps inside a request", args: append(run1("sleep", "rate_limit"), "--max-layer-wait", "500ms"), says: "findings"},
	{name: "the layer answers later requests itself", args: run1("cooldown", "rate_limit"), says: "findings"},
	{name: "one answer shuts out the next request", args: run1("poison", "validation_400"), says: "findings"},
	{name: "an error about money shuts out everybody", args: run1("disable-key", "user_limit_400"), says: "findings"},
	{name: "intermittent faults", args: append(run1("flaky", "rate_limit"), "--repeat", "100"), says: "findings"},
	{name: "an answer to one request served to another", args: run1("cache", "rate_limit"), says: "findings"},
	{name: "a message reworded on purpose", args: run1("rewrite-user-limit", "user_limit_400"), says: "reclassified"},
	{name: "request changed: a beta lost", args: with("claude-code", "drop-beta", "rate_limit"), says: "changed"},
	{name: "request changed: a member lost", args: with("claude-code", "drop-unknown-member", "rate_limit"), says: "changed"},
	{name: "request changed: text added to the prompt", args: with("claude-code", "add-to-prompt", "rate_limit"), says: "changed"},

	{name: "a fault on one route only", not: "a target with several routes: [targets.md](targets.md)"},
	{name: "a fault of one layer in a chain", not: "a target with `hops: true`: [targets.md](targets.md)"},
	{name: "a request's way to the stub changes answers, not the layer", not: "finding `dirty-way`; shown in the tests of package check"},
	{name: "differences that are kept on purpose", not: "a known file: [known.md](known.md)"},
	{name: "who wrote an answer", not: "the likely author stands beside a layer-made answer; the signs have tests in package authors"},

	{name: "HTTP/2 towards the client", not: "**not seen**: the check speaks HTTP/1.1 so that no transport re-sends a request behind its back"},
	{name: "translation between protocols", not: "**not seen as right or wrong**: the answer is compared as it is, so a layer that translates Anthropic errors to OpenAI's shape differs in every row"},
	{name: "what an SDK hides from its caller", not: "**not seen**: `--profile sdk` holds what makes SDKs act, but no SDK is run"},
	{name: "retries after the answer, later than the late-hit wait", not: "**not seen**: see [check.md](check.md)"},
	{name: "a layer that behaves only for the test", not: "**not seen**, and out of scope"},
}

func with(profile, control, row string) []string {
	return []string{"check", "--layer", "control:" + control, "--fixture", row, "--profile", profile, "--stream", "off"}
}

func run1(control, row string) []string {
	return []string{"check", "--layer", "control:" + control, "--fixture", row, "--stream", "off"}
}
func inFull(control, row string) []string { return with("full", control, row) }

func streamed(control, row string) []string {
	return []string{"check", "--layer", "control:" + control, "--fixture", row, "--stream", "on"}
}

// TestWhatItSees runs every kind and holds docs/what-it-sees.md to what the report says; -update writes the page anew.
func TestWhatItSees(t *testing.T) {
	var page strings.Builder
	page.WriteString("# What it sees\n\nHow layers were seen to lose, change or invent evidence (118 public reports, read up to 2026-11-30), and what\n" +
		"the check says of each. The examples are written by a test that runs them. Below stands what has no embedded\nlayer, and what can't be seen.\n")
	var rest []string
	for _, k := range kinds {
		if k.not != "" {
			rest = append(rest, fmt.Sprintf("| %s | %s |", k.name, k.not))
			continue
		}
		r := program(t, nil, k.args...)
		part := partOf(r.out, k.says)
		if r.code != exitFail || part == "" {
			t.Errorf("%s: exit %d, and no part begins with %q:\n%s%s", k.name, r.code, k.says, r.out, r.errors)
			continue
		}
		fmt.Fprintf(&page, "\n## %s\n\n`preservecheck %s`\n\n```\n%s\n```\n", strings.ToUpper(k.name[:1])+k.name[1:], strings.Join(k.args, " "), part)
	}
	page.WriteString("\n## Without an example\n\n| kind | where |\n|---|---|\n" + strings.Join(rest, "\n") + "\n")
	was, _ := os.ReadFile(seesPage)
	if *update && !t.Failed() {
		if err := os.WriteFile(seesPage, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(was) != page.String() {
		t.Error("docs/what-it-sees.md is not what the check says (go test ./cmd/preservecheck -run WhatItSees -update)")
	}
}

var (
	apart = regexp.MustCompile(`[0-9.]+ s( to [0-9.]+ s)? apart`)
	after = regexp.MustCompile(`(1 retry after|answered after up to) ([0-9])\.[0-9] s`)
)

// partOf is the paragraph of a report that begins so, of findings the first one's words.
func partOf(out, begins string) string {
	for _, p := range strings.Split(out, "\n\n") {
		switch {
		case strings.HasPrefix(p, begins+"  "):
			return after.ReplaceAllString(apart.ReplaceAllString(strings.TrimRight(p, "\n"), "0.0 s apart"), "$1 $2.0 s") // a loaded machine takes longer
		case strings.HasPrefix(p, begins+"\n"):
			text, _, _ := strings.Cut(p, ":") // which canaries it was depends on time
			return after.ReplaceAllString(text, "$1 $2.0 s") + ": …"
		}
	}
	return ""
}
