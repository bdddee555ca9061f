package compare

import (
	"encoding/base64"
	"slices"
	"strconv"
	"strings"

	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/fixture"
)

// judgeFailure judges a row that expects a failure (DESIGN's invariant 10): any failure will do, a success never. What is
// not a server's failure, such as a 429 made of a cut, is none: a client takes it for the provider's word.
func (r Rules) judgeFailure(j *Judged, o Observed) {
	a := o.Answer
	failed := !a.End.Orderly() || a.Status >= 500 || toldInStream(o)
	sent := o.Expected.Get("status").Number()
	switch {
	case o.Hits == 0 && a.Status == 0:
		j.Verdict, j.Reason = Broken, "no answer, and the stub saw no hit of this request: "+a.Err
	case o.Hits == 0:
		j.Verdict, j.Reason = LayerMade, "the stub saw no hit of this request"
	case o.Provenance == OtherHit:
		j.Verdict, j.Reason = Inconclusive, "the answer carries the id of another request's hit"
	case len(inventedEnds(o)) > 0:
		j.Verdict, j.Reason = Broken, inventedSuccess(o, j.Class)
	case a.Status > 0 && a.Status != sent && a.Status < 500:
		j.Verdict, j.Reason = Broken, "the layer made a status "+strconv.Itoa(a.Status)+" of an answer that failed on its way, and a client takes it for the provider's"
	case !failed:
		j.Verdict, j.Reason = Broken, "a cut answer arrived as a whole one"
	case a.Status == sent && !beginning(o):
		j.Verdict, j.Reason = Different, "what arrived is not the beginning of what was sent"
	case j.Allowed > 0 && o.Hits > j.Allowed:
		j.Verdict, j.Reason = Retried, classify.MoreHits(o.Fixture.Class, o.Hits)
	default:
		j.Verdict = Preserved
	}
}

// toldInStream: a layer that can't break the connection says in an error event that the stream broke. Clients raise it, so it
// is a failure like any other (one such gateway was run, 2026-11-30).
func toldInStream(o Observed) bool {
	return o.Layer.Get("stream/error").Kind != evidence.Absent && len(o.Layer.Get("stream/terminal").Items()) == 0
}

// beginning reports whether what arrived is the first part of what was sent, as far as it can be read at all.
func beginning(o Observed) bool {
	if o.Expected.Get("stream/events").Kind == evidence.List {
		return o.Layer.Get("stream/events").Kind == evidence.List && eventsBegin(o) || nothingCame(o)
	}
	want, got := o.Expected.Get("body"), o.Layer.Get("body")
	cut, isCut := unread(got)
	whole, wasCut := unread(want)
	switch {
	case nothingCame(o) || o.Expected.Get("decode") != o.Layer.Get("decode"):
		return true // half a compressed body tells nothing
	case wasCut && isCut:
		return begins(whole, cut)
	case want.Kind == evidence.Object && isCut:
		return strings.HasPrefix(cut, "{") // cut earlier than it was sent, so that it is no JSON any more
	}
	return want == got && !slices.ContainsFunc(evidence.Diff(o.Expected, o.Layer), inContent)
}

// unread gives the bytes of a body that is no JSON. A cut in the midst of a letter makes bytes of what was text, and a cut
// before them text of what was bytes.
func unread(v evidence.Value) (string, bool) {
	if v.Kind == evidence.Bytes {
		b, err := base64.StdEncoding.DecodeString(v.Text)
		return string(b), err == nil
	}
	return v.Text, v.Kind == evidence.Text
}

// begins reports whether a text is the first part of another. The id of the hit stands in the fixture as a constant and was
// replaced in what arrived, but not where it was cut in two: there it need only be the first part of some id.
func begins(whole, part string) bool {
	if strings.HasPrefix(whole, part) {
		return true
	}
	for at := 0; ; at++ {
		i := strings.Index(whole[at:], fixture.NoID)
		if i < 0 {
			return false
		}
		at += i
		if at < len(part) && len(part) < at+len(fixture.NoID) {
			return whole[:at] == part[:at] && strings.Trim(part[at:], "0123456789abcdef") == ""
		}
	}
}

func inContent(d evidence.Difference) bool {
	root, _, _ := strings.Cut(unnumbered(d.Key), "/")
	return root == "body" || root == "error" || root == "stream"
}

// nothingCame: the head at most.
func nothingCame(o Observed) bool {
	body := o.Layer.Get("body")
	return o.Layer.Get("stream/events").Kind == evidence.Absent && (body.Kind == evidence.Absent || body.Kind == evidence.Empty)
}

// eventsBegin compares events by name and the text so far. An event that was cut is seen by nobody, and may be cut earlier than
// it was sent; one that tells of the failure comes on top.
func eventsBegin(o Observed) bool {
	want, got := o.Expected.Get("stream/events").Items(), o.Layer.Get("stream/events").Items()
	if n := len(got); n > 0 && (strings.HasSuffix(got[n-1], evidence.Unfinished) || toldInStream(o)) {
		got = got[:n-1]
	}
	return len(got) <= len(want) && slices.Equal(got, want[:len(got)]) &&
		strings.HasPrefix(o.Expected.Get("stream/text").Text, o.Layer.Get("stream/text").Text)
}
