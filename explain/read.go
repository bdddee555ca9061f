package explain

import (
	"errors"

	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/wire"
)

// ErrNoAnswer is what Read says of an input that is not an answer as it stood on the wire.
var ErrNoAnswer = errors.New("no HTTP answer stands in it: neither the output of curl -i nor a body whose status is given")

// Read returns the answer that an input holds as it stood on the wire, and how it was read. Unlike Explain it takes
// nothing for an answer that is only quoted in a text, and assumes no status.
func Read(in []byte, status int) (a *wire.Answer, notes []string, err error) {
	if len(in) > MaxInput {
		return nil, nil, ErrNoAnswer
	}
	s := recognise(in)
	switch s.form {
	case formCurl:
	case formJSON, formStream, formHTML, formText:
		if status == 0 {
			return nil, nil, ErrNoAnswer
		}
		s.notes = append(s.notes, "there were no headers; only the content-type is made up")
		s.header = []wire.Field{{Name: "content-type", Value: map[string]string{
			formJSON: "application/json", formStream: "text/event-stream", formHTML: "text/html", formText: "text/plain",
		}[s.form]}}
	default:
		return nil, nil, ErrNoAnswer
	}
	s.chooseStatus(status, dialects.Anthropic)
	return s.answer(), s.notes, nil
}
