package wire

import (
	"net"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// outcome is what a table says of an answer.
type outcome struct {
	Status  int
	Framing Framing
	End     End
	Body    string
	Faults  []string
	Interim []int
}

func outcomeOf(a *Answer) outcome {
	return outcome{a.Status, a.Framing, a.End, string(a.Body), a.Faults, a.Interim}
}

const ok429 = "HTTP/1.1 429 x\r\nContent-Length: 2\r\n\r\nok"

func length(end End, faults ...string) outcome {
	return outcome{Status: 429, Framing: FramingLength, End: end, Body: "ok", Faults: faults}
}

func chunked(end End, body string, faults ...string) outcome {
	return outcome{Status: 429, Framing: FramingChunked, End: end, Body: body, Faults: faults}
}

func unread(end End) outcome { return outcome{End: end} }

const inChunks = "HTTP/1.1 429 x\r\nTransfer-Encoding: chunked\r\n\r\n"

// malformed are answers that lenient readers hide or misread. The end is how the connection ends: "" is a FIN.
var malformed = []struct {
	name, why, raw, end string
	want                outcome
	err                 string // must be contained in Err
	check               func(t *testing.T, a *Answer)
}{
	{name: "plain", why: "the usual answer", raw: ok429, want: length(EndComplete)},
	{name: "100 then 429", why: "an interim answer is not the answer", raw: "HTTP/1.1 100 Continue\r\n\r\n" + ok429,
		want: outcome{429, FramingLength, EndComplete, "ok", nil, []int{100}}},
	{name: "103 then 429", why: "headers of a 103 don't belong to the answer",
		raw:  "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + ok429,
		want: outcome{429, FramingLength, EndComplete, "ok", nil, []int{103}},
		check: func(t *testing.T, a *Answer) {
			if a.Values("link") != nil {
				t.Error("the 103's header is in the answer")
			}
		}},
	{name: "101", why: "a switch of protocols is final", raw: "HTTP/1.1 101 x\r\nUpgrade: h2c\r\n\r\n",
		want: outcome{Status: 101, Framing: FramingNone, End: EndComplete}},
	{name: "length beside coding", why: "chunked wins, the clash is shown",
		raw:  "HTTP/1.1 429 x\r\nContent-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
		want: chunked(EndComplete, "ok", FaultLengthAndCoding)},
	{name: "two equal lengths", why: "harmless to read, but two layers wrote it",
		raw:  "HTTP/1.1 429 x\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok",
		want: length(EndComplete, FaultLengthTwice)},
	{name: "two equal lengths in a line", why: "a list is two lengths, too",
		raw: "HTTP/1.1 429 x\r\nContent-Length: 2, 2\r\n\r\nok", want: length(EndComplete, FaultLengthTwice)},
	{name: "two different lengths", why: "the first is read, the clash is shown",
		raw:  "HTTP/1.1 429 x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok",
		want: length(EndComplete, FaultLengthsDiffer)},
	{name: "length no number", why: "nothing says where the body ends", raw: "HTTP/1.1 429 x\r\nContent-Length: +2\r\n\r\n",
		want: outcome{429, FramingLength, EndBadFraming, "", []string{FaultBadLength}, nil}, err: FaultBadLength},
	{name: "one length no number", why: "a good length beside a bad one is no better",
		raw:  "HTTP/1.1 429 x\r\nContent-Length: 2\r\nContent-Length: x\r\n\r\n",
		want: outcome{429, FramingLength, EndBadFraming, "", []string{FaultBadLength}, nil}},
	{name: "first length no number", why: "nor does a good one behind it help, or make them differ",
		raw:  "HTTP/1.1 429 x\r\nContent-Length: x\r\nContent-Length: 2\r\n\r\n",
		want: outcome{429, FramingLength, EndBadFraming, "", []string{FaultBadLength}, nil}},
	{name: "length beyond 63 bits", why: "must not wrap around",
		raw:  "HTTP/1.1 429 x\r\nContent-Length: 18446744073709551618\r\n\r\nok",
		want: length(EndShort), err: "after 2 of"},
	{name: "gzip, chunked", why: "chunks are undone, the unknown coding is shown",
		raw:  "HTTP/1.1 429 x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
		want: chunked(EndComplete, "ok", FaultUnknownCoding)},
	{name: "coding without chunked", why: "then the close ends the body",
		raw:  "HTTP/1.1 429 x\r\nTransfer-Encoding: identity\r\n\r\nok",
		want: outcome{429, FramingClose, EndClosed, "ok", []string{FaultUnknownCoding}, nil}},
	{name: "coding without chunked beside length", why: "the length keeps us from waiting for a close",
		raw:  "HTTP/1.1 429 x\r\nTransfer-Encoding: identity\r\nContent-Length: 2\r\n\r\nok",
		want: length(EndComplete, FaultLengthAndCoding, FaultUnknownCoding)},
	{name: "empty list item in coding", why: "says nothing, but is not clean",
		raw:  "HTTP/1.1 429 x\r\nTransfer-Encoding: chunked,\r\n\r\n2\r\nok\r\n0\r\n\r\n",
		want: chunked(EndComplete, "ok", FaultUnknownCoding)},
	{name: "chunked twice", why: "nginx answers 502 to this; undone once",
		raw:  "HTTP/1.1 429 x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
		want: chunked(EndComplete, "ok", FaultChunkedTwice)},
	{name: "chunked in HTTP/1.0", why: "1.0 has no chunks, so clients disagree",
		raw:  "HTTP/1.0 429 x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
		want: chunked(EndComplete, "ok", FaultCodingInHTTP10)},
	{name: "short body, FIN", why: "the length promised more", raw: "HTTP/1.1 429 x\r\nContent-Length: 9\r\n\r\nok",
		want: length(EndShort), err: "closed after 2 of 9 bytes"},
	{name: "short body, RST", why: "a reset is not a close", raw: "HTTP/1.1 429 x\r\nContent-Length: 9\r\n\r\nok",
		end: "rst", want: length(EndReset), err: "reset after 2 of 9 bytes"},
	{name: "short body, hang", why: "our deadline ends it, what came is kept",
		raw: "HTTP/1.1 429 x\r\nContent-Length: 9\r\n\r\nok", end: "hang", want: length(EndTimeout), err: "timed out after 2 of 9"},
	{name: "excess bytes", why: "a second answer may hide there", raw: ok429 + "EXTRA", want: length(EndComplete, FaultExcess)},
	{name: "excess after chunks", why: "the same behind a last chunk", raw: inChunks + "2\r\nok\r\n0\r\n\r\nEXTRA",
		want: chunked(EndComplete, "ok", FaultExcess)},
	{name: "cut in chunk data", why: "what came is kept", raw: inChunks + "5\r\nhe", want: chunked(EndShort, "he"), err: "after 2 bytes"},
	{name: "cut after chunk data", why: "the chunk's own end is missing", raw: inChunks + "2\r\nok", want: chunked(EndShort, "ok")},
	{name: "no last chunk", why: "a stream cut between chunks", raw: inChunks + "2\r\nok\r\n", want: chunked(EndShort, "ok")},
	{name: "cut before the trailer's end", why: "a last chunk alone is not the end", raw: inChunks + "2\r\nok\r\n0\r\n",
		want: chunked(EndShort, "ok"), err: "after the last chunk"},
	{name: "bad chunk size", why: "what stood before it is kept", raw: inChunks + "2\r\nok\r\nzz\r\nno\r\n",
		want: chunked(EndBadFraming, "ok"), err: `"zz"`},
	{name: "negative chunk size", why: "a sign is no digit", raw: inChunks + "-1\r\n\r\n", want: chunked(EndBadFraming, "")},
	{name: "empty chunk size", why: "no digit is no size", raw: inChunks + "\r\n", want: chunked(EndBadFraming, "")},
	{name: "17 digits of size", why: "would wrap around", raw: inChunks + "00000000000000002\r\nok\r\n", want: chunked(EndBadFraming, "")},
	{name: "largest chunk size", why: "must not wrap around", raw: inChunks + "ffffffffffffffff\r\nok", want: chunked(EndShort, "ok")},
	{name: "chunk longer than its size", why: "one of the two is wrong", raw: inChunks + "2\r\nokay\r\n0\r\n\r\n",
		want: chunked(EndBadFraming, "ok"), err: "longer than its size"},
	{name: "chunk extensions", why: "are legal and ignored; so is padding", raw: inChunks + "2 ;a=b\r\nok\r\n1  \r\n!\r\n0;z\r\n\r\n",
		want: chunked(EndComplete, "ok!")},
	{name: "chunk sizes in both cases", why: "hexadecimal has two", raw: inChunks + "A\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n",
		want: chunked(EndComplete, "01234567890123456789")},
	{name: "bare LF in chunks", why: "readers disagree about it", raw: inChunks + "2\nok\r\n0\r\n\r\n",
		want: chunked(EndComplete, "ok", FaultChunkLine)},
	{name: "trailer", why: "an error may come there", raw: inChunks + "2\r\nok\r\n0\r\nX-Err: overloaded\r\n\r\n",
		want: chunked(EndComplete, "ok"),
		check: func(t *testing.T, a *Answer) {
			if d := cmp.Diff([]Field{{"X-Err", "overloaded"}}, a.Trailer); d != "" {
				t.Error(d)
			}
		}},
	{name: "cut in the trailer", why: "its whole lines are kept", raw: inChunks + "2\r\nok\r\n0\r\nX-Err: overloaded\r\nX-",
		want: chunked(EndShort, "ok"),
		check: func(t *testing.T, a *Answer) {
			if d := cmp.Diff([]Field{{"X-Err", "overloaded"}}, a.Trailer); d != "" {
				t.Error(d)
			}
		}},
	{name: "close delimited", why: "can't be told from a cut", raw: "HTTP/1.1 429 x\r\n\r\nok",
		want: outcome{Status: 429, Framing: FramingClose, End: EndClosed, Body: "ok"}},
	{name: "close delimited, RST", why: "a reset can", raw: "HTTP/1.1 429 x\r\n\r\nok", end: "rst",
		want: outcome{Status: 429, Framing: FramingClose, End: EndReset, Body: "ok"}},
	{name: "HTTP/1.0", why: "its close is the end", raw: "HTTP/1.0 429 x\r\n\r\nok",
		want: outcome{Status: 429, Framing: FramingClose, End: EndClosed, Body: "ok"}},
	{name: "space before colon", why: "the header is still what it was",
		raw:  "HTTP/1.1 429 x\r\nRetry-After : 1\r\nContent-Length: 2\r\n\r\nok",
		want: length(EndComplete, FaultSpaceBeforeColon), check: retryAfter("1")},
	{name: "no colon", why: "net/http loses the status here", raw: "HTTP/1.1 429 x\r\nbogus\r\nContent-Length: 2\r\n\r\nok",
		want: length(EndComplete, FaultNoColon)},
	{name: "empty name", why: "a colon alone makes no header", raw: "HTTP/1.1 429 x\r\n: 1\r\nContent-Length: 2\r\n\r\nok",
		want: length(EndComplete, FaultName)},
	{name: "name with a space", why: "is no token", raw: "HTTP/1.1 429 x\r\nRetry After: 1\r\nContent-Length: 2\r\n\r\nok",
		want: length(EndComplete, FaultName)},
	{name: "folded", why: "old mail style; one value", raw: "HTTP/1.1 429 x\r\nRetry-After: 1\r\n\t2\r\n  3\r\nContent-Length: 2\r\n\r\nok",
		want: length(EndComplete, FaultFolded), check: retryAfter("1 2 3")},
	{name: "folded, with empty parts", why: "white space at the ends is no part of a value",
		raw:  "HTTP/1.1 429 x\r\nRetry-After:\r\n \r\n 1\r\n \r\nContent-Length: 2\r\n\r\nok",
		want: length(EndComplete, FaultFolded), check: retryAfter("1")},
	{name: "folded at the start", why: "there is nothing to fold onto", raw: "HTTP/1.1 429 x\r\n Retry-After: 1\r\nContent-Length: 2\r\n\r\nok",
		want: length(EndComplete, FaultFolded), check: retryAfter("1")},
	{name: "folded at the end", why: "the head's end ends the value, too", raw: "HTTP/1.1 429 x\r\nContent-Length: 2\r\nRetry-After: 1\r\n 2\r\n\r\nok",
		want: length(EndComplete, FaultFolded), check: retryAfter("1 2")},
	{name: "folded onto no header", why: "a line without a name takes nothing up", raw: "HTTP/1.1 429 x\r\nbogus\r\n Retry-After: 1\r\nContent-Length: 2\r\n\r\nok",
		want: length(EndComplete, FaultFolded, FaultNoColon), check: retryAfter("1")},
	{name: "NUL in a folded line", why: "belongs to the value", raw: "HTTP/1.1 429 x\r\nRetry-After: 1\r\n \x00\r\nContent-Length: 2\r\n\r\nok",
		want: length(EndComplete, FaultControl, FaultFolded), check: retryAfter("1 \x00")},
	{name: "DEL without a colon", why: "every line is looked at, for every control character", raw: "HTTP/1.1 429 x\r\nbo\x7fgus\r\nContent-Length: 2\r\n\r\nok",
		want: length(EndComplete, FaultControl, FaultNoColon)},
	{name: "two CR at a line's end", why: "only one belongs to the end", raw: "HTTP/1.1 429 x\r\nRetry-After: 1\r\r\nContent-Length: 2\r\n\r\nok",
		want: length(EndComplete, FaultControl), check: retryAfter("1\r")},
	{name: "NUL in value", why: "kept, and shown", raw: "HTTP/1.1 429 x\r\nRetry-After: 1\x00\r\nContent-Length: 2\r\n\r\nok",
		want: length(EndComplete, FaultControl), check: retryAfter("1\x00")},
	{name: "CR in value", why: "some readers take it for a line end", raw: "HTTP/1.1 429 x\r\nRetry-After: 1\rX: 2\r\nContent-Length: 2\r\n\r\nok",
		want: length(EndComplete, FaultControl), check: retryAfter("1\rX: 2")},
	{name: "ESC in reason", why: "the reason is part of the head", raw: "HTTP/1.1 429 \x1b[31m\r\nContent-Length: 2\r\n\r\nok",
		want: length(EndComplete, FaultControl)},
	{name: "latin-1 value", why: "bytes beyond ASCII are allowed", raw: "HTTP/1.1 429 x\r\nX-Msg: caf\xe9\r\nContent-Length: 2\r\n\r\nok",
		want: length(EndComplete)},
	{name: "bare LF", why: "RFC 9112 lets us accept it, and Node refuses it", raw: "HTTP/1.1 429 x\nContent-Length: 2\n\nok", want: length(EndComplete, FaultHeadLine)},
	{name: "one bare LF", why: "a single header written by hand", raw: "HTTP/1.1 429 x\r\nX-A: b\nContent-Length: 2\r\n\r\nok", want: length(EndComplete, FaultHeadLine)},
	{name: "no reason, no space", why: "h2o and Squid send such lines", raw: "HTTP/1.1 429\r\nContent-Length: 2\r\n\r\nok",
		want: length(EndComplete)},
	{name: "order and case", why: "kept as they came", raw: "HTTP/1.1 429 x\r\nRETRY-AFTER: 2\r\nretry-after: 1\r\nContent-Length: 2\r\n\r\nok",
		want: length(EndComplete), check: func(t *testing.T, a *Answer) {
			if d := cmp.Diff([]Field{{"RETRY-AFTER", "2"}, {"retry-after", "1"}, {"Content-Length", "2"}}, a.Header); d != "" {
				t.Error(d)
			}
		}},
	{name: "four digits of status", why: "kept where it can be read", raw: "HTTP/1.1 4290 x\r\nContent-Length: 2\r\n\r\nok",
		want: outcome{4290, FramingLength, EndComplete, "ok", []string{FaultStatus}, nil}},
	{name: "two digits of status", why: "the same", raw: "HTTP/1.1 42 x\r\nContent-Length: 2\r\n\r\nok",
		want: outcome{42, FramingLength, EndComplete, "ok", []string{FaultStatus}, nil}},
	{name: "status below 100", why: "three digits, but no status", raw: "HTTP/1.1 042 x\r\nContent-Length: 2\r\n\r\nok",
		want: outcome{42, FramingLength, EndComplete, "ok", []string{FaultStatus}, nil}},
	{name: "ten digits of status", why: "no number to keep", raw: "HTTP/1.1 4290000000 x\r\n\r\n", want: unread(EndBadFraming)},
	{name: "two spaces before the status", why: "readers skip them", raw: "HTTP/1.1  429 x\r\nContent-Length: 2\r\n\r\nok", want: length(EndComplete)},
	{name: "status in letters", why: "there is none", raw: "HTTP/1.1 abc\r\n\r\n", want: unread(EndBadFraming), err: "not a status line"},
	{name: "status 000", why: "0 means that none was read", raw: "HTTP/1.1 000 x\r\n\r\n", want: unread(EndBadFraming)},
	{name: "letters behind the status", why: "42x is no number", raw: "HTTP/1.1 429x\r\n\r\n", want: unread(EndBadFraming)},
	{name: "HTTP/2 in text", why: "no such status line exists", raw: "HTTP/2 429\r\n\r\n", want: unread(EndBadFraming), err: "HTTP/2 429"},
	{name: "204 with body", why: "it can't have one", raw: "HTTP/1.1 204 x\r\nContent-Length: 2\r\n\r\nok",
		want: outcome{Status: 204, Framing: FramingNone, End: EndComplete, Faults: []string{FaultExcess}}},
	{name: "304 with length", why: "the length is of the body that is not sent", raw: "HTTP/1.1 304 x\r\nContent-Length: 2\r\n\r\n",
		want: outcome{Status: 304, Framing: FramingNone, End: EndComplete}},
	{name: "h2 settings", why: "an HTTP/2 server answers in frames", end: "hang",
		raw:  "\x00\x00\x12\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x64\x00\x04\x00\x00\xff\xff",
		want: unread(EndBadFraming), err: "HTTP/2 without upgrade (h2 only)"},
	{name: "TLS alert", why: "a TLS server says so in bytes", end: "hang", raw: "\x15\x03\x01\x00\x02\x02\x46",
		want: unread(EndBadFraming), err: "TLS alert: use https://"},
	{name: "empty, FIN", why: "nginx's return 444", raw: "", want: unread(EndNone), err: "closed before any byte"},
	{name: "empty, RST", why: "the layer died", raw: "", end: "rst", want: unread(EndReset), err: "reset before any byte"},
	{name: "silence", why: "our deadline ends it", raw: "", end: "hang", want: unread(EndTimeout), err: "timed out before any byte"},
	{name: "FIN after a 103", why: "an interim answer is none", raw: "HTTP/1.1 103 x\r\n\r\n",
		want: outcome{End: EndShort, Interim: []int{103}}, err: "after an interim answer"},
	{name: "half status line", why: "429 may be the beginning of 4290", raw: "HTTP/1.1 429", want: unread(EndShort), err: "inside the head"},
	{name: "half head", why: "the status line is whole, and so is one header",
		raw: "HTTP/1.1 429 x\r\nA: 1\r\nRetry-Af", want: outcome{Status: 429, End: EndShort}, err: "inside the head",
		check: func(t *testing.T, a *Answer) {
			if d := cmp.Diff([]Field{{"A", "1"}}, a.Header); d != "" {
				t.Error(d)
			}
		}},
	{name: "half interim head", why: "its status is not the answer's", raw: "HTTP/1.1 103 x\r\nLink: ", want: unread(EndShort)},
	{name: "garbage", why: "another protocol, never ended", raw: "SSH-2.0-OpenSSH_9\r\n", end: "hang",
		want: unread(EndBadFraming), err: `not an HTTP/1 answer: "SSH-2.0`},
	{name: "terminal escapes", why: "an error shows them quoted", raw: "\x1b]0;x\a::error::", want: unread(EndBadFraming), err: `\x1b`},
	{name: "1xx flood", why: "16 are enough", raw: strings.Repeat("HTTP/1.1 100 x\r\n\r\n", 5000),
		want: outcome{End: EndTooLarge, Interim: slices.Repeat([]int{100}, 17)}, err: "more than 16 interim"},
	{name: "endless head", why: "64 KiB are enough; the status is kept",
		raw:  "HTTP/1.1 429 x\r\n" + strings.Repeat("x-a: "+strings.Repeat("b", 1000)+"\r\n", 2000),
		want: outcome{Status: 429, End: EndTooLarge}, err: "head of more than 65536 bytes"},
	{name: "interim heads count", why: "the limit is on all heads together", end: "hang",
		raw:  "HTTP/1.1 103 x\r\nx: " + strings.Repeat("b", 40_000) + "\r\n\r\nHTTP/1.1 429 x\r\nx: " + strings.Repeat("b", 40_000) + "\r\n\r\n",
		want: outcome{Status: 429, End: EndTooLarge, Interim: []int{103}}, err: "head of more than 65536 bytes"},
	{name: "endless header line", why: "a line is bounded, too", raw: "HTTP/1.1 429 x\r\nx-a: " + strings.Repeat("b", 200_000),
		want: outcome{Status: 429, End: EndTooLarge}, err: "head of more than"},
	{name: "endless chunk line", why: "so is a chunk's", raw: inChunks + "2;" + strings.Repeat("b", 10_000), want: chunked(EndTooLarge, ""),
		err: "chunk line of more than"},
	{name: "endless chunk extensions", why: "bytes that carry nothing", want: chunked(EndTooLarge, "kkkkkkkk"),
		raw: inChunks + strings.Repeat("1;"+strings.Repeat("b", 2000)+"\r\nk\r\n", 20), err: "chunk extensions of more than"},
	{name: "endless trailer", why: "is bounded as well", raw: inChunks + "2\r\nok\r\n0\r\n" + strings.Repeat("a: b\r\n", 10_000),
		want: chunked(EndTooLarge, "ok"), err: "trailer of more than 16384 bytes"},
}

func retryAfter(want ...string) func(t *testing.T, a *Answer) {
	return func(t *testing.T, a *Answer) {
		if d := cmp.Diff(want, a.Values("retry-after")); d != "" {
			t.Error(d)
		}
	}
}

// TestMalformedInMemory reads what ends with a close, at once and byte by byte; only excess bytes need company.
func TestMalformedInMemory(t *testing.T) {
	for _, c := range malformed {
		if c.end != "" {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			judge(t, Read(strings.NewReader(c.raw), Limits{}), c.want, c.err, c.why, c.check)
			byByte := c.want
			byByte.Faults = slices.DeleteFunc(slices.Clone(byByte.Faults), func(f string) bool { return f == FaultExcess })
			if len(byByte.Faults) == 0 {
				byByte.Faults = nil
			}
			err := c.err
			if strings.Contains(c.raw, "\x1b]") || strings.Contains(c.raw, "HTTP/2") {
				err = "" // the text that is quoted depends on how much came at once
			}
			judge(t, Read(iotest.OneByteReader(strings.NewReader(c.raw)), Limits{}), byByte, err, c.why, c.check)
		})
	}
}

// TestStrangersInPieces: another protocol is recognised however its first bytes are cut.
func TestStrangersInPieces(t *testing.T) {
	for _, raw := range []string{"\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x64", "\x15\x03\x01\x00\x02\x02\x46", "\x00", "\x00\x00\x06\x01\x00\x00\x00\x00\x00"} {
		whole := Read(strings.NewReader(raw), Limits{})
		pieces := Read(iotest.OneByteReader(strings.NewReader(raw)), Limits{})
		if whole.Err != pieces.Err || whole.End != EndBadFraming || pieces.End != EndBadFraming {
			t.Errorf("%q: %s %q at once, %s %q in pieces", raw, whole.End, whole.Err, pieces.End, pieces.Err)
		}
	}
}

// TestMalformedOverLoopback sends the same through real sockets, with a real FIN, RST or silence at the end.
func TestMalformedOverLoopback(t *testing.T) {
	for _, c := range malformed {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			addr := serve(t, func(conn *net.TCPConn) {
				if _, _, err := readRequest(conn); err != nil {
					return
				}
				_, _ = conn.Write([]byte(c.raw))
				switch c.end {
				case "rst":
					time.Sleep(20 * time.Millisecond)
					_ = conn.SetLinger(0)
				case "hang":
					hang(conn)
				}
			})
			limit := 5 * time.Second
			if c.want.End == EndTimeout {
				limit = 150 * time.Millisecond
			}
			start := time.Now()
			a := client(addr).Do(within(t, limit), ask)
			judge(t, a, c.want, c.err, c.why, c.check)
			if time.Since(start) > 4*time.Second {
				t.Errorf("took %v: the end of the answer was not seen", time.Since(start))
			}
		})
	}
}

func judge(t *testing.T, a *Answer, want outcome, err, why string, check func(*testing.T, *Answer)) {
	t.Helper()
	if d := cmp.Diff(want, outcomeOf(a)); d != "" {
		t.Errorf("%s\n%s\nerr: %s", why, d, a.Err)
	}
	if !strings.Contains(a.Err, err) {
		t.Errorf("%s: Err = %q, want %q in it", why, a.Err, err)
	}
	if a.End.Orderly() == (a.Err != "") {
		t.Errorf("End %s with Err %q: one is there without the other", a.End, a.Err)
	}
	if check != nil {
		check(t, a)
	}
}
