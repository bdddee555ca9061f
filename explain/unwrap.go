package explain

import (
	"bytes"
	"encoding/json"

	"github.com/preservecheck/preservecheck/dialects"
)

// maxUnwrap bounds how many answers may stand inside each other.
const maxUnwrap = 4

// unwrap looks for a provider's answer inside the texts of another and returns the innermost with the number of levels,
// 0 when there is none.
func unwrap(body []byte, d *dialects.Dialect) (inner []byte, depth int) {
	inner = body
	for depth < maxUnwrap {
		next := answerInside(inner, d)
		if next == nil {
			break
		}
		inner, depth = next, depth+1
	}
	return inner, depth
}

// answerInside looks one level down: into a body that is a JSON string, and into the members in which layers quote.
func answerInside(body []byte, d *dialects.Dialect) []byte {
	var whole string
	if json.Unmarshal(body, &whole) == nil {
		return answerIn([]byte(whole), d)
	}
	var top map[string]json.RawMessage
	if json.Unmarshal(body, &top) != nil {
		return nil
	}
	for _, raw := range quotes(top) {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			continue
		}
		if a := answerIn([]byte(text), d); a != nil {
			return a
		}
	}
	return nil
}

// quotes lists the members in which a layer may put what it got.
func quotes(top map[string]json.RawMessage) []json.RawMessage {
	out := []json.RawMessage{top["error"], top["message"], top["detail"]}
	var e map[string]json.RawMessage
	if json.Unmarshal(top["error"], &e) == nil {
		out = append(out, e["message"], e["details"])
		var meta map[string]json.RawMessage
		if json.Unmarshal(e["metadata"], &meta) == nil {
			out = append(out, meta["raw"])
		}
	}
	return out
}

// answerIn finds an answer of the dialect in a text, with or without words around it.
func answerIn(text []byte, d *dialects.Dialect) []byte {
	text = bytes.TrimSpace(text)
	if len(text) > 1 && text[0] == '"' && json.Valid(text) {
		var s string
		if json.Unmarshal(text, &s) == nil {
			text = []byte(s)
		}
	}
	_, b := bodyInText(text)
	if b == nil {
		return nil
	}
	var o struct {
		Type  string          `json:"type"`
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(b, &o) != nil {
		return nil
	}
	switch {
	case hasAny(o.Error, "type", "message"):
		return b
	case d.StatusOf[o.Type] != 0: // the error object alone
		return append(append([]byte(`{"`+d.Layout.Error+`":`), b...), '}')
	case answerInside(b, d) != nil: // words around words: {"message":"{…}"}
		return b
	}
	return nil
}
