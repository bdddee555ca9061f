package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// TestAbsentIsNotEmpty: a missing member, an empty text and an empty body are three things, also in JSON.
func TestAbsentIsNotEmpty(t *testing.T) {
	for _, c := range []struct {
		why   string
		field Field
		want  string
	}{
		{"absent is a missing member", Field{Key: "k"}, `{"key":"k"}`},
		{"text of no characters", Field{Key: "k", Layer: &Value{Kind: "text"}}, `{"key":"k","layer":{"kind":"text"}}`},
		{"a body of no bytes", Field{Key: "k", Layer: &Value{Kind: "empty"}}, `{"key":"k","layer":{"kind":"empty"}}`},
		{"null", Field{Key: "k", Layer: &Value{Kind: "null", Text: "null"}}, `{"key":"k","layer":{"kind":"null","text":"null"}}`},
	} {
		raw, err := json.Marshal(c.field)
		if err != nil || string(raw) != c.want {
			t.Errorf("%s: %s, %v, want %s", c.why, raw, err, c.want)
		}
		var back Field
		if err := json.Unmarshal(raw, &back); err != nil || !reflect.DeepEqual(back, c.field) {
			t.Errorf("%s: read back as %+v, %v", c.why, back, err)
		}
	}
}

// TestEveryMemberIsNamed: a field without a JSON name would be written under its Go name and refused by Read.
func TestEveryMemberIsNamed(t *testing.T) {
	seen := 0
	var walk func(reflect.Type)
	walk = func(rt reflect.Type) {
		for rt.Kind() == reflect.Pointer || rt.Kind() == reflect.Slice {
			rt = rt.Elem()
		}
		if rt.Kind() != reflect.Struct || rt.PkgPath() != reflect.TypeFor[Document]().PkgPath() {
			return
		}
		for f := range rt.Fields() {
			seen++
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" || name != strings.ToLower(name) {
				t.Errorf("%s.%s has the JSON name %q", rt.Name(), f.Name, name)
			}
			walk(f.Type)
		}
	}
	walk(reflect.TypeFor[Document]())
	if seen < 100 {
		t.Errorf("only %d fields seen: the walk is broken", seen)
	}
}

const head = `{"format":"preservecheck.report/v1"`

func TestRead(t *testing.T) {
	for _, c := range []struct{ why, in, want string }{
		{"the least there is", head + `}`, ""},
		{"space around it", " \n" + head + "}\n\n", ""},
		{"a row with values", head + `,"rows":[{"row":"a","fields":[{"key":"k","layer":{"kind":"text","text":""}}]}]}`, ""},
		{"null for a list", head + `,"rows":null}`, ""},
		{"the names of a map are free", head + `,"result":{"counts":{"Preserved":1,"x":2}}}`, ""},
		{"an empty file", " ", "the record is empty"},
		{"not JSON", "hello", "line 1, column 1: not JSON"},
		{"a list", `[]`, "it is a JSON array, not an object"},
		{"another tool's report", `{"runs":[]}`, `not a preservecheck record: it has no member "format"`},
		{"a later format", `{"format":"preservecheck.report/v2"}`, `the record's format is "preservecheck.report/v2", this version reads "preservecheck.report/v1"`},
		{"cut off", head + `,"rows":[{"row"`, "it was cut off"},
		{"two records in one file", head + "}\n" + head + "}", "line 2, column 1: text after the JSON document, at offset 37"},
		{"one letter behind it is no cut", head + "}\n x", "line 2, column 2: text after the JSON document, at offset 38"},
		{"nor is a brace too many", head + "}}", "text after the JSON document, at offset 36"},
		{"a typo", head + `,"rowz":[]}`, `unknown member "rowz" in the record`},
		{"a typo deep inside says where", head + ",\n" + `"rows":[{},{"fields":[{"kez":"k"}]}]}`, `line 2, column 24: unknown member "kez" in rows[1].fields[0]`},
		{"case counts", head + `,"rows":[{"Verdict":"preserved"}]}`, `unknown member "Verdict" in rows[0]`},
		{"the last of two would win", head + `,"rows":[{"verdict":"broken","verdict":"preserved"}]}`, `the member "verdict" stands twice in rows[0]`},
		{"in a map as well", head + `,"result":{"counts":{"broken":1,"broken":0}}}`, `the member "broken" stands twice in result.counts`},
		{"the format itself twice", head + `,"format":"preservecheck.report/v1"}`, `the member "format" stands twice in the record`},
		{"a wrong type", head + `,"rows":[{"hits_min":"1"}]}`, `the member "rows.hits_min" has a wrong type of value: string`},
		{"an object for a text", head + `,"channel":{"a":1}}`, `the member "channel" has a wrong type of value: object`},
		{"a list for an object", head + `,"tool":[{"a":1}]}`, `the member "tool" has a wrong type of value: array`},
		{"a time that is none", head + `,"started":"yesterday"}`, "can't be decoded"},
		{"bytes that are not UTF-8", head + ",\n\"channel\":\"\xff\"}", "line 2, column 12: the record is not UTF-8"},
		{"too deep", head + `,"rows":` + strings.Repeat("[", 20000), "max depth"},
	} {
		doc, err := Read(strings.NewReader(c.in))
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.why, err)
		case c.want == "" && doc.Format != Format:
			t.Errorf("%s: read %+v", c.why, doc)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: got %v, want %q", c.why, err, c.want)
		}
	}
}

// endless is a file that never ends.
type endless struct{ read int }

func (e *endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = ' '
	}
	e.read += len(b)
	return len(b), nil
}

func TestReadIsBounded(t *testing.T) {
	e := &endless{}
	if _, err := Read(e); err == nil || !strings.Contains(err.Error(), "larger than 64 MiB") {
		t.Errorf("got %v", err)
	}
	if e.read > 2*MaxSize {
		t.Errorf("%d bytes were read", e.read)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestReadReturnsReadErrors(t *testing.T) {
	if _, err := Read(broken{}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v", err)
	}
}

// BenchmarkRead reads a record of a few MiB; the time must grow with its size and not faster.
func BenchmarkRead(b *testing.B) {
	for _, rows := range []int{1000, 10000} {
		doc := Document{Format: Format}
		for range rows {
			doc.Rows = append(doc.Rows, Row{Row: "tier_cap", Verdict: "changed", Observations: []Observation{{Pass: "A"}},
				Fields: []Field{{Key: "error/message", Dir: "changed", Fixture: &Value{Kind: "string", Text: "a"}, Layer: &Value{Kind: "string", Text: "b"}}}})
		}
		raw, err := json.MarshalIndent(doc, "", "  ")
		if err != nil {
			b.Fatal(err)
		}
		b.Run(strconv.Itoa(rows), func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				if _, err := Read(bytes.NewReader(raw)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{head + `}`, head + `,"rows":[{"row":"a","fields":[{"key":"k","layer":{"kind":"text"}}]}]}`,
		head + `,"proof":{"controls":[{}]},"result":{"counts":{"a":1}}}`, `[`, `{"format":null}`, head + `,"started":"2026-11-30T12:00:00Z"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := Read(strings.NewReader(string(data)))
		if err != nil {
			if strings.Contains(err.Error(), "Go struct") || strings.Contains(err.Error(), "Go value") {
				t.Errorf("not in words: %v", err)
			}
			return
		}
		raw, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Read(strings.NewReader(string(raw)))
		if err != nil || !reflect.DeepEqual(again, doc) {
			t.Errorf("what was read can't be read again: %v", err)
		}
	})
}
