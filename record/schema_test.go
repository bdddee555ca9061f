package record

import (
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/schematest"
)

var update = flag.Bool("update", false, "write docs/schema/record.schema.json anew")

const schemaFile = "../docs/schema/record.schema.json"

type obj = schematest.Object

// TestSchemaIsTheTypes writes the schema from the types, with their comments, and holds the published one to it. What the
// published one promises is looked at first, so that -update can't break it.
func TestSchemaIsTheTypes(t *testing.T) {
	now := schema(t)
	before := published(t)
	for _, broken := range shrunk(before, now, before, now, "record") {
		t.Errorf("%s only grows: %s", Format, broken)
	}
	schematest.Fresh(t, schemaFile, now, *update && !t.Failed())
}

// published is the committed schema.
func published(t *testing.T) obj {
	t.Helper()
	raw, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	var s obj
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// schema is the form of Document as a JSON Schema. It is open: a later version may have more members, and who validates with
// an older schema must not refuse them.
func schema(t *testing.T) obj {
	t.Helper()
	return schemaOf(t, reflect.TypeFor[Document](), "preservecheck record", Format)
}

func schemaOf(t *testing.T, rt reflect.Type, title, format string) obj {
	t.Helper()
	g := generator{comments: comments(t), defs: obj{}}
	root := g.object(rt)
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = title
	root["$defs"] = g.defs
	root["properties"].(obj)["format"] = obj{"const": format}
	return plainJSON(t, root)
}

// plainJSON makes one kind of value of what was read and what was generated.
func plainJSON(t *testing.T, s obj) (out obj) {
	t.Helper()
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

type generator struct {
	comments map[string]string // "Row" and "Row.Verdict"
	defs     obj
}

// object is a struct: a member without omitempty is always there.
func (g *generator) object(rt reflect.Type) obj {
	properties, required := obj{}, []any{}
	for f := range rt.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		optional := slices.Contains(strings.Split(options, ","), "omitempty")
		s := g.value(f.Type, !optional)
		if c := g.comments[rt.Name()+"."+f.Name]; c != "" {
			s["description"] = c
		}
		properties[name] = s
		if !optional {
			required = append(required, name)
		}
	}
	out := obj{"type": "object", "properties": properties, "required": required}
	if c := g.comments[rt.Name()]; c != "" {
		out["description"] = c
	}
	return out
}

// value is a member or an item; nullable is whether nil is written, as null.
func (g *generator) value(rt reflect.Type, nullable bool) obj {
	kind := func(name string) any {
		if nullable {
			return []any{name, "null"}
		}
		return name
	}
	switch {
	case rt == reflect.TypeFor[time.Time]():
		return obj{"type": "string", "format": "date-time"}
	case rt.Kind() == reflect.Pointer && rt.Elem().Kind() == reflect.Struct && nullable:
		return obj{"anyOf": []any{g.value(rt.Elem(), false), obj{"type": "null"}}}
	case rt.Kind() == reflect.Pointer && rt.Elem().Kind() == reflect.String:
		return obj{"type": kind("string")}
	case rt.Kind() == reflect.Pointer && nullable && (rt.Elem().Kind() == reflect.Int || rt.Elem().Kind() == reflect.Float64):
		return obj{"type": kind(map[reflect.Kind]string{reflect.Int: "integer", reflect.Float64: "number"}[rt.Elem().Kind()])}
	case rt.Kind() == reflect.Pointer:
		return g.value(rt.Elem(), false)
	case rt.Kind() == reflect.Slice:
		return obj{"type": kind("array"), "items": g.value(rt.Elem(), rt.Elem().Kind() == reflect.Slice || rt.Elem().Kind() == reflect.Pointer)}
	case rt.Kind() == reflect.Map:
		return obj{"type": kind("object"), "additionalProperties": g.value(rt.Elem(), rt.Elem().Kind() == reflect.Slice)}
	case rt.Kind() == reflect.Struct:
		if g.defs[rt.Name()] == nil {
			g.defs[rt.Name()] = obj{} // it may contain itself
			g.defs[rt.Name()] = g.object(rt)
		}
		return schematest.Ref(rt.Name())
	}
	return obj{"type": map[reflect.Kind]string{reflect.String: "string", reflect.Bool: "boolean", reflect.Int: "integer", reflect.Float64: "number"}[rt.Kind()]}
}

// comments reads what the package says of its types and their fields.
func comments(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 3 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok {
				described(g, out)
			}
		}
	}
	return out
}

func described(g *ast.GenDecl, out map[string]string) {
	for _, s := range g.Specs {
		ts, ok := s.(*ast.TypeSpec)
		if !ok {
			continue
		}
		st, ok := ts.Type.(*ast.StructType)
		if !ok {
			continue
		}
		out[ts.Name.Name] = strings.Join(strings.Fields(g.Doc.Text()), " ")
		for _, f := range st.Fields.List {
			for _, n := range f.Names {
				out[ts.Name.Name+"."+n.Name] = strings.Join(strings.Fields(f.Comment.Text()), " ")
			}
		}
	}
}

// shrunk lists what a reader of the older schema could no longer rely on: a member that is gone or may be missing, or that
// has another type. References are followed, so a type may be renamed.
func shrunk(before, now, oldRoot, newRoot obj, path string) (out []string) {
	before, now = followed(before, oldRoot), followed(now, newRoot)
	if a, b := fmt.Sprint(before["type"], before["const"], before["format"]), fmt.Sprint(now["type"], now["const"], now["format"]); a != b {
		return []string{fmt.Sprintf("%s was %s and is %s", path, a, b)}
	}
	wanted, _ := before["properties"].(obj)
	have, _ := now["properties"].(obj)
	for name, old := range wanted {
		if have[name] == nil {
			out = append(out, path+"."+name+" is gone")
			continue
		}
		out = append(out, shrunk(old.(obj), have[name].(obj), oldRoot, newRoot, path+"."+name)...)
	}
	was, _ := before["required"].([]any)
	is, _ := now["required"].([]any)
	for _, name := range was {
		if !slices.Contains(is, name) {
			out = append(out, fmt.Sprintf("%s.%s may be missing now", path, name))
		}
	}
	for _, inner := range []string{"items", "additionalProperties"} {
		if old, ok := before[inner].(obj); ok {
			next, _ := now[inner].(obj)
			out = append(out, shrunk(old, next, oldRoot, newRoot, path+"[]")...)
		}
	}
	if fmt.Sprint(before["anyOf"]) != fmt.Sprint(now["anyOf"]) {
		out = append(out, path+" has other alternatives")
	}
	slices.Sort(out)
	return out
}

func followed(s, root obj) obj {
	ref, ok := s["$ref"].(string)
	if !ok {
		return s
	}
	defs, _ := root["$defs"].(obj)
	to, _ := defs[strings.TrimPrefix(ref, "#/$defs/")].(obj)
	return to
}

// TestSchemaOnlyGrows: each way to take a promise back is noticed, and what is added is not.
func TestSchemaOnlyGrows(t *testing.T) {
	row := func(s obj) obj { return s["$defs"].(obj)["Row"].(obj) }
	members := func(s obj) obj { return row(s)["properties"].(obj) }
	for _, c := range []struct {
		why, want string
		change    func(obj)
	}{
		{"nothing", "", func(obj) {}},
		{"a member more", "", func(s obj) { members(s)["new"] = obj{"type": "string"} }},
		{"a member that is always there now", "", func(s obj) { row(s)["required"] = append(row(s)["required"].([]any), "reason") }},
		{"another description", "", func(s obj) { members(s)["verdict"].(obj)["description"] = "x" }},
		{"a type with another name", "", func(s obj) {
			s["$defs"].(obj)["Line"] = row(s)
			delete(s["$defs"].(obj), "Row")
			s["properties"].(obj)["rows"].(obj)["items"] = obj{"$ref": "#/$defs/Line"}
		}},
		{"a member less", "record.rows[].verdict is gone", func(s obj) { delete(members(s), "verdict") }},
		{"another type", "record.rows[].hits_min was", func(s obj) { members(s)["hits_min"] = obj{"type": "string"} }},
		{"null where none was", "record.rows[].verdict was", func(s obj) { members(s)["verdict"] = obj{"type": []any{"string", "null"}} }},
		{"optional now", "record.rows[].verdict may be missing", func(s obj) {
			row(s)["required"] = slices.DeleteFunc(row(s)["required"].([]any), func(n any) bool { return n == "verdict" })
		}},
		{"another format", "record.format was", func(s obj) { s["properties"].(obj)["format"] = obj{"const": "preservecheck.report/v2"} }},
		{"items of another kind", "record.channels[] was", func(s obj) { s["properties"].(obj)["channels"].(obj)["items"] = obj{"type": "object"} }},
		{"values of another kind", "record.result.counts[] was", func(s obj) {
			s["$defs"].(obj)["Result"].(obj)["properties"].(obj)["counts"].(obj)["additionalProperties"] = obj{"type": "string"}
		}},
	} {
		before, now := schema(t), schema(t)
		c.change(now)
		got := strings.Join(shrunk(before, now, before, now, "record"), "; ")
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

// TestSchemaTakesRecords: what encoding/json writes is valid, and what has another type, or a member too few, is not.
func TestSchemaTakesRecords(t *testing.T) {
	s := schematest.Closed(t, schemaFile)
	kind := "x"
	doc := Document{Format: Format, Rows: []Row{{Layer: &Evidence{Type: &kind, RateLimit: map[string][]string{"a": nil}}, Direct: &Evidence{}, Fields: []Field{{Layer: &Value{}}}}},
		Known: &Known{}, News: &News{}, Classifier: &Classifier{}, Advice: []Advice{{}}, Parts: []Part{{}}}
	raw, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	if err := schematest.Valid(s, raw); err != nil {
		t.Errorf("%s: %v", raw, err)
	}
	for _, c := range []struct{ why, old, new string }{
		{"a number for a text", `"command":""`, `"command":1`},
		{"another format", Format, "preservecheck.report/v2"},
		{"a member less", `"command":"",`, ""},
		{"a member that is none", `"command":"",`, `"command":"","commando":"",`},
		{"one deep inside", `"hits_min":0`, `"hits_min":"0"`},
		{"null for a text", `"channel":""`, `"channel":null`},
	} {
		text := strings.Replace(string(raw), c.old, c.new, 1)
		if text == string(raw) || schematest.Valid(s, []byte(text)) == nil {
			t.Errorf("%s is valid", c.why)
		}
	}
}
