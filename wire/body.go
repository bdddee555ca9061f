package wire

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// body reads what the head says must follow.
func (a *Answer) body(r *reader, lim Limits, noBody bool) {
	want := a.frame(noBody)
	r.max = r.pos + int(min(lim.Body, want)) + firstBuffer
	switch {
	case a.Framing == FramingNone:
		a.End = EndComplete
	case a.Framing == FramingChunked:
		a.chunks(r, lim)
	case want < 0:
		a.Body = r.take(min(int64(len(r.unread())), lim.Body))
		a.fail(badError(FaultBadLength), "")
		return
	default:
		a.span(r, want, lim.Body)
	}
	if a.End == EndComplete && len(r.unread()) > 0 {
		a.fault(FaultExcess)
	}
}

// span reads a body of want bytes, or one that the close ends.
func (a *Answer) span(r *reader, want, limit int64) {
	var err error
	for err == nil && int64(len(r.unread())) < want && int64(len(r.unread())) <= limit {
		err = r.fill()
	}
	got := int64(len(r.unread()))
	a.Body = r.take(min(got, want, limit))
	switch {
	case min(got, want) > limit:
		a.fail(tooLargeBody(limit), "")
	case got >= want:
		a.End = EndComplete
	case a.Framing == FramingClose && errors.Is(err, io.EOF):
		a.End = EndClosed
	case a.Framing == FramingClose:
		a.fail(err, fmt.Sprintf("after %d bytes of the body", got))
	default:
		a.fail(err, fmt.Sprintf("after %d of %d bytes of the body", got, want))
	}
}

// take uses n unread bytes up and returns them without room behind, so that nobody can append over the rest.
func (r *reader) take(n int64) []byte {
	b := r.unread()[:n:n]
	r.pos += int(n)
	return b
}

func tooLargeBody(limit int64) error {
	return limitError(fmt.Sprintf("body of more than %d bytes", limit))
}

// frame decides how the body is delimited, and returns its length: math.MaxInt64 where the close tells it, -1 where
// the length can't be read. RFC 9112 section 6.3 decides, with two differences that keep more evidence: of unequal
// lengths the first is used, and so is a length beside a coding that is not chunked; each with its fault.
func (a *Answer) frame(noBody bool) int64 {
	length, lengths := a.lengths()
	codings, chunked := a.codings()
	if codings > 0 && lengths > 0 {
		a.fault(FaultLengthAndCoding)
	}
	switch {
	case noBody || bodiless(a.Status):
		a.Framing = FramingNone
		return 0
	case chunked:
		a.Framing = FramingChunked
		return math.MaxInt64
	case lengths > 0:
		a.Framing = FramingLength
		return length
	}
	a.Framing = FramingClose
	return math.MaxInt64
}

// bodiless reports whether an answer of this status never has a body: RFC 9112 section 6.3.
func bodiless(status int) bool {
	return status == 204 || status == 304 || status >= 100 && status < 200
}

// lengths reads all lengths given, in one line or several, and returns the first and their number. The length is -1
// when one of them is no number.
func (a *Answer) lengths() (first int64, count int) {
	for _, f := range a.Header {
		if !strings.EqualFold(f.Name, "content-length") {
			continue
		}
		for item := range strings.SplitSeq(f.Value, ",") {
			n := parseLength(trimSpace(item))
			switch {
			case n < 0 || first < 0:
				a.fault(FaultBadLength)
				first = -1
			case count == 0:
				first = n
			case n == first:
				a.fault(FaultLengthTwice)
			default:
				a.fault(FaultLengthsDiffer)
			}
			count++
		}
	}
	return first, count
}

// parseLength reads digits; a number beyond 63 bits is as good as endless. -1 stands for anything else.
func parseLength(s string) int64 {
	if s == "" {
		return -1
	}
	var n int64
	for i := 0; i < len(s); i++ {
		d := int64(s[i]) - '0'
		if d < 0 || d > 9 {
			return -1
		}
		if n > (math.MaxInt64-d)/10 {
			n = math.MaxInt64
			continue
		}
		n = n*10 + d
	}
	return n
}

// codings reads the transfer-codings and reports whether the last is chunked.
func (a *Answer) codings() (count int, chunked bool) {
	chunks := 0
	for _, f := range a.Header {
		if !strings.EqualFold(f.Name, "transfer-encoding") {
			continue
		}
		if a.Proto == "HTTP/1.0" {
			a.fault(FaultCodingInHTTP10)
		}
		for item := range strings.SplitSeq(f.Value, ",") {
			count++
			item = trimSpace(item)
			if item == "" { // an empty list item is a fault, but says nothing about the coding
				a.fault(FaultUnknownCoding)
				continue
			}
			chunked = strings.EqualFold(item, "chunked")
			if chunked {
				chunks++
			} else {
				a.fault(FaultUnknownCoding)
			}
		}
	}
	if chunks > 1 {
		a.fault(FaultChunkedTwice)
	}
	return count, chunked
}
