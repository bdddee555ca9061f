package report

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/preservecheck/preservecheck/record"
)

// plantAll puts a text into every string of a document.
func plantAll(doc *record.Document, s string) {
	eachString(reflect.ValueOf(doc).Elem(), "", func(_ string, _ func() string, set func(string)) { set(s) })
}

// full is a document with a row of every verdict and something in every list, map and pointer.
func full() record.Document {
	doc := red()
	seen := map[string]bool{}
	doc.Rows = slices.DeleteFunc(doc.Rows, func(r record.Row) bool {
		had := seen[r.Verdict]
		seen[r.Verdict] = true
		return had
	})
	fill(reflect.ValueOf(&doc).Elem())
	return doc
}

func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		fill(v.Elem())
	case reflect.Slice:
		if v.Len() == 0 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		}
		for i := range v.Len() {
			fill(v.Index(i))
		}
	case reflect.Map:
		if v.Len() == 0 {
			v.Set(reflect.MakeMap(v.Type()))
			v.SetMapIndex(reflect.ValueOf("x"), reflect.New(v.Type().Elem()).Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i))
			}
		}
	}
}

// eachString calls f for every string that can be reached, keys of maps included, with its path.
func eachString(v reflect.Value, path string, f func(path string, get func() string, set func(string))) {
	switch v.Kind() {
	case reflect.String:
		f(path, v.String, v.SetString)
	case reflect.Pointer:
		if !v.IsNil() {
			eachString(v.Elem(), path, f)
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachString(v.Index(i), path+"["+strconv.Itoa(i)+"]", f)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				eachString(v.Field(i), path+"."+v.Type().Field(i).Name, f)
			}
		}
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, k := range keys {
			e := v.MapIndex(k)
			f(path+"{"+k.String()+"}", k.String, func(s string) {
				v.SetMapIndex(k, reflect.Value{})
				v.SetMapIndex(reflect.ValueOf(s), e)
			})
		}
	}
}
