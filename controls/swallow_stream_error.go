package controls

import (
	"bytes"
	"fmt"

	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// swallowStreamError imitates translators that turn an error inside a stream into the ordinary end of one (public reports of 2025
// and 2026 of several gateways: end_turn, stop or [DONE] where the provider had said "overloaded").
var swallowStreamError = &Fault{
	Name:      "swallow-stream-error",
	Why:       "an error inside a stream becomes its ordinary end (end_turn, [DONE]): half an answer counts as a whole one",
	Mechanism: OfEvent,
	Change: func(a *wire.Answer, _ bool) {
		if a.Status != 200 || !a.End.Orderly() || !isEvents(a) || !bytes.Contains(a.Body, []byte("error")) {
			return
		}
		all := eventsIn(a.Body)
		if len(all) == 0 || all[len(all)-1].failed() == nil || all[len(all)-1].to != len(a.Body) || finished(a.Body) {
			return
		}
		for _, e := range all[:len(all)-1] {
			if e.failed() != nil {
				return // it told its error twice
			}
		}
		a.Body = append(a.Body[:all[len(all)-1].from:all[len(all)-1].from], ordinaryEnd(endOfBody(a.Body)).events...)
	},
	Want: func(r Seen) []Sight {
		names := r.names()
		if !r.onlyFails(names) {
			return nil
		}
		out := []Sight{{"error", evidence.Lost}, {"stream/error", evidence.Lost}, {"stream/events", evidence.Changed}, {"stream/terminal", evidence.Invented}}
		if !r.has("stream/data") {
			return append(out, Sight{"stream/data", evidence.Invented})
		}
		for _, name := range ordinaryEnd(endOfNames(r.Evidence.Get("stream/events").Items())).names {
			key := "stream/data/" + name
			for n := 2; r.has(key); n++ {
				key = fmt.Sprintf("stream/data/%s#%d", name, n)
			}
			out = append(out, Sight{key, evidence.Invented})
		}
		return out
	},
}

// onlyFails: a whole stream that ends with its only error and with no success.
func (r Seen) onlyFails(names []string) bool {
	if r.Evidence.Get("status").Number() != 200 || r.Evidence.Get("end").Text != evidence.EndOK || len(names) == 0 {
		return false
	}
	last := names[len(names)-1]
	failing := 0
	for _, n := range names {
		if n == "error" || n == "response.failed" {
			failing++
		}
	}
	return failing == 1 && (last == "error" || last == "response.failed") && r.Evidence.Get("error").Kind == evidence.Object && !r.has("stream/terminal")
}

// finished reports whether a stream has said that it ended well.
func finished(body []byte) bool {
	for _, mark := range []string{"message_stop", "[DONE]", "response.completed", "response.incomplete", `"stop_reason":"`, `"stop_reason": "`, `"finish_reason":"`, `"finish_reason": "`} {
		if bytes.Contains(body, []byte(mark)) {
			return true
		}
	}
	return false
}

// ending is the ordinary end of a stream, as events.
type ending struct {
	names  []string // in evidence
	events string
}

func ordinaryEnd(e end) ending {
	if e.terminal != "message_stop" {
		return ending{[]string{e.name}, e.event}
	}
	return ending{[]string{"message_delta", "message_stop"},
		"event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":1}}\n\n" + e.event}
}
