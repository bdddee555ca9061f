package reactions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preservecheck/preservecheck/classify"
)

// part is a piece of an answer that a layer may change without the others.
type part struct {
	name string
	move func(to *View, from View)
	same func(a, b View) bool
	says func(a, b View) string // in words that hold nothing of the layer but numbers
}

func parts() []part {
	return []part{
		{"status", func(to *View, from View) {
			to.status, to.facts.Status = from.status, from.facts.Status
		}, func(a, b View) bool { return a.status == b.status }, func(a, b View) string {
			if b.status == 0 {
				return "no answer"
			}
			return fmt.Sprintf("status %d → %d", a.status, b.status)
		}},
		headerPart(shouldRetry, nil),
		headerPart(retryAfter, wholeSeconds),
		headerPart(retryAfterMS, wholeSeconds),
		{"body", func(to *View, from View) {
			to.facts.HasError, to.facts.Type, to.facts.Code, to.facts.Message, to.facts.Limit = from.facts.HasError, from.facts.Type, from.facts.Code, from.facts.Message, from.facts.Limit
		}, func(a, b View) bool { return a.facts.HasError == b.facts.HasError }, func(a, _ View) string {
			if a.facts.HasError {
				return "error object lost"
			}
			return "error object added"
		}},
		factPart("type", func(f *classify.Facts) *classify.Fact { return &f.Type }),
		factPart("code", func(f *classify.Facts) *classify.Fact { return &f.Code }),
		factPart("message", func(f *classify.Facts) *classify.Fact { return &f.Message }),
		{"stream", func(to *View, from View) {
			to.stream, to.facts.InStream, to.facts.Truncated = from.stream, from.facts.InStream, from.facts.Truncated
		}, func(a, b View) bool { return slices.Equal(a.stream, b.stream) }, func(_, b View) string {
			switch {
			case len(b.stream) == 0:
				return "no error in the stream any more"
			case slices.Contains(b.stream, streamUnnamed):
				return "the event line of the error lost"
			case b.facts.Truncated:
				return "the stream stops"
			}
			return "the error inside the stream"
		}},
		{"headroom", func(to *View, from View) { to.facts.Headroom = from.facts.Headroom }, func(a, b View) bool {
			return a.facts.Headroom == b.facts.Headroom
		}, func(a, b View) string {
			if a.facts.Headroom.Told && !b.facts.Headroom.Told {
				return "rate-limit headers lost"
			}
			return "rate-limit headers changed"
		}},
	}
}

func headerPart(name string, number func(string) string) part {
	return part{name, func(to *View, from View) {
		header := map[string][]string{}
		for n, values := range to.header {
			header[n] = values
		}
		if header[name] = from.header[name]; header[name] == nil {
			delete(header, name)
		}
		if to.header = header; name == retryAfter {
			to.facts.RetryAfter = from.facts.RetryAfter
		}
	}, func(a, b View) bool { return slices.Equal(a.header[name], b.header[name]) }, func(a, b View) string {
		was, is := a.header[name], b.header[name]
		n := ""
		if number != nil && len(is) == 1 {
			n = number(is[0])
		}
		switch {
		case len(is) == 0:
			return name + " lost"
		case len(was) == 0:
			return name + n + " added"
		case len(is) > len(was):
			return name + " doubled"
		case n != "":
			return name + n
		}
		return name + " changed"
	}}
}

// wholeSeconds is a number behind a space, "" for text that is not a short one.
func wholeSeconds(s string) string {
	if s = strings.TrimSpace(s); digits(s) && len(s) <= 9 {
		return " " + s
	}
	return ""
}

func factPart(name string, of func(*classify.Facts) *classify.Fact) part {
	return part{name, func(to *View, from View) { *of(&to.facts) = *of(&from.facts) }, func(a, b View) bool {
		return *of(&a.facts) == *of(&b.facts)
	}, func(a, b View) string {
		was, is := of(&a.facts).State, of(&b.facts).State
		switch {
		case is == classify.Absent:
			return name + " lost"
		case was == classify.Absent:
			return name + " added"
		}
		return name + " changed"
	}}
}

// cause names what of the change makes the client react otherwise: the part, or the two, that alone would do it; "" where more have
// to come together.
func cause(c *Client, direct, through View, want Reaction) string {
	var differ []part
	for _, p := range parts() {
		if !p.same(direct, through) {
			differ = append(differ, p)
		}
	}
	enough := func(some ...part) bool {
		v := direct
		for _, p := range some {
			p.move(&v, through)
		}
		got, known := Of(c, v)
		return known && got.equal(want)
	}
	for _, p := range differ {
		if enough(p) {
			return p.says(direct, through)
		}
	}
	for i, p := range differ {
		for _, q := range differ[i+1:] {
			if enough(p, q) {
				return p.says(direct, through) + ", " + q.says(direct, through)
			}
		}
	}
	return ""
}
