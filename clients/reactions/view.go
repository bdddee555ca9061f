package reactions

import (
	"slices"
	"strings"
	"time"

	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// Where a stream went wrong.
const (
	streamFirst   = "first"   // an error event before any other
	streamLater   = "later"   // behind others
	streamUnnamed = "unnamed" // whose event line is missing, wherever it stands
	streamCut     = "cut"     // broken off
	streamEnd     = "end"     // ended in order, but without the event that ends one
	streamEmpty   = "empty"   // either of these two, before any event
)

// The headers that a client may read a wait or an order from.
const (
	retryAfter   = "retry-after"
	retryAfterMS = "retry-after-ms"
	shouldRetry  = "x-should-retry"
)

// View is what clients can see of an answer: the roles that any rule reads.
type View struct {
	dialect *dialects.Dialect
	facts   classify.Facts
	status  int // on the wire; 0: no answer
	stream  []string
	header  map[string][]string
	at      time.Time // when it arrived, for waits that are dates; zero: not known
}

// See reads an answer. Of no answer at all it takes nil. ids are those of its own hits.
func See(a *wire.Answer, d *dialects.Dialect, mask string, ids ...string) View {
	if a == nil {
		a = &wire.Answer{End: wire.EndNone}
	}
	e := evidence.Of(a, d.Layout, mask, ids...)
	v := View{dialect: d, facts: d.Facts(e), status: a.Status, header: map[string][]string{}, at: a.FirstAt}
	for _, name := range []string{retryAfter, retryAfterMS, shouldRetry} {
		if values := a.Values(name); len(values) > 0 {
			v.header[name] = values
		}
	}
	v.stream = streamOf(e, v.facts)
	return v
}

// At says when the answer came, for one that has no time of its own.
func (v View) At(t time.Time) View {
	v.at = t
	return v
}

// streamOf says where a stream went wrong, nil for one that did not and for an answer that is none.
func streamOf(e evidence.Evidence, f classify.Facts) []string {
	names := e.Get("stream/events")
	switch {
	case names.Kind == evidence.Absent:
		return nil
	case f.Truncated:
		return stopped(names, e.Get("end").Text == evidence.EndOK)
	case !f.InStream:
		return nil
	}
	where := []string{streamLater}
	items := names.Items()
	at := slices.IndexFunc(items, func(s string) bool { return strings.TrimPrefix(s, "-") == "error" })
	if at == 0 || len(items) == 1 {
		where[0] = streamFirst
	}
	if at >= 0 && strings.HasPrefix(items[at], "-") {
		where = append(where, streamUnnamed)
	}
	return where
}

// stopped says how a stream that is not whole ended.
func stopped(names evidence.Value, inOrder bool) []string {
	where := []string{streamCut}
	if inOrder {
		where[0] = streamEnd
	}
	if len(names.Items()) == 0 {
		where = append(where, streamEmpty)
	}
	return where
}

// class is what the built-in rules call the answer.
func (v View) class() classify.Class { return classify.Classify(v.dialect.Rules, v.facts).Class }

// success reports whether a client sees nothing wrong: a whole answer of 2xx, and no error in it.
func (v View) success() bool {
	return v.ok() && !v.facts.HasError && !v.facts.InStream && !v.facts.Truncated
}

// wrapped reports whether an error came as the body of a success.
func (v View) wrapped() bool { return v.ok() && v.facts.HasError && !v.facts.InStream }

func (v View) ok() bool { return v.status >= 200 && v.status <= 299 }

// fits reports whether all conditions hold.
func (w *when) fits(c *Client, v View) bool {
	switch {
	case w.success && !v.success(), w.wrapped && !v.wrapped(), w.missing && v.status != 0:
		return false
	case len(w.dialect) > 0 && !slices.Contains(w.dialect, v.dialect.Name):
		return false
	case len(w.class) > 0 && !slices.Contains(w.class, string(v.class())):
		return false
	case len(w.status) > 0 && !slices.ContainsFunc(w.status, func(s span) bool { return s.from <= v.status && v.status <= s.to }):
		return false
	case len(w.stream) > 0 && !slices.ContainsFunc(v.stream, func(s string) bool { return slices.Contains(w.stream, s) }):
		return false
	}
	return w.fitsText(v) && w.fitsWait(c, v) && w.fitsHeadroom(v.facts.Headroom)
}

func (w *when) fitsText(v View) bool {
	switch {
	case len(w.typ) > 0 && !textIn(v.facts.Type, w.typ), len(w.code) > 0 && !textIn(v.facts.Code, w.code):
		return false
	case w.should != "" && (len(v.header[shouldRetry]) == 0 || v.header[shouldRetry][0] != w.should):
		return false
	case len(w.message) == 0:
		return true
	}
	for _, p := range w.message {
		if v.facts.Message.State == classify.Text && p.MatchString(v.facts.Message.Text) {
			return true
		}
	}
	return false
}

func textIn(f classify.Fact, known []string) bool {
	return f.State == classify.Text && slices.Contains(known, f.Text)
}

func (w *when) fitsWait(c *Client, v View) bool {
	if w.wait == "" && w.over == 0 {
		return true
	}
	d, given := c.stated(v)
	switch {
	case w.wait == "given" && !given, w.wait == "none" && given:
		return false
	}
	return w.over == 0 || given && d > w.over
}

func (w *when) fitsHeadroom(h classify.Headroom) bool {
	switch {
	case w.told == "told" && !h.Told, w.told == "untold" && h.Told:
		return false
	}
	return w.under == 0 || h.Told && h.Left < w.under
}
