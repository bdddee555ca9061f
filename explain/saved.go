package explain

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/wire"
)

// The forms that an input is recognised as.
const (
	formCurl      = "curl output"
	formStream    = "event stream"
	formJSON      = "JSON body"
	formHTML      = "HTML page"
	formException = "text with an error in it"
	formText      = "text"
	formEmpty     = "nothing"
)

// saved is an answer as far as an input holds it.
type saved struct {
	form      string
	status    int  // 0: unknown
	assumed   bool // the status stands nowhere in the input
	header    []wire.Field
	headers   bool // the headers are known to be all there
	bodyKnown bool // an empty body is an empty body, and not one that was not saved
	body      []byte
	stream    bool
	quotes    bool     // its message holds another answer, so its wording is not its own
	silent    bool     // the text says that no answer came
	notes     []string // on how it was read; they go to Result.Why
}

// recognise tries the forms in order; the first that fits is taken.
func recognise(in []byte) *saved {
	in = bytes.TrimSpace(bytes.TrimPrefix(in, []byte("\ufeff")))
	for _, form := range []func([]byte) *saved{readNothing, readCurl, readJSON, readStream, readHTML, readException} {
		if s := form(in); s != nil {
			return s
		}
	}
	return &saved{form: formText, body: in, bodyKnown: true}
}

func readNothing(in []byte) *saved {
	if len(in) > 0 {
		return nil
	}
	return &saved{form: formEmpty}
}

func readJSON(in []byte) *saved {
	if !json.Valid(in) || in[0] != '{' && in[0] != '[' && in[0] != '"' {
		return nil
	}
	return &saved{form: formJSON, body: in, bodyKnown: true}
}

func readStream(in []byte) *saved {
	first := in
	for len(first) > 0 && first[0] == ':' { // comments come before the first event
		_, first, _ = bytes.Cut(first, []byte("\n"))
		first = bytes.TrimLeft(first, "\r\n")
	}
	if !bytes.HasPrefix(first, []byte("event:")) && !bytes.HasPrefix(first, []byte("data:")) {
		return nil
	}
	// The blank line that ends the last event is what copying loses first.
	body := append(bytes.Clone(first), "\n\n"...)
	return &saved{form: formStream, body: body, bodyKnown: true, stream: true}
}

// chooseStatus settles on one status: that of the input itself, else the option, else what the form or the type lets assume.
func (s *saved) chooseStatus(option int, d *dialects.Dialect) {
	switch {
	case s.status != 0:
		if option != 0 && option != s.status {
			s.notes = append(s.notes, fmt.Sprintf("the input says status %d, so the given %d is left aside", s.status, option))
		}
	case option != 0:
		s.status = option
	case s.form == formStream:
		s.status, s.assumed = 200, true
		s.notes = append(s.notes, "status 200 is assumed, since streams begin with it")
	default:
		if st := documentedStatus(s.body, d); st != 0 {
			s.status, s.assumed = st, true
			s.notes = append(s.notes, fmt.Sprintf("status %d is assumed, as the one documented for this type", st))
		}
	}
}

// documentedStatus returns the status that a body's error code or type is documented with, 0 when there is none.
func documentedStatus(body []byte, d *dialects.Dialect) int {
	var b struct {
		Error struct {
			Code any `json:"code"` // a text in OpenAI's errors, a number in OpenRouter's
			Type any `json:"type"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &b) != nil {
		return 0
	}
	for _, word := range []any{b.Error.Code, b.Error.Type} {
		if text, ok := word.(string); ok && d.StatusOf[text] != 0 {
			return d.StatusOf[text]
		}
	}
	return 0
}
