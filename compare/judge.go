package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/wire"
)

// Provenance says where an answer came from.
type Provenance string

// The provenances.
const (
	OwnHit      Provenance = "own-hit"    // it holds the id of a hit of this very request
	OtherHit    Provenance = "other-hit"  // it holds the id of another request's hit: cached or crossed
	Attributed  Provenance = "attributed" // no id survived, but only hits of this very request can have made it
	Unattached  Provenance = "unattached" // hits came, but nothing ties the answer to one
	NoHit       Provenance = "none"       // the stub saw no hit with this tag
	NoAnswer    Provenance = "no-answer"  // nothing came back that could have an origin
	NotObserved Provenance = ""           // nothing was sent or waited for: the run was interrupted, or this machine had no connection
)

// Observed is one pass over one row.
type Observed struct {
	Fixture    *fixture.Fixture
	Mode       fixture.Mode
	Dialect    *dialects.Dialect
	Expected   evidence.Evidence
	Direct     evidence.Evidence
	Layer      evidence.Evidence
	Answer     *wire.Answer // through the layer
	Hits       int
	Dirty      string   // why the way to the stub makes the row untestable; "" when it does not
	Overlook   []string // keys that the way to the stub alters, so that the layer is held to them only where they decide
	Unserved   string   // why the stub could not serve a hit by a fault of its own; "" when it could
	Doubt      string   // why the hits may be another's, or their times tell too little; "" when neither is so
	Astray     string   // where the layer called the stub besides; "" when it did not
	Provenance Provenance
	Route      string // name of the route it was asked on; "" where a layer has one
}

// Judged is what one pass says.
type Judged struct {
	Verdict     Verdict
	Reason      string
	Differences []Difference
	Direct      classify.Class
	Class       classify.Class
	Allowed     int // hits, 0 for any number

	InventedSuccess bool // a client would take for done what nobody called done; never declared
}

// Difference is an evidence difference with what the profile makes of it.
type Difference struct {
	evidence.Difference
	Key    *Key            // the profile's key that lets it decide, nil for a note
	Role   classify.Role   // of the key itself
	Covers []classify.Role // roles below a subtree that is gone

	Declared []string // entries of known files that fit it
}

// Judge gives the verdict of one pass. It never panics on an answer, whatever a layer sent.
func (r Rules) Judge(o Observed) Judged {
	j := Judged{
		Direct:  o.Dialect.Classify(o.Direct).Class,
		Class:   o.Dialect.Classify(o.Layer).Class,
		Allowed: r.allowedHits(o.Fixture.Class),
	}
	if o.Dirty != "" {
		j.Verdict, j.Reason = Untestable, o.Dirty
		return j
	}
	if d := evidence.Diff(o.Expected, o.Direct); len(d) > 0 {
		j.Verdict, j.Reason = Inconclusive, "fetched directly, the stub's answer is not the fixture: "+KeysOf(d)
		return j
	}
	if o.Provenance == NotObserved {
		j.Verdict, j.Reason = Inconclusive, "not observed"
		return j
	}
	if o.Unserved != "" {
		j.Verdict, j.Reason = Inconclusive, "the stub did not serve the fixture: "+o.Unserved
		return j
	}
	if o.Doubt != "" {
		j.Verdict, j.Reason = Inconclusive, o.Doubt
		return j
	}
	j.Differences = r.differences(o)
	if o.Fixture.ExpectFailure {
		r.judgeFailure(&j, o)
		return j
	}
	if why := unusable(o.Answer, o.Layer); why != "" {
		j.Verdict, j.Reason = Broken, why
		if o.Hits == 0 {
			j.Reason += "; the stub saw no hit of this request"
		}
		return j
	}
	if v, why := byProvenance(o); v != "" {
		j.Verdict, j.Reason = v, why
		if v == LayerMade {
			j.Reason = joined(why, r.Profile.owed(o.Answer))
		}
		return j
	}
	r.judgeEvidence(&j, o)
	j.InventedSuccess = inventedASuccess(&o, j.Class)
	r.Declare(&j, &o)
	return j
}

func (r Rules) judgeEvidence(j *Judged, o Observed) {
	decided, tooMany := false, j.Allowed > 0 && o.Hits > j.Allowed
	for _, d := range j.Differences {
		decided = decided || d.Key != nil
	}
	switch {
	case asEvent(o):
		j.Verdict = Broken
	case j.Class != o.Fixture.Class:
		j.Verdict = Reclassified
	case len(inventedEnds(o)) > 0:
		j.Verdict = Broken // worse than any class, so no --fail-on lets it pass
	case decided && tooMany && r.FailOn == "reclassified":
		j.Verdict = Retried // what --fail-on lets pass must not carry this along
	case decided:
		j.Verdict = Different
	case tooMany:
		j.Verdict = Retried
	default:
		j.Verdict = Preserved
	}
	j.Reason = inventedSuccess(o, j.Class)
	if asEvent(o) {
		j.Reason = "the error is framed as an event: clients read the body of an error as JSON and find nothing"
	}
	switch {
	case o.Astray != "" && j.Verdict != Preserved:
		j.Reason = joined(o.Astray, j.Reason)
	case tooMany:
		j.Reason = joined(j.Reason, classify.MoreHits(o.Fixture.Class, o.Hits))
	}
}

// asEvent reports whether an error that was no event has become one. SDKs read events under a success only (anthropic-sdk-typescript
// and openai-node parse the text of any other answer as JSON, read 2026-11-30), so they find neither type nor code.
func asEvent(o Observed) bool {
	return o.Answer.Status >= 400 && o.Expected.Get("stream/events").Kind == evidence.Absent && o.Layer.Get("stream/error").Kind != evidence.Absent
}

// inventedSuccess says that a layer made a success of what was none, "" when it did not. Nothing is worse: nobody looks at a
// job that counts as done.
func inventedSuccess(o Observed, class classify.Class) string {
	if t := inventedEnds(o); len(t) > 0 {
		return "the layer finished the stream with " + strings.Join(t, " and ") + ", which nobody sent"
	}
	if classify.Success(class) && !classify.Success(o.Fixture.Class) {
		return fmt.Sprintf("the layer answered with a success (status %d), which nobody sent", o.Answer.Status)
	}
	return ""
}

// inventedEnds lists the success events that nobody sent.
func inventedEnds(o Observed) []string {
	return invented(o.Expected.Get("stream/terminal").Items(), o.Layer.Get("stream/terminal").Items())
}

// invented lists what got has more of than want, each once.
func invented(want, got []string) (out []string) {
	left := slices.Clone(want)
	for _, g := range got {
		if i := slices.Index(left, g); i >= 0 {
			left = slices.Delete(left, i, i+1)
		} else if !slices.Contains(out, g) {
			out = append(out, g)
		}
	}
	return out
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

func (r Rules) differences(o Observed) []Difference {
	ds := evidence.Diff(o.Expected, o.Layer)
	out := make([]Difference, 0, len(ds))
	for _, d := range ds {
		x := Difference{Difference: d, Key: r.Profile.Decides(d, o.Expected, o.Dialect), Role: o.Dialect.Role(unnumbered(d.Key))}
		if x.Key == nil && slices.ContainsFunc(o.Overlook, func(k string) bool { return k == d.Key || below(k, d.Key) }) {
			continue
		}
		if d.Dir != evidence.Invented {
			x.Covers = covered(o, d.Key)
		}
		out = append(out, x)
	}
	return out
}

// covered names the roles that stood below a key whose subtree is gone.
func covered(o Observed, key string) (roles []classify.Role) {
	if o.Expected.Get(key).Kind != evidence.Object || o.Layer.Get(key).Kind == evidence.Object {
		return nil
	}
	for _, e := range o.Expected {
		if role := o.Dialect.Role(e.Key); role != "" && below(key, e.Key) {
			roles = append(roles, role)
		}
	}
	return roles
}

// unusable says why a client could make nothing of an answer, "" when it could.
func unusable(a *wire.Answer, e evidence.Evidence) string {
	switch {
	case a.Status == 0 || !a.End.Orderly():
		return ended(a)
	case e.Get("decode").Kind != evidence.Absent:
		return "the body can't be decoded: " + e.Get("decode").Text
	}
	for _, f := range a.Faults {
		if slices.Contains(refusedFaults, f) {
			return "common clients refuse the answer: " + f
		}
	}
	return ""
}

// refusedFaults make common clients give the answer up: Go's net/http, read 2026-11-30, and the fetch of Node 20, on which SDKs
// stand, asked 2026-11-30. Python's http.client takes most of them, so that the same answer is an error to one worker and none
// to another. RFC 9112 sections 2.2, 5, 6.1 and 6.3.
var refusedFaults = []string{
	wire.FaultLengthsDiffer, wire.FaultBadLength, wire.FaultUnknownCoding, wire.FaultStatus, wire.FaultControl, // Go and Node
	wire.FaultLengthTwice, wire.FaultHeadLine, wire.FaultLengthAndCoding, // Node
}

// ended says how an answer ended, in words.
func ended(a *wire.Answer) string {
	what := map[wire.End]string{
		wire.EndShort: "the answer was cut short", wire.EndReset: "the connection was reset", wire.EndTimeout: "no complete answer before the deadline",
		wire.EndTooLarge: "the answer is larger than a client would read", wire.EndBadFraming: "the answer is not valid HTTP/1.1",
		wire.EndNone: "the connection was closed without an answer", wire.EndRefused: "no connection to the layer", wire.EndCanceled: "interrupted",
	}[a.End]
	if what == "" {
		what = "no usable answer"
	}
	if a.Err != "" {
		what += " (" + a.Err + ")"
	}
	return what
}

func byProvenance(o Observed) (Verdict, string) {
	switch o.Provenance {
	case NoHit:
		return LayerMade, "the stub saw no hit of this request: the layer wrote this answer itself"
	case OtherHit:
		return Inconclusive, "the answer carries the id of another request's hit"
	case Unattached:
		return Inconclusive, fmt.Sprintf("no hit id survived in the answer, and %d hits and the requests beside it leave open whose it is", o.Hits)
	case NoAnswer:
		return Inconclusive, "not observed"
	}
	return "", ""
}

// allowedHits is the number of hits that one request may cause; 0 is any number, shown.
func (r Rules) allowedHits(c classify.Class) int {
	switch {
	case r.MaxLayerRetries >= 0:
		return r.MaxLayerRetries + 1
	case r.Profile.OneHit || classify.ActionOf(c).Retry == classify.RetryNever:
		return 1
	}
	return 0
}

// KeysOf names the first few keys of differences.
func KeysOf(ds []evidence.Difference) string {
	var b strings.Builder
	for i, d := range ds {
		if i == 3 {
			fmt.Fprintf(&b, " and %d more", len(ds)-3)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(d.Key + " " + string(d.Dir))
	}
	return b.String()
}
