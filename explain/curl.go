package explain

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/preservecheck/preservecheck/wire"
)

var (
	statusLine = pattern(`^HTTP/[0-9](?:\.[0-9])? ([1-9][0-9][0-9])(?:[ \t].*)?$`)
	headerLine = pattern("^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$")
	// A status line with a header line below it, as no body has them by accident; in anyHead wherever a line begins.
	headStart   = pattern(`^HTTP/[0-9](?:\.[0-9])? [1-9][0-9][0-9](?:[ \t][^\n]*)?\r?\n[!#$%&'*+.^_|~0-9A-Za-z-]+:`)
	anyHead     = pattern(`(?m)^HTTP/[0-9](?:\.[0-9])? [1-9][0-9][0-9](?:[ \t][^\n]*)?\r?\n[!#$%&'*+.^_|~0-9A-Za-z-]+:`)
	verboseHead = pattern(`(?m)^< HTTP/[0-9]`)
	// A body without a line end is followed at once by curl's last words.
	verboseTail = pattern(`\* (?:Connection #[0-9]+ to host [^\n]* left intact|[Cc]losing connection[^\n]*|shutting down connection[^\n]*)\s*$`)
)

func equalFold(a, b string) bool { return strings.EqualFold(a, b) }

// readCurl reads what `curl -i` or `curl -v` leaves: one or several heads, then a body. The last head counts, because
// 1xx answers, redirects and a proxy's CONNECT come before it.
func readCurl(in []byte) *saved {
	if verboseHead().Match(in) {
		in = plainFromVerbose(in)
	}
	first, _, _ := bytes.Cut(in, []byte("\n"))
	if !statusLine().Match(bytes.TrimRight(first, "\r")) {
		return nil
	}
	s := &saved{form: formCurl, headers: true}
	var before []string
	for {
		line, rest := cutLine(in)
		m := statusLine().FindStringSubmatch(line)
		if m == nil {
			break
		}
		if s.status != 0 {
			before = append(before, strconv.Itoa(s.status))
		}
		s.status, _ = strconv.Atoi(m[1]) // three digits always fit
		s.header, in = readHead(rest)
	}
	in, further := s.cutFurther(in)
	if further > 0 {
		s.notes = append(s.notes, fmt.Sprintf("%d answers found, only the first was read", further+1))
	}
	s.body = bytes.TrimRight(in, "\r\n")
	s.bodyKnown = len(s.body) > 0 || s.saysEmpty()
	if isStream(s.header) {
		s.stream = true
		s.body = append(bytes.Clone(s.body), "\n\n"...)
	}
	if len(before) > 0 {
		s.notes = append(s.notes, fmt.Sprintf("%s came first (%s); the last head counts", plural(len(before), "other head"), strings.Join(before, ", ")))
	}
	return s
}

// cutFurther cuts the answers off that stand behind the first, and counts them. Where that one ends says its
// content-length; if no answer begins there, since a copy has other line ends, a line that is the first of a head does.
func (s *saved) cutFurther(in []byte) (body []byte, further int) {
	for _, f := range s.header {
		n, err := strconv.Atoi(f.Value)
		if equalFold(f.Name, "content-length") && err == nil && n > 0 && n < len(in) && headStart().Match(bytes.TrimLeft(in[n:], "\r\n")) {
			return in[:n], len(anyHead().FindAll(in[n:], -1))
		}
	}
	if heads := anyHead().FindAllIndex(in, -1); len(heads) > 0 {
		return in[:heads[0][0]], len(heads)
	}
	return in, 0
}

// readHead reads header lines up to a blank line, and forgives a lost one: what is no header line begins the body.
func readHead(in []byte) (fields []wire.Field, rest []byte) {
	for len(in) > 0 {
		line, after := cutLine(in)
		if line == "" {
			return fields, after
		}
		m := headerLine().FindStringSubmatch(line)
		if m == nil {
			return fields, in
		}
		fields = append(fields, wire.Field{Name: m[1], Value: m[2]})
		in = after
	}
	return fields, nil
}

// plainFromVerbose keeps the answer's head and body, and drops what curl says besides.
func plainFromVerbose(in []byte) []byte {
	in = verboseTail().ReplaceAll(in, nil)
	var heads, body []byte
	inHead := false
	for len(in) > 0 {
		raw, after, _ := bytes.Cut(in, []byte("\n"))
		in = after
		line := string(bytes.TrimRight(raw, "\r"))
		switch {
		case strings.HasPrefix(line, "< HTTP/"):
			inHead = true
			heads = append(heads, line[2:]+"\n"...)
		case inHead && (line == "<" || line == "< "):
			inHead = false
			heads = append(heads, '\n')
		case inHead && strings.HasPrefix(line, "< "):
			heads = append(heads, line[2:]+"\n"...)
		case strings.HasPrefix(line, "* "), strings.HasPrefix(line, "> "), line == ">",
			strings.HasPrefix(line, "{ ["), strings.HasPrefix(line, "} ["):
		default:
			body = append(append(body, raw...), '\n')
		}
	}
	if statusLine().Match(bytes.TrimRight(firstLine(bytes.TrimLeft(body, "\r\n")), "\r")) { // curl -i -v prints heads twice
		return bytes.TrimLeft(body, "\r\n")
	}
	if inHead {
		heads = append(heads, '\n')
	}
	return append(heads, body...)
}

func firstLine(in []byte) []byte {
	line, _, _ := bytes.Cut(in, []byte("\n"))
	return line
}

func cutLine(in []byte) (line string, rest []byte) {
	raw, rest, _ := bytes.Cut(in, []byte("\n"))
	return string(bytes.TrimRight(raw, "\r")), rest
}

// saysEmpty reports whether the head announces that no body follows.
func (s *saved) saysEmpty() bool {
	for _, f := range s.header {
		if equalFold(f.Name, "content-length") && f.Value == "0" {
			return true
		}
	}
	return s.status == 204 || s.status == 304
}

func isStream(h []wire.Field) bool {
	for _, f := range h {
		if equalFold(f.Name, "content-type") && strings.HasPrefix(strings.ToLower(f.Value), "text/event-stream") {
			return true
		}
	}
	return false
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
