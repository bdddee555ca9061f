package wire

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// magic begins every HTTP/1 answer.
const magic = "HTTP/1."

// heads reads the interim answers and the final head, and reports whether a body can follow. Whatever was read of a
// final head that broke off is kept.
func (a *Answer) heads(r *reader, lim Limits) bool {
	left := int(lim.Head)
	r.max = left + firstBuffer
	for {
		r.begin()
		if err := r.preface(); err != nil {
			a.failHead(r, err)
			return false
		}
		n, lines, err := r.section(left, "head", lim.Head)
		head := string(r.unread()[:n])
		r.pos += n
		left -= n
		perr := a.parseHead(head, lines)
		interim := perr == nil && a.Status >= 100 && a.Status < 200 && a.Status != 101
		switch {
		case perr != nil:
			a.fail(perr, "")
			return false
		case err != nil:
			if interim {
				a.clearHead()
			}
			a.failHead(r, err)
			return false
		case !interim:
			return true
		}
		a.Interim = append(a.Interim, a.Status)
		a.clearHead()
		if len(a.Interim) > lim.Interim {
			a.fail(limitError(fmt.Sprintf("more than %d interim answers", lim.Interim)), "")
			return false
		}
	}
}

// clearHead forgets an interim head; its faults stay, since the connection carried them.
func (a *Answer) clearHead() {
	a.Proto, a.Status, a.Reason, a.Header = "", 0, "", nil
}

// failHead ends an answer whose final head did not come whole.
func (a *Answer) failHead(r *reader, err error) {
	switch {
	case r.first.IsZero():
		a.fail(err, "before any byte of an answer")
		if a.End == EndShort {
			a.End = EndNone
		}
	case a.Status == 0 && len(r.unread()) == 0 && len(a.Interim) > 0:
		a.fail(err, "after an interim answer")
	default:
		a.fail(err, "inside the head")
	}
}

// preface makes sure that an HTTP/1 answer begins here. It does so byte by byte, since other protocols may never
// send the line feed that a status line ends with.
func (r *reader) preface() error {
	for {
		b := r.unread()
		n := min(len(b), len(magic))
		if string(b[:n]) != magic[:n] {
			return r.stranger()
		}
		if n == len(magic) {
			return nil
		}
		if err := r.fill(); err != nil {
			return err
		}
	}
}

// stranger names the protocol of bytes that are no HTTP/1 answer.
// Sources: RFC 8446 section 5.1 (content type 21 is alert); RFC 9113 sections 4.1 and 6.5 (a SETTINGS frame has type
// 4, stream 0 and entries of six bytes).
func (r *reader) stranger() error {
	const h2Header = 9
	for r.unread()[0] == 0 && len(r.unread()) < h2Header {
		if r.fill() != nil {
			break
		}
	}
	b := r.unread()
	switch {
	case b[0] == 0x15:
		return badError("TLS alert: use https://")
	case len(b) >= h2Header && b[3] == 4 && string(b[5:9]) == "\x00\x00\x00\x00" && b[2]%6 == 0 && b[1] == 0:
		return badError("HTTP/2 without upgrade (h2 only): this client speaks HTTP/1.1")
	}
	return badError("not an HTTP/1 answer: " + quote(b))
}

// section finds the blank line that ends a head or a trailer section within limit bytes. It returns the length of
// the whole lines that came, the blank one included, and their number. Total is the limit that an error names.
func (r *reader) section(limit int, what string, total int64) (n, lines int, err error) {
	tooLarge := func() error { return limitError(fmt.Sprintf("%s of more than %d bytes", what, total)) }
	scanned := 0
	for {
		b := r.unread()
		i := bytes.IndexByte(b[scanned:], '\n')
		if i < 0 {
			scanned = len(b)
			if scanned > limit {
				return n, lines, tooLarge()
			}
			if err := r.fill(); err != nil {
				return n, lines, err
			}
			continue
		}
		end := scanned + i + 1
		if end > limit {
			return n, lines, tooLarge()
		}
		line := b[n:end]
		n, scanned = end, end
		lines++
		if len(line) == 1 || len(line) == 2 && line[0] == '\r' {
			return n, lines, nil
		}
	}
}

// parseHead reads a status line and header lines, each ended by LF or CRLF, out of one string.
func (a *Answer) parseHead(head string, lines int) error {
	if head == "" {
		return nil
	}
	line, rest := cutLine(head)
	if err := a.parseStatus(line); err != nil {
		return err
	}
	if strings.Count(head, "\n") != strings.Count(head, "\r\n") { // RFC 9112 lets a reader take it, and Node's doesn't
		a.fault(FaultHeadLine)
	}
	if lines > 1 {
		a.Header = a.parseFields(rest, make([]Field, 0, lines-1))
	}
	return nil
}

// parseStatus reads a status line. A missing reason, with or without its space, is fine (h2o and others send none).
func (a *Answer) parseStatus(line string) error {
	proto, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimLeft(rest, " ")
	digits := 0
	for digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9' {
		digits++
	}
	status, err := strconv.Atoi(rest[:digits])
	wellEnded := digits == len(rest) || rest[digits] == ' '
	if err != nil || status == 0 || digits > 9 || !wellEnded || !isProto(proto) {
		return badError("not a status line: " + quote([]byte(line)))
	}
	if digits != 3 || status < 100 {
		a.fault(FaultStatus)
	}
	a.Proto, a.Status = proto, status
	a.Reason = ""
	if digits < len(rest) {
		a.Reason = rest[digits+1:]
		a.checkControls(a.Reason)
	}
	return nil
}

// isProto accepts every minor version: RFC 9112 section 2.3 lets a higher one be read like ours.
func isProto(s string) bool {
	return len(s) == len(magic)+1 && strings.HasPrefix(s, magic) && s[len(magic)] >= '0' && s[len(magic)] <= '9'
}

// parseFields appends the header lines of a section. A line that has no name is kept whole as a value without one.
func (a *Answer) parseFields(s string, fields []Field) []Field {
	var folded []byte // the last field's value while continuation lines are added to it
	unfold := func() {
		if folded != nil {
			fields[len(fields)-1].Value = string(folded)
			folded = nil
		}
	}
	for s != "" {
		var line string
		line, s = cutLine(s)
		if line == "" {
			continue
		}
		if line[0] == ' ' || line[0] == '\t' {
			a.fault(FaultFolded)
			line = trimSpace(line)
			if n := len(fields); n > 0 && fields[n-1].Name != "" {
				a.checkControls(line)
				if folded == nil {
					folded = append(folded, fields[n-1].Value...)
				}
				if len(folded) > 0 && line != "" { // no white space may come to stand at an end of the value
					folded = append(folded, ' ')
				}
				folded = append(folded, line...)
				continue
			}
		}
		unfold()
		if line != "" {
			fields = append(fields, a.parseField(line))
		}
	}
	unfold()
	return fields
}

// parseField reads one header line that is neither empty nor folded.
func (a *Answer) parseField(line string) Field {
	name, value, colon := strings.Cut(line, ":")
	if trimmed := strings.TrimRight(name, " \t"); colon && trimmed != name {
		a.fault(FaultSpaceBeforeColon)
		name = trimmed
	}
	if !colon || name == "" {
		if colon {
			a.fault(FaultName)
		} else {
			a.fault(FaultNoColon)
		}
		a.checkControls(line)
		return Field{Value: trimSpace(line)}
	}
	if !isToken(name) {
		a.fault(FaultName)
	}
	a.checkControls(value)
	return Field{Name: name, Value: trimSpace(value)}
}

func (a *Answer) checkControls(s string) {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' && c != '\t' || c == 0x7f {
			a.fault(FaultControl)
			return
		}
	}
}

// cutLine takes a line off s, without its LF or CRLF.
func cutLine(s string) (line, rest string) {
	line, rest, _ = strings.Cut(s, "\n")
	return strings.TrimSuffix(line, "\r"), rest
}

// trimSpace takes off the white space that may stand around a value: RFC 9110 section 5.6.3.
func trimSpace(s string) string { return strings.Trim(s, " \t") }

// isToken follows RFC 9110 section 5.6.2.
func isToken(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (c < '0' || c > '9') && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return s != ""
}
