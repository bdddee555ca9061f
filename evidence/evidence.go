// Package evidence reads an answer once into a flat, ordered list of keys and values, and compares two lists.
//
// One place on the wire has one key: "status", "header/retry-after", "error/type", "error/details/error_code",
// "body/request_id", "stream/events", "end", "framing", "decode". The error object has the key "error" wherever it stood, so
// profiles, known files and controls hold for plain answers and for streams. The package gives no verdict, knows
// no fixture, prints nothing and reads no environment.
package evidence

import "strings"

// Kind is what a value is. The empty Kind is absent.
type Kind string

// The kinds of values. Absent, empty and null are three different things.
const (
	Absent Kind = ""
	Empty  Kind = "empty"  // a body of no bytes
	Text   Kind = "text"   // a header value, or a body that is not JSON
	List   Kind = "list"   // several header lines of one name, as a JSON array of their values in order
	Number Kind = "number" // the literal as it was sent: 1 and 1.0 differ
	String Kind = "string" // escapes undone
	Bool   Kind = "bool"
	Null   Kind = "null"
	Array  Kind = "array"  // compared whole, members sorted inside objects
	Object Kind = "object" // its members are keys of their own
	Bytes  Kind = "bytes"  // not UTF-8; base64
)

// Value is one comparable value: kind and canonical text. The zero Value is absent.
type Value struct {
	Kind Kind
	Text string
}

// Entry is one key with its value.
type Entry struct {
	Key   string
	Value Value
}

// Evidence is all that was read of one answer, in a stable order.
type Evidence []Entry

// Get returns the value of a key, absent when there is none.
func (e Evidence) Get(key string) Value {
	for i := range e {
		if e[i].Key == key {
			return e[i].Value
		}
	}
	return Value{}
}

// Parent returns the key one level up, "" for a root.
func Parent(key string) string {
	i := strings.LastIndexByte(key, '/')
	if i < 0 {
		return ""
	}
	return key[:i]
}

// Layout is where a dialect keeps its error.
type Layout struct {
	// Error is the member that holds the error object, in a body and in an error event's data.
	Error string
	// IsError reports whether an event carries an error, by its name and by the type member of its data.
	IsError func(event, dataType string) bool
	// IsTerminal reports whether an event ends a stream successfully.
	IsTerminal func(event, dataType string) bool
}
