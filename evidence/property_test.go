package evidence

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/preservecheck/preservecheck/wire"
)

// message is an answer that can be sent in many ways.
type message struct {
	kind   string // its content-type
	header []wire.Field
	body   []byte
}

// headers are names and values of a provider's own, some of one name.
var headers = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) wire.Field {
	return wire.Field{
		Name:  rapid.OneOf(rapid.SampledFrom([]string{"retry-after", "request-id", "x-a", "x-a~b"}), rapid.StringMatching(`x-[a-z0-9]{1,6}`)).Draw(t, "header"),
		Value: rapid.OneOf(rapid.StringMatching(`([!-~]([ -~]{0,12}[!-~])?)?`), rapid.SampledFrom([]string{"caf\xe9", "é"})).Draw(t, "value"),
	}
}), 0, 6)

// read sends a message in one of the ways that mean the same, and reads it back.
func (m message) read(t *rapid.T) Evidence {
	fields, body := reordered(t, m.header), m.body
	fields = append(fields, wire.Field{Name: "Content-Type", Value: m.kind})
	if coding := rapid.SampledFrom([]string{"", "gzip", "deflate"}).Draw(t, "coding"); coding != "" && len(body) > 0 {
		body = compressed(coding, body)
		fields = append(fields, wire.Field{Name: "Content-Encoding", Value: coding})
	}
	var b bytes.Buffer
	b.WriteString("HTTP/1.1 429 " + rapid.SampledFrom([]string{"Too Many Requests", "", "x"}).Draw(t, "reason") + "\r\n")
	framing := rapid.SampledFrom([]wire.Framing{wire.FramingLength, wire.FramingChunked, wire.FramingClose}).Draw(t, "framing")
	switch framing {
	case wire.FramingLength:
		fields = append(fields, wire.Field{Name: "content-length", Value: fmt.Sprint(len(body))})
	case wire.FramingChunked:
		fields = append(fields, wire.Field{Name: "Transfer-Encoding", Value: "chunked"})
		body = chunks(t, body)
	}
	for _, f := range fields {
		name := f.Name
		if rapid.Bool().Draw(t, "upper case") {
			name = strings.ToUpper(name)
		}
		b.WriteString(name + ":" + rapid.SampledFrom([]string{"", " ", "\t "}).Draw(t, "space") + f.Value + " \r\n")
	}
	b.WriteString("\r\n")
	b.Write(body)
	a := wire.Read(&inPieces{t, b.Bytes()}, wire.Default)
	if !a.End.Orderly() {
		t.Fatalf("not read whole: %s %s", a.End, a.Err)
	}
	return Of(a, layout, mask)
}

// reordered changes the order of header lines, but not of those of one name.
func reordered(t *rapid.T, fields []wire.Field) (out []wire.Field) {
	if len(fields) < 2 {
		return append(out, fields...)
	}
	queues := map[string][]wire.Field{}
	for _, f := range fields {
		queues[f.Name] = append(queues[f.Name], f)
	}
	for _, f := range rapid.Permutation(fields).Draw(t, "order of headers") {
		q := queues[f.Name]
		out, queues[f.Name] = append(out, q[0]), q[1:]
	}
	return out
}

func compressed(coding string, body []byte) []byte {
	var b bytes.Buffer
	var z io.WriteCloser = gzip.NewWriter(&b)
	if coding == "deflate" {
		z = zlib.NewWriter(&b)
	}
	_, _ = z.Write(body) // into memory
	_ = z.Close()
	return b.Bytes()
}

func chunks(t *rapid.T, body []byte) (out []byte) {
	for len(body) > 0 {
		n := min(rapid.IntRange(1, 40).Draw(t, "chunk"), len(body))
		out = append(fmt.Appendf(out, "%x\r\n", n), append(body[:n:n], "\r\n"...)...)
		body = body[n:]
	}
	return append(out, "0\r\n\r\n"...)
}

// inPieces hands out bytes as a network may.
type inPieces struct {
	t    *rapid.T
	rest []byte
}

func (r *inPieces) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.rest[:min(rapid.IntRange(1, 200).Draw(r.t, "piece"), len(r.rest))])
	r.rest = r.rest[n:]
	return n, nil
}

// TestAnyHonestFormIsTheSame: however JSON is written, and however an answer is framed, compressed and cut into pieces, no
// key differs. (A lost member is seen in TestAnyLeafIsSeen: this one alone would pass if nothing were read.)
func TestAnyHonestFormIsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value, header := trees(4).Draw(t, "body"), headers.Draw(t, "headers")
		one := message{"application/json", header, value.write(t, nil)}.read(t)
		two := message{"application/json", header, append(value.write(t, nil), space(t)...)}.read(t)
		if d := Diff(one, two); len(d) > 0 {
			t.Fatalf("%+v", d)
		}
	})
}

// TestAnyLeafIsSeen: one changed leaf is one difference, under the key where it stands.
func TestAnyLeafIsSeen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value, header := trees(4).Draw(t, "body"), headers.Draw(t, "headers")
		places := value.leaves("body", layout.Error)
		if len(places) == 0 {
			t.Skip("nothing to change")
		}
		at := rapid.SampledFrom(places).Draw(t, "place")
		before := message{"application/json", header, value.write(t, nil)}.read(t)
		at.node.edit(t)
		one(t, Diff(before, message{"application/json", header, value.write(t, nil)}.read(t)), at.key, Changed)
	})
}

// TestAnyMemberIsSeen: one lost member is one difference, however much stood in it, and so is one that was invented.
func TestAnyMemberIsSeen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value, header := objects(3).Draw(t, "body"), headers.Draw(t, "headers")
		whole := message{"application/json", header, value.write(t, nil)}.read(t)
		more := &tree{kind: Object, kids: append(value.kids[:len(value.kids):len(value.kids)], branch{[]rune("one more"), trees(2).Draw(t, "member")})}
		with := message{"application/json", header, more.write(t, nil)}.read(t)
		if whole.Get("body/one more").Kind != Absent {
			t.Skip("it was there")
		}
		one(t, Diff(with, whole), "body/one more", Lost)
		one(t, Diff(whole, with), "body/one more", Invented)
	})
}

// TestAnyHeaderIsSeen: one changed value is one difference, also when several lines have the name.
func TestAnyHeaderIsSeen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		header := headers.Filter(func(h []wire.Field) bool { return len(h) > 0 }).Draw(t, "headers")
		before := message{"application/json", header, []byte("{}")}.read(t)
		i := rapid.IntRange(0, len(header)-1).Draw(t, "which")
		changed := append([]wire.Field(nil), header...)
		changed[i].Value += "x"
		one(t, Diff(before, message{"application/json", changed, []byte("{}")}.read(t)), "header/"+escape(header[i].Name), Changed)
	})
}

func one(t *rapid.T, d []Difference, key string, dir Direction) {
	if len(d) != 1 || d[0].Key != key || d[0].Dir != dir {
		t.Fatalf("want %s %s and nothing else, have %+v", key, dir, d)
	}
}
