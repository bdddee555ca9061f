package controls

import (
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/wire"
)

// TestFaultsAtTheirBounds: what a fault does and declares just where it begins to touch an answer, and just before.
func TestFaultsAtTheirBounds(t *testing.T) {
	const envelope = `{"type":"error","error":{"type":"rate_limit_error","message":"m"}}`
	for _, c := range []struct {
		why    string
		fault  *Fault
		answer *wire.Answer
		sights []string
	}{
		{"an error of two bytes is cut", cutBody, jsonError(400, "{}"), []string{"body changed", "end changed"}},
		{"one of a byte loses it", cutBody, jsonError(400, "x"), []string{"body changed", "end changed"}},
		{"a body with nothing in it can't be", cutBody, jsonError(400, ""), nil},
		{"the last status that is no error", emptyBody, jsonError(399, envelope), nil},
		{"the first that is one", emptyBody, jsonError(400, envelope), []string{"body changed", "error lost"}},
		{"the last of one byte in UTF-8 stays", garble, jsonError(400, "{\"error\":{\"message\":\"a\x7f\"}}"), nil},
		{"the first of two does not", garble, jsonError(400, "{\"error\":{\"message\":\"a\u0080\"}}"), []string{"error/message changed"}},
		{"in a member beside the error", garble, jsonError(400, `{"note":"é","error":{}}`), []string{"body/note changed"}},
		{"in a stream", garble, events("data: é\n\n"), []string{"stream/data/- changed"}},
		{"an escape is a character once it is written anew", garble, jsonError(400, `{"error":{"message":"\u00e9"}}`), []string{"error/message changed"}},
		{"what is not UTF-8 can't be cut in two", garble, answer(400, "\xff\xc3\xa9"), nil},
		{"what stands in a header is no body", garble, answer(400, "x", "x-note", "é"), nil},
		{"the longest body that one block of gzip can hold", gzipAsText, answer(400, strings.Repeat("x", math.MaxUint16)), []string{"body changed"}},
		{"what has no text is put there", bodyInMessage, jsonError(400, `{"error":{}}`), []string{"error/message invented"}},
		{"a wait of none is a wait", retryAfterDecimal, answer(429, "x", "retry-after", "0"), []string{"header/retry-after changed"}},
		{"a wait that is no whole number stays", retryAfterDecimal, answer(429, "x", "retry-after", "0.5"), nil},
		{"no interim answer comes before a success", earlyHints, answer(200, ""), nil},
		{"one comes before an error", earlyHints, answer(400, ""), []string{"interim invented"}},
		{"one more comes after another", earlyHints, framed(answer(400, "")), []string{"interim changed"}},
		{"a trailer beside another of its name", addTrailer, framed(answer(400, "")), []string{"trailer/retry-after changed"}},
		{"the last status before those of a client's fault", refusalTo502, answer(399, ""), nil},
		{"the first of them", refusalTo502, answer(400, ""), []string{"status changed"}},
		{"the last of them", refusalTo502, answer(499, ""), []string{"status changed"}},
		{"the first of a server's", refusalTo502, answer(500, ""), nil},
		{"two waits are none", retryAfterDecimal, answer(429, "x", "retry-after", "1", "retry-after", "2"), nil},
	} {
		exactOn(t, c.why, c.fault, c.answer, dialects.Anthropic, c.sights...)
	}
}

// TestBodiesTooLongForOneBlock: 16 bits hold the length of a block.
func TestBodiesTooLongForOneBlock(t *testing.T) {
	for n, touched := range map[int]bool{0: false, 1: true, math.MaxUint16: true, math.MaxUint16 + 1: false} {
		a := answer(400, strings.Repeat("x", n))
		dropEncodingLabel.Change(a, false)
		if changed := len(a.Body) != n; changed != touched {
			t.Errorf("%d bytes become %d", n, len(a.Body))
		}
		if addHeader(a, "content-encoding", "gzip"); touched {
			if b, _, err := wire.Decode(a, wire.MaxBody); err != nil || len(b) != n {
				t.Errorf("%d bytes: %d bytes come out, %v", n, len(b), err)
			}
		}
	}
}

// TestCompressedBodiesStay: what is labelled as compressed already is not compressed again.
func TestCompressedBodiesStay(t *testing.T) {
	a := answer(400, string(stored([]byte("{}"))), "content-encoding", "gzip")
	before := a.Clone()
	if gzipAsText.Change(a, false); !same(before, a) {
		t.Errorf("%q", a.Body)
	}
}

// TestBufferedFrom: a stream that was silent for just as long as one that is passed on has to be held back.
func TestBufferedFrom(t *testing.T) {
	begin := time.Now()
	for _, c := range []struct {
		why    string
		answer *wire.Answer
		gap    time.Duration
		pace   wire.Pace
		want   wire.Pace
	}{
		{"as sent", events("data: 1\n\n"), 0, wire.AsSent, wire.AtOnce},
		{"silent for the time", events("data: 1\n\n"), silence, "", wire.AtOnce},
		{"silent for less", events("data: 1\n\n"), silence - 1, "", ""},
		{"no stream", jsonError(200, "{}"), silence, "", ""},
	} {
		c.answer.BodyAt, c.answer.LastAt, c.answer.Pace = begin, begin.Add(c.gap), c.pace
		if bufferStream.Change(c.answer, true); c.answer.Pace != c.want {
			t.Errorf("%s: %q, want %q", c.why, c.answer.Pace, c.want)
		}
	}
}

// TestWaitsAsDates: as many seconds from now.
func TestWaitsAsDates(t *testing.T) {
	for wait, want := range map[string]time.Duration{"7": 7 * time.Second, "3600": time.Hour, "-5": 0, "9999999999999": 1 << 30 * time.Second} {
		a, now := answer(429, "", "retry-after", wait), time.Now()
		retryAfterDate.Change(a, false)
		at, err := http.ParseTime(a.Values("retry-after")[0])
		if off := at.Sub(now.Add(want)); err != nil || off < -time.Second || off > time.Minute {
			t.Errorf("%s is %v, %s off: %v", wait, a.Values("retry-after"), off, err)
		}
	}
}

// TestErrorsInStreams: where the error of a stream is its only event, its label alone says that it is a stream.
func TestErrorsInStreams(t *testing.T) {
	const (
		failed = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"m\"}}\n\n"
		begun  = "event: message_start\ndata: {\"type\":\"message_start\"}\n\n"
		delta  = "event: message_delta\ndata: {\"type\":\"message_delta\"}\n\n"
		chat   = "data: {\"error\":{\"message\":\"m\"}}\n\n"
	)
	lost := []string{"error lost", "stream/error lost", "stream/events changed"}
	done := append([]string{"stream/terminal invented"}, lost...)
	for _, c := range []struct {
		why    string
		fault  *Fault
		body   string
		d      *dialects.Dialect
		sights []string
	}{
		{"the only event is dropped", dropStreamError, failed, dialects.Anthropic, lost},
		{"the last is", dropStreamError, begun + failed, dialects.Anthropic, lost},
		{"what is no error stays", dropStreamError, begun, dialects.Anthropic, nil},
		{"a line in its place", lineForError, failed, dialects.Anthropic, lost},
		{"an end in its place, the first of its data", swallowStreamError, failed, dialects.Anthropic, append([]string{"stream/data invented"}, done...)},
		{"an end beside other data", swallowStreamError, begun + failed, dialects.Anthropic, append([]string{"stream/data/message_delta invented", "stream/data/message_stop invented"}, done...)},
		{"an end beside data of its own name", swallowStreamError, begun + delta + failed, dialects.Anthropic, append([]string{"stream/data/message_delta#2 invented", "stream/data/message_stop invented"}, done...)},
		{"an end beside two of its name", swallowStreamError, begun + delta + begun + delta + failed, dialects.Anthropic, append([]string{"stream/data/message_delta#3 invented", "stream/data/message_stop invented"}, done...)},
		{"in another protocol", doneForError, begun + failed, dialects.Anthropic, append([]string{"stream/data/-[DONE] invented"}, done...)},
		{"a stream of that protocol", dropStreamError, chat, dialects.OpenAIChat, lost},
	} {
		exactOn(t, c.why, c.fault, events(c.body), c.d, c.sights...)
	}
	for why, body := range map[string]string{
		"by its name":          named("response.failed", `{"response":{"error":{"message":"m"}}}`),
		"by its type":          named("x", `{"type":"response.failed","response":{"error":{"message":"m"}}}`),
		"beside its type":      named("x", `{"type":"error","message":"m"}`),
		"under the name alone": named("error", `{"message":"m"}`),
		"in a member":          named("x", `{"error":{"message":"m"}}`),
	} {
		exactOn(t, "an error is found "+why, prefixStreamMessage, events(body), dialects.OpenAIResponses, "error/message changed")
	}
	for why, body := range map[string]string{
		"another event with a response": named("x", `{"response":{"error":{"message":"m"}}}`),
		"another event":                 named("x", `{"message":"m"}`),
		"a text":                        named("x", `"error"`),
	} {
		exactOn(t, why+" is no error", prefixStreamMessage, events(body), dialects.OpenAIResponses)
	}
	const ping = "event: ping\ndata: {\"type\":\"ping\"}\n\n"
	exactOn(t, "without a label nothing would be left of it", dropStreamError, answer(200, failed), dialects.Anthropic)
	exactOn(t, "without a label a keepalive is left", dropStreamError, answer(200, ping+failed), dialects.Anthropic, lost...)
}
