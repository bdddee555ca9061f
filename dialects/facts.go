package dialects

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/evidence"
)

// Classify returns the rule that gives an answer its class. It is never nil for a dialect whose last rule fits everything.
func (d *Dialect) Classify(e evidence.Evidence) *classify.Rule {
	return classify.Classify(d.Rules, d.Facts(e))
}

// Facts reads the roles out of an answer. It takes every shape that JSON allows: what should be text and is not is odd, not an
// error of ours.
func (d *Dialect) Facts(e evidence.Evidence) classify.Facts {
	f := classify.Facts{
		Status:     e.Get(d.Keys[classify.Status]).Number(),
		HasError:   e.Get("error").Kind == evidence.Object,
		Type:       textFact(e.Get(d.Keys[classify.Type])),
		Code:       d.code(e),
		Message:    textFact(e.Get(d.Keys[classify.Message])),
		Limit:      textFact(e.Get(d.Keys[classify.Limit])),
		RetryAfter: headerFact(e.Get(d.Keys[classify.RetryAfter])),
	}
	if f.Status < 200 || f.Status > 299 {
		return f
	}
	f.Headroom = d.headroom(e)
	failed := e.Get("stream/error").Kind != evidence.Absent
	stream := e.Get("stream/events").Kind != evidence.Absent
	switch {
	case failed:
		f.InStream = true
		f.Status = cmp.Or(d.statusOf(f), f.Status)
	case stream && !d.whole(e.Get("stream/terminal")), !stream && e.Get("end").Text != evidence.EndOK:
		f.Truncated = true
	}
	return f
}

// statusOf gives the status that an error in a stream would have had, 0 when nothing says so.
func (d *Dialect) statusOf(f classify.Facts) int {
	for _, fact := range []classify.Fact{f.Code, f.Type} {
		if s := d.StatusOf[fact.Text]; s != 0 && fact.State == classify.Text {
			return s
		}
	}
	if n, err := strconv.Atoi(f.Code.Text); err == nil && d.CodeIsStatus && f.Code.State == classify.Odd && n >= 400 && n <= 599 {
		return n
	}
	return 0
}

// whole reports whether one of the terminators that a stream had makes it whole.
func (d *Dialect) whole(terminals evidence.Value) bool {
	for _, t := range terminals.Items() {
		word, _, _ := strings.Cut(t, " ")
		if slices.Contains(d.Ends, word) {
			return true
		}
	}
	return false
}

// headroom takes the limit that is nearest to its end. A limit that is not told whole, or not in numbers, is not told.
func (d *Dialect) headroom(e evidence.Evidence) (h classify.Headroom) {
	for _, keys := range d.Headroom {
		limit, ok := count(e.Get(keys.Limit))
		left, ok2 := count(e.Get(keys.Remaining))
		if !ok || !ok2 || limit <= 0 {
			continue
		}
		if share := max(0, min(1, left/limit)); !h.Told || share < h.Left {
			h = classify.Headroom{Told: true, Left: share}
		}
	}
	return h
}

func count(v evidence.Value) (float64, bool) {
	f := headerFact(v)
	n, err := strconv.ParseInt(strings.TrimSpace(f.Text), 10, 64)
	return float64(n), err == nil && f.State == classify.Text
}

// code reads the error code. Details that are not an object hide it, which is not the same as no code; details that hold
// nothing (null, "", [], false, 0) are none, as in the source article's classifier. Where the code stands beside the
// details, they hide nothing.
func (d *Dialect) code(e evidence.Evidence) classify.Fact {
	at := d.Keys[classify.Details]
	details := e.Get(at)
	if !strings.HasPrefix(d.Keys[classify.Code], at+"/") {
		return textFact(e.Get(d.Keys[classify.Code]))
	}
	if details.Kind != evidence.Absent && details.Kind != evidence.Object && !empty(details) {
		return classify.Fact{State: classify.Odd, Text: details.Text}
	}
	return textFact(e.Get(d.Keys[classify.Code]))
}

func empty(v evidence.Value) bool {
	switch v.Kind {
	case evidence.Null, evidence.Empty:
		return true
	case evidence.Array:
		return v.Text == "[]"
	case evidence.Bool:
		return v.Text == "false"
	case evidence.Number:
		n, err := strconv.ParseFloat(v.Text, 64)
		return err == nil && n == 0
	}
	return v.Text == ""
}

func textFact(v evidence.Value) classify.Fact {
	switch v.Kind {
	case evidence.Absent, evidence.Null:
		return classify.Fact{}
	case evidence.String, evidence.Text:
		return classify.Fact{State: classify.Text, Text: v.Text}
	}
	return classify.Fact{State: classify.Odd, Text: v.Text}
}

// headerFact takes the first of several lines, as most clients do.
func headerFact(v evidence.Value) classify.Fact {
	if v.Kind != evidence.List {
		return textFact(v)
	}
	return classify.Fact{State: classify.Text, Text: v.Items()[0]}
}
