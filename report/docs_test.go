package report

import (
	"time"

	"github.com/preservecheck/preservecheck/record"
)

// The documents that the tests share. They are built as a run would build them, for ten fixtures in two modes.

var tenRows = []struct{ name, class string }{
	{"tier_cap", "tier_spend_cap"}, {"rate_limit", "rate_limit"}, {"ramp_limit", "ramp_limit"},
	{"headerless_429", "unknown_429"}, {"unknown_code_429", "unknown_429"}, {"proxy_429", "unknown_429"},
	{"stripped_cap_429", "rate_limit"}, {"claude_code_ws_429", "rate_limit"},
	{"user_limit_400", "user_spend_limit"}, {"validation_400", "invalid_request"},
}

func text(s string) *record.Value   { return &record.Value{Kind: "text", Text: s} }
func str(s string) *record.Value    { return &record.Value{Kind: "string", Text: s} }
func number(s string) *record.Value { return &record.Value{Kind: "number", Text: s} }
func object(s string) *record.Value { return &record.Value{Kind: "object", Text: s} }

func base() record.Document {
	doc := record.Document{
		Format:     record.Format,
		Tool:       record.Tool{Name: "preservecheck", Version: "0.1.0"},
		Command:    "check",
		Started:    time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC),
		DurationMS: 1234.5,
		Target:     record.Target{Name: "http://127.0.0.1:8080", URL: "http://127.0.0.1:8080", StubURL: "http://127.0.0.1:8787"},
		Matrix:     record.Matrix{Version: "2026-11", Selected: 20, Total: 20},
		Profile:    record.Profile{Name: "core", Keys: []string{"status", "error/type", "error/details", "error/message", "header/retry-after"}},
		Settings: record.Settings{Modes: []string{"plain", "stream"}, Dialects: []string{"anthropic"}, Hazards: []string{"none", "limit"},
			FailOn: "changed", MaxLayerRetries: -1, Concurrency: 8, ClientProtocol: "HTTP/1.1"},
		Channel:  "marker",
		Channels: []string{"marker", "model", "header"},
		Excluded: []record.Excluded{{Row: "invalid_key_401", Mode: "plain", Why: "hazard account"}, {Row: "invalid_key_401", Mode: "stream", Why: "hazard account"}},
		Proof: record.Proof{Pairs: 225, Exact: 225, Keys: 9, Deciding: 9, Controls: []record.Control{
			{Name: "drop-details", Why: "removes error.details", Pairs: 3, Exact: 3, Untouched: 7, Had: []string{"tier_cap error/details lost"}, Did: []string{"tier_cap error/details lost"}},
			{Name: "identity", Why: "passes everything on", Pairs: 10, Exact: 10},
		}},
		Result: record.Result{Word: "pass", Why: "20 of 20 rows kept their evidence", Counts: map[string]int{"preserved": 20},
			Covers: "preserved 20 of 20 rows (plain + stream, anthropic, profile core, marker channel, HTTP/1.1), controls 225 of 225 pairs, deciding 9 of 9 keys; excluded 2",
			Next:   "preservecheck check --layer http://127.0.0.1:8080 --profile full"},
	}
	for _, r := range tenRows {
		for _, mode := range []string{"plain", "stream"} {
			doc.Rows = append(doc.Rows, record.Row{Row: r.name, Set: "2026-11", Mode: mode, Asked: "anthropic", Served: "anthropic", Hazard: "limit",
				Verdict: "preserved", Class: record.Classes{Fixture: r.class, Direct: r.class, Layer: r.class}, Provenance: "own-hit",
				HitsMin: 1, HitsMax: 1, Observations: []record.Observation{{Pass: "A", Verdict: "preserved", Provenance: "own-hit", Hits: 1, ElapsedMS: 3.2, Decided: true}},
				Fields: []record.Field{{Key: "header/server", Dir: "invented", Layer: text("nginx/1.22.1")}}})
		}
	}
	return doc
}

func rowOf(doc *record.Document, name, mode string) *record.Row {
	for i := range doc.Rows {
		if doc.Rows[i].Row == name && doc.Rows[i].Mode == mode {
			return &doc.Rows[i]
		}
	}
	panic("no row " + name)
}

func setBoth(doc *record.Document, name string, set func(*record.Row)) {
	set(rowOf(doc, name, "plain"))
	set(rowOf(doc, name, "stream"))
}

func green() record.Document { return base() }

// red has a row of every verdict.
func red() record.Document {
	doc := base()
	setBoth(&doc, "tier_cap", func(r *record.Row) {
		r.Verdict, r.Class.Layer, r.HitsMin, r.HitsMax, r.HitsAllowed = "reclassified", "unknown_429", 3, 3, 1
		r.Consequence = "a spend cap now looks like an unclassified 429: the job is retried instead of paused, and nobody is paged"
		r.Fields = append(r.Fields,
			record.Field{Key: "error/details", Role: "details", Dir: "lost", Decides: true, Covers: []string{"code"}, Fixture: object(`{"error_code":"enforced_spend_limit_reached"}`), Direct: object(`{"error_code":"enforced_spend_limit_reached"}`)},
			record.Field{Key: "header/retry-after", Role: "retry-after", Dir: "invented", Decides: true, Layer: text("1")})
	})
	p := rowOf(&doc, "rate_limit", "plain")
	p.Verdict = "changed"
	p.Fields = append(p.Fields, record.Field{Key: "error/message", Role: "message", Dir: "changed", Nuance: "embedded", Decides: true,
		Fixture: str("fixture: rate limit"), Direct: str("fixture: rate limit"), Remark: `prefix "anthropic error: \"", suffix "\""`, Layer: str(`anthropic error: "fixture: rate limit"`)},
		record.Field{Key: "header/retry-after", Role: "retry-after", Dir: "lost", Nuance: "moved", Other: "header/llm_provider-retry-after", Decides: true, Fixture: text("1"), Direct: text("1")})
	setBoth(&doc, "ramp_limit", func(r *record.Row) {
		r.Verdict, r.HitsMin, r.HitsMax, r.HitsAllowed = "retried", 2, 3, 1
		r.Behaviour = []string{"2 retries 0.5 s apart although retry-after said 17", "answered after 61 s: the layer slept"}
		r.Consequence = "one call of a client becomes up to 3 at the provider"
	})
	b := rowOf(&doc, "headerless_429", "stream")
	b.Verdict, b.Class.Layer, b.Reason = "broken", "", "no usable answer: the layer closed the connection after 0 bytes"
	setBoth(&doc, "proxy_429", func(r *record.Row) {
		r.Verdict, r.Class.Layer, r.Provenance, r.HitsMin, r.HitsMax = "layer-made", "rate_limit", "none", 0, 0
		r.Author = "nginx limit_req page"
		r.Reason = "the client got a 429, and the stub saw no hit with this tag, also when asked alone"
	})
	i := rowOf(&doc, "unknown_code_429", "plain")
	i.Verdict, i.Reason = "inconclusive", "direct is not the fixture"
	i.Fields = append(i.Fields, record.Field{Key: "status", Fixture: number("429"), Direct: number("502"), Layer: number("429")})
	rowOf(&doc, "unknown_code_429", "stream").Verdict = "untestable"
	rowOf(&doc, "unknown_code_429", "stream").Reason = "the tunnel swaps the bodies of this status"
	d := rowOf(&doc, "validation_400", "plain")
	d.Verdict, d.Reason = "declared", "known.yaml: the gateway prefixes messages, until 2027-01-31"
	d.Fields = append(d.Fields, record.Field{Key: "error/message", Dir: "changed", Nuance: "embedded", Decides: true,
		Fixture: str("This model does not support assistant message prefill. The conversation must end with a user message."),
		Layer:   str("AnthropicException - This model does not support assistant message prefill. The conversation must end with a user message.")})
	doc.Findings = []record.Finding{
		{Kind: "layer-state", Text: "after tier_cap the layer stopped calling the stub", Rows: []string{"proxy_429"}, Advice: "the layer limits us; try --rate 2", Fails: true},
		{Kind: "crosstalk", Text: "one canary was answered with another request's hit", Fails: true, Soft: true},
		{Kind: "unexplained-hits", Text: "the stub saw 1 hit that no request of this run explains"},
	}
	for i := range doc.Rows {
		doc.Rows[i].Observations[0].Verdict = doc.Rows[i].Verdict
	}
	doc.Notes = []string{"--header value of x-team has fewer than 8 characters and can't be removed from the record"}
	doc.Result = record.Result{Exit: 1, Word: "fail", Why: "8 of 20 rows fail, and 1 finding", Counts: map[string]int{"broken": 1, "layer-made": 2, "reclassified": 2,
		"changed": 1, "retried": 2, "inconclusive": 1, "untestable": 1, "declared": 1, "preserved": 9},
		Covers: "preserved 9 of 20 rows (plain + stream, anthropic, profile core, marker channel, HTTP/1.1), controls 225 of 225 pairs, deciding 9 of 9 keys; declared 1, untestable 1, excluded 2",
		Next:   "preservecheck check --layer http://127.0.0.1:8080 --fixture tier_cap -v"}
	return doc
}

// stripped is a layer that drops one header: many rows, one story.
func stripped() record.Document {
	doc := base()
	for i := range doc.Rows {
		r := &doc.Rows[i]
		if r.Class.Fixture != "rate_limit" && r.Class.Fixture != "unknown_429" || r.Row == "proxy_429" && r.Mode == "stream" {
			continue
		}
		r.Verdict = "changed"
		v := text("1")
		if r.Row == "claude_code_ws_429" {
			v = text("120")
		}
		r.Fields = append(r.Fields, record.Field{Key: "header/retry-after", Role: "retry-after", Dir: "lost", Decides: true, Fixture: v, Direct: v})
	}
	doc.Settings.FailOn = "reclassified"
	doc.Matrix.Narrowed, doc.Matrix.Total = "PRESERVECHECK_FIXTURE", 140
	doc.Target.Name, doc.Target.Version, doc.Target.Control = "drop-retry-after", "", "drop-retry-after"
	doc.Result.Why, doc.Result.Counts = "every row passes", map[string]int{"changed": 11, "preserved": 9}
	return doc
}

// controls is the proof alone: there is no layer and no row.
func controls() record.Document {
	doc := base()
	doc.Command, doc.Rows, doc.Excluded, doc.Channel, doc.Channels = "controls", nil, nil, "", nil
	doc.Target = record.Target{}
	doc.Proof.Controls = append(doc.Proof.Controls, record.Control{Name: "retry-after-added", Why: "adds retry-after: 1 to answers that have none",
		Pairs: 6, Exact: 5, Missed: 1, Untouched: 4, Had: []string{"tier_cap header/retry-after invented"}})
	doc.Proof.Missed = []string{"retry-after-added: tier_cap had to show header/retry-after invented and showed nothing"}
	doc.Proof.Exact = 224
	doc.Result = record.Result{Exit: 3, Word: "could not tell", Why: "a control was missed"}
	return doc
}

func interrupted() record.Document {
	doc := base()
	doc.Incomplete = true
	doc.Rows = doc.Rows[:3]
	doc.Excluded = nil
	doc.Proof = record.Proof{Pairs: 225, Exact: 224, Keys: 9, Deciding: 8, Missed: []string{
		"drop-details: tier_cap (plain) had to show error/details lost and showed nothing"}}
	doc.Result = record.Result{Exit: 3, Word: "could not tell", Why: "a control was missed; the run was interrupted after 3 of 20 rows",
		Counts: map[string]int{"preserved": 3}, Covers: "preserved 3 of 20 rows", Next: "preservecheck controls -v"}
	return doc
}

// nasty is what a layer could send to fool a reader, a terminal or a workflow log.
const nasty = "::error::pwned\n  ::warning::two \x1b[2J\x00\r##[error]three ###[x] \u202eRTL\u202c \u0085\u009b31m \xff\xed\xa0\x80 " +
	"zero\u200bwidth\ufeff \u2028 a\u0301\u0302\u0303\u0304\u0305 中文字符 한국어 🎉👩\u200d💻 ##vso[task] \U000e0041"

func hostile() record.Document {
	long := "the message goes on and on, as those of gateways do when they wrap one error in another: "
	doc := red()
	plantAll(&doc, nasty)
	doc.Format = record.Format // a document of another format is never rendered
	doc.Rows = doc.Rows[:6]
	doc.Proof.Controls = doc.Proof.Controls[:1]
	for i := range doc.Rows {
		doc.Rows[i].Verdict = worstFirst[i]
		doc.Rows[i].Observations[0].Verdict = worstFirst[i]
	}
	doc.Rows[1].Fields[1].Fixture.Text = long + long + "fixture: 1" + nasty
	doc.Rows[1].Fields[1].Layer = str(long + long + "fixture: 2" + nasty)
	doc.Rows[1].Fields[1].Dir = "changed"
	return doc
}
