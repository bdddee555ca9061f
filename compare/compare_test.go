package compare

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/wire"
)

func rules(profile string) Rules { return Rules{Profile: ProfileByName(profile), MaxLayerRetries: -1} }

// observed is a fixture that came through unchanged, to be changed by a case.
func observed(t *testing.T, name string) (Observed, *wire.Answer) {
	t.Helper()
	m, err := fixture.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	f := m.Get(name)
	if f == nil {
		t.Fatalf("no fixture %s", name)
	}
	a := f.Expected(fixture.NoID, false)
	e := evidence.Of(a, dialects.Anthropic.Layout, fixture.NoID)
	return Observed{Fixture: f, Mode: fixture.Plain, Dialect: dialects.Anthropic, Expected: e, Direct: e, Answer: a, Hits: 1, Provenance: OwnHit}, a
}

func judge(o Observed, r Rules) Judged {
	o.Layer = evidence.Of(o.Answer, o.Dialect.Layout, fixture.NoID)
	return r.Judge(o)
}

func header(name, value string) func(*Observed) {
	return func(o *Observed) {
		o.Answer.Header = append(o.Answer.Header, wire.Field{Name: name, Value: value})
	}
}

func text(old, new string) func(*Observed) {
	return func(o *Observed) { o.Answer.Body = []byte(strings.Replace(string(o.Answer.Body), old, new, 1)) }
}

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		why     string
		row     string
		change  func(*Observed)
		profile string
		want    Verdict
		class   classify.Class
	}{
		{"nothing changed", "tier_cap", func(*Observed) {}, "core", Preserved, classify.TierSpendCap},
		{"nothing changed, everything looked at", "tier_cap", func(*Observed) {}, "full", Preserved, classify.TierSpendCap},
		{"the code is lost: a worker acts differently", "tier_cap", text("enforced_spend_limit_reached", "other"), "core", Reclassified, classify.Unknown429},
		{"a message that no rule reads is evidence all the same", "rate_limit", text("fixture: rate limit", "x"), "core", Different, classify.RateLimit},
		{"a message that a rule reads", "user_limit_400", text("You have", "anthropic error: You have"), "core", Reclassified, classify.InvalidRequest},
		{"an invented member beside the error's own is a note in core", "rate_limit", text(`"message"`, `"param": null, "message"`), "core", Preserved, classify.RateLimit},
		{"and decides in full", "rate_limit", text(`"message"`, `"param": null, "message"`), "full", Different, classify.RateLimit},
		{"an invented details decides in core", "headerless_429", text(`"message"`, `"details": {"error_code": "x"}, "message"`), "core", Different, classify.Unknown429},
		{"a second type member: parsers disagree which one counts", "rate_limit", text(`"message"`, `"type": "x", "message"`), "core", Different, classify.RateLimit},
		{"x-should-retry invented", "validation_400", header("x-should-retry", "true"), "core", Different, classify.InvalidRequest},
		{"retry-after-ms invented", "rate_limit", header("retry-after-ms", "1"), "core", Different, classify.RateLimit},
		{"a header of the hop's own is no difference in full", "rate_limit", header("Via", "1.1 x"), "full", Preserved, classify.RateLimit},
		{"any other header is", "rate_limit", header("x-new", "1"), "full", Different, classify.RateLimit},
		{"the HTML row has nothing but its body", "proxy_429", text("Too Many", "Busy"), "core", Different, classify.Unknown429},
		{"the envelope decides in full only", "rate_limit", text(`"type": "error", `, ""), "core", Preserved, classify.RateLimit},
		{"an error that became a success", "tier_cap", func(o *Observed) { o.Answer.Status = 200 }, "core", Reclassified, classify.OK},
		{"a spend cap sent twice is the harm itself", "tier_cap", func(o *Observed) { o.Hits = 2 }, "core", Retried, classify.TierSpendCap},
		{"a rate limit may be retried, and it is shown", "rate_limit", func(o *Observed) { o.Hits = 4 }, "core", Preserved, classify.RateLimit},
		{"not in full", "rate_limit", func(o *Observed) { o.Hits = 2 }, "full", Retried, classify.RateLimit},
		{"cut short", "rate_limit", func(o *Observed) { o.Answer.End = wire.EndShort }, "core", Broken, classify.RateLimit},
		{"no answer", "rate_limit", func(o *Observed) { o.Answer = &wire.Answer{End: wire.EndTimeout} }, "core", Broken, classify.NoAnswer},
		{"a status of two digits: Go, Node, Python and curl refuse it", "rate_limit", func(o *Observed) { o.Answer.Faults = []string{wire.FaultStatus} }, "core", Broken, classify.RateLimit},
		{"an escape in a header: Go and Node refuse it", "rate_limit", func(o *Observed) { o.Answer.Faults = []string{wire.FaultControl} }, "core", Broken, classify.RateLimit},
		{"a length given twice: Node refuses it", "rate_limit", func(o *Observed) { o.Answer.Faults = []string{wire.FaultLengthTwice} }, "core", Broken, classify.RateLimit},
		{"a head with bare line feeds: Node refuses it", "rate_limit", func(o *Observed) { o.Answer.Faults = []string{wire.FaultHeadLine} }, "core", Broken, classify.RateLimit},
		{"two lengths: clients refuse the answer", "rate_limit", func(o *Observed) { o.Answer.Faults = []string{wire.FaultLengthsDiffer} }, "core", Broken, classify.RateLimit},
		{"two framings, which Node's fetch refuses", "rate_limit", func(o *Observed) { o.Answer.Faults = []string{wire.FaultLengthAndCoding} }, "core", Broken, classify.RateLimit},
		{"bytes behind the end", "rate_limit", func(o *Observed) { o.Answer.Faults = []string{wire.FaultExcess} }, "core", Different, classify.RateLimit},
		{"the error moved into an event: nobody looks there after a 429", "rate_limit", func(o *Observed) { o.Answer.Body = []byte("data: " + string(o.Answer.Body) + "\n\n") }, "core", Broken, classify.RateLimit},
		{"a body that does not decode", "rate_limit", header("content-encoding", "gzip"), "core", Broken, classify.RateLimit},
		{"no hit: the layer's own words, however native they look", "headerless_429", func(o *Observed) { o.Hits, o.Provenance = 0, NoHit }, "core", LayerMade, classify.Unknown429},
		{"another's hit proves nothing", "rate_limit", func(o *Observed) { o.Provenance = OtherHit }, "core", Inconclusive, classify.RateLimit},
		{"an answer that nothing ties to a hit", "rate_limit", func(o *Observed) { o.Provenance = Unattached }, "core", Inconclusive, classify.RateLimit},
		{"the stub was overloaded and said so", "rate_limit", func(o *Observed) { o.Unserved = "too many connections" }, "core", Inconclusive, classify.RateLimit},
		{"its hits may be another's", "rate_limit", func(o *Observed) { o.Doubt = "a second request came" }, "core", Inconclusive, classify.RateLimit},
		{"directly fetched it is not the fixture", "rate_limit", func(o *Observed) { o.Direct = nil }, "core", Inconclusive, classify.RateLimit},
	} {
		o, _ := observed(t, c.row)
		c.change(&o)
		got := judge(o, rules(c.profile))
		if got.Verdict != c.want || got.Class != c.class {
			t.Errorf("%s: %s as %s (%s), want %s as %s", c.why, got.Verdict, got.Class, got.Reason, c.want, c.class)
		}
	}
}

func TestFailOnReclassifiedLetsNoRetryPass(t *testing.T) {
	o, _ := observed(t, "tier_cap")
	o.Hits = 3
	text("You have", "error: You have")(&o)
	r := rules("core")
	r.FailOn = "reclassified"
	if got := judge(o, r); !r.Fails(got.Verdict) || !strings.Contains(got.Reason, "3 times") {
		t.Errorf("%s: %s", got.Verdict, got.Reason)
	}
}

func TestMaxLayerRetriesReplacesBothRules(t *testing.T) {
	for _, c := range []struct {
		row  string
		max  int
		hits int
		want Verdict
	}{
		{"tier_cap", 2, 3, Preserved}, {"tier_cap", 2, 4, Retried}, {"rate_limit", 0, 2, Retried}, {"rate_limit", 1, 2, Preserved},
	} {
		o, _ := observed(t, c.row)
		o.Hits = c.hits
		r := rules("core")
		r.MaxLayerRetries = c.max
		if got := judge(o, r); got.Verdict != c.want {
			t.Errorf("%s, %d hits, %d retries allowed: %s", c.row, c.hits, c.max, got.Verdict)
		}
	}
}

// TestEveryKeyThatAClassRuleReadsIsInEveryProfile: else a row could change its class and still be called preserved.
func TestEveryKeyThatAClassRuleReadsIsInEveryProfile(t *testing.T) {
	for _, p := range append(Profiles(), &Profile{Name: "empty"}) {
		for _, d := range dialects.All() {
			read := map[classify.Role]bool{}
			for i := range d.Rules {
				for _, role := range d.Rules[i].Reads() {
					if role != classify.HeadroomLeft { // stands in several keys, below
						read[role] = true
					}
				}
			}
			if len(read) < 3 {
				t.Errorf("the rules of %s read only %v", d.Name, read)
			}
			var keys []string
			for role := range read {
				key, ok := d.Keys[role]
				if !ok {
					t.Errorf("dialect %s has no key for role %s", d.Name, role)
				}
				keys = append(keys, key)
			}
			for _, h := range d.Headroom {
				keys = append(keys, h.Limit, h.Remaining)
			}
			for _, key := range keys {
				for _, dir := range []evidence.Direction{evidence.Lost, evidence.Changed, evidence.Invented} {
					if p.Decides(evidence.Difference{Key: key, Dir: dir}, nil, d) == nil {
						t.Errorf("profile %s does not decide %s %s, which class rules of %s read", p.Name, key, dir, d.Name)
					}
				}
			}
		}
	}
}

func TestExpectFailure(t *testing.T) {
	cut := &fixture.Fixture{
		Name: "cut", Class: classify.Truncated, ExpectFailure: true,
		Answer: fixture.Answer{Status: 200},
	}
	stream := func(body string, end wire.End, status int) *wire.Answer {
		return &wire.Answer{Status: status, Header: []wire.Field{{Name: "content-type", Value: "text/event-stream"}}, Body: []byte(body), End: end}
	}
	plain := func(body string, end wire.End, status int) *wire.Answer {
		return &wire.Answer{Status: status, Header: []wire.Field{{Name: "content-type", Value: "application/json"}}, Body: []byte(body), End: end}
	}
	const altered = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"x\"}}\n\n"
	const begin = "event: message_start\ndata: {\"type\":\"message_start\"}\n\n"
	sent := stream(begin+"event: content_bl", wire.EndReset, 200)
	for _, c := range []struct {
		why  string
		a    *wire.Answer
		hits int
		want Verdict
	}{
		{"as sent", sent, 1, Preserved},
		{"the layer says so with a 502", stream("", wire.EndComplete, 502), 1, Preserved},
		{"still waiting at the deadline", stream(begin, wire.EndTimeout, 200), 1, Preserved},
		{"closed cleanly: nobody can tell", stream(begin, wire.EndComplete, 200), 1, Broken},
		{"finished with an event that nobody sent", stream(begin+"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n", wire.EndComplete, 200), 1, Broken},
		{"cut within an earlier event than the stub's cut", stream("event: message_st", wire.EndReset, 200), 1, Preserved},
		{"cut, but finished before", stream(begin+"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n", wire.EndReset, 200), 1, Broken},
		{"other events than were sent", stream("event: content_block_start\ndata: {}\n\n", wire.EndReset, 200), 1, Different},
		{"a whole message of another type, then cut", plain(`{"type":"message"}`, wire.EndReset, 200), 1, Different},
		{"another text than was sent", stream(begin+altered, wire.EndReset, 200), 1, Different},
		{"the failure became a rate limit", plain("", wire.EndReset, 429), 1, Broken},
		{"the failure became a whole rate limit", plain("", wire.EndComplete, 429), 1, Broken},
		{"told in the stream", stream(begin+aError, wire.EndComplete, 200), 1, Preserved},
		{"told in the stream, then finished", stream(begin+aError+aStop, wire.EndComplete, 200), 1, Broken},
		{"the stub was never asked", stream("", wire.EndComplete, 502), 0, LayerMade},
		{"nothing at all", &wire.Answer{End: wire.EndRefused}, 0, Broken},
	} {
		e := evidence.Of(sent, dialects.Anthropic.Layout, fixture.NoID)
		o := Observed{Fixture: cut, Mode: fixture.Stream, Dialect: dialects.Anthropic, Expected: e, Direct: e, Answer: c.a, Hits: c.hits, Provenance: OwnHit}
		if got := judge(o, rules("core")); got.Verdict != c.want {
			t.Errorf("%s: %s (%s), want %s", c.why, got.Verdict, got.Reason, c.want)
		}
	}
}

// proven is a proof that holds.
var proven = record.Proof{Pairs: 9, Exact: 9, Keys: 3, Deciding: 3}

func doc(verdicts ...Verdict) record.Document {
	d := record.Document{Proof: proven}
	for i, v := range verdicts {
		d.Rows = append(d.Rows, record.Row{Row: fmt.Sprint("r", i), Verdict: string(v)})
	}
	return d
}

func TestSettle(t *testing.T) {
	with := func(d record.Document, change func(*record.Document)) record.Document { change(&d); return d }
	for _, c := range []struct {
		why  string
		doc  record.Document
		want int
	}{
		{"all preserved", doc(Preserved, Preserved), 0},
		{"declared passes", doc(Preserved, Declared), 0},
		{"nothing judged is never green", doc(), 3},
		{"one row failed", doc(Preserved, Different), 1},
		{"reclassified, retried, layer-made, broken fail", doc(Reclassified), 1},
		{"retried fails", doc(Retried), 1}, {"layer-made fails", doc(LayerMade), 1}, {"broken fails", doc(Broken), 1},
		{"a verdict that this version does not know fails", doc("splendid"), 1},
		{"could not tell", doc(Preserved, Inconclusive), 3},
		{"untestable could not be told either", doc(Preserved, Untestable), 3},
		{"allowed or not, nothing was judged", with(doc(Untestable), func(d *record.Document) { d.Settings.AllowUntestable = true }), 3},
		{"unless that is allowed", with(doc(Preserved, Untestable), func(d *record.Document) { d.Settings.AllowUntestable = true }), 0},
		{"a failure is worse than not knowing", doc(Inconclusive, Different), 1},
		{"changed may pass by --fail-on", with(doc(Different), func(d *record.Document) { d.Settings.FailOn = "reclassified" }), 0},
		{"only changed", with(doc(Different, Retried), func(d *record.Document) { d.Settings.FailOn = "reclassified" }), 1},
		{"a missed control comes first", with(doc(Broken), func(d *record.Document) { d.Proof.Missed = []string{"x"} }), 3},
		{"no proof, no green", with(doc(Preserved), func(d *record.Document) { d.Proof = record.Proof{} }), 3},
		{"a key that nothing turns red", with(doc(Preserved), func(d *record.Document) { d.Proof.Deciding = 2 }), 3},
		{"no canary", with(doc(), func(d *record.Document) { d.NotReady = "x" }), 3},
		{"refused", with(doc(), func(d *record.Document) { d.Refused = "x" }), 2},
		{"interrupted before a row failed", with(doc(Preserved), func(d *record.Document) { d.Incomplete = true }), 3},
		{"interrupted after a row failed", with(doc(Preserved, Different), func(d *record.Document) { d.Incomplete = true }), 1},
		{"a finding fails a run of preserved rows", with(doc(Preserved), func(d *record.Document) { d.Findings = []record.Finding{{Kind: "layer-state", Fails: true}} }), 1},
		{"a note does not", with(doc(Preserved), func(d *record.Document) { d.Findings = []record.Finding{{Kind: "unexplained-hits"}} }), 0},
		{"refused only side by side", with(doc(Preserved), func(d *record.Document) {
			d.Findings = []record.Finding{{Kind: "layer-state", Fails: true, Soft: true}}
		}), 3},
	} {
		d := c.doc
		Settle(&d)
		if d.Result.Exit != c.want {
			t.Errorf("%s: exit %d (%s), want %d", c.why, d.Result.Exit, d.Result.Why, c.want)
		}
		if word := map[int]string{0: Pass, 1: Fail, 2: CouldNotTell, 3: CouldNotTell}[c.want]; d.Result.Word != word {
			t.Errorf("%s: the word is %q", c.why, d.Result.Word)
		}
	}
}

func TestCoversSaysWhatGreenCovers(t *testing.T) {
	d := doc(Preserved, Preserved, Declared)
	d.Settings = record.Settings{Modes: []string{"plain", "stream"}, Dialects: []string{"anthropic"}, ClientProtocol: "HTTP/1.1"}
	d.Profile.Name, d.Channel = "core", "marker"
	d.Excluded = []record.Excluded{{Row: "x"}}
	d.Matrix = record.Matrix{Selected: 1, Total: 10, Narrowed: "--fixture"}
	Settle(&d)
	want := "preserved 2 of 3 rows (plain + stream, anthropic, profile core, marker channel, HTTP/1.1), controls 9 of 9 pairs, deciding 3 of 3 keys; declared 1, excluded 1; 1 of 10 rows selected by --fixture"
	if diff := cmp.Diff(want, d.Result.Covers); diff != "" {
		t.Error(diff)
	}
}
