package target

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/fixture"
)

var update = flag.Bool("update", false, "write docs/schema/target.schema.json anew")

const schemaFile = "../docs/schema/target.schema.json"

type obj = map[string]any

// schema is the format as a JSON Schema (draft 2020-12), for editors. It says what can be said without comparing routes.
func schema() obj {
	return obj{
		"$schema":     "https://json-schema.org/draft/2020-12/schema",
		"title":       "preservecheck target",
		"description": "A layer and the routes into it, for preservecheck check --target. See docs/targets.md.",
		"type":        "object", "required": []any{"format", "name", "routes"}, "additionalProperties": false,
		"properties": obj{
			"format":  say("The format of this file.", obj{"const": Format}),
			"name":    say("How reports call the layer.", ref("line")),
			"version": say("The layer's version, for reports; quote it when it looks like a number.", ref("line")),
			"hops":    say("The routes are points of one chain, client first; all have one dialect.", obj{"type": "boolean"}),
			"routes":  say("The ways into the layer.", obj{"type": "array", "minItems": 1, "maxItems": maxRoutes, "items": ref("route")}),
		},
		"if":   obj{"properties": obj{"hops": obj{"const": true}}, "required": []any{"hops"}},
		"then": obj{"properties": obj{"routes": obj{"minItems": 2}}},
		"$defs": obj{"route": routeSchema(), "header": headerSchema(),
			"line": obj{"type": []any{"string", "number", "boolean"}, "minLength": 1, "maxLength": maxName, "pattern": `^[^\x00-\x08\x0a-\x1f\x7f]*\S[^\x00-\x08\x0a-\x1f\x7f]*$`}},
	}
}

func ref(name string) obj { return obj{"$ref": "#/$defs/" + name} }

// say adds what an editor shows when the cursor stands on a key.
func say(what string, s obj) obj {
	s = maps.Clone(s)
	s["description"] = what
	return s
}

func routeSchema() obj {
	var names []any
	for _, d := range dialects.All() {
		names = append(names, d.Name)
	}
	channels := []any{}
	for _, c := range channelNames {
		channels = append(channels, c)
	}
	return obj{
		"type": "object", "additionalProperties": false, "required": []any{"name", "url"},
		"properties": obj{
			"name":    say("How reports call the route.", obj{"type": []any{"string", "number"}, "pattern": goodName().String()}),
			"url":     say("The base URL that a client would be given.", obj{"type": "string", "pattern": "^([hH][tT][tT][pP][sS]?)://."}),
			"dialect": say("The provider protocol to ask in; "+DefaultDialect+" without it.", obj{"enum": names}),
			"headers": say("To send on this route, in order, one name with one value each. $NAME comes from the environment when --allow-env allows NAME.",
				obj{"type": "array", "maxItems": maxHeaders, "items": ref("header")}),
			"model": say("The model name to ask for; {fixture} stands for the fixture's name.", ref("line")),
			"channel": say("How the stub learns which fixture is wanted.",
				obj{"anyOf": []any{obj{"enum": channels}, obj{"type": "string", "pattern": "^header:[!#$%&'*+.^_`|~0-9A-Za-z-]+$"}}}),
		},
	}
}

func headerSchema() obj {
	return obj{"type": "object", "minProperties": 1, "maxProperties": 1,
		"propertyNames": obj{
			"pattern": "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$",
			"not":     obj{"pattern": "^([cC]ontent-[lL]ength|[tT]ransfer-[eE]ncoding|[cC]onnection)$"},
		},
		"additionalProperties": obj{"type": []any{"string", "number", "boolean"}},
	}
}

func schemaBytes(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(schema()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestSchemaIsFresh(t *testing.T) {
	want := schemaBytes(t)
	if *update {
		if err := os.WriteFile(filepath.FromSlash(schemaFile), want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(filepath.FromSlash(schemaFile))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("docs/schema is stale: go test ./target -update (-wanted +found)\n%s", d)
	}
}

// TestSchemaHasTheReadersKeys: a key that the reader learns has to be learned by the schema as well. The reader knows
// start only to refuse it.
func TestSchemaHasTheReadersKeys(t *testing.T) {
	for _, c := range []struct {
		raw    any
		schema obj
	}{{rawFile{}, schema()}, {rawRoute{}, routeSchema()}} {
		var keys []string
		for f := range reflect.TypeOf(c.raw).Fields() {
			if f.Name != "Start" {
				keys = append(keys, strings.ToLower(f.Name))
			}
		}
		slices.Sort(keys)
		if d := cmp.Diff(keys, slices.Sorted(maps.Keys(c.schema["properties"].(obj)))); d != "" {
			t.Errorf("%T (-reader +schema)\n%s", c.raw, d)
		}
	}
}

// TestSchemaAgreesWithTheReader: it takes what the reader takes, and refuses what the reader refuses without looking
// further than one value.
func TestSchemaAgreesWithTheReader(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schemaBytes(t)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("target.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("target.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	validate := func(text string) error {
		var root fixture.Node
		if err := fixture.Strict("t.yaml", []byte(text), &root); err != nil {
			return err // an editor says so without a schema
		}
		return s.Validate(plain(&root))
	}
	for why, text := range map[string]string{
		"all keys":        goodFile,
		"the least":       "format: " + Format + "\nname: a\nroutes: [{name: b, url: 'http://h'}]\n",
		"a named header":  strings.Replace(goodFile, "channel: model", "channel: header:x-my", 1),
		"a numeric name":  strings.Replace(goodFile, "version: 1.2.3", "version: 1.2", 1),
		"hops are denied": strings.Replace(goodFile, "hops: true", "hops: false", 1),
	} {
		if _, err := Load("t.yaml", []byte(text)); err != nil {
			t.Errorf("%s: the reader: %v", why, err)
		}
		if err := validate(text); err != nil {
			t.Errorf("%s: the schema: %v", why, err)
		}
	}
	for _, c := range refused {
		if err := validate(strings.Replace(goodFile, c.old, c.new, 1)); err == nil && !c.reader {
			t.Errorf("%s: the schema takes it", c.why)
		}
	}
}

// plain reads a node as editors do (YAML 1.2, core schema).
func plain(n *fixture.Node) any {
	switch n.Kind {
	case fixture.MappingNode:
		m := obj{}
		for i := 0; i < len(n.Content); i += 2 {
			m[n.Content[i].Value] = plain(n.Content[i+1])
		}
		return m
	case fixture.SequenceNode:
		all := []any{}
		for _, c := range n.Content {
			all = append(all, plain(c))
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
