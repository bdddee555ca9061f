package evidence

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/preservecheck/preservecheck/wire"
)

const (
	maxKeys = 10_000   // a hostile body has no more keys than this; the rest is one entry
	maxText = 64 << 10 // bytes of one value; a longer one is its beginning and a digest of the whole
	begins  = 4 << 10  // bytes of that beginning
)

// The values of the key "end".
const (
	EndOK       = "ok"
	EndAbnormal = "abnormal"
	EndTimeout  = "timeout"
)

// connectionHeaders delimit or compress the body or manage the connection. What they say is evidence as "framing",
// "decode" and "end"; their values differ from hop to hop by design (RFC 9110 section 7.6.1).
var connectionHeaders = map[string]bool{
	"connection": true, "keep-alive": true, "proxy-connection": true, "transfer-encoding": true, "content-length": true,
	"content-encoding": true, "te": true, "trailer": true, "upgrade": true,
}

// Of reads an answer. Each id, the hit ids that belong to this very request, is replaced by mask wherever it stands, so that
// two answers to two requests can be equal. mask must have the length of an id.
func Of(a *wire.Answer, layout Layout, mask string, ids ...string) Evidence {
	return AppendOf(make(Evidence, 0, 8+len(a.Header)+min(len(a.Body)/40, 64)), a, layout, mask, ids...)
}

// AppendOf is Of into memory that the caller has: a proof reads thousands of answers, one after the other.
func AppendOf(dst Evidence, a *wire.Answer, layout Layout, mask string, ids ...string) Evidence {
	r := reader{out: dst, layout: layout, mask: mask, ids: ids}
	if a.Status > 0 {
		r.add("status", Value{Number, strconv.Itoa(a.Status)})
	}
	r.add("end", Value{Text, endOf(a.End)})
	if len(a.Faults) > 0 {
		r.add("framing", list(a.Faults))
	}
	body, coding, err := wire.Decode(a, wire.MaxBody)
	if err != nil {
		r.add("decode", Value{Text, "not " + coding + " as labelled"})
		body = a.Body
	}
	if len(a.Interim) > 0 {
		var vs []string
		for _, s := range a.Interim {
			vs = append(vs, strconv.Itoa(s))
		}
		r.add("interim", list(vs))
	}
	r.headers("header/", a.Header)
	r.headers("trailer/", a.Trailer)
	if a.Status == 0 && len(a.Body) == 0 {
		return r.out
	}
	r.body(a, r.masked(body))
	return r.out
}

func endOf(e wire.End) string {
	switch {
	case e.Orderly():
		return EndOK
	case e == wire.EndTimeout:
		return EndTimeout
	}
	return EndAbnormal
}

type reader struct {
	out    Evidence
	layout Layout
	mask   string
	ids    []string
	long   bool // texts are cut out of something long
}

func (r *reader) add(key string, v Value) {
	switch {
	case len(v.Text) > maxText:
		v.Text = digested(v.Text)
	case r.long:
		v.Text = strings.Clone(v.Text) // a few short texts must not keep a long body
	}
	switch {
	case len(r.out) < maxKeys:
		r.out = append(r.out, Entry{key, v})
	case len(r.out) == maxKeys:
		r.out = append(r.out, Entry{"body/…", Value{Text, "more than " + strconv.Itoa(maxKeys) + " keys"}})
	}
}

// digested keeps a long text comparable without keeping it.
func digested(s string) string {
	sum := sha256.Sum256([]byte(s))
	return fmt.Sprintf("%s… (%d bytes, sha256 %x)", strings.ToValidUTF8(s[:begins], ""), len(s), sum)
}

func (r *reader) masked(b []byte) []byte {
	for _, id := range r.ids {
		if bytes.Contains(b, []byte(id)) {
			b = bytes.ReplaceAll(b, []byte(id), []byte(r.mask))
		}
	}
	return b
}

func (r *reader) maskedString(s string) string {
	for _, id := range r.ids {
		s = strings.ReplaceAll(s, id, r.mask)
	}
	return s
}

type named struct{ name, value string }

func (r *reader) headers(root string, fields []wire.Field) {
	hs := make([]named, 0, len(fields))
	for _, f := range fields {
		if n := strings.ToLower(f.Name); !connectionHeaders[n] {
			hs = append(hs, named{n, r.maskedString(validText(f.Value))})
		}
	}
	slices.SortStableFunc(hs, func(a, b named) int { return strings.Compare(a.name, b.name) })
	for i := 0; i < len(hs); {
		j := i + 1
		for j < len(hs) && hs[j].name == hs[i].name {
			j++
		}
		key := root + escape(hs[i].name)
		if j == i+1 {
			r.add(key, Value{Text, hs[i].value})
		} else {
			vs := make([]string, 0, j-i)
			for _, h := range hs[i:j] {
				vs = append(vs, h.value)
			}
			r.add(key, list(vs))
		}
		i = j
	}
}

func (r *reader) body(a *wire.Answer, b []byte) {
	if isStream(a, b) {
		r.stream(b, a.Pace)
		return
	}
	if len(b) == 0 {
		r.add("body", Value{Kind: Empty})
		return
	}
	s := string(b)
	r.long = len(s) > maxText
	p := parsers.Get().(*parser)
	defer p.release()
	n, ok := p.parse(s)
	switch {
	case !ok && utf8.Valid(b):
		r.add("body", Value{Text, s})
	case !ok:
		r.add("body", Value{Bytes, base64.StdEncoding.EncodeToString(b)})
	default:
		r.envelope("body", &n, []string{r.layout.Error})
	}
}

// envelope adds a body or an event's data under root; the error at path goes to the key "error", wherever it stood.
func (r *reader) envelope(root string, n *node, path []string) {
	if n.kind != Object {
		r.value(root, n)
		return
	}
	var few [2]*node // there is hardly ever more than one
	for i, e := range r.around(root, n, path, few[:0]) {
		r.value(numbered("error", i+1), e)
	}
}

// around adds all of an object but what stands at path, and appends that to errs.
func (r *reader) around(root string, n *node, path []string, errs []*node) []*node {
	r.add(root, Value{Kind: Object})
	var names counter
	for i := range n.sorted() {
		m := &n.kids[i]
		switch {
		case m.name != path[0]:
			r.value(root+"/"+names.key(m.name), &m.node)
		case len(path) == 1:
			errs = append(errs, &m.node)
		case m.node.kind == Object:
			errs = r.around(root+"/"+names.key(m.name), &m.node, path[1:], errs)
		default:
			r.value(root+"/"+names.key(m.name), &m.node)
		}
	}
	return errs
}

func (r *reader) value(key string, n *node) {
	switch n.kind {
	case Object:
		r.add(key, Value{Kind: Object})
		var names counter
		for i := range n.sorted() {
			m := &n.kids[i]
			r.value(key+"/"+names.key(m.name), &m.node)
		}
	case Array:
		r.add(key, Value{Array, string(n.canonical(nil))})
	default:
		r.add(key, Value{n.kind, n.text})
	}
}

// counter numbers members of one name, which stand side by side after sorting: "type", "type#2".
type counter struct {
	last string
	n    int
}

func (c *counter) key(name string) string {
	if c.n > 0 && name == c.last {
		c.n++
	} else {
		c.last, c.n = name, 1
	}
	return numbered(escape(name), c.n)
}

func numbered(key string, n int) string {
	if n == 1 {
		return key
	}
	return key + "#" + strconv.Itoa(n)
}

// escape keeps a member's name from looking like a path or a number of ours (RFC 6901, and "#").
func escape(name string) string {
	if !strings.ContainsAny(name, "~/#") {
		return name
	}
	return escaper.Replace(name)
}

var escaper = strings.NewReplacer("~", "~0", "/", "~1", "#", "~2")

// validText keeps header values comparable and printable: bytes that are not UTF-8 are shown as the Latin-1 they
// were once defined to be, so that no two different values become equal.
func validText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		b.WriteRune(rune(s[i]))
	}
	return b.String()
}

func list(vs []string) Value {
	n := node{kind: Array}
	for _, v := range vs {
		n.kids = append(n.kids, member{"", node{kind: String, text: v}})
	}
	return Value{List, string(n.canonical(nil))}
}
