package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/preservecheck/preservecheck/record"
)

// JSON writes the record: indented, the same bytes for the same document, with a newline at the end.
//
// It is printed to terminals and CI logs, too, so characters that Plain would show as an escape are JSON escapes
// here; a reader of JSON gets the value unchanged. Only bytes that are not UTF-8, which JSON can't carry, are
// replaced by their visible form \xff.
func JSON(w io.Writer, doc record.Document) error {
	raw, err := encode(filled(doc))
	if err != nil {
		return err
	}
	// encoding/json writes this escape for a byte that is not UTF-8 and for nothing else.
	if bytes.Contains(raw, []byte(`\ufffd`)) {
		if raw, err = encode(validUTF8(reflect.ValueOf(filled(doc))).Interface().(record.Document)); err != nil {
			return err
		}
	}
	_, err = bytes.NewReader(quiet(raw)).WriteTo(w)
	return err
}

func encode(doc record.Document) ([]byte, error) {
	raw, err := encodeAny(doc)
	if err != nil {
		return nil, fmt.Errorf("the record can't be written as JSON: %w", err)
	}
	return raw, nil
}

func encodeAny(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return b.Bytes(), err
}

// filled turns the lists of a run that has none into empty lists, so that a reader can go through them without
// asking first. In an answer's evidence a missing list stays null: the header was absent.
func filled(doc record.Document) record.Document {
	for _, list := range []*[]string{&doc.Channels, &doc.Profile.Keys, &doc.Settings.Modes, &doc.Settings.Dialects, &doc.Settings.Hazards} {
		if *list == nil {
			*list = []string{}
		}
	}
	doc.Rows = append([]record.Row{}, doc.Rows...)
	for i := range doc.Rows {
		if doc.Rows[i].Observations == nil {
			doc.Rows[i].Observations = []record.Observation{}
		}
	}
	if c := doc.Classifier; c != nil && c.Rows == nil {
		doc.Classifier = &record.Classifier{Command: c.Command, Failed: c.Failed, Rows: []record.OwnClass{}}
	}
	if doc.Result.Counts == nil {
		doc.Result.Counts = map[string]int{}
	}
	return doc
}

// quiet rewrites what a terminal or a workflow log would obey. Outside of strings JSON holds neither such characters
// nor "##", so the bytes can be gone through without parsing.
func quiet(raw []byte) []byte {
	out := make([]byte, 0, len(raw))
	last := rune(0)
	for i := 0; i < len(raw); {
		r, size := utf8.DecodeRune(raw[i:])
		switch {
		case r == '#' && last == '#':
			out, r = append(out, `\u0023`...), 0
		case r != '\n' && hidden(r):
			out = append(out, jsonEscape(r)...)
		default:
			out = append(out, raw[i:i+size]...)
		}
		last = r
		i += size
	}
	return out
}

func jsonEscape(r rune) string {
	if r < 0x10000 {
		return fmt.Sprintf(`\u%04x`, r)
	}
	r -= 0x10000 // a pair of surrogates
	return fmt.Sprintf(`\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
}

// validUTF8 copies a value with every string made valid UTF-8.
func validUTF8(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.String:
		out.SetString(visibleBytes(v.String()))
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				out.Field(i).Set(validUTF8(v.Field(i)))
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(validUTF8(v.Elem()))
		}
	case reflect.Slice:
		if !v.IsNil() {
			out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
			for i := range v.Len() {
				out.Index(i).Set(validUTF8(v.Index(i)))
			}
		}
	case reflect.Map:
		if !v.IsNil() {
			out.Set(reflect.MakeMapWithSize(v.Type(), v.Len()))
			for k, e := range v.Seq2() {
				out.SetMapIndex(validUTF8(k), validUTF8(e))
			}
		}
	}
	return out
}

func visibleBytes(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&b, `\x%02x`, s[i])
		} else {
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}
