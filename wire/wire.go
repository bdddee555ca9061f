// Package wire is HTTP/1 and server-sent events as bytes: one request out, one answer in, and how it ended.
//
// It interprets nothing, retries nothing, follows no redirect and undoes no encoding unasked, because each of
// these would hide what a layer did. It knows no fixture, no dialect and no verdict, prints nothing and reads no
// environment.
package wire

import (
	"strings"
	"time"
)

// Field is one header line as it stood on the wire: case and order are kept.
type Field struct{ Name, Value string }

// Ask is what a client wants to say, before a dialect turns it into a request. A channel marks it here, so that a
// channel need not know a dialect.
type Ask struct {
	Model  string  // model name to put where the dialect keeps it
	Prompt string  // the only user text
	Stream bool    // ask for a stream
	Prefix string  // path put in front of the dialect's own path, "" or "/..."
	Header []Field // added to the dialect's own; a name already there is replaced
}

// Request is one HTTP/1.1 request. Content-Length is added by the sender.
type Request struct {
	Method string
	Target string // origin form: path and query
	Header []Field
	Body   []byte
}

// End says how an answer ended.
type End string

// The ends of an answer. Only EndComplete and EndClosed are orderly.
const (
	EndComplete   End = "complete"    // the framing was satisfied
	EndClosed     End = "closed"      // no framing but the close of the connection, which can't be told from a cut
	EndShort      End = "short"       // closed before the framing was satisfied
	EndReset      End = "reset"       // the connection was reset
	EndTimeout    End = "timeout"     // our deadline
	EndTooLarge   End = "too-large"   // one of our limits; Err names it
	EndBadFraming End = "bad-framing" // bytes that are no HTTP/1 answer, or chunks that are none
	EndNone       End = "none"        // no byte of an answer came
	EndRefused    End = "refused"     // no connection could be made, or the request was not fit to be sent
	EndCanceled   End = "canceled"    // the run was interrupted
	EndLocal      End = "local"       // this machine could not open a connection; nothing is known of the other side
)

// Orderly reports whether a client would take the answer as whole.
func (e End) Orderly() bool { return e == EndComplete || e == EndClosed }

// Framing says what delimited the body.
type Framing string

// The framings of a body.
const (
	FramingNone    Framing = "none" // no body by definition: 1xx, 204, 304, the answer to a HEAD
	FramingLength  Framing = "length"
	FramingChunked Framing = "chunked"
	FramingClose   Framing = "close"
)

// Pace says whether a stream that its sender paused in was passed on while it came.
type Pace string

// The paces. An answer that nobody paused in has none.
const (
	AsSent Pace = "as sent" // its beginning was there before the rest was sent, or as long before the rest came
	AtOnce Pace = "at once" // all of it came together, after the pause
)

// Answer is one HTTP/1 answer, with everything that a lenient reader would hide.
type Answer struct {
	Proto   string // HTTP/1.0 or HTTP/1.1
	Status  int    // 0 when no status line could be read
	Reason  string
	Header  []Field
	Interim []int   // the 1xx answers that came first
	Trailer []Field // after a chunked body
	Body    []byte  // without chunking, still under its content-encoding
	Framing Framing
	Faults  []string // what is wrong with the framing: Fault constants, sorted, each at most once
	End     End
	Err     string // why, in words, when End is not orderly
	SentAt  time.Time
	FirstAt time.Time // when the first byte of the final answer, not an interim one, was read; zero when none came
	BodyAt  time.Time // when the body began: of a stream its first data field, of others the first byte; zero when none came
	LastAt  time.Time // when the last bytes were read
	DoneAt  time.Time
	Pace    Pace   // what the asker made of these times; Read leaves it empty
	Local   string // address that the request was sent from, "" when none was
}

// Values returns every value of a header, in order.
func (a *Answer) Values(name string) []string {
	var v []string
	for _, f := range a.Header {
		if strings.EqualFold(f.Name, name) {
			v = append(v, f.Value)
		}
	}
	return v
}

// Elapsed is the time from the first byte sent to the end of the answer.
func (a *Answer) Elapsed() time.Duration { return a.DoneAt.Sub(a.SentAt) }

// Clone copies an answer deeply, so that a fault can change the copy.
func (a *Answer) Clone() *Answer {
	c := *a
	c.Header = append([]Field(nil), a.Header...)
	c.Trailer = append([]Field(nil), a.Trailer...)
	c.Interim = append([]int(nil), a.Interim...)
	c.Faults = append([]string(nil), a.Faults...)
	c.Body = append([]byte(nil), a.Body...)
	return &c
}
