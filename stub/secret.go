package stub

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"strings"
	"time"

	"github.com/preservecheck/preservecheck/ledger"
)

// minSecret is the least length of a secret: 128 bits take 22 characters of base64url (RFC 4648, section 5).
const minSecret = 22

// ErrSecret says that a secret can't be one: it shows nothing of it.
var ErrSecret = errors.New("stub: a secret has 22 characters or more, all of them letters, digits, - or _")

// errStranger stops the reading of a request that did not show the secret.
var errStranger = errors.New("stub: no secret")

// strangerAnswer is all that anybody gets who does not know the secret, whatever was asked: a path that does not exist, one that
// does, bytes that are no HTTP. It says nothing of who answers.
const strangerAnswer = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"

var notFound = []byte(strangerAnswer)

// maxDecoded is how often a path is percent-decoded in search of the secret: gateways were seen to encode twice.
const maxDecoded = 4

// gone takes the place of a text in which the secret stood.
const gone = "[secret]"

// secret is what a request must show. Only its hash is compared, so that the time says nothing of how much of a guess was right;
// its length is no secret.
type secret struct {
	text string
	sum  [sha256.Size]byte
}

func newSecret(text string) (*secret, error) {
	switch {
	case text == "":
		return nil, nil
	case len(text) < minSecret || strings.ContainsFunc(text, func(r rune) bool { return !plainSign(r) }):
		return nil, ErrSecret
	}
	return &secret{text, sha256.Sum256([]byte(text))}, nil
}

func plainSign(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-' || r == '_'
}

// is compares in constant time.
func (s *secret) is(b []byte) bool {
	if len(b) != len(s.text) {
		return false
	}
	sum := sha256.Sum256(b)
	return subtle.ConstantTimeCompare(sum[:], s.sum[:]) == 1
}

// shown reports whether a header is the secret as an upstream API key: the ways in which providers are given theirs.
func (s *secret) shown(name, value []byte) bool {
	switch {
	case equalFold(name, "x-api-key"), equalFold(name, "api-key"):
		return s.is(value)
	case equalFold(name, "authorization"):
		scheme, key, _ := bytes.Cut(value, []byte(" "))
		return equalFold(scheme, "bearer") && s.is(bytes.Trim(key, " \t"))
	}
	return false
}

// cut appends a path without the segments that are the secret, percent-encoded or not, and reports whether there was one. Every
// segment is looked at, so that the time does not say where one stood.
func (s *secret) cut(to, path []byte) (rest []byte, found bool) {
	for len(path) > 0 {
		end := len(path)
		if i := bytes.IndexByte(path[1:], '/'); i >= 0 {
			end = 1 + i
		}
		segment := path[:end]
		path = path[end:]
		if s.segment(bytes.TrimPrefix(segment, []byte("/"))) {
			found = true
			continue
		}
		to = append(to, segment...)
	}
	if len(to) == 0 {
		to = append(to, '/')
	}
	return to, found
}

// segment reports whether a segment of a path is the secret. Only what is long enough, and not longer than the secret with all of its
// signs encoded again and again, is decoded: the rest costs nothing.
func (s *secret) segment(b []byte) bool {
	if len(b) < len(s.text) || len(b) > (2*maxDecoded+1)*len(s.text) {
		return false
	}
	for range maxDecoded {
		if bytes.IndexByte(b, '%') < 0 {
			break
		}
		b = decodeOnce(b)
	}
	return s.is(b)
}

// within reports whether the secret stands anywhere in a text, percent-encoded or not.
func (s *secret) within(text string) bool {
	for range maxDecoded {
		if strings.Contains(text, s.text) {
			return true
		}
		if strings.IndexByte(text, '%') < 0 {
			return false
		}
		text = string(decodeOnce([]byte(text)))
	}
	return strings.Contains(text, s.text)
}

// decodeOnce undoes percent-encoding. What is none stays.
func decodeOnce(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) {
			if hi, lo := hexDigit(text[i+1]), hexDigit(text[i+2]); hi >= 0 && lo >= 0 {
				out = append(out, byte(hi<<4|lo))
				i += 2
				continue
			}
		}
		out = append(out, text[i])
	}
	return out
}

// proves reports whether the request whose head was read, whole or to where it went wrong, shows the secret; always without one. The
// path without it is kept for note. A path in which it stands as a part of something else is no proof: what is left would hold it.
func (c *conn) proves() bool {
	s := c.s.secret
	if s == nil {
		return true
	}
	h, found := &c.head, false
	path, _, _ := bytes.Cut(originForm(h.at(h.target)), []byte("?"))
	c.path, found = s.cut(c.path[:0], path)
	for i := range h.n {
		found = s.shown(h.at(h.fields[i].name), h.at(h.fields[i].value)) || found
	}
	return found && !(bytes.Contains(c.path, []byte(s.text)) || bytes.IndexByte(c.path, '%') >= 0 && s.within(string(c.path)))
}

// unread is why a head could not be read, when what there is of it shows the secret; whoever does not show it is not told.
func (c *conn) unread(err error) error {
	if c.s.secret == nil {
		return err
	}
	_ = c.head.parse(c.in.buffered()) // it ends too early, and what was read so far stands there
	if !c.proves() {
		return errStranger
	}
	c.welcome()
	c.note()
	return err
}

// welcome follows when a request has shown the secret.
func (c *conn) welcome() {
	c.active()
	if !c.proven {
		c.proven, c.proveBy = true, time.Time{}
		c.s.welcome(c.nc)
	}
	c.fast = !c.s.pace()
}

// stranger answers whoever did not show the secret. Nothing of the request is kept, and nothing more than its head is read.
func (c *conn) stranger() after {
	c.counted = true
	if !c.s.knocked(c.path) {
		c.s.stats.strangers.Add(1)
	}
	c.proveBy = time.Now().Add(strangerLinger)
	// They fail only on a closed connection, and then so does the write.
	_, _ = c.nc.SetReadDeadline(c.proveBy), c.nc.SetWriteDeadline(c.proveBy)
	if _, err := c.nc.Write(notFound); err != nil {
		return drop
	}
	c.endWriting()
	return fin
}

// countStranger counts a connection that ended without having asked for anything.
func (c *conn) countStranger() {
	if !c.proven && !c.counted {
		c.s.stats.strangers.Add(1)
	}
}

// hide takes the secret out of what a hit says, should it stand anywhere else than where it is to be shown.
func (s *secret) hide(h *ledger.Hit) {
	for _, text := range []*string{&h.Method, &h.Path, &h.Model, &h.RetryCount, &h.Note, &h.Tag.Run, &h.Tag.Fixture, &h.Tag.Nonce} {
		if s.within(*text) {
			*text = gone
		}
	}
	h.Query, h.Header = s.without(h.Query), s.without(h.Header)
}

// without is a list whose names do not hold the secret. The list itself may belong to an earlier hit and stays.
func (s *secret) without(names []string) []string {
	for i, name := range names {
		if !s.within(name) {
			continue
		}
		out := append([]string{}, names[:i]...)
		for _, name := range names[i:] {
			if s.within(name) {
				name = gone
			}
			out = append(out, name)
		}
		return out
	}
	return names
}
