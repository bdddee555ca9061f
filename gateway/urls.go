package gateway

import "bytes"

// Bounds of what is looked for in a program's output. A program may print for ever.
const (
	maxURL  = 2 << 10 // bytes of one; what is longer is none
	maxURLs = 64      // different ones that are told of
)

// finder looks for https URLs in what a program prints, whatever stands around them: boxes, colours, JSON, logfmt. Each is told
// of once, when it has ended: at the end of its line, or of the output. It is a writer, so that it may come in any pieces.
type finder struct {
	tell func(string) // never waits
	seen map[string]bool
	rest []byte // of the last piece: what may be the beginning of a URL
}

var scheme = []byte("https://")

// Write never fails.
func (f *finder) Write(p []byte) (int, error) {
	n := len(p)
	if len(f.seen) >= maxURLs {
		return n, nil
	}
	text := append(f.rest, p...)
	for {
		at := bytes.Index(text, scheme)
		if at < 0 {
			f.keep(text[max(0, len(text)-len(scheme)+1):])
			return n, nil
		}
		text = text[at:]
		end := bytes.IndexFunc(text, notOfURL)
		switch {
		case end < 0 && len(text) <= maxURL:
			f.keep(text) // it may go on
			return n, nil
		case end < 0 || end > maxURL:
			text = text[len(scheme):]
			continue
		}
		f.found(string(bytes.TrimRight(text[:end], ".,;:!?'*_~)")))
		text = text[end:]
	}
}

// keep copies, since the caller uses its buffer again.
func (f *finder) keep(rest []byte) { f.rest = append([]byte(nil), rest...) }

// finish takes what stands at the very end of the output.
func (f *finder) finish() { _, _ = f.Write([]byte("\n")) }

func (f *finder) found(url string) {
	if len(url) > len(scheme) && !f.seen[url] && len(f.seen) < maxURLs {
		f.seen[url] = true
		f.tell(url)
	}
}

// notOfURL reports whether a character can't stand in a URL (RFC 3986, section 2), so that quotes, brackets, boxes and escape
// sequences end it. Square brackets are left in: hosts may be IPv6 addresses.
func notOfURL(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		return false
	}
	return !bytes.ContainsRune([]byte("-._~:/?#[]@!$&'()*+,;=%"), r)
}
