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

// TestWhatArrivedIsTheBeginning: a cut may come earlier than it was sent, but what stands before it is what was sent.
func TestWhatArrivedIsTheBeginning(t *testing.T) {
	const whole, cut = `{"type":"message","content":"half"}`, `{"type":"message","content":"ha`
	for _, c := range []struct {
		why, media, sent, came string
		want                   Verdict
	}{
		{"as sent", "text/event-stream", aStart + aText, aStart + aText, Preserved},
		{"earlier", "text/event-stream", aStart + aText, aStart, Preserved},
		{"nothing", "text/event-stream", aStart + aText, "", Preserved},
		{"another text", "text/event-stream", aStart + aText, aStart + strings.Replace(aText, `"x"`, `"y"`, 1), Different},
		{"more events than were sent", "text/event-stream", aStart, aStart + aText, Different},
		{"a body as sent", "application/json", whole, whole, Preserved},
		{"a body cut earlier", "application/json", whole, cut, Preserved},
		{"another whole body", "application/json", whole, strings.Replace(whole, "half", "other", 1), Different},
		{"a cut body, cut earlier", "application/json", cut, cut[:9], Preserved},
		{"another cut body", "application/json", cut, strings.Replace(cut, "ha", "no", 1), Different},
		{"cut inside the hit's id, which is replaced only where it is whole", "application/json", `{"message":"ref ` + fixture.NoID + `) and`, `{"message":"ref 7a409b`, Preserved},
		{"cut inside the second id", "application/json", `{"id":"` + fixture.NoID + `","message":"ref ` + fixture.NoID + `) and`, `{"id":"` + fixture.NoID + `","message":"ref 7a4`, Preserved},
		{"cut inside an id that stands first", "text/plain", fixture.NoID + " and", "7a409b", Preserved},
		{"a whole id that is not the hit's", "application/json", `{"message":"ref ` + fixture.NoID + `) and`, `{"message":"ref 7a409b7a409b7a40`, Different},
		{"something else where the id stood", "application/json", `{"message":"ref ` + fixture.NoID + `) and`, `{"message":"ref none`, Different},
		{"another text before the id", "application/json", `{"message":"ref ` + fixture.NoID + `) and`, `{"massage":"ref 7a409b`, Different},
		{"another text behind the id", "application/json", `{"message":"ref ` + fixture.NoID + `) and`, `{"message":"ref ` + fixture.NoID + `) or`, Different},
		{"a text instead of an object", "application/json", whole, "no", Different},
		{"a whole body cut in the midst of a letter", "application/json", `{"content":"hä"}`, "{\"content\":\"h\xc3", Preserved},
		{"a cut body cut in the midst of a letter", "application/json", `{"content":"hä`, "{\"content\":\"h\xc3", Preserved},
		{"cut there, and then before the letter", "application/json", "{\"content\":\"h\xc3", `{"content":"h`, Preserved},
		{"cut there, and another text before it", "application/json", "{\"content\":\"h\xc3", `{"content":"j`, Different},
		{"bytes cut earlier", "application/octet-stream", "\xff\x00\xfe", "\xff\x00", Preserved},
		{"other bytes", "application/octet-stream", "\xff\x00\xfe", "\xff\x01", Different},
	} {
		of := func(body string) *wire.Answer {
			return &wire.Answer{Status: 200, Header: []wire.Field{{Name: "content-type", Value: c.media}}, Body: []byte(body), End: wire.EndReset}
		}
		e := evidence.Of(of(c.sent), dialects.Anthropic.Layout, fixture.NoID)
		f := &fixture.Fixture{Name: "cut", Class: classify.Truncated, ExpectFailure: true}
		o := Observed{Fixture: f, Mode: fixture.Stream, Dialect: dialects.Anthropic, Expected: e, Direct: e, Answer: of(c.came), Hits: 1, Provenance: OwnHit}
		if got := judge(o, rules("core")); got.Verdict != c.want {
			t.Errorf("%s: %s (%s), want %s", c.why, got.Verdict, got.Reason, c.want)
		}
	}
}

// TestFailureThatNobodyBegan: a layer that drops a request whose answer broke off has failed as it should, however often it
// asked: hits are not counted where any number is allowed.
func TestFailureThatNobodyBegan(t *testing.T) {
	for _, c := range []struct {
		why     string
		class   classify.Class
		hits    int
		retries int // that the user allows; -1: the class decides
		want    Verdict
	}{
		{"asked once", classify.NoAnswer, 1, -1, Preserved},
		{"a missing answer may be asked for again, any number of times", classify.NoAnswer, 5, -1, Preserved},
		{"a broken-off one may have been charged", classify.Truncated, 2, -1, Retried},
		{"as often as is allowed", classify.NoAnswer, 3, 2, Preserved},
		{"once more", classify.NoAnswer, 4, 2, Retried},
	} {
		e := evidence.Of(&wire.Answer{Status: 200, Body: []byte(`{"type":"message","con`), End: wire.EndReset}, dialects.Anthropic.Layout, fixture.NoID)
		f := &fixture.Fixture{Name: "cut", Class: c.class, ExpectFailure: true}
		o := Observed{Fixture: f, Mode: fixture.Plain, Dialect: dialects.Anthropic, Expected: e, Direct: e, Answer: &wire.Answer{End: wire.EndReset}, Hits: c.hits, Provenance: OwnHit}
		r := rules("core")
		r.MaxLayerRetries = c.retries
		if got := judge(o, r); got.Verdict != c.want {
			t.Errorf("%s: %s (%s), want %s", c.why, got.Verdict, got.Reason, c.want)
		}
	}
}
