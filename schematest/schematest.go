// Package schematest holds the JSON Schema of a file format against the format's own reader, in tests.
//
// It is no part of the program: only tests import it, and it knows none of the formats.
package schematest

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"
)

// Object is an object of a schema.
type Object = map[string]any

// Ref points at a definition.
func Ref(name string) Object { return Object{"$ref": "#/$defs/" + name} }

// Say adds what an editor shows when the cursor stands on a key.
func Say(what string, s Object) Object {
	s = maps.Clone(s)
	s["description"] = what
	return s
}

// Enum allows a few texts.
func Enum[T ~string](of ...T) Object {
	var all []any
	for _, v := range of {
		all = append(all, string(v))
	}
	return Object{"enum": all}
}

func written(t *testing.T, schema Object) []byte {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(schema); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Fresh holds the published file against the schema, or writes it anew.
func Fresh(t *testing.T, file string, schema Object, update bool) {
	t.Helper()
	want := written(t, schema)
	if update {
		if err := os.WriteFile(filepath.FromSlash(file), want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(filepath.FromSlash(file))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s is stale: run the tests of this package with -update (-wanted +found)\n%s", file, d)
	}
}

// SameKeys demands that an object of the schema has the keys that the reader's struct has, but for those that it knows only
// to refuse them.
func SameKeys(t *testing.T, raw any, schema Object, refused ...string) {
	t.Helper()
	var keys []string
	for f := range reflect.TypeOf(raw).Fields() {
		if name := strings.ToLower(f.Name); !slices.Contains(refused, name) {
			keys = append(keys, name)
		}
	}
	slices.Sort(keys)
	if d := cmp.Diff(keys, slices.Sorted(maps.Keys(schema["properties"].(Object)))); d != "" {
		t.Errorf("%T (-reader +schema)\n%s", raw, d)
	}
}

// Compile reads a schema as the draft has it that it names.
func Compile(t *testing.T, schema Object) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(written(t, schema)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Closed compiles a published schema with no room for members that it does not name, so that a test sees what an open schema
// would let pass.
func Closed(t *testing.T, file string) *jsonschema.Schema {
	t.Helper()
	raw, err := os.ReadFile(filepath.FromSlash(file))
	if err != nil {
		t.Fatal(err)
	}
	var schema Object
	if err := json.Unmarshal(raw, &schema); err != nil {
		t.Fatal(err)
	}
	shut(schema)
	return Compile(t, schema)
}

func shut(v any) {
	switch x := v.(type) {
	case Object:
		if x["type"] == "object" && x["additionalProperties"] == nil {
			x["additionalProperties"] = false
		}
		for _, inner := range x {
			shut(inner)
		}
	case []any:
		for _, inner := range x {
			shut(inner)
		}
	}
}

// Valid holds a JSON document against a schema.
func Valid(s *jsonschema.Schema, raw []byte) error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	return s.Validate(doc)
}

// Plain reads a node as editors do (YAML 1.2, core schema: a date is text).
func Plain(n *yaml.Node) any {
	switch n.Kind {
	case yaml.DocumentNode:
		return Plain(n.Content[0])
	case yaml.MappingNode:
		m := Object{}
		for i := 0; i < len(n.Content); i += 2 {
			m[n.Content[i].Value] = Plain(n.Content[i+1])
		}
		return m
	case yaml.SequenceNode:
		all := []any{}
		for _, c := range n.Content {
			all = append(all, Plain(c))
		}
		return all
	}
	switch n.ShortTag() {
	case "!!int", "!!float":
		return json.Number(n.Value)
	case "!!bool":
		return n.Value == "true"
	case "!!null":
		return nil
	}
	return n.Value
}
