package wire

import (
	"fmt"
	"strconv"
	"strings"
)

// encode writes a request as bytes. Host comes first and Content-Length last, unless the request brings a Host of
// its own; its own framing headers are left out, since the framing is ours. No Connection header is added: a proxy
// may hand it on, and then the layer would be watched in another state than clients see it in.
func (r *Request) encode(b Base) ([]byte, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	out := make([]byte, 0, r.size(b))
	out = append(append(append(append(out, r.Method...), ' '), r.Target...), " HTTP/1.1\r\n"...)
	if !r.has("host") {
		out = appendField(out, "Host", b.Authority)
	}
	if b.User != "" && !r.has("authorization") {
		out = appendField(out, "Authorization", b.authorization())
	}
	for _, f := range r.Header {
		if strings.EqualFold(f.Name, "content-length") || strings.EqualFold(f.Name, "transfer-encoding") {
			continue
		}
		out = appendField(out, f.Name, f.Value)
	}
	if len(r.Body) > 0 || r.Method != "GET" && r.Method != "HEAD" {
		out = append(out, "Content-Length: "...)
		out = strconv.AppendInt(out, int64(len(r.Body)), 10)
		out = append(out, "\r\n"...)
	}
	out = append(out, "\r\n"...)
	return append(out, r.Body...), nil
}

// size is at least the length of the encoded request.
func (r *Request) size(b Base) int {
	n := len(r.Method) + len(r.Target) + len(b.Authority) + 2*len(b.User) + len(r.Body) + 128
	for _, f := range r.Header {
		n += len(f.Name) + len(f.Value) + 4
	}
	return n
}

func (r *Request) has(name string) bool {
	for _, f := range r.Header {
		if strings.EqualFold(f.Name, name) {
			return true
		}
	}
	return false
}

// check refuses what would let one request become two. It names headers but never shows a value.
func (r *Request) check() error {
	if !isToken(r.Method) {
		return fmt.Errorf("the method %q is no token", r.Method)
	}
	if !strings.HasPrefix(r.Target, "/") || !isVisible(r.Target) {
		return fmt.Errorf("the target %q does not begin with / or holds more than visible ASCII", r.Target)
	}
	for _, f := range r.Header {
		if !isToken(f.Name) {
			return fmt.Errorf("the header name %q is no token", f.Name)
		}
		if strings.ContainsAny(f.Value, "\r\n\x00") {
			return fmt.Errorf("the value of header %s holds a line break or NUL", f.Name)
		}
	}
	return nil
}

func appendField(out []byte, name, value string) []byte {
	out = append(append(out, name...), ": "...)
	return append(append(out, value...), "\r\n"...)
}
