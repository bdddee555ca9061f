package compare

import (
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/wire"
)

const (
	aStart = "event: message_start\ndata: {\"type\":\"message_start\"}\n\n"
	aError = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"m\"}}\n\n"
	aOdd   = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"new_error\",\"message\":\"m\"}}\n\n"
	aDelta = "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n"
	aPing  = "event: ping\ndata: {\"type\":\"ping\"}\n\n"
	aText  = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"x\"}}\n\n"
	aStop  = "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
	chunk  = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"finish_reason\":null}]}\n\n"
	finish = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
	failed = "data: {\"error\":{\"code\":\"server_error\",\"message\":\"m\"}}\n\n"
	done   = "data: [DONE]\n\n"
)

// TestJudgeStreams runs each case under both profiles and under one that lists nothing: what makes a success of a failure
// decides everywhere.
func TestJudgeStreams(t *testing.T) {
	chat := dialects.OpenAIChat
	for _, c := range []struct {
		why        string
		d          *dialects.Dialect
		sent, came string
		want       Verdict
		reason     string // a part of it; "" for none at all
	}{
		{"as sent", dialects.Anthropic, aStart + aError, aStart + aError, Preserved, ""},
		{"the error is lost", dialects.Anthropic, aStart + aError, aStart, Reclassified, ""},
		{"the error has another type", dialects.Anthropic, aStart + aError, aStart + strings.Replace(aError, "overloaded_error", "api_error", 1), Reclassified, ""},
		{"its event line is lost, and SDKs go by that", dialects.Anthropic, aStart + aError, aStart + strings.TrimPrefix(aError, "event: error\n"), Different, ""},
		{"it is called a message", dialects.Anthropic, aStart + aError, aStart + strings.Replace(aError, "event: error", "event: message", 1), Different, ""},
		{"an event before it is lost", dialects.Anthropic, aStart + aError, aError, Different, ""},
		{"an end of another protocol", dialects.Anthropic, aStart + aError, aStart + aError + done, Broken, "with [DONE], which nobody sent"},
		{"another type of the same class", dialects.Anthropic, aStart + aOdd, aStart + strings.Replace(aOdd, "new_error", "newer_error", 1), Different, ""},
		{"the error became a finished stream", dialects.Anthropic, aStart + aError, aStart + aDelta + aStop, Reclassified,
			"the layer finished the stream with stop_reason end_turn and message_stop, which nobody sent"},
		{"an end after the error: a client that goes by the last event takes it for a success", dialects.Anthropic, aStart + aError, aStart + aError + aStop, Broken,
			"the layer finished the stream with message_stop, which nobody sent"},
		{"a broken-off stream that the layer finished", dialects.Anthropic, aStart, aStart + aStop, Reclassified, "with message_stop, which nobody sent"},
		{"one end too many", dialects.Anthropic, aStart + aDelta + aStop, aStart + aDelta + aStop + aStop, Broken, "with message_stop, which nobody sent"},
		{"another stop reason", dialects.Anthropic, aStart + aDelta + aStop, aStart + strings.Replace(aDelta, "end_turn", "max_tokens", 1) + aStop, Broken,
			"with stop_reason max_tokens, which nobody sent"},
		{"an end that is lost is no invention", dialects.Anthropic, aStart + aDelta + aStop, aStart + aDelta, Reclassified, ""},
		{"an error became the end that many layers write", chat, chunk + failed, chunk + done, Reclassified, "with [DONE], which nobody sent"},
		{"a cut that the layer finished", chat, chunk, chunk + finish + done, Reclassified, "with finish_reason stop and [DONE], which nobody sent"},
		{"the code of the error is what the class rests on", chat, chunk + failed, chunk + strings.Replace(failed, "server_error", "slow_down", 1), Reclassified, ""},
		{"the same text in other chunks", chat, chunk + chunk + finish + done, strings.Replace(chunk, `"a"`, `"aa"`, 1) + finish + done, Preserved, ""},
	} {
		for _, p := range append(Profiles(), &Profile{Name: "empty"}) {
			o := streamed(c.d, c.sent, c.came)
			got := judge(o, Rules{Profile: p, MaxLayerRetries: -1})
			if got.Verdict != c.want || !strings.Contains(got.Reason, c.reason) || (c.reason == "") != (got.Reason == "") {
				t.Errorf("%s, profile %s: %s (%q), want %s (%q)", c.why, p.Name, got.Verdict, got.Reason, c.want, c.reason)
			}
		}
	}
}

func streamed(d *dialects.Dialect, sent, came string) Observed {
	of := func(body string) *wire.Answer {
		return &wire.Answer{Status: 200, Header: []wire.Field{{Name: "content-type", Value: "text/event-stream"}}, Body: []byte(body), End: wire.EndComplete}
	}
	e := evidence.Of(of(sent), d.Layout, fixture.NoID)
	f := &fixture.Fixture{Name: "x", Class: d.Classify(e).Class}
	return Observed{Fixture: f, Mode: fixture.Stream, Dialect: d, Expected: e, Direct: e, Answer: of(came), Hits: 1, Provenance: OwnHit}
}

func TestAPlainErrorThatBecameASuccessSaysSo(t *testing.T) {
	o, _ := observed(t, "tier_cap")
	o.Answer.Status, o.Hits = 200, 3
	got := judge(o, rules("core"))
	want := "the layer answered with a success (status 200), which nobody sent; the layer sent a spend cap 3 times"
	if got.Verdict != Reclassified || got.Class != classify.OK || got.Reason != want {
		t.Errorf("%s as %s (%q), want %q", got.Verdict, got.Class, got.Reason, want)
	}
}

// TestKeepalives: SDKs skip them; Claude Code, by its contract, lives on them.
func TestKeepalives(t *testing.T) {
	for _, c := range []struct{ why, sent, came string }{
		{"lost", aPing + aStart + aPing + aDelta + aStop, aStart + aDelta + aStop},
		{"put between the parts of a text", aStart + aText + aText + aDelta + aStop, aStart + aText + aPing + aText + aDelta + aStop},
	} {
		for _, p := range Profiles() {
			want := Preserved
			if p.Name == "claude-code" {
				want = Different
			}
			if got := judge(streamed(dialects.Anthropic, c.sent, c.came), Rules{Profile: p, MaxLayerRetries: -1}); got.Verdict != want {
				t.Errorf("%s, profile %s: %s, want %s", c.why, p.Name, got.Verdict, want)
			}
		}
	}
}

// TestContentDecidesInCore: a success is all the evidence that its row has, and a text beside an error has been shown.
func TestContentDecidesInCore(t *testing.T) {
	for _, c := range []struct{ why, sent, came string }{
		{"another text", aStart + aText + aDelta + aStop, aStart + strings.Replace(aText, `"x"`, `"CENSORED"`, 1) + aDelta + aStop},
		{"another text before an error", aStart + aText + aError, aStart + strings.Replace(aText, `"x"`, `"CENSORED"`, 1) + aError},
		{"no text", aStart + aText + aDelta + aStop, aStart + aDelta + aStop},
		{"an altered event of a success", aStart + aDelta + aStop, strings.Replace(aStart, `"}`, `","model":"x"}`, 1) + aDelta + aStop},
	} {
		if got := judge(streamed(dialects.Anthropic, c.sent, c.came), rules("core")); got.Verdict != Different {
			t.Errorf("%s: %s, want %s", c.why, got.Verdict, Different)
		}
	}
}

// TestAnAlteredEventDecidesInFullOnly: beside an error, core reads what a classifier reads, and that is the error.
func TestAnAlteredEventDecidesInFullOnly(t *testing.T) {
	came := strings.Replace(aStart, `"message_start"}`, `"message_start","message":{"model":"x"}}`, 1) + aError
	for profile, want := range map[string]Verdict{"core": Preserved, "full": Different} {
		if got := judge(streamed(dialects.Anthropic, aStart+aError, came), rules(profile)); got.Verdict != want {
			t.Errorf("%s: %s, want %s", profile, got.Verdict, want)
		}
	}
}

// TestWhatStandsBesideTheCodeDecides: OpenRouter's metadata is to its errors what details are to Anthropic's.
func TestWhatStandsBesideTheCodeDecides(t *testing.T) {
	for _, c := range []struct {
		d    *dialects.Dialect
		key  string
		want bool
	}{
		{dialects.OpenAIChat, "error/code", true},
		{dialects.OpenAIChat, "error/metadata", true},
		{dialects.OpenAIChat, "error/metadata/provider_name", true},
		{dialects.OpenAIChat, "error/code#2", true},
		{dialects.OpenAIChat, "error/param", false},
		{dialects.Anthropic, "error/code", false},
		{dialects.Anthropic, "error/metadata/provider_name", false},
	} {
		if got := core.Decides(evidence.Difference{Key: c.key}, nil, c.d) != nil; got != c.want {
			t.Errorf("%s of %s decides: %v, want %v", c.key, c.d.Name, got, c.want)
		}
	}
}
