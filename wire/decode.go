package wire

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxCodings bounds how many content-codings may be stacked. Honest layers stack one, by mistake two.
const maxCodings = 4

// Decode undoes the content-encoding of an answer's body as its label says, and returns the label's codings in
// lower case, "" for none. With an error, body is what could be decoded by the coding that failed; where that is
// nothing, it is the body as it stood before. Every step yields at most limit bytes (Default.Body for 0 or less).
//
// An empty body is empty under every label: clients don't complain either.
func Decode(a *Answer, limit int64) (body []byte, coding string, err error) {
	if limit <= 0 {
		limit = Default.Body
	}
	codings := contentCodings(a)
	coding = strings.Join(codings, ", ")
	if len(codings) > maxCodings {
		return a.Body, coding, fmt.Errorf("can't be decoded: more than %d content-codings", maxCodings)
	}
	body = a.Body
	for i := len(codings) - 1; i >= 0 && len(body) > 0; i-- {
		out, err := undo(codings[i], body, limit)
		if len(out) > 0 || err == nil {
			body = out
		}
		if err != nil {
			return body, coding, err
		}
	}
	return body, coding, nil
}

// contentCodings lists what was applied, in order, without identity.
func contentCodings(a *Answer) []string {
	var out []string
	for _, f := range a.Header {
		if !strings.EqualFold(f.Name, "content-encoding") {
			continue
		}
		for item := range strings.SplitSeq(f.Value, ",") {
			item = strings.ToLower(trimSpace(item))
			if item != "" && item != "identity" {
				out = append(out, item)
			}
		}
	}
	return out
}

// undo undoes one coding.
func undo(coding string, b []byte, limit int64) ([]byte, error) {
	src := bytes.NewReader(b)
	z, err := decompressor(coding, b, src)
	if err != nil {
		return nil, err
	}
	out, err := io.ReadAll(io.LimitReader(z, limit+1))
	switch {
	case int64(len(out)) > limit:
		return out[:limit], fmt.Errorf("decoded body of more than %d bytes (%s)", limit, coding)
	case err != nil:
		return out, codingError(coding, err)
	case src.Len() > 0:
		return out, fmt.Errorf("%d bytes after the end of the %s data", src.Len(), coding)
	}
	return out, nil
}

// decompressor accepts for "deflate" both the zlib format, which RFC 9110 section 8.4.1.2 means, and the raw one,
// which some servers send.
func decompressor(coding string, b []byte, src *bytes.Reader) (io.Reader, error) {
	switch coding {
	case "gzip", "x-gzip":
		z, err := gzip.NewReader(src)
		if err != nil {
			return nil, codingError(coding, err)
		}
		return z, nil
	case "deflate":
		if !looksLikeZlib(b) {
			return flate.NewReader(src), nil
		}
		z, err := zlib.NewReader(src)
		if err != nil {
			return nil, codingError(coding, err)
		}
		return z, nil
	}
	return nil, fmt.Errorf("can't be decoded: %s", strings.Trim(quote([]byte(coding)), `"`))
}

// looksLikeZlib checks the two bytes of a zlib header: RFC 1950 section 2.2.
func looksLikeZlib(b []byte) bool {
	return len(b) >= 2 && b[0]&0x0f == 8 && (int(b[0])<<8|int(b[1]))%31 == 0
}

func codingError(coding string, err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return fmt.Errorf("labelled %s, but the data is cut short", coding)
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, zlib.ErrHeader), errors.As(err, &corrupt):
		return fmt.Errorf("labelled %s, but it is not, or not only", coding)
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, zlib.ErrChecksum):
		return fmt.Errorf("labelled %s, but the checksum is wrong", coding)
	}
	return fmt.Errorf("labelled %s: %w", coding, err)
}
