package stub

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/ledger"
)

// What of a request is kept is bounded, because the ledger keeps it to the end. Bytes.
const (
	maxKeptPath  = 512
	maxKeptModel = 256
	maxKeptName  = 128
	maxKeptQuery = 20 // names
	maxKeptCount = 16 // x-stainless-retry-count
	maxShownPath = 120
)

// retryCountHeader is sent by the official SDKs, 0 on the first attempt: it tells an SDK's attempts from a layer's.
const retryCountHeader = "x-stainless-retry-count"

// forget drops what the previous request of the connection said, but for the strings that the next one most likely
// says again.
func (c *conn) forget() {
	c.hit = ledger.Hit{At: c.now, From: c.hit.From, Method: c.hit.Method, Path: c.hit.Path, Query: c.hit.Query, Header: c.hit.Header}
	c.head.n, c.head.proto, c.head.raw = 0, "", nil
	c.tags[0].values, c.tags[1].values = nil, nil
	c.gzipOK = false
	c.watched = watched{}
}

// note keeps what is wanted of the head after its bytes are gone, also of a head that is refused half-way.
func (c *conn) note() {
	h := &c.head
	c.hit.Method = same(c.hit.Method, cut(h.at(h.method), maxKeptName))
	path, query, _ := bytes.Cut(originForm(h.at(h.target)), []byte("?"))
	if c.s.secret != nil {
		path = c.path
	}
	c.hit.Path = same(c.hit.Path, c.s.shape(path))
	c.hit.Query = sameNames(c.hit.Query, queryNames(query))
	if c.s.opt.Watch {
		c.watch(query)
	}
	if c.s.opt.Saw != nil {
		c.show(query)
	}
	if !c.sameHeader() {
		c.hit.Header = make([]string, h.n)
		for i := range h.n {
			c.hit.Header[i] = string(cut(h.at(h.fields[i].name), maxKeptName))
		}
	}
	for i := range h.n {
		name, value := h.at(h.fields[i].name), h.at(h.fields[i].value)
		switch {
		case equalFold(name, retryCountHeader):
			c.hit.RetryCount = countOf(value)
		case equalFold(name, "user-agent"):
			c.hit.Agent = agentOf(value)
		case equalFold(name, "accept-encoding"):
			c.gzipOK = c.gzipOK || acceptsGzip(value)
		default:
			c.noteTag(name, value)
		}
	}
	if c.s.secret != nil {
		c.s.secret.hide(&c.hit)
	}
}

// countOf is a number as it was written, "" for anything else: it is a header's value, and those are not kept.
func countOf(value []byte) string {
	if len(value) > maxKeptCount || bytes.ContainsFunc(value, func(r rune) bool { return r < '0' || r > '9' }) {
		return ""
	}
	return string(value)
}

// show tells Saw what came.
func (c *conn) show(query []byte) {
	for i := range c.head.n {
		f := c.head.fields[i]
		c.s.opt.Saw(c.head.at(f.name), c.head.at(f.value))
	}
	for len(query) > 0 {
		one, rest, _ := bytes.Cut(query, []byte("&"))
		name, value, _ := bytes.Cut(one, []byte("="))
		c.s.opt.Saw(name, decodeOnce(value))
		query = rest
	}
}

func (c *conn) noteTag(name, value []byte) {
	for i := range c.tags {
		if t := &c.tags[i]; len(name) == len(t.name) && strings.EqualFold(string(name), t.name) {
			t.values = append(t.values, string(value))
		}
	}
}

// tagHeader is what the channels read headers with.
func (c *conn) tagHeader(name string) []string {
	for i := range c.tags {
		if c.tags[i].name == name {
			return c.tags[i].values
		}
	}
	return nil
}

// sameHeader reports whether the head has the header names of the connection's previous request, in the same order:
// then the hit shares them with it.
func (c *conn) sameHeader() bool {
	if len(c.hit.Header) != c.head.n {
		return false
	}
	for i, name := range c.hit.Header {
		if string(cut(c.head.at(c.head.fields[i].name), maxKeptName)) != name {
			return false
		}
	}
	return true
}

// same returns the old string when the bytes are the same.
func same(old string, b []byte) string {
	if old == string(b) {
		return old
	}
	return string(b)
}

func sameNames(old, names []string) []string {
	if len(old) != len(names) {
		return names
	}
	for i := range old {
		if old[i] != names[i] {
			return names
		}
	}
	return old
}

func cut(b []byte, n int) []byte { return b[:min(len(b), n)] }

// originForm takes scheme and authority off a target in absolute form (RFC 9112 section 3.2.2).
func originForm(target []byte) []byte {
	if len(target) == 0 || target[0] == '/' {
		return target
	}
	_, rest, ok := bytes.Cut(target, []byte("://"))
	if !ok {
		return target
	}
	for i, b := range rest {
		switch b {
		case '/':
			return rest[i:]
		case '?':
			return append([]byte("/"), rest[i:]...)
		}
	}
	return []byte("/")
}

// queryNames returns the names of the parameters, never their values.
func queryNames(query []byte) (names []string) {
	for len(query) > 0 && len(names) < maxKeptQuery {
		one, rest, _ := bytes.Cut(query, []byte("&"))
		if name, _, _ := bytes.Cut(one, []byte("=")); len(name) > 0 {
			names = append(names, string(cut(name, maxKeptName)))
		}
		query = rest
	}
	return names
}

// acceptsGzip reads an accept-encoding value (RFC 9110 section 12.5.3). Only a q of zero refuses.
func acceptsGzip(value []byte) bool {
	for len(value) > 0 {
		one, rest, _ := bytes.Cut(value, []byte(","))
		coding, weight, _ := bytes.Cut(one, []byte(";"))
		if equalFold(bytes.Trim(coding, " \t"), "gzip") {
			q := strings.ReplaceAll(string(bytes.Trim(weight, " \t")), " ", "")
			return strings.Trim(strings.TrimPrefix(strings.ToLower(q), "q="), "0.") != "" || q == ""
		}
		value = rest
	}
	return false
}

// arrived reads the channels and puts the hit into the ledger. What the ledger knows about armed requests and
// announced nonces is in the hit afterwards.
func (c *conn) arrived(d *dialects.Dialect, body []byte) {
	h := &c.hit
	model := d.Model(body)
	read := c.s.opt.Channels.Read(ledger.Arrival{Path: h.Path, Header: c.headerOf, Model: model, Body: body}, c.s.names)
	h.ID = ledger.NewID()
	h.Tag, h.Channels = read.Tag, read.Channels
	if h.Model = model; len(model) > maxKeptModel {
		h.Model = strings.Clone(model[:maxKeptModel])
	}
	h.Stream = d.Stream(body)
	h.Note = read.Note
	if c.s.secret != nil {
		c.s.secret.hide(h)
	}
	kept := *h
	if len(h.Path) > maxKeptPath {
		kept.Path = strings.Clone(h.Path[:maxKeptPath])
	}
	c.parts.dialect, c.parts.body = d, body
	h.Tag, h.Channels = c.s.opt.Ledger.Arrived(kept, c)
	c.parts.body = nil
}

// Hashed gives the ledger what it may keep of the request's parts. The ledger has the key, which may be that of the run
// whose the request turns out to be.
func (c *conn) Hashed(hash func([]byte) string) (body string, marks []string) {
	p := &c.parts
	if c.s.opt.Watch {
		marks = p.dialect.Marks(dialects.Arrived{Header: c.watched.values, Query: c.watched.query, Body: p.body}, hash)
	}
	return hash(p.body), marks
}

// shown is a path as it stands in a sentence.
func shown(path string) string {
	if len(path) > maxShownPath {
		return fmt.Sprintf("%q...", path[:maxShownPath])
	}
	return fmt.Sprintf("%q", path)
}
