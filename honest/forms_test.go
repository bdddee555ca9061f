package honest_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// mapJSON applies a change to each JSON text of an answer: its body, or the data of each of its events.
func mapJSON(body []byte, h http.Header, change func([]byte) []byte) []byte {
	if !isEvents(h) {
		return change(body)
	}
	var out []byte
	for _, block := range bytes.SplitAfter(body, []byte("\n\n")) {
		for _, line := range bytes.SplitAfter(block, []byte("\n")) {
			data, ok := bytes.CutPrefix(line, []byte("data: "))
			if !ok {
				out = append(out, line...)
				continue
			}
			for _, part := range bytes.Split(bytes.TrimRight(change(bytes.TrimRight(data, "\n")), "\n"), []byte("\n")) {
				out = append(append(append(out, "data: "...), part...), '\n')
			}
		}
	}
	return out
}

func isEvents(h http.Header) bool {
	return strings.HasPrefix(h.Get("Content-Type"), "text/event-stream")
}

// eachJSON rewrites what is JSON; compression is undone for it.
func eachJSON(change func([]byte) []byte) func(*http.Request, *answer) {
	return func(_ *http.Request, a *answer) {
		if a.plain() {
			a.body = mapJSON(a.body, a.header, change)
		}
	}
}

// plain undoes compression, and reports whether the body is readable.
func (a *answer) plain() bool {
	switch a.header.Get("Content-Encoding") {
	case "":
		return true
	case "gzip":
		z, err := gzip.NewReader(bytes.NewReader(a.body))
		if err != nil {
			return false
		}
		b, err := io.ReadAll(z)
		if err != nil {
			return false
		}
		a.body = b
		a.header.Del("Content-Encoding")
		return true
	}
	return false
}

func recompress(coding string) func(*http.Request, *answer) {
	return func(r *http.Request, a *answer) {
		if !a.plain() || coding == "" || !strings.Contains(r.Header.Get("Accept-Encoding"), coding) || len(a.body) == 0 {
			return
		}
		var b bytes.Buffer
		var z io.WriteCloser = gzip.NewWriter(&b)
		if coding == "deflate" {
			z = zlib.NewWriter(&b)
		}
		_, _ = z.Write(a.body) // into memory
		_ = z.Close()
		a.body = b.Bytes()
		a.header.Set("Content-Encoding", coding)
		a.header.Add("Vary", "Accept-Encoding")
	}
}

// sorted is what decoding into a map and encoding again does. Numbers keep their form.
func sorted(b []byte) []byte {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil || d.More() {
		return b
	}
	out, err := json.Marshal(v)
	if err != nil {
		return b
	}
	return out
}

func pretty(b []byte) []byte {
	var out bytes.Buffer
	if json.Indent(&out, b, "", "  ") != nil {
		return b
	}
	return out.Bytes()
}

// ascii escapes everything else, outside the basic plane as pairs.
func ascii(b []byte) []byte {
	if !json.Valid(b) {
		return b
	}
	var out []byte
	for _, r := range string(b) {
		switch {
		case r < 0x80:
			out = append(out, byte(r))
		case r < 0x10000:
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			hi, lo := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, hi, lo)
		}
	}
	return out
}

func newline(_ *http.Request, a *answer) {
	if a.plain() && json.Valid(a.body) {
		a.body = append(a.body, '\n')
	}
}

// eachEvent rewrites event streams line by line, and lets everything else pass.
func eachEvent(change func(block []string) string) func(*http.Request, *answer) {
	return func(_ *http.Request, a *answer) {
		if !isEvents(a.header) || !a.plain() || !bytes.HasSuffix(a.body, []byte("\n\n")) || bytes.Contains(a.body, []byte("\r")) {
			return
		}
		var out []byte
		for block := range strings.SplitSeq(strings.TrimSuffix(string(a.body), "\n\n"), "\n\n") {
			out = append(out, change(strings.Split(block, "\n"))...)
		}
		a.body = out
	}
}

func crlf(block []string) string { return strings.Join(block, "\r\n") + "\r\n\r\n" }
func cr(block []string) string   { return strings.Join(block, "\r") + "\r\r" }

func tight(block []string) string {
	for i := range block {
		block[i] = strings.Replace(block[i], ": ", ":", 1)
	}
	return strings.Join(block, "\n") + "\n\n"
}

func talking(block []string) string {
	ping := ""
	if block[0] == "event: content_block_start" { // the one dialect that has such an event
		ping = "event: ping\ndata: {\"type\": \"ping\"}\n\n"
	}
	return ": keepalive\n\nretry: 3000\n" + strings.Join(block, "\n") + "\n: inside\n\n:\n\n" + ping
}

// swapped puts the event line last. The lines of the data keep their order, which is part of what they say.
func swapped(block []string) string {
	slices.SortStableFunc(block, func(a, b string) int { return isEventLine(a) - isEventLine(b) })
	return strings.Join(block, "\n") + "\n\n"
}

func isEventLine(s string) int { return boolInt(strings.HasPrefix(s, "event:")) }

// deltas are the places of a delta's text in the dialects of the matrix, as they are written there.
var deltas = regexp.MustCompile(`("text": ?|"content": ?|"delta": ?)"([^"\\\\]{2,})"`)

// split makes two deltas of one, as layers do that count tokens for themselves.
func split(block []string) string {
	whole := strings.Join(block, "\n") + "\n\n"
	at := deltas.FindStringSubmatchIndex(whole)
	if at == nil || !strings.Contains(whole, "delta") || strings.Contains(whole, ".done") {
		return whole
	}
	half := at[4] + (at[5]-at[4])/2
	for !utf8.RuneStart(whole[half]) {
		half--
	}
	return whole[:half] + whole[at[5]:] + whole[:at[4]] + whole[half:]
}

// asLength gives the length of a whole answer. One that broke off ends before its length.
func asLength(w http.ResponseWriter, a *answer) {
	begin(w, a, strconv.Itoa(len(a.body)+boolInt(a.cut)))
	end(w, a)
}

// asChunks lets net/http write chunks.
func asChunks(w http.ResponseWriter, a *answer) {
	begin(w, a, "")
	half := len(a.body) / 2
	_, _ = w.Write(a.body[:half])
	_ = http.NewResponseController(w).Flush()
	a.body = a.body[half:]
	end(w, a)
}

func begin(w http.ResponseWriter, a *answer, length string) {
	for name, values := range a.header {
		w.Header()[name] = values
	}
	if a.header.Get("Content-Type") == "" {
		w.Header()["Content-Type"] = nil // else it would be guessed
	}
	if length != "" && mayHaveBody(a.status) {
		w.Header().Set("Content-Length", length)
	}
	w.WriteHeader(a.status)
}

func mayHaveBody(status int) bool {
	return status != http.StatusNoContent && status != http.StatusNotModified
}

func end(w http.ResponseWriter, a *answer) {
	_, _ = w.Write(a.body)
	if a.cut {
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// onWire writes an answer on the bare connection. A reset ends one that broke off.
func onWire(w http.ResponseWriter, a *answer, write func(c net.Conn)) {
	c, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	defer c.Close()
	write(c)
	if a.cut {
		_ = c.(*net.TCPConn).SetLinger(0)
	}
}

func head(proto string, a *answer, more ...string) []byte {
	b := fmt.Appendf(nil, "%s %d %s\r\n", proto, a.status, http.StatusText(a.status))
	for name, values := range a.header {
		for _, v := range values {
			b = append(b, name+": "+v+"\r\n"...)
		}
	}
	for _, m := range more {
		b = append(b, m+"\r\n"...)
	}
	return append(b, "\r\n"...)
}

func asHTTP10(w http.ResponseWriter, a *answer) {
	onWire(w, a, func(c net.Conn) { _, _ = c.Write(append(head("HTTP/1.0", a), a.body...)) })
}

// asRecased writes names in upper case and in the reverse order of the alphabet; lines of one name keep theirs.
func asRecased(w http.ResponseWriter, a *answer) {
	onWire(w, a, func(c net.Conn) {
		b := fmt.Appendf(nil, "HTTP/1.1 %d whatever\r\nCONTENT-LENGTH: %d\r\n", a.status, len(a.body)+boolInt(a.cut))
		names := make([]string, 0, len(a.header))
		for name := range a.header {
			names = append(names, name)
		}
		slices.Sort(names)
		slices.Reverse(names)
		for _, name := range names {
			for _, v := range a.header[name] {
				b = append(b, strings.ToUpper(name)+":   "+v+"  \r\n"...)
			}
		}
		_, _ = c.Write(append(append(b, "\r\n"...), a.body...))
	})
}

// pieces cuts bytes into pieces of a few, and of many once it was enough.
func pieces(b []byte) (out [][]byte) {
	sizes := []int{1, 2, 3, 5, 7}
	for i := 0; len(b) > 0; i++ {
		n := 4093
		if i < 100 {
			n = sizes[i%len(sizes)]
		}
		n = min(n, len(b))
		out, b = append(out, b[:n]), b[n:]
	}
	return out
}

// asOddChunks gives each piece a chunk of its own.
func asOddChunks(w http.ResponseWriter, a *answer) {
	if !mayHaveBody(a.status) {
		asLength(w, a)
		return
	}
	onWire(w, a, func(c net.Conn) {
		b := head("HTTP/1.1", a, "Transfer-Encoding: chunked")
		for _, p := range pieces(a.body) {
			b = append(fmt.Appendf(b, "%03X;note=\"a b\"\r\n", len(p)), append(p[:len(p):len(p)], "\r\n"...)...)
		}
		if !a.cut {
			b = append(b, "0\r\nX-Checksum: 17\r\n\r\n"...)
		}
		_, _ = c.Write(b)
	})
}

// asPieces writes head and body in pieces with pauses in between.
func asPieces(w http.ResponseWriter, a *answer) {
	onWire(w, a, func(c net.Conn) {
		length := "Content-Length: " + strconv.Itoa(len(a.body)+boolInt(a.cut))
		if !mayHaveBody(a.status) {
			length = "X-No-Body: yes"
		}
		for _, part := range [][]byte{head("HTTP/1.1", a, length), a.body} {
			for _, p := range pieces(part) {
				if _, err := c.Write(p); err != nil {
					return
				}
				time.Sleep(100 * time.Microsecond)
			}
		}
	})
}
