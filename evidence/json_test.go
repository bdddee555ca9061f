package evidence

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCanonicalTellsWhatAParserWouldHide(t *testing.T) {
	for _, c := range []struct{ why, a, b string }{
		{"a number's literal is evidence: a re-encoding layer turns 1 into 1.0", `[1]`, `[1.0]`},
		{"and 1e2 into 100", `[1e2]`, `[100]`},
		{"a number is not a text", `[1]`, `["1"]`},
		{"null is not absent", `[{"a":null}]`, `[{}]`},
		{"a second member of a name is seen", `[{"a":1,"a":2}]`, `[{"a":2}]`},
		{"the order of two members of one name is seen: parsers disagree which one counts", `[{"a":1,"a":2}]`, `[{"a":2,"a":1}]`},
		{"the case of a name counts", `[{"A":1}]`, `[{"a":1}]`},
		{"half a surrogate pair is not the replacement character", `["\ud800"]`, `["\ufffd"]`},
		{"the order of items counts", `[1,2]`, `[2,1]`},
		{"an empty text is not null", `[""]`, `[null]`},
	} {
		if x, y := canonicalOf(t, c.a), canonicalOf(t, c.b); x == y {
			t.Errorf("%s: %s and %s are both %s", c.why, c.a, c.b, x)
		}
	}
}

func TestCanonicalIgnoresWhatIsNoDifference(t *testing.T) {
	for _, c := range []struct{ why, a, b string }{
		{"the order of members", `{"a":1,"b":[{"d":2,"c":3}]}`, `{"b":[{"c":3,"d":2}],"a":1}`},
		{"spaces", `{"a" : [ 1 , 2 ] }`, "{\"a\":[1,2]}\n"},
		{"escapes", `{"a":"\u00e9\/\u4e2d"}`, `{"a":"é/中"}`},
		{"a pair of surrogates", `["\ud83d\ude00"]`, `["😀"]`},
	} {
		if x, y := canonicalOf(t, c.a), canonicalOf(t, c.b); x != y {
			t.Errorf("%s: %s is %s, %s is %s", c.why, c.a, x, c.b, y)
		}
	}
}

func canonicalOf(t *testing.T, s string) string {
	t.Helper()
	n, ok := parseJSON(s)
	if !ok {
		t.Fatalf("%s does not parse", s)
	}
	return string(n.canonical(nil))
}

func TestParseJSONRefuses(t *testing.T) {
	for _, s := range []string{
		"", " ", "{", `{"a"`, `{"a":}`, `{"a":1,}`, `[1,]`, `[1 2]`, "01", "1.", "-", "1e", ".5", "+1", "nul", "True", `"a`, "\"\n\"", `"\x"`, `"\u12"`, `"\u12g4"`,
		`{}{}`, "\xff", "[\"\xff\"]", `{a:1}`, `'a'`, strings.Repeat("[", maxDepth+2) + strings.Repeat("]", maxDepth+2),
	} {
		if _, ok := parseJSON(s); ok {
			t.Errorf("%q was taken for JSON", s)
		}
	}
}

// FuzzParseJSON holds our reader against encoding/json: the same texts are JSON, and what we write back is the same value.
func FuzzParseJSON(f *testing.F) {
	for _, s := range []string{
		`{"type":"error","error":{"type":"rate_limit_error","message":"x","details":{"error_code":"y"}},"request_id":null}`,
		`[1,2.50,-3e+7,true,false,null,"\u00e9\n\"\\"]`, `{"a":{"b":[{"c":""}]}}`, `"\ud83d\ude00\ud800"`, ` {} `, `{"a":1,"a":2}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		n, ok := parseJSON(string(b))
		var want any
		err := decodeNumber(b, &want)
		if ok && err != nil {
			t.Fatalf("we read %q and encoding/json says %v", b, err)
		}
		if !ok {
			if err == nil && utf8.Valid(b) && depthOf(b) <= maxDepth && len(b) < maxValues {
				t.Fatalf("encoding/json reads %q and we do not", b)
			}
			return
		}
		if bytes.Contains(b, []byte(`\u`)) {
			return // encoding/json replaces lone surrogates
		}
		var got any
		if err := decodeNumber(n.canonical(nil), &got); err != nil {
			t.Fatalf("canonical text of %q is no JSON: %v", b, err)
		}
		x, _ := json.Marshal(want)
		y, _ := json.Marshal(got)
		if !bytes.Equal(x, y) {
			t.Fatalf("%q became %s instead of %s", b, y, x)
		}
	})
}

func decodeNumber(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one value")
	}
	return nil
}

// depthOf is an upper bound of the nesting.
func depthOf(b []byte) int { return bytes.Count(b, []byte("[")) + bytes.Count(b, []byte("{")) }
