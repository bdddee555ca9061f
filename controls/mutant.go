package controls

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// Mutants are faults in a single place: each key of each answer is lost, altered by one character, duplicated where a place can
// hold two, and joined by a key that nobody sent. They are generated from the bytes of the answer, which are read here without
// package evidence, so that no key is forgotten because nobody wrote a fault for it.

// mutant is one answer with one place changed.
type mutant struct {
	kind  *Fault // one of mutantKinds
	place string // what was changed, in words
	edit  func(*wire.Answer)
	want  []Sight
}

// The four kinds of mutants, as lines of a proof.
var (
	mutantLost       = &Fault{Name: "one-key-lost", Why: "each place of each answer is lost, one at a time: a header, a member, an event"}
	mutantAltered    = &Fault{Name: "one-key-altered", Why: "each place of each answer differs by one character, one at a time"}
	mutantDuplicated = &Fault{Name: "one-key-duplicated", Why: "each header line, member and event stands there twice, one at a time"}
	mutantInvented   = &Fault{Name: "one-key-invented", Why: "beside each header, member and event stands one that nobody sent, one at a time"}
)

func mutantKinds() []*Fault {
	return []*Fault{mutantLost, mutantAltered, mutantDuplicated, mutantInvented}
}

// pick chooses one of n; a proof takes the middle, a property test any.
type pick func(n int) int

func middle(n int) int { return n / 2 }

// maker gathers the mutants of one answer.
type maker struct {
	s    *subject
	pick pick
	out  []mutant
	// entangled are changes of places on which other keys rest, such as the type that says which member is a delta's text. They
	// are noticed, but not as the change of one key.
	entangled []mutant
}

// mutants are all of one row, and apart the changes that are none of a single key.
func mutants(s *subject, p pick) (single, entangled []mutant) {
	m := &maker{s: s, pick: p}
	m.end()
	if s.expected.Status == 0 {
		return m.out, nil // nothing came that could be changed
	}
	m.status()
	m.headers()
	m.around()
	m.body()
	return m.out, m.entangled
}

func (m *maker) add(kind *Fault, place string, edit func(*wire.Answer), want ...Sight) {
	m.out = append(m.out, mutant{kind, place, edit, want})
}

// withBody is an edit that puts another body in place.
func withBody(b []byte) func(*wire.Answer) {
	return func(a *wire.Answer) { a.Body = append(a.Body[:0], b...) }
}

func (m *maker) end() {
	other := wire.EndShort
	if !m.s.expected.End.Orderly() {
		other = wire.EndComplete
	}
	m.add(mutantAltered, "how it ended", func(a *wire.Answer) { a.End = other }, Sight{"end", evidence.Changed})
}

// status alters the last digit: no status of a fixture becomes one that has no body.
func (m *maker) status() {
	status := m.s.expected.Status
	other := status + 1
	if status%10 == 9 {
		other = status - 1
	}
	m.add(mutantAltered, "status "+strconv.Itoa(status), func(a *wire.Answer) { a.Status = other }, Sight{"status", evidence.Changed})
}

// hopHeaders frame, compress or manage the connection (RFC 9110 section 7.6.1): what they say is other keys.
var hopHeaders = []string{"connection", "keep-alive", "proxy-connection", "transfer-encoding", "content-length", "content-encoding", "te", "trailer", "upgrade"}

func (m *maker) headers() {
	var seen []string
	for _, f := range m.s.expected.Header {
		name := strings.ToLower(f.Name)
		if slices.Contains(hopHeaders, name) || slices.Contains(seen, name) {
			continue
		}
		seen = append(seen, name)
		m.header(name, f)
	}
	if len(seen) == 0 {
		m.add(mutantInvented, "a header", func(a *wire.Answer) { addHeader(a, "x-preservecheck", "1") }, Sight{"header/x-preservecheck", evidence.Invented})
	}
}

func (m *maker) header(name string, f wire.Field) {
	key, place := "header/"+escaped(name), "header "+name
	m.add(mutantDuplicated, place, func(a *wire.Answer) { addHeader(a, f.Name, f.Value) }, Sight{key, evidence.Changed})
	m.add(mutantInvented, "beside "+place, func(a *wire.Answer) { addHeader(a, f.Name+"-preservecheck", f.Value) },
		Sight{key + "-preservecheck", evidence.Invented})
	if name == "content-type" && m.onlyLabelled() {
		return // by this label alone the body is known for a stream, so its loss loses everything
	}
	m.add(mutantLost, place, func(a *wire.Answer) { dropHeader(a, name) }, Sight{key, evidence.Lost})
	value := alteredText(f.Value, m.pick)
	m.add(mutantAltered, place, func(a *wire.Answer) {
		for i := range a.Header {
			if strings.EqualFold(a.Header[i].Name, name) {
				a.Header[i].Value = value
				return
			}
		}
	}, Sight{key, evidence.Changed})
}

// onlyLabelled reports whether nothing but its label tells that the body is a stream.
func (m *maker) onlyLabelled() bool {
	return isEventStream(m.s.expected) && !bytes.HasPrefix(m.s.expected.Body, []byte("event:")) && !bytes.HasPrefix(m.s.expected.Body, []byte("data:"))
}

// around are the keys beside head and body.
func (m *maker) around() {
	a := m.s.expected
	if len(a.Faults) > 0 {
		m.add(mutantLost, "framing fault", func(a *wire.Answer) { a.Faults = nil }, Sight{"framing", evidence.Lost})
	} else {
		m.add(mutantInvented, "a framing fault", func(a *wire.Answer) { a.Faults = []string{wire.FaultExcess} }, Sight{"framing", evidence.Invented})
	}
	more := evidence.Invented
	if len(a.Interim) > 0 {
		more = evidence.Changed
	}
	m.add(mutantInvented, "an interim answer", func(a *wire.Answer) { a.Interim = append(a.Interim, 103) }, Sight{"interim", more})
	m.add(mutantInvented, "a trailer", func(a *wire.Answer) { a.Trailer = append(a.Trailer, wire.Field{Name: "x-preservecheck", Value: "1"}) },
		Sight{"trailer/x-preservecheck", evidence.Invented})
	if len(a.Body) > 0 && len(a.Values("content-encoding")) == 0 {
		m.add(mutantInvented, "a content-encoding", func(a *wire.Answer) { addHeader(a, "content-encoding", "gzip") }, Sight{"decode", evidence.Invented})
	}
}

// body splits by what the body is: events, JSON, nothing or anything else.
func (m *maker) body() {
	b := string(m.s.expected.Body)
	doc, isJSON := readDoc(b)
	switch {
	case m.s.seen.isEvents():
		m.stream()
	case b == "":
		m.add(mutantAltered, "an empty body", withBody([]byte("x")), Sight{"body", evidence.Changed})
	case isJSON:
		m.document(b, doc)
	default:
		m.add(mutantLost, "the body", withBody(nil), Sight{"body", evidence.Changed})
		m.add(mutantAltered, "the body", withBody([]byte(alteredText(b, m.pick))), Sight{"body", evidence.Changed})
	}
}

// document makes the mutants of a JSON body.
func (m *maker) document(b string, root *docNode) {
	w := walk{
		key: func(path []string) string { return bodyKey(path) },
		emit: func(kind *Fault, place string, edits []edit, want Sight, _ []string) {
			m.add(kind, "body "+place, withBody([]byte(apply(b, edits))), want)
		},
		pick: m.pick, text: b,
	}
	w.value(root, nil, false)
	if root.kind != '{' {
		return
	}
	cut := strings.LastIndexByte(b, '}')
	want := []Sight{{"body", evidence.Changed}}
	for n := 1; n <= root.count(errorMember); n++ {
		want = append(want, Sight{numberedKey("error", n), evidence.Lost})
	}
	m.add(mutantAltered, "the last brace of the body", withBody([]byte(b[:cut]+b[cut+1:])), want...)
}

// errorMember is where every dialect has the error of a body.
const errorMember = "error"

// bodyKey is the key of a place in a JSON body: the error stands apart.
func bodyKey(path []string) string {
	if len(path) == 0 {
		return "body"
	}
	if name, number := splitNumber(path[0]); name == errorMember {
		return strings.Join(append([]string{"error" + number}, path[1:]...), "/")
	}
	return "body/" + strings.Join(path, "/")
}

// splitNumber parts "name#2"; a "#" of the name itself is escaped.
func splitNumber(part string) (name, number string) {
	if i := strings.IndexByte(part, '#'); i >= 0 {
		return part[:i], part[i:]
	}
	return part, ""
}

func numberedKey(key string, n int) string {
	if n == 1 {
		return key
	}
	return key + "#" + strconv.Itoa(n)
}

// escaped writes a name as it stands in a key: RFC 6901, and "#", which numbers.
func escaped(name string) string { return nameEscaper.Replace(name) }

var nameEscaper = strings.NewReplacer("~", "~0", "/", "~1", "#", "~2")

// alteredText changes one character of a text that is not JSON. One that is not UTF-8 changes by a byte.
func alteredText(s string, p pick) string {
	if s == "" {
		return "q"
	}
	r := []rune(s)
	if string(r) != s {
		b := []byte(s)
		i := p(len(b))
		b[i] ^= 1
		return string(b)
	}
	i := p(len(r))
	r[i] = another(r[i])
	return string(r)
}

func another(r rune) rune {
	if r == 'q' {
		return 'j'
	}
	return 'q'
}
