package clients

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"

	"github.com/preservecheck/preservecheck/schematest"
)

type obj = schematest.Object

// schema is the format of client.yaml as a JSON Schema (draft 2020-12), for editors.
func schema() obj {
	line := obj{"type": []any{"string", "number", "boolean"}, "minLength": 1, "pattern": `^[^\x00-\x1f\x7f]*\S[^\x00-\x1f\x7f]*$`}
	url := obj{"type": "string", "pattern": "^https?://"}
	return obj{
		"$schema":     "https://json-schema.org/draft/2020-12/schema",
		"title":       "preservecheck client",
		"description": "A real SDK with its pinned packages and a driver, for preservecheck attempts. See docs/clients.md.",
		"type":        "object", "additionalProperties": false,
		"required": []any{"format", "name", "title", "homepage", "dialect", "language", "manager", "packages", "run", "default_retries", "sources"},
		"properties": obj{
			"format":          schematest.Say("The format of this file.", obj{"const": Format}),
			"name":            schematest.Say("How the client is called, as its folder is.", line),
			"title":           schematest.Say("The SDK, for people.", line),
			"homepage":        schematest.Say("The project's page.", url),
			"dialect":         schematest.Say("The protocol that it speaks.", schematest.Enum("anthropic", "openai-chat")),
			"language":        schematest.Say("What it is written in.", line),
			"manager":         schematest.Say("What installs its packages.", schematest.Enum(managers...)),
			"packages":        schematest.Say("What it is about, each with the version of the lock file.", obj{"type": "object", "minProperties": 1, "additionalProperties": line}),
			"run":             schematest.Say("The driver and its arguments; there is no shell, and {dir} is where it is installed.", obj{"type": "array", "minItems": 1, "items": line}),
			"lines":           schematest.Say("One process takes all calls, a line each.", obj{"type": "boolean"}),
			"skips_waits":     schematest.Say("It can note waits instead of waiting, with the wire unchanged.", obj{"type": "boolean"}),
			"default_retries": schematest.Say("The SDK's own number of retries.", obj{"type": "integer", "minimum": 0, "maximum": 100}),
			"sources": schematest.Say("Where it was read how the SDK retries.", obj{"type": "array", "items": obj{"type": "object", "additionalProperties": false,
				"required": []any{"what", "url", "date"}, "properties": obj{"what": line, "url": url, "date": obj{"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}}}}),
		},
	}
}

func TestSchema(t *testing.T) {
	s := schema()
	schematest.Fresh(t, "../docs/schema/client.schema.json", s, *update)
	sameKeys(t, s)
	compiled := schematest.Compile(t, s)
	for _, name := range Names() {
		b, err := os.ReadFile(filepath.Join(name, File))
		if err != nil {
			t.Fatal(err)
		}
		var n yaml.Node
		if err := yaml.Unmarshal(b, &n); err != nil {
			t.Fatal(err)
		}
		if err := compiled.Validate(schematest.Plain(&n)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// sameKeys demands that the schema has the keys of the reader.
func sameKeys(t *testing.T, schema obj) {
	t.Helper()
	var keys []string
	for f := range reflect.TypeFor[rawClient]().Fields() {
		keys = append(keys, cmp.Or(f.Tag.Get("yaml"), strings.ToLower(f.Name)))
	}
	slices.Sort(keys)
	if d := gocmp.Diff(keys, slices.Sorted(maps.Keys(schema["properties"].(obj)))); d != "" {
		t.Errorf("(-reader +schema)\n%s", d)
	}
}
