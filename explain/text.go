package explain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/preservecheck/preservecheck/wire"
)

const (
	maxStarts = 64       // places in a text at which a body is tried
	maxProse  = 16 << 10 // bytes of a text in which a status is looked for
)

var (
	pageStart  = pattern(`(?i)<(?:!doctype html|html)\b`)
	pageStatus = pattern(`(?i)<(?:title|h1)>\s*([1-5][0-9][0-9])\b`)
	requestID  = pattern(`(?i)\brequest[-_ ]id["']?[:=]\s*["']?([A-Za-z0-9_-]{4,128})`)
)

// statusWords find a status in the text around a body, the surest first. Their shapes were seen in runs of the official
// SDKs, LiteLLM's client and Claude Code (read 2026-11-30).
var statusWords = []func() *regexp.Regexp{
	pattern(`Error code: ([1-5][0-9][0-9])\b`),                          // Python: Error code: 429 - {'type': …
	pattern(`": ([1-5][0-9][0-9]) `),                                    // Go: POST "http://…": 429 Too Many Requests
	pattern(`(?i)\bstatus(?:[ _-]?code)?["']?\s*[:=]?\s*([1-5]\d\d)\b`), // status_code=429
	pattern(`\bHTTP/?[0-9.]* ([1-5][0-9][0-9])\b`),                      // HTTP 429
	pattern(`(?m)(?:^|[Ee]rror:? \(?)([1-5][0-9][0-9])(?:\s|$)`),        // RateLimitError: 429 {…, API Error (429 {…
}

// statusOfClass are the exceptions of SDKs that are raised for one status alone. InternalServerError is not here: it is
// raised for any 5xx.
var statusOfClass = []struct {
	word   string
	status int
}{
	{"RateLimitError", 429},
	{"RampLimitExceededError", 429},
	{"BadRequestError", 400},
	{"AuthenticationError", 401},
	{"PermissionDeniedError", 403},
	{"NotFoundError", 404},
	{"ConflictError", 409},
	{"RequestTooLargeError", 413},
	{"UnprocessableEntityError", 422},
	{"DeadlineExceededError", 504},
	{"OverloadedError", 529},
}

// silence is what clients say when no answer came.
var silence = []string{
	"Empty reply from server", "Failed to connect to", "Connection refused", "connection refused", "Connection reset by peer",
	"connection reset by peer", "APIConnectionError", "APITimeoutError", "APIConnectionTimeoutError", "Connection error.", "Request timed out.",
	"Operation timed out", "socket hang up", "context deadline exceeded", "Could not resolve host", "no such host",
}

// readHTML reads a page that was saved without its head.
func readHTML(in []byte) *saved {
	if at := pageStart().FindIndex(in); at == nil || at[0] != 0 {
		return nil
	}
	s := &saved{form: formHTML, body: in, bodyKnown: true}
	s.statusFromPage()
	return s
}

func (s *saved) statusFromPage() {
	if m := pageStatus().FindSubmatch(s.body); m != nil && s.status == 0 {
		s.status, _ = strconv.Atoi(string(m[1])) // three digits always fit
		s.notes = append(s.notes, "the status is the one in the page's title")
	}
}

// readException reads the text of an SDK's exception, or a log line that quotes one: words, then perhaps a body.
func readException(in []byte) *saved {
	s := &saved{form: formException, bodyKnown: true}
	prose := in
	if from, body := bodyInText(in); body != nil {
		prose, s.body = in[:from], body
		if at := behindDocument(in); from == 0 && at > 0 {
			s.notes = append(s.notes, fmt.Sprintf("text after the JSON document, at offset %d, is left aside", at))
		}
	} else if at := pageStart().FindIndex(in); at != nil {
		prose, s.body = in[:at[0]], in[at[0]:]
	}
	s.statusFromProse(clip(prose, maxProse))
	if m := requestID().FindSubmatch(clip(prose, maxProse)); m != nil {
		s.header = []wire.Field{{Name: "request-id", Value: string(m[1])}}
	}
	if s.body != nil {
		if s.status == 0 {
			s.statusFromPage()
		}
		return s
	}
	if s.status == 0 {
		s.silent = containsAny(string(clip(in, maxProse)), silence)
	}
	if s.status == 0 && !s.silent {
		return nil
	}
	if rest := afterStatus(in, s.status); len(rest) > 0 && !strings.Contains(string(rest), "(no body)") {
		s.body = rest // a text body, or a JSON body that was cut
		if bytes.ContainsAny(rest, "{[") {
			s.bodyKnown = false
		}
	}
	return s
}

func (s *saved) statusFromProse(prose []byte) {
	for _, w := range statusWords {
		if m := w().FindSubmatch(prose); m != nil {
			s.status, _ = strconv.Atoi(string(m[1])) // three digits always fit
			return
		}
	}
	for _, c := range statusOfClass {
		if bytes.Contains(prose, []byte(c.word)) {
			s.status = c.status
			s.notes = append(s.notes, "status "+strconv.Itoa(c.status)+" is the one that "+c.word+" stands for")
			return
		}
	}
}

// bodyInText finds the first JSON object, Python dict or bytes literal in a text that looks like an answer's body.
func bodyInText(in []byte) (from int, body []byte) {
	fallbackAt, fallback := 0, []byte(nil)
	at := 0
	for range maxStarts {
		next := bytes.IndexByte(in[at:], '{')
		if next < 0 {
			break
		}
		at += next
		start := at
		b, n := objectAt(in[at:])
		if q, qn := bytesLiteralAround(in, at); q != nil {
			start, b, n = at-2, q, qn-2
		}
		switch {
		case b == nil:
			at++
			continue
		case looksLikeBody(b):
			return start, b
		case fallback == nil:
			fallbackAt, fallback = start, b
		}
		at += n
	}
	return fallbackAt, fallback
}

// objectAt reads a JSON object or Python dict at the start of a text, and returns it as JSON with the bytes it took.
func objectAt(in []byte) (body []byte, n int) {
	dec := json.NewDecoder(bytes.NewReader(in))
	var raw json.RawMessage
	if dec.Decode(&raw) == nil {
		return raw, int(dec.InputOffset())
	}
	return pythonValue(in)
}

// bytesLiteralAround reads b'{…}' when the brace at this place is the first byte in it.
func bytesLiteralAround(in []byte, at int) (body []byte, n int) {
	if at < 2 || in[at-2] != 'b' || in[at-1] != '\'' && in[at-1] != '"' {
		return nil, 0
	}
	raw, n := pythonBytes(in[at-2:])
	if raw == nil || !json.Valid(raw) {
		return nil, 0
	}
	return raw, n
}

// looksLikeBody reports whether an object has a member that answers of providers and layers have.
func looksLikeBody(b []byte) bool { return hasAny(b, "error", "type", "message", "detail") }

// hasAny reports whether a JSON object has one of the members.
func hasAny(b []byte, names ...string) bool {
	var m map[string]json.RawMessage
	if json.Unmarshal(b, &m) != nil {
		return false
	}
	for _, name := range names {
		if _, ok := m[name]; ok {
			return true
		}
	}
	return false
}

// afterStatus returns what follows a status in a text without a readable body.
func afterStatus(in []byte, status int) []byte {
	_, rest, ok := bytes.Cut(in, []byte(strconv.Itoa(status)))
	if !ok {
		return nil
	}
	return bytes.TrimLeft(rest, " -\t\r\n")
}

func containsAny(s string, words []string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

func clip(b []byte, n int) []byte { return b[:min(len(b), n)] }
