package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// checkNames walks the JSON beside the types. encoding/json alone takes "VERDICT" for "verdict" and lets the last of
// two members win, so that one file could read differently here and in the reader's own tool.
func checkNames(data []byte) error {
	n := names{dec: json.NewDecoder(bytes.NewReader(data)), data: data}
	n.dec.UseNumber()
	return n.value(reflect.TypeFor[Document](), "")
}

type names struct {
	dec  *json.Decoder
	data []byte
}

// value reads one value. t is nil where the type says nothing about members; wrong types are left to the decoder.
func (n *names) value(t reflect.Type, path string) error {
	tok, err := n.dec.Token()
	if err != nil {
		return inWords(n.data, err)
	}
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch tok {
	case json.Delim('{'):
		return n.object(t, path)
	case json.Delim('['):
		return n.array(t, path)
	}
	return nil
}

func (n *names) array(t reflect.Type, path string) error {
	var elem reflect.Type
	if t != nil && t.Kind() == reflect.Slice {
		elem = t.Elem()
	}
	for i := 0; n.dec.More(); i++ {
		if err := n.value(elem, path+"["+strconv.Itoa(i)+"]"); err != nil {
			return err
		}
	}
	_, err := n.dec.Token()
	return err
}

func (n *names) object(t reflect.Type, path string) error {
	member := membersOf(t)
	seen := map[string]bool{}
	for n.dec.More() {
		tok, err := n.dec.Token()
		if err != nil {
			return inWords(n.data, err)
		}
		name, _ := tok.(string)
		if seen[name] {
			return fmt.Errorf("%s: the member %q stands twice in %s", n.placeOf(name), name, orTop(path))
		}
		seen[name] = true
		mt, ok := member(name)
		if !ok {
			return fmt.Errorf("%s: unknown member %q in %s: not of this format, or of a newer preservecheck", n.placeOf(name), name, orTop(path))
		}
		if err := n.value(mt, strings.TrimPrefix(path+"."+name, ".")); err != nil {
			return err
		}
	}
	_, err := n.dec.Token()
	return err
}

// placeOf says where the name that was just read begins.
func (n *names) placeOf(name string) string {
	return place(n.data, n.dec.InputOffset()-int64(len(name)+2))
}

// membersOf returns the lookup of an object's members: those of the struct, any for a map or an unexpected object.
func membersOf(t reflect.Type) func(name string) (reflect.Type, bool) {
	if t == nil || t.Kind() != reflect.Struct || t == reflect.TypeFor[time.Time]() {
		var elem reflect.Type
		if t != nil && t.Kind() == reflect.Map {
			elem = t.Elem()
		}
		return func(string) (reflect.Type, bool) { return elem, true }
	}
	return func(name string) (reflect.Type, bool) {
		for f := range t.Fields() {
			if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); tag == name {
				return f.Type, true
			}
		}
		return nil, false
	}
}

func orTop(path string) string {
	if path == "" {
		return "the record"
	}
	return path
}
