package compare

import (
	"strings"

	"github.com/preservecheck/preservecheck/evidence"
)

// Where the rules of sdk come from: each was measured by counting hits at a stub.
const (
	sdksRun = "runs of anthropic-sdk-typescript 1.14.0, anthropic-sdk-go 2.15.0, anthropic-sdk-python 0.121.0, openai-node 7.59.0, openai-go 3.99.0 and openai-python 3.3.1, 2026-11-30"
	sdksSSE = "runs of the three Anthropic SDKs with streams, 2026-11-30: an event without its event line is not seen, a stream without its terminator is no error"
	sdksRaw = "anthropic-sdk-typescript 1.14.0 and openai-node 7.59.0, read 2026-11-30: a body is parsed as JSON when its media type says so"
)

// sdk is what makes an official SDK retry or not, wait longer or shorter, raise another exception or give its caller other
// values. Request ids are left out: an SDK hands them on and does nothing by them. So are the rate-limit headers,
// which no SDK reads.
var sdk = &Profile{
	Name: "sdk",
	Why:  "what makes an official SDK retry, wait, raise or return something else: status, the whole error, the retry headers, media type, events",
	Keys: []Key{
		{Pattern: "status", From: sdksRun}, {Pattern: "error", From: sdksRun}, {Pattern: "error/**", From: sdksRun},
		{Pattern: "header/retry-after", From: sdksRun}, {Pattern: "header/retry-after-ms", From: sdksRun}, {Pattern: "header/x-should-retry", From: sdksRun},
		{Pattern: "header/content-type", Same: sameMediaType, From: sdksRaw},
		{Pattern: "body", WithoutError: true, From: sdksRun},
		{Pattern: "stream/events", From: sdksSSE}, {Pattern: "stream/**", From: sdksSSE},
		{Pattern: "end", From: sdksSSE}, {Pattern: "decode", From: sdksRun}, {Pattern: "framing", From: sdksRun},
	},
	Noise: []string{"stream/keepalive*"}, // skipped by every SDK
}

// sameMediaType compares content types without their parameters, by which nobody decides how to read JSON or events.
func sameMediaType(want, got evidence.Value) bool {
	media := func(v evidence.Value) string {
		m, _, _ := strings.Cut(v.Text, ";")
		return strings.ToLower(strings.TrimSpace(m))
	}
	return want.Kind == got.Kind && want.Kind == evidence.Text && media(want) == media(got)
}
