package recipes

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
	"github.com/preservecheck/preservecheck/schematest"
)

var update = flag.Bool("update", false, "write docs/schema/recipe.schema.json anew")

const schemaFile = "../docs/schema/recipe.schema.json"

type obj = schematest.Object

// schema is the format as a JSON Schema (draft 2020-12), for editors. It says what can be said without filling anything in.
func schema() obj {
	line := obj{"type": []any{"string", "number", "boolean"}, "minLength": 1, "maxLength": maxLine, "pattern": `^[^\x00-\x1f\x7f]*\S[^\x00-\x1f\x7f]*$`}
	lines := obj{"type": "array", "minItems": 1, "maxItems": maxItems, "items": schematest.Ref("line")}
	name := obj{"type": "string", "pattern": goodName().String()}
	word := obj{"type": "string", "pattern": goodWord().String()}
	named := func(names, values obj) obj {
		return obj{"type": "object", "propertyNames": names, "additionalProperties": values}
	}
	text := obj{"type": []any{"string", "number", "boolean"}, "maxLength": maxText}
	settings := obj{}
	for flag := range checkable {
		settings[flag] = schematest.Ref("line")
	}
	for _, flag := range []string{"settle", "timeout", "ready-timeout", "deadline"} {
		settings[flag] = obj{"type": "string", "pattern": `^([0-9.]+(ns|us|µs|ms|s|m|h))+$`}
	}
	return obj{
		"$schema":     "https://json-schema.org/draft/2020-12/schema",
		"title":       "preservecheck recipe",
		"description": "How a layer is configured and started, and what is known about it, for preservecheck check --recipe. See docs/recipes.md.",
		"type":        "object", "additionalProperties": false,
		"required": []any{"format", "name", "what", "homepage"},
		"if":       obj{"required": []any{"documented"}, "properties": obj{"documented": obj{"const": true}}},
		"then":     obj{"required": []any{"facts"}, "not": obj{"anyOf": each("install", "packages", "version", "command", "files", "env", "inherit", "ports", "ready", "routes", "check", "set", "variants", "advice")}},
		"else":     obj{"required": []any{"versions", "install", "version", "command", "routes", "channels", "variants"}, "not": obj{"anyOf": each("config", "facts")}},
		"properties": obj{
			"format":   schematest.Say("The format of this file.", obj{"const": Format}),
			"name":     schematest.Say("How the recipe is called.", name),
			"what":     schematest.Say("What the layer is, in one line.", schematest.Ref("line")),
			"homepage": schematest.Say("The project's page.", schematest.Ref("url")),
			"versions": schematest.Say("Versions that the recipe was tried with.", lines),
			"install":  schematest.Say("How each system gets the layer.", minimum(named(name, schematest.Ref("line")), 1)),
			"packages": schematest.Say("Files beside this one that name what has to be installed, such as a lock file; taken as they are.", obj{"type": "array", "minItems": 1, "maxItems": maxItems, "items": obj{"type": "string", "pattern": `^[^/\x00-\x1f]+$`, "not": obj{"const": File}}}),
			"version": schematest.Say("How the version is found out.", obj{"type": "object", "additionalProperties": false, "required": []any{"command", "pattern"},
				"properties": obj{"command": schematest.Say("The program and its arguments.", lines), "pattern": schematest.Say("A regular expression whose only group is the version.", schematest.Ref("line"))}}),
			"command":  schematest.Say("The program and its arguments; there is no shell.", lines),
			"files":    schematest.Say("Templates beside this file, with the path that each is written to.", named(obj{"pattern": "^[^/]+$", "not": obj{"const": File}}, obj{"type": "string", "minLength": 1, "maxLength": maxLine, "pattern": `^[^./\x00-\x1f]`})),
			"env":      schematest.Say("Variables for the layer.", named(obj{"pattern": goodVariable().String()}, text)),
			"inherit":  schematest.Say("Variables that the layer gets from the user's environment; none that may hold a key.", obj{"type": "array", "items": obj{"type": "string", "pattern": goodVariable().String(), "not": obj{"pattern": closedPattern()}}}),
			"ports":    schematest.Say("Names of more ports, as {port_NAME}.", obj{"type": "array", "items": word}),
			"ready":    schematest.Say("A URL that gives any HTTP answer once the layer is up. Without it an open port says so.", schematest.Ref("line")),
			"routes":   schematest.Ref("routes"),
			"channels": schematest.Say("Ways by which a fixture's name arrives at the stub.", obj{"type": "array", "minItems": 1, "items": obj{"enum": []any{"marker", "model", "header", "path", "armed"}}}),
			"quirks":   schematest.Say("What to know before reading a result.", obj{"type": "array", "items": schematest.Ref("line")}),
			"check":    schematest.Ref("check"),
			"set":      schematest.Say("Texts of placeholders, where a variant has no other.", named(word, text)),
			"variants": schematest.Say("Configurations, default first.", obj{"type": "object", "required": []any{Default}, "propertyNames": name, "additionalProperties": schematest.Ref("variant")}),
			"advice":   schematest.Say("Likely causes of what rows show, the special before the general.", obj{"type": "array", "items": schematest.Ref("advice")}),

			"documented": schematest.Say("Nobody ran it: it has facts, and nothing to start it by.", obj{"type": "boolean"}),
			"config":     schematest.Say("How it could be configured, for people.", text),
			"facts":      schematest.Say("What was read about a layer that nobody ran.", obj{"type": "array", "minItems": 1, "maxItems": maxItems, "items": schematest.Ref("fact")}),
		},
		"$defs": obj{
			"line": line, "url": obj{"type": "string", "pattern": "^https?://."},
			"check":  schematest.Say("Flags of check that get a value, as long as the user gives none.", obj{"type": "object", "additionalProperties": false, "properties": settings}),
			"routes": schematest.Say("The ways into the layer, as in a target's file.", obj{"type": "array", "minItems": 1, "items": routeSchema()}),
			"variant": obj{"type": "object", "additionalProperties": false, "required": []any{"why", "good"}, "properties": obj{
				"why": schematest.Say("What it shows, in one line.", schematest.Ref("line")), "good": schematest.Say("It is expected to keep the evidence.", obj{"type": "boolean"}),
				"stateful": schematest.Say("What it shows depends on time and on what was asked before.", obj{"type": "boolean"}),
				"set":      schematest.Say("Texts of placeholders that the recipe's set has.", named(word, text)), "env": schematest.Say("More variables.", named(obj{"pattern": goodVariable().String()}, text)),
				"routes": schematest.Ref("routes"), "check": schematest.Ref("check"),
			}},
			"advice": adviceSchema(),
			"fact": obj{"type": "object", "additionalProperties": false, "required": []any{"about", "say", "source", "date"}, "properties": obj{
				"about": enum(Abouts()), "basis": schematest.Say("What it rests on: the source (the default), an early stub of ours, or nothing yet.", enum(Bases())), "say": schematest.Ref("line"), "source": schematest.Ref("url"), "date": obj{"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"},
			}},
		},
	}
}

// each is a schema for each key that fits what has it.
func each(keys ...string) (out []any) {
	for _, k := range keys {
		out = append(out, obj{"required": []any{k}})
	}
	return out
}

func enum(of []string) obj {
	var all []any
	for _, s := range of {
		all = append(all, s)
	}
	return obj{"enum": all}
}

func closedPattern() string {
	var all []string
	for _, w := range closed {
		var b strings.Builder
		for _, c := range w {
			b.WriteString("[" + string(c) + strings.ToLower(string(c)) + "]")
		}
		all = append(all, b.String())
	}
	return strings.Join(all, "|")
}

func minimum(s obj, n int) obj {
	s["minProperties"] = n
	return s
}

// routeSchema only names the keys: docs/schema/target.schema.json says more.
func routeSchema() obj {
	var names []any
	for _, d := range dialects.All() {
		names = append(names, d.Name)
	}
	return obj{"type": "object", "additionalProperties": false, "required": []any{"name", "url"}, "properties": obj{
		"name": schematest.Ref("line"), "url": schematest.Ref("line"), "dialect": obj{"enum": names}, "headers": obj{"type": "array"}, "model": schematest.Ref("line"), "channel": schematest.Ref("line"),
	}}
}

func adviceSchema() obj {
	return obj{"type": "object", "additionalProperties": false, "required": []any{"cause", "remedy", "source", "date"},
		"oneOf": []any{
			obj{"anyOf": each("key", "verdict"), "not": obj{"anyOf": each("finding")}},
			obj{"required": []any{"finding"}, "not": obj{"anyOf": each("key", "direction", "value", "verdict", "status")}},
		},
		"dependentRequired": obj{"direction": []any{"key"}, "value": []any{"key"}},
		"properties": obj{
			"finding": schematest.Say("Kind of finding that it explains, in place of rows.", enum(findings)),
			"key":     schematest.Say("Pattern of the key that differs; * stands for anything.", schematest.Ref("line")), "direction": enum(directions), "verdict": enum(verdicts),
			"status": schematest.Say("Status that the fixture has.", obj{"type": "integer", "minimum": 100, "maximum": 999}),
			"value":  schematest.Say("Pattern of what came through the layer.", schematest.Ref("line")), "variant": schematest.Ref("line"),
			"cause": schematest.Ref("line"), "remedy": schematest.Ref("line"), "source": schematest.Ref("url"), "date": obj{"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"},
		}}
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
		t.Errorf("docs/schema is stale: go test ./recipes -update (-wanted +found)\n%s", d)
	}
}

// TestKeysAreTold: a key that the reader learns has to be learned by the schema and told by the page as well.
func TestKeysAreTold(t *testing.T) {
	page, err := os.ReadFile("../docs/recipes.md")
	if err != nil {
		t.Fatal(err)
	}
	defs := schema()["$defs"].(obj)
	version := schema()["properties"].(obj)["version"].(obj)
	for _, c := range []struct {
		raw    any
		schema obj
	}{{rawRecipe{}, schema()}, {rawVersion{}, version}, {rawVariant{}, defs["variant"].(obj)}, {rawAdvice{}, defs["advice"].(obj)}, {rawFact{}, defs["fact"].(obj)}} {
		var keys []string
		for f := range reflect.TypeOf(c.raw).Fields() {
			key := strings.ToLower(f.Name)
			keys = append(keys, key)
			if !strings.Contains(string(page), "`"+key+"`") {
				t.Errorf("docs/recipes.md does not say `%s`", key)
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
	if err := c.AddResource("recipe.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("recipe.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	validate := func(text string) error {
		var root fixture.Node
		if err := fixture.Strict("r.yaml", []byte(text), &root); err != nil {
			return err // an editor says so without a schema
		}
		return s.Validate(schematest.Plain(&root))
	}
	if err := validate(goodRecipe); err != nil {
		t.Error(err)
	}
	for _, name := range Names() {
		b, err := builtin.ReadFile(name + "/" + File)
		if err == nil {
			err = validate(string(b))
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, c := range refused {
		if err := validate(strings.Replace(goodRecipe, c.old, c.new, 1)); err == nil && !c.reader {
			t.Errorf("%s: the schema takes it", c.why)
		}
	}
	if err := validate(goodDocumented); err != nil {
		t.Error(err)
	}
	for _, c := range refusedDocumented {
		if err := validate(strings.Replace(goodDocumented, c.old, c.new, 1)); err == nil && !c.reader {
			t.Errorf("%s: the schema takes it", c.why)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(goodRecipe), []byte(goodTemplate))
	for _, c := range refused {
		f.Add([]byte(strings.Replace(goodRecipe, c.old, c.new, 1)), []byte(goodTemplate))
	}
	f.Add([]byte(goodDocumented), []byte(nil))
	f.Fuzz(func(t *testing.T, recipe, template []byte) {
		r, err := Load("mine", folder(string(recipe), string(template)))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "mine/") {
				t.Fatalf("an error without a place: %v", err)
			}
			return
		}
		at := Place{Stub: "127.0.0.1:1", Dir: "/d", Port: "4", Ports: map[string]string{}}
		for _, p := range r.Ports {
			at.Ports[p] = "5"
		}
		for i := range r.Variants {
			got, err := r.In(&r.Variants[i], at)
			if err != nil {
				t.Fatalf("it loads and can't be filled in: %v", err)
			}
			for _, file := range got.Files {
				if strings.HasPrefix(file.Path, "/") || strings.Contains("/"+file.Path+"/", "/../") {
					t.Fatalf("a file elsewhere: %q", file.Path)
				}
			}
		}
	})
}
