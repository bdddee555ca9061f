package report

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/schematest"
)

const rulesSchemaFile = "../docs/schema/rules.schema.json"

// readRule is a rule as a worker reads it, with no type of ours.
type readRule struct {
	Route, Class, Retry, Why, Dialect string
	When                              map[string]any
	MayBe                             []struct{ Class string } `json:"may_be"`
	Own                               *struct{}                `json:"layer_made"`
}

type readRules struct {
	WhyNone string `json:"why_none"`
	Partial string
	Rules   []readRule
	Unruled []struct {
		Why  string
		Rows []string
	}
}

func rulesOf(t testing.TB, doc record.Document) (out readRules) {
	t.Helper()
	if err := json.Unmarshal([]byte(written(t, Format{"rules", "", Rules}, doc)), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// answeredAs is a row whose answer came through the layer.
func answeredAs(name, class, layer string, status int, kind, code string, wait bool) record.Row {
	e := &record.Evidence{Status: status, End: "ok"}
	if kind != "" {
		e.Type = &kind
	}
	if code != "" {
		e.Code = &code
	}
	if wait {
		e.RetryAfter = []string{"1"}
	}
	verdict := "preserved"
	if class != layer {
		verdict = "reclassified"
	}
	return record.Row{Row: name, Mode: "plain", Asked: "anthropic", Served: "anthropic", Verdict: verdict, Layer: e, HitsMin: 1, HitsMax: 1,
		Class: record.Classes{Fixture: class, Direct: class, Layer: layer}}
}

func worded(r record.Row, fixture, layer string) record.Row {
	f := record.Field{Key: "error/message", Role: "message", Fixture: str(fixture), Layer: str(layer)}
	if fixture != layer {
		f.Dir, f.Decides = "changed", true
	}
	r.Fields = append(r.Fields, f)
	return r
}

func ruled(rows ...record.Row) record.Document {
	doc := base()
	doc.Matrix.Narrowed, doc.Excluded, doc.Rows = "", nil, rows
	doc.Result = record.Result{Exit: 1, Word: "fail", Counts: map[string]int{}}
	doc.Actions = []record.Action{
		{Class: "tier_spend_cap", Retry: "never", Outcome: "pause_and_page", Alert: "page"},
		{Class: "contract_spend_cap", Retry: "never", Outcome: "pause_and_page", Alert: "page"},
		{Class: "user_spend_limit", Retry: "never", Outcome: "pause_and_page_limit_owner", Alert: "owner"},
		{Class: "invalid_request", Retry: "never", Outcome: "fail_job", Alert: "none"},
		{Class: "rate_limit", Retry: "after-wait", Outcome: "hold_with_delay", Alert: "none"},
		{Class: "overloaded", Retry: "bounded", Outcome: "hold_with_delay", Alert: "none"},
		{Class: "unknown_429", Retry: "bounded", Outcome: "hold_and_investigate", Alert: "ticket"},
		{Class: "other", Retry: "never", Outcome: "investigate", Alert: "ticket"},
	}
	return doc
}

const limitType = "rate_limit_error"

// TestRulesClaimNoMoreThanTheRowsAllow goes through what one look can be.
func TestRulesClaimNoMoreThanTheRowsAllow(t *testing.T) {
	cap429 := answeredAs("cap", "tier_spend_cap", "rate_limit", 429, limitType, "", true)
	limit := answeredAs("limit", "rate_limit", "rate_limit", 429, limitType, "", true)
	contract := answeredAs("contract", "contract_spend_cap", "rate_limit", 429, limitType, "", true)
	with := func(doc record.Document, change func(*record.Document)) record.Document { change(&doc); return doc }
	made := answeredAs("made", "overloaded", "rate_limit", 429, limitType, "", true)
	made.Verdict = "layer-made"
	for _, c := range []struct {
		why, class, retry string
		doc               record.Document
	}{
		{"the article's case: a cap that lost its code and got a header", "unknown_429", "bounded", ruled(cap429, limit)},
		{"one class for all that look like it", "tier_spend_cap", "never", ruled(cap429)},
		{"two classes that are never retried: neither is what stands for both, and the common action stays", "other", "never", ruled(cap429, contract)},
		{"a part of the matrix proves nothing of the rest", "unknown_429", "bounded", with(ruled(cap429), func(d *record.Document) { d.Matrix.Narrowed = "--fixture" })},
		{"nor do rows that were left out", "unknown_429", "bounded", with(ruled(cap429), func(d *record.Document) { d.Excluded = []record.Excluded{{Row: "limit", Why: "--exclude"}} })},
		{"outages look like a 5xx, and like no 429", "tier_spend_cap", "never", with(ruled(cap429), func(d *record.Document) { d.Excluded = []record.Excluded{{Row: "reset", Why: "hazard outage"}} })},
		{"a 5xx may be an outage", "other", "never", with(ruled(answeredAs("busy", "overloaded", "other", 503, "", "", false)), func(d *record.Document) { d.Excluded = []record.Excluded{{Why: "hazard outage"}} })},
		{"without outages it is what it is", "overloaded", "bounded", ruled(answeredAs("busy", "overloaded", "other", 503, "", "", false))},
		{"nor do rows that could not be told", "unknown_429", "bounded", ruled(cap429, record.Row{Row: "x", Mode: "plain", Verdict: "inconclusive"})},
		{"nor does a layer that changes its mind", "unknown_429", "bounded", with(ruled(cap429), func(d *record.Document) { d.Findings = []record.Finding{{Kind: "layer-state", Fails: true}} })},
		{"the layer writes it itself", "unknown_429", "bounded", ruled(cap429, made)},
		{"only the layer writes it", "unknown_429", "bounded", ruled(made)},
		{"a record without actions claims no class", "unknown_429", "", with(ruled(cap429), func(d *record.Document) { d.Actions = nil })},
		{"two classes with one action keep it", "other", "never", ruled(answeredAs("a", "tier_spend_cap", "other", 403, "", "", false), answeredAs("b", "contract_spend_cap", "other", 403, "", "", false))},
		{"two classes with two actions do not", "other", "never", ruled(answeredAs("a", "overloaded", "other", 503, "", "", false), answeredAs("b", "tier_spend_cap", "other", 503, "", "", false))},
	} {
		got := rulesOf(t, c.doc)
		if len(got.Rules) != 1 || got.Rules[0].Class != c.class || got.Rules[0].Retry != c.retry {
			t.Errorf("%s: %+v, want %s, %s", c.why, got.Rules, c.class, c.retry)
		}
	}
}

// TestRuleSaysWhatItSaw: all that look alike are named, with what the rule asks for.
func TestRuleSaysWhatItSaw(t *testing.T) {
	doc := ruled(answeredAs("cap", "tier_spend_cap", "rate_limit", 429, limitType, "", true), answeredAs("limit", "rate_limit", "rate_limit", 429, limitType, "", true),
		answeredAs("bare", "unknown_429", "unknown_429", 429, limitType, "", false), answeredAs("ramp", "ramp_limit", "ramp_limit", 429, limitType, "ramp_limit_exceeded", true))
	out := written(t, Format{"rules", "", Rules}, doc)
	for _, want := range []string{`"status": 429`, `"type": "rate_limit_error"`, `"code": null`, `"retry_after": true`, `"cap (plain)"`, `"limit (plain)"`, "answers of 2 classes look like this"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
	for _, not := range []string{"bare (plain)", "ramp (plain)", `"message"`} {
		if strings.Contains(out, not) {
			t.Errorf("%s in\n%s", not, out)
		}
	}
}

// TestRulesReadOnlyTheLayersOwnWords: a text of the provider, or of a fixture, is no sign of the layer.
func TestRulesReadOnlyTheLayersOwnWords(t *testing.T) {
	row := func(name, class, layer, fixture, got string) record.Row {
		return worded(answeredAs(name, class, layer, 400, "invalid_request_error", "", false), fixture, got)
	}
	own := ruled(row("user", "user_spend_limit", "invalid_request", "You have reached", "request failed"), row("bad", "invalid_request", "invalid_request", "prefill", "request failed"),
		row("kept", "invalid_request", "invalid_request", "too long", "too long"))
	got := rulesOf(t, own)
	if len(got.Rules) != 1 || got.Rules[0].When["message"] != "request failed" || len(got.Rules[0].MayBe) != 2 {
		t.Errorf("%+v", got.Rules)
	}
	for why, doc := range map[string]record.Document{
		"one row alone":          ruled(row("user", "user_spend_limit", "invalid_request", "You have reached", "request failed")),
		"the provider says it":   ruled(row("user", "user_spend_limit", "invalid_request", "You have reached", "x"), row("bad", "invalid_request", "invalid_request", "y", "x"), row("kept", "invalid_request", "invalid_request", "x", "x")),
		"a part of it is his":    ruled(row("user", "user_spend_limit", "invalid_request", "You have reached", "error: You have reached"), row("bad", "invalid_request", "invalid_request", "y", "error: y")),
		"a secret was taken out": ruled(row("user", "user_spend_limit", "invalid_request", "You", "[secret K]"), row("bad", "invalid_request", "invalid_request", "y", "[secret K]")),
	} {
		got := rulesOf(t, doc)
		if len(got.Rules) != 1 || got.Rules[0].When["message"] != nil {
			t.Errorf("%s: %+v", why, got.Rules)
		}
	}
}

// TestNoRulesFromAWeakRun: what could not be told is the ground of nothing.
func TestNoRulesFromAWeakRun(t *testing.T) {
	for why, change := range map[string]func(*record.Document){
		"interrupted":                func(d *record.Document) { d.Incomplete = true },
		"nothing came":               func(d *record.Document) { d.NotReady = "no canary came through" },
		"refused":                    func(d *record.Document) { d.Refused = "the layer is the stub" },
		"no rows":                    func(d *record.Document) { d.Rows = nil },
		"could not tell":             func(d *record.Document) { d.Result.Exit = 3 },
		"usage":                      func(d *record.Document) { d.Result.Exit = 2 },
		"not proven":                 func(d *record.Document) { d.Proof.Missed = []string{"drop-details"} },
		"a part that could not tell": func(d *record.Document) { d.Parts = []record.Part{{Result: record.Result{Exit: 3}}} },
		"a part with a problem":      func(d *record.Document) { d.Parts = []record.Part{{Problem: "is missing"}} },
	} {
		doc := ruled(answeredAs("cap", "tier_spend_cap", "rate_limit", 429, limitType, "", true))
		if got := rulesOf(t, doc); len(got.Rules) != 1 || got.WhyNone != "" {
			t.Fatalf("%+v", got)
		}
		change(&doc)
		if got := rulesOf(t, doc); len(got.Rules) != 0 || len(got.Unruled) != 0 || got.WhyNone == "" {
			t.Errorf("%s: %+v", why, got)
		}
	}
}

// TestRulesKnowWhatTheyCantMend: an error that came as a success has no look of its own.
func TestRulesKnowWhatTheyCantMend(t *testing.T) {
	done := answeredAs("cap", "tier_spend_cap", "ok", 200, "", "", false)
	invented := done
	invented.Verdict, invented.InventedSuccess = "broken", true
	hang := answeredAs("hang", "tier_spend_cap", "no_answer", 0, "", "", false)
	broken := answeredAs("cut", "overloaded", "truncated", 200, "", "", false)
	again := answeredAs("twice", "tier_spend_cap", "tier_spend_cap", 429, limitType, "x", false)
	again.Verdict = "retried"
	late := answeredAs("late", "overloaded", "rate_limit", 200, limitType, "", false)
	late.Varies = &record.Varies{}
	got := rulesOf(t, ruled(done, invented, hang, broken, again, late))
	var rows []string
	for _, u := range got.Unruled {
		rows = append(rows, strings.Join(u.Rows, " "))
	}
	if want := []string{"cap (plain) cap (plain)", "cut (plain)", "hang (plain)", "twice (plain)", "late (plain)"}; !slices.Equal(rows, want) {
		t.Errorf("%q, want %q", rows, want)
	}
	moody := ruled(done)
	moody.Findings = []record.Finding{{Kind: "layer-state", Rows: []string{"cap (plain)"}}, {Kind: "slept"}}
	if u := rulesOf(t, moody).Unruled; len(u) != 2 || len(u[1].Rows) != 1 {
		t.Errorf("a layer that answers by itself after a row: %+v", u)
	}
	if len(got.Rules) != 1 || got.Rules[0].When["status"] != 200.0 || got.Rules[0].When["type"] != limitType {
		t.Errorf("an error in a stream: %+v", got.Rules)
	}
}

// TestOddValuesAreNotCompared: a code that is a number is no text, and null is not there.
func TestOddValuesAreNotCompared(t *testing.T) {
	for kind, want := range map[string]any{"number": "any", "array": "any", "null": nil, "string": "7"} {
		r := answeredAs("cap", "tier_spend_cap", "unknown_429", 429, limitType, "7", false)
		r.Fields = []record.Field{{Key: "error/details/error_code", Role: "code", Layer: &record.Value{Kind: kind, Text: "7"}}}
		got := rulesOf(t, ruled(r)).Rules[0].When
		have, there := got["code"]
		if !there {
			have = "any"
		}
		if have != want {
			t.Errorf("%s: %v", kind, got)
		}
	}
	for _, odd := range []string{strings.Repeat("a", 300), "\xff", "a [secret K]"} {
		if got := rulesOf(t, ruled(answeredAs("cap", "tier_spend_cap", "unknown_429", 429, odd, "", false))).Rules[0].When; got["type"] != nil || len(got) != 3 {
			t.Errorf("%.20q: %v", odd, got)
		}
	}
}

// rulesSchema is the format for workers and their editors.
func rulesSchema() schematest.Object {
	type obj = schematest.Object
	text, say := obj{"type": "string"}, schematest.Say
	names := obj{"type": "array", "items": text}
	condition := obj{"type": []any{"string", "null"}}
	rows := obj{"rows": names, "more": say("How many rows are not named.", obj{"type": "integer", "minimum": 1})}
	closed := func(properties obj, required ...any) obj {
		return obj{"type": "object", "additionalProperties": false, "required": required, "properties": properties}
	}
	with := func(more obj) obj {
		out := obj{}
		for _, o := range []obj{rows, more} {
			for k, v := range o {
				out[k] = v
			}
		}
		return out
	}
	return obj{
		"$schema":     "https://json-schema.org/draft/2020-12/schema",
		"title":       "preservecheck rules",
		"description": "What a worker behind a layer has to believe where its answers read as another class than the provider meant. See docs/rules.md.",
		"type":        "object", "additionalProperties": false,
		"required": []any{"format", "layer", "matrix", "profile", "rules", "unruled"},
		"properties": obj{
			"format": obj{"const": rulesFormat}, "layer": say("Name and version of the layer.", text), "matrix": text, "profile": text,
			"date":     say("Of the run.", obj{"type": "string", "pattern": `^\d{4}-\d\d-\d\d$`}),
			"why_none": say("Why no rule could be written; then there is none.", text), "partial": say("Why no rule claims a class.", text),
			"rules":   say("The first that fits counts.", obj{"type": "array", "items": schematest.Ref("rule")}),
			"unruled": say("What no rule can mend.", obj{"type": "array", "items": closed(with(obj{"why": text}), "why", "rows")}),
		},
		"$defs": obj{
			"rule": closed(obj{
				"route": say("Only answers that came by this route; without it any.", text), "dialect": say("The protocol of the client.", text),
				"when":  say("What is compared, whole. Null means: not there. A member that is missing is not compared.", schematest.Ref("when")),
				"class": say("What the answer has to be taken for.", obj{"type": "string"}), "retry": schematest.Enum(retries...),
				"outcome": say("What becomes of the job when the worker stops.", text), "alert": schematest.Enum(alerts...),
				"reads_as": say("What the built-in class rules make of it.", names), "may_be": say("What the provider meant, with rows that showed it.", obj{"type": "array", "items": closed(with(obj{"class": text}), "class", "rows")}),
				"layer_made": say("The layer also writes such an answer itself, without asking the provider.", closed(rows, "rows")), "why": text,
			}, "dialect", "when", "class", "reads_as", "may_be", "why"),
			"when": closed(obj{"status": obj{"type": "integer"}, "type": condition, "code": condition, "retry_after": say("There, and not blank.", obj{"type": "boolean"}),
				"message": say("Words of the layer itself.", text)}, "status", "retry_after"),
		},
	}
}

func TestRulesSchemaIsFresh(t *testing.T) {
	schematest.Fresh(t, rulesSchemaFile, rulesSchema(), *update)
}

var (
	rulesOnce     sync.Once
	rulesCompiled *jsonschema.Schema
)

// readRulesFile holds a file to its schema, and each of its rules to say something.
func readRulesFile(t *testing.T, out string) {
	t.Helper()
	var doc any
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	rulesOnce.Do(func() { rulesCompiled = schematest.Compile(t, rulesSchema()) })
	if err := rulesCompiled.Validate(doc); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	var file readRules
	if err := json.Unmarshal([]byte(out), &file); err != nil {
		t.Fatal(err)
	}
	for _, r := range file.Rules {
		if len(r.MayBe) == 0 && r.Own == nil || r.Why == "" || file.WhyNone != "" {
			t.Errorf("a rule for nothing: %+v", r)
		}
	}
}
