// Package evidence reads an answer once into a flat, ordered list of keys and values, and compares two lists.
//
// One place on the wire has one key: "status", "header/retry-after", "error/type", "error/details/error_code",
// "body/request_id", "stream/events", "end", "framing", "decode". The error object has the key "error" wherever it stood, so
// profiles, known files and controls hold for plain answers and for streams. What an event means, a dialect says. The
// package gives no verdict, knows no fixture, prints nothing and reads no environment.
package evidence

import (
	"strconv"
	"strings"
)

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

// Number reads a number value as an int, 0 when it is none.
func (v Value) Number() int {
	if v.Kind != Number {
		return 0
	}
	n, err := strconv.Atoi(v.Text)
	if err != nil {
		return 0
	}
	return n
}

// Items are the items of a List in order; nil for every other value.
func (v Value) Items() []string {
	if v.Kind != List {
		return nil
	}
	n, _ := parseJSON(v.Text) // a List is always an array of strings
	out := make([]string, len(n.kids))
	for i := range n.kids {
		out[i] = n.kids[i].node.text
	}
	return out
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
