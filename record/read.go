package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// MaxSize is the largest saved record that Read takes, in bytes.
const MaxSize = 64 << 20

// Read decodes one saved record. It is strict, because a gate acts on what it reads: at most MaxSize bytes of UTF-8,
// one JSON document of this Format, every member known, in its exact case and given once. The errors say where and
// what in words; a record of a newer version with members of its own is refused, never read in part.
//
// It does not judge: whether the verdict fits the rows is for the caller to recompute.
func Read(r io.Reader) (Document, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxSize+1))
	if err != nil {
		return Document{}, fmt.Errorf("the record can't be read: %w", err)
	}
	if len(data) > MaxSize {
		return Document{}, fmt.Errorf("the record is larger than %d MiB", MaxSize>>20)
	}
	if at := invalidUTF8(data); at >= 0 {
		return Document{}, fmt.Errorf("%s: the record is not UTF-8", place(data, int64(at)))
	}
	if err := checkFormat(data); err != nil {
		return Document{}, err
	}
	if err := checkNames(data); err != nil {
		return Document{}, err
	}
	var doc Document
	if err := json.Unmarshal(data, &doc); err != nil {
		return Document{}, inWords(data, err)
	}
	return doc, nil
}

// checkFormat comes before everything else, so that a file of another kind is named as such and not blamed for its
// first unknown member.
func checkFormat(data []byte) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return errors.New("the record is empty")
	}
	var head struct {
		Format *string `json:"format"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return inWords(data, err)
	}
	if head.Format == nil {
		return fmt.Errorf("not a preservecheck record: it has no member %q", "format")
	}
	if *head.Format != Format {
		return fmt.Errorf("the record's format is %q, this version reads %q", *head.Format, Format)
	}
	return nil
}

// inWords turns the errors of encoding/json, which speak of Go types and byte offsets, into a place and a sentence.
func inWords(data []byte, err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		if at := behindDocument(data); at >= 0 {
			return fmt.Errorf("%s: text after the JSON document, at offset %d", place(data, at), at)
		}
		if syntax.Offset >= int64(len(data)) {
			return errors.New("the record ends in the middle: it was cut off")
		}
		return fmt.Errorf("%s: not JSON: %w", place(data, syntax.Offset-1), err)
	}
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		if kind.Field == "" {
			return fmt.Errorf("not a preservecheck record: it is a JSON %s, not an object", kind.Value)
		}
		return fmt.Errorf("%s: the member %q has a wrong type of value: %s", place(data, kind.Offset-1), kind.Field, kind.Value)
	}
	return fmt.Errorf("the record can't be decoded: %w", err)
}

// behindDocument is where text begins that stands behind a whole JSON document, -1 when there is none.
func behindDocument(data []byte) int64 {
	dec := json.NewDecoder(bytes.NewReader(data))
	var whole json.RawMessage
	if dec.Decode(&whole) != nil {
		return -1
	}
	rest := data[dec.InputOffset():]
	text := bytes.TrimLeft(rest, " \t\r\n")
	if len(text) == 0 {
		return -1
	}
	return dec.InputOffset() + int64(len(rest)-len(text))
}

func invalidUTF8(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

// place says where an offset is, as an editor counts: lines from 1, columns in bytes from 1.
func place(data []byte, offset int64) string {
	before := data[:max(0, min(offset, int64(len(data))))]
	line := bytes.Count(before, []byte{'\n'}) + 1
	return fmt.Sprintf("line %d, column %d", line, len(before)-bytes.LastIndexByte(before, '\n'))
}
